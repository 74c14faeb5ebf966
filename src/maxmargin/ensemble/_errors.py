"""What goes wrong in a way that a proof has to tell apart from rows that cannot be read."""

from __future__ import annotations


class UnmetSettingError(ValueError):
    """A setting asks for what these rows cannot give."""
