"""What problems of rows of numbers share: how many samples and features they have."""

from __future__ import annotations

from ..data import Rows


class OfRows:
    """A problem whose samples are rows."""

    rows: Rows

    @property
    def n(self) -> int:
        """Number of samples."""
        return self.rows.n

    @property
    def d(self) -> int:
        """Number of features."""
        return self.rows.d

    @property
    def stored(self) -> int:
        """Values that a pass over the rows reads."""
        return self.rows.stored
