"""An upper bound of a length from random draws, by betting against every larger one.

Let x >= 0 be unknown, and X_1, X_2, ... independent draws with the mean x^2 + a, |a| <= `offset`, that are never above
`scale` (x + shift). If x lies between x1 and x2, then with m = x1^2 - offset >= 0 and R = scale (x2 + shift)

    W_s = prod_{i <= s} (1 + theta (m - X_i) / R),    0 <= theta < 1,

is a product of non-negative factors whose means are at most 1: the wealth of a gambler in a game that is fair or worse.
By Ville's inequality it ever reaches 1 / eta with a probability of at most eta. So an interval of lengths whose wealth
has reached 1 / eta is refuted, at whatever draw one looks and whatever made one stop. The intervals are fixed
beforehand and x lies in one of them, so that the largest one that is not refuted bounds x with probability 1 - eta,
however many there are. Stakes theta are mixed, which leaves the mean as it is.

Draws that are mostly far below their largest possible value need about scale log(1/eta) / x of them; Bernstein's
inequality with an empirical variance (Maurer and Pontil 2009) needs five times as many. The method is that of
Waudby-Smith and Ramdas, Estimating means of bounded random variables by betting (2024), for one side and an unknown
range.
"""

from __future__ import annotations

from math import inf, log, nextafter, sqrt

import numpy as np

from ._rounding import U

_RATIO = 0.99  # of the ends of an interval
_MOST = 4000  # intervals, down to 1e-17 of the largest length
# Stakes halve, from one that leaves 1 / 1024 of the wealth at least; their shares of the first wealth add up to 1.
_STAKES = (1 - 2.0**-10) * 2.0 ** -np.arange(14)
_SHARES = np.array([1 / ((k + 1) * (k + 2)) for k in range(13)] + [1 / 14])
# Factors are computed to within 4 U / 2^-10 of themselves, and their logarithms and sums to less than that.
_ROUNDING = 2.0**14 * U


class LengthBound:
    """What draws say of a length; ``largest`` bounds it with probability 1 - eta, before any draw for certain.

    Parameters
    ----------
    scale, shift, offset : float
        Draws are at most ``scale (x + shift)``, and their mean differs from ``x^2`` by at most ``offset``.
    eta : float
        The probability with which the bound may fail.

    """

    def __init__(self, scale: float, shift: float, offset: float, eta: float) -> None:
        self.scale, self.shift, self.offset, self.eta = scale, shift, offset, eta
        # a mean is never above the largest draw: x^2 - offset <= scale (x + shift)
        top = (scale + sqrt(scale * scale + 4 * (scale * shift + offset))) / 2 * (1 + 1e-12)
        self.largest = top if top < inf else inf
        self._best = 0

    def update(self, draws: np.ndarray) -> float:
        """Refute lengths by all draws so far, each a little above what was drawn; the largest length that is left."""
        refuted = 0
        while refuted < _MOST and 0 < self.largest < inf and self._refutes(draws):
            self.largest *= _RATIO
            refuted += 1
        return self.largest

    def _refutes(self, draws: np.ndarray) -> bool:
        """Whether lengths between ``largest`` and the next smaller end are refuted."""
        low, high = self.largest * _RATIO * (1 - 1e-12), self.largest * (1 + 1e-12)
        m = low * low * (1 - 4 * U) - self.offset
        R = nextafter(self.scale * (high + self.shift) * (1 + 4 * U), inf)
        if not 0 < m < inf or not 0 < R < inf:
            return False
        gains = np.maximum((m - draws) / R, -1.0)  # no draw is above R, if x lies here
        needed = log(1 / self.eta) + _ROUNDING * (len(draws) + 16)
        # a part of the wealth is less than all of it: mostly the stakes that did best last time will do
        near = slice(max(self._best - 1, 0), self._best + 2)
        if _total(_wealth(gains, near)) >= needed:
            return True
        wealth = _wealth(gains, slice(None))
        self._best = int(np.argmax(wealth))
        return _total(wealth) >= needed


def _wealth(gains: np.ndarray, stakes: slice) -> np.ndarray:
    """The logarithm of what some stakes have made of their shares."""
    return np.log1p(np.multiply.outer(_STAKES[stakes], gains)).sum(axis=1) + np.log(_SHARES[stakes])


def _total(wealth: np.ndarray) -> float:
    best = float(wealth.max())
    return best + log(float(np.exp(wealth - best).sum()))
