"""What is wrong with a model file."""

from __future__ import annotations


class ModelFileError(ValueError):
    """A model that cannot be saved, or a file that is not a model.

    One sentence says which file, which place in it, and what is wrong there.

    A file that raises it has not been used: nothing of it was run, and no object was made from it.
    """


class Mismatch(Exception):  # noqa: N818 - never leaves the room
    """Something is not as it should be, at a place inside a model (``steps[1].coef_``)."""

    def __init__(self, where: str, what: str) -> None:
        super().__init__(f"{where}: {what}" if where else what)
        self.where, self.what = where, what


def inside(where: str, name: str) -> str:
    """The place of an attribute."""
    return f"{where}.{name}" if where else name
