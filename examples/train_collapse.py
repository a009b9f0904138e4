"""A small network learns Collapse on a board of 5x5 within three minutes on a CPU.

``pip install gridhouse[examples]``, then ``python examples/train_collapse.py [STEPS] [PICTURE]``.
It is MaskablePPO of sb3-contrib on our Gymnasium environment, which marks the legal picks.  Printed
and drawn is the mean score on a thousand boards that it never trained on, beside random and greedy
play on the same boards.
"""

from __future__ import annotations

import random
import sys
import time
from typing import TYPE_CHECKING, Any

import matplotlib.pyplot as plt
import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.vec_env import DummyVecEnv
from torch import nn

import gridhouse
from gridhouse.adapters.gymnasium import GridEnv

if TYPE_CHECKING:
    from collections.abc import Callable

    from gymnasium import spaces

    from gridhouse.search.batch import Batch

    Policy = Callable[[Batch], Any]

SIZE = {"rows": 5, "cols": 5, "digits": 4}
BOARDS = 1000
SCALE = 10.0  # points that make a reward of 1
EVERY = 20_000


class Scaled(GridEnv):
    """Collapse with rewards of a size that networks like."""

    def step(self, action: np.int64) -> Any:
        """Play a pick; the reward is its score over SCALE."""
        seen, reward, terminated, truncated, info = super().step(action)
        return seen, reward / SCALE, terminated, truncated, info


class Convolutions(BaseFeaturesExtractor):
    """Two layers that look at a cell and its neighbours: what counts is what lies side by side."""

    def __init__(self, space: spaces.Box, channels: int = 64) -> None:
        """Make the layers for planes of the space's size."""
        planes, rows, cols = space.shape
        super().__init__(space, channels * rows * cols)
        self.layers = nn.Sequential(
            nn.Conv2d(planes, channels, 3, padding=1),
            nn.ReLU(),
            nn.Conv2d(channels, channels, 3, padding=1),
            nn.ReLU(),
            nn.Flatten(),
        )

    def forward(self, planes: torch.Tensor) -> torch.Tensor:
        """Return the features of some observations."""
        return self.layers(planes)


def mean_score(policy: Policy) -> float:
    """Return the mean score of a policy on boards kept for this."""
    boards = gridhouse.batch("collapse", BOARDS, seed=10_000, **SIZE)
    while not boards.terminated.all():
        boards.step(policy(boards), skipped=boards.terminated)
    return float(boards.returns().mean())


def at_random(boards: Any) -> Any:
    """Pick anything."""
    return boards.random_actions()


def greedily(boards: Any) -> Any:
    """Pick what scores most at once."""
    picks = np.zeros(boards.count, int)
    for at in np.flatnonzero(~boards.terminated):
        state, best = boards.state(at), -1.0
        for action in state.legal_actions():
            after = state.clone()
            after.apply_action(action)
            if after.returns()[0] > best:
                best, picks[at] = after.returns()[0], action
    return picks


def learned(model: MaskablePPO) -> Policy:
    """Return what the network prefers, as a policy for a batch."""

    def pick(boards: Any) -> Any:
        masks = boards.masks().astype(bool)
        masks[~masks.any(axis=1)] = True  # boards that are over; their pick is passed over
        seen = boards.observations()
        return model.predict(seen, action_masks=masks, deterministic=True)[0]

    return pick


class Curve(BaseCallback):
    """Notes the mean score every so many steps."""

    def __init__(self) -> None:
        """Begin with an empty curve."""
        super().__init__()
        self.points: list[tuple[int, float]] = []

    def _on_step(self) -> bool:
        if self.num_timesteps >= len(self.points) * EVERY:
            self.points.append((self.num_timesteps, mean_score(learned(self.model))))
            print(f"{self.points[-1][0]:8} steps  {self.points[-1][1]:.2f}", flush=True)
        return True


def main(steps: int, picture: str) -> None:
    """Train, print the curve, draw it."""
    torch.set_num_threads(1)  # threads for a network so small wait more than they work
    random_score, greedy_score = mean_score(at_random), mean_score(greedily)
    print(f"random {random_score:.2f}, greedy {greedy_score:.2f}")
    model = MaskablePPO(
        "MlpPolicy",
        DummyVecEnv([lambda: Scaled("collapse", **SIZE)] * 128),
        n_steps=16,
        batch_size=256,
        n_epochs=6,
        learning_rate=1e-3,
        ent_coef=0.003,
        gamma=1.0,
        policy_kwargs={
            "features_extractor_class": Convolutions,
            "normalize_images": False,
            "net_arch": [128],
        },
        seed=1,
        device="cpu",
    )
    curve = Curve()
    start = time.perf_counter()
    model.learn(steps, callback=curve)
    print(f"{time.perf_counter() - start:.0f} s")
    plt.plot(*zip(*curve.points, strict=True), label="MaskablePPO")
    plt.axhline(random_score, linestyle=":", color="gray", label="random")
    plt.axhline(greedy_score, linestyle="--", color="gray", label="greedy")
    plt.xlabel("steps")
    plt.ylabel(f"mean score on {BOARDS} boards of 5x5")
    plt.legend()
    plt.savefig(picture)


if __name__ == "__main__":
    random.seed(1)
    main(
        int(sys.argv[1]) if len(sys.argv) > 1 else 300_000,
        sys.argv[2] if len(sys.argv) > 2 else "train_collapse.png",
    )
