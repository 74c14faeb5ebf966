"""What is said of data and arguments that cannot be trained on."""

from __future__ import annotations

from typing import Any

from ..messages import Argument, InputError
from ._training import FamilyResult


class TrainingError(InputError):
    """A table or an argument that cannot be used as it is: what was found, and what would do.

    Attributes
    ----------
    argument : str or None
        Name of the argument of `train` that is to blame.
    column : str or None
        Name of the column that is to blame.

    """


class TrainingInterrupted(KeyboardInterrupt):
    """Ctrl-C in `train`: a KeyboardInterrupt that keeps what is known.

    Attributes
    ----------
    stage : str
        Where it came, as in `Stage`.
    candidates : tuple of FamilyResult
        The families that were finished, best first.
    best : dict
        Arguments of `train` that go on with the best of them without a search; empty if there is none.
    parts : tuple of str and Argument
        What the error says, in which arguments can be told from text.

    """

    def __init__(
        self, stage: str, candidates: tuple[FamilyResult, ...] = (), best: dict[str, Any] | None = None
    ) -> None:
        super().__init__(stage, candidates, best)
        self.stage, self.candidates, self.best = stage, candidates, best or {}

    @property
    def parts(self) -> tuple[str | Argument, ...]:
        words: list[str | Argument] = [f"interrupted in the stage {self.stage!r}."]
        if self.best:
            words.append(f" The best so far is {self.best['model']}: go on with ")
            for name, value in self.best.items():
                words += [Argument(name, value), ", "]
            words[-1] = "."
        return tuple(words)

    @property
    def advice(self) -> str:
        """How to go on with the best of them, in words; empty if there is none."""
        return "".join(map(str, self.parts[1:])).lstrip()

    def __str__(self) -> str:
        return "".join(map(str, self.parts))


def is_interrupt(error: BaseException) -> bool:
    """Whether Ctrl-C is behind an error.

    One that arrives while a compiled function is being called comes out as a SystemError ("returned a result with an
    exception set") whose cause it is.
    """
    seen: list[BaseException] = []
    while error not in seen:
        if isinstance(error, KeyboardInterrupt):
            return True
        seen.append(error)
        error = error.__cause__ or error.__context__ or error
    return False
