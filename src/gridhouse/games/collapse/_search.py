"""What the solver of Collapse does when, over the compiled searches."""

from __future__ import annotations

from typing import Any

from gridhouse.games.collapse._common import MANY
from gridhouse.games.collapse._cuts import CutSearch
from gridhouse.games.collapse._linear import Linear
from gridhouse.games.collapse._samegame import Samegame
from gridhouse.games.collapse.rules import Scoring


class Search(Linear, Samegame):
    """One search from one position; ``run`` may be stopped from another thread."""

    def run(self) -> None:
        """Search until the best line is proved, the nodes are used up, or ``stop`` is called."""
        groups = self.find_walls()
        if groups == 0:
            self.least = self.total if self.scoring == Scoring.LINEAR else 0
            self._note(self.least, [])
            return
        if self.clearing and self.least > 0:
            return  # something stays, whatever is picked
        self._random_line(0)
        if self.scoring == Scoring.LINEAR:
            self._run_linear()
        else:
            self._run_samegame()

    def find_walls(self) -> int:
        """Note what can never be removed, and what that costs; return how many groups there are."""
        work = self._work()
        groups = int(self.kernels.board.find_groups(self.start, self.stride, work))
        dead = int(self.kernels.bound.find_dead(self.start, self.stride, work))
        if self.scoring == Scoring.LINEAR:
            self._build_walls(work.alone[:dead])
        else:
            self.least = -self._most(work, dead)
        return groups

    def touch(self, room: int) -> None:
        """Run every kernel once on a small board, so that it is compiled or loaded."""
        self._least_room = room
        control, memory, work, frame = self._control(0), self._memory(), self._work(), self._frame()
        # First of all: what notes a line that clears the board has everything stopped.
        self._touch_cut(self._control(0))
        self._measure(memory, self.start, MANY, frame, control)
        self._build_walls([])
        self._trace(memory, 0, control)
        self._best_score(memory, self.start, frame, control)
        self._beam(2, self.start, [], 0, 0)
        self._random_line(0)
        self._pick(self.start, self._firsts(self.start, work)[0], work)
        self.find_walls()

    def _touch_cut(self, control: Any) -> None:
        """Run the kernels of the search at a cut, which are the same for all boards."""
        cut = CutSearch(self.kernels, [[1, 1], [2, 2]], 1, MANY)
        control.best = MANY
        cut.begin(control)
        cut.run(control)
        cut.line(self.stride, control)
