"""``maxmargin check``: whether what a model file claims is true."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from ._account import certificate_table
from ._errors import DOES_NOT_HOLD, DONE, about
from ._options import AS_FOUND, DEFAULT_OUTPUT, Data, Model, OutputOptions, Reading
from ._screen import Screen


def check(
    model: Model,
    data: Data,
    /,
    *,
    target: Annotated[str | None, Parameter(help="Name of the target column, if it has another name now.")] = None,
    reading: Reading = AS_FOUND,
    output: OutputOptions = DEFAULT_OUTPUT,
) -> int:
    """Compute a model's certificate again, from the table that it was trained on.

    Exit code 1 if it does not hold, or, where it is an estimate, if its figures are others now.
    """
    screen = Screen(output)

    from .. import training
    from ._models import load, read_again

    loaded, account = load(model)
    with about(data):
        checked = training.check(loaded, account, read_again(account, data, reading), target)
    found = None if checked.certificate is None else training.certificate_account(checked.certificate)
    screen.table(certificate_table(checked.claimed, found))
    screen.say(f"{checked.verdict}: {checked.reason}")
    screen.document(
        {
            "model": model,
            "data": data,
            "holds": checked.holds,
            "reason": checked.reason,
            "same_data": checked.same_data,
            "claimed": checked.claimed,
            "recomputed": found,
            "reproduced": checked.reproduced,
        }
    )
    return DONE if checked.reproduced else DOES_NOT_HOLD
