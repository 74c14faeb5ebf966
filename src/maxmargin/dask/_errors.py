"""What may go wrong with a cluster, apart from bad input."""

from __future__ import annotations


class ClusterError(RuntimeError):
    """The cluster cannot finish what it was asked for: workers that are gone, paused or silent, or a closed client."""
