"""What is said of data and arguments that cannot be trained on."""

from __future__ import annotations

from ._training import FamilyResult


class TrainingError(ValueError):
    """A table or an argument that cannot be used as it is: what was found, and what would do."""


class TrainingInterrupted(KeyboardInterrupt):
    """Ctrl-C in `train`: a KeyboardInterrupt that keeps what is known.

    Attributes
    ----------
    stage : str
        Where it came, as in `Stage`.
    candidates : tuple of FamilyResult
        The families that were finished, best first.
    advice : str
        How to go on with the best of them without a search; empty if there is none.

    """

    def __init__(self, stage: str, candidates: tuple[FamilyResult, ...] = (), advice: str = "") -> None:
        super().__init__(f"interrupted in the stage {stage!r}. {advice}".rstrip())
        self.stage, self.candidates, self.advice = stage, candidates, advice


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
