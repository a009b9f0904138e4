"""The likelihood of counted results under a hypothesis on their mean.

Functions take arrays whose first axis holds the numbers of each result, from the worst to the best,
all above 0; their scores are evenly spaced from 0 to 1.  What they return is the log likelihood of
the most likely distribution that obeys the hypothesis, minus that of the most likely distribution
at all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gridhouse.core.fast import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

# What stands for a number of 0, as in fishtest: every result is possible, however unlikely.
UNSEEN = 1e-3
CLOSE = 1e-6  # steps that end an iteration; what they change of a likelihood is their square
ROUNDS = 1000  # most steps of an iteration, some ten are usual


def seen(numbers: Numbers) -> Numbers:
    """Return the numbers with a little in place of every 0."""
    return np.where(numbers == 0, UNSEEN, numbers)


def scores(numbers: Numbers) -> Numbers:
    """Return the score of each result, along the first axis."""
    return np.linspace(0, 1, len(numbers)).reshape(-1, *[1] * (numbers.ndim - 1))


def given_mean(numbers: Numbers, mean: float) -> Numbers:
    """Return the log likelihood if the mean score is ``mean``, between 0 and 1.

    The most likely probabilities are ``numbers / (1 + x * (scores - mean))`` up to a factor
    (Van den Bergh, 2019, "A note on the MLE of a multinomial distribution"; Owen, 1988).
    """
    offsets = np.broadcast_to(scores(numbers) - mean, numbers.shape)
    return _log_likelihood(numbers, offsets, multiplier(numbers, offsets))


def given_t(numbers: Numbers, t: float) -> Numbers:
    """Return the log likelihood if the mean is ``t`` standard deviations above a half.

    With d the difference from a half, that is E(d) = r m, where m is the root of E(d d), and r is
    t / sqrt(1 + t t).  Since 2 m is the least value of E(d d) / l + l over all l, some l makes
    this condition a linear one.  That l is m itself, and is found by iteration.  (Van den Bergh,
    2021, "Normalized Elo: practical", section 4.1, has the same over mean and deviation.)

    There may be several such l, near the differences that a result can have.  The iteration begins
    at each of these, and the likeliest is taken.
    """
    differences = scores(numbers) - 0.5
    starts = np.unique(np.abs(differences[differences != 0]))
    likeliest: Numbers = np.max([_given_t(numbers, t, at) for at in starts], axis=0)
    return likeliest


def _given_t(numbers: Numbers, t: float, start: float) -> Numbers:
    """Return what ``given_t`` does, found from a root of the mean squared difference."""
    shape = numbers.shape[1:]
    numbers = numbers.reshape(len(numbers), -1)
    differences = scores(numbers) - 0.5
    r = t / np.sqrt(1 + t * t)

    def linear(root: Numbers) -> Numbers:
        offsets: Numbers = differences - r * (differences**2 / root + root) / 2
        return offsets

    root: Numbers = np.full(numbers.shape[1], start)
    offsets = linear(root)
    possible = (offsets.min(0) < 0) & (offsets.max(0) > 0)
    root = np.where(possible, root, 0.5)  # where it always is
    x = np.zeros_like(root)
    moving = np.arange(len(root))
    for _ in range(ROUNDS):
        counts, last = numbers[:, moving], root[moving]
        offsets = linear(last)
        x[moving] = multiplier(counts, offsets, x[moving])
        shares = counts / (1 + x[moving] * offsets)
        root[moving] = np.sqrt((shares * differences**2).sum(0) / shares.sum(0))
        moving = moving[np.abs(root[moving] - last) >= CLOSE]
        if not len(moving):
            break
    offsets = linear(root)
    x = multiplier(numbers, offsets, x)
    return _log_likelihood(numbers, offsets, x).reshape(shape)


def multiplier(numbers: Numbers, offsets: Numbers, start: Numbers | float = 0.0) -> Numbers:
    """Return the x at which the sum of ``numbers * offsets / (1 + x * offsets)`` is 0.

    Offsets must lie on both sides of 0.  The sum falls with x; Newton's steps are taken from the
    start where they stay between known bounds, which are halved otherwise.
    """
    shape = numbers.shape[1:]
    numbers, offsets = (array.reshape(len(array), -1) for array in (numbers, offsets))
    low, high = -1 / offsets.max(0), -1 / offsets.min(0)
    margin = (high - low) * 1e-12
    low, high = low + margin, high - margin
    found: Numbers = np.clip(start, low, high)
    x, moving = found.copy(), np.arange(len(found))
    for _ in range(ROUNDS):
        ratios = offsets / (1 + x * offsets)
        value = (numbers * ratios).sum(0)
        low, high = np.where(value > 0, x, low), np.where(value > 0, high, x)
        step = x + value / (numbers * ratios**2).sum(0)
        step = np.where((low < step) & (step < high), step, (low + high) / 2)
        found[moving] = step
        still = np.abs(step - x) > CLOSE**2 * (1 + np.abs(step))
        if not still.any():
            break
        x, low, high, moving = step[still], low[still], high[still], moving[still]
        numbers, offsets = numbers[:, still], offsets[:, still]
    return found.reshape(shape)


def _log_likelihood(numbers: Numbers, offsets: Numbers, x: Numbers) -> Numbers:
    likelihood: Numbers = -(numbers * np.log1p(x * offsets)).sum(0)
    return likelihood
