"""``maxmargin info``: what a model file says about itself."""

from __future__ import annotations

from ._account import certificate_table, certificate_words, model_table, score_table
from ._errors import DONE
from ._options import DEFAULT_OUTPUT, Model, OutputOptions
from ._screen import Screen


def info(model: Model, /, *, output: OutputOptions = DEFAULT_OUTPUT) -> int:
    """Say what a model file holds: the model, its data, its result and its certificate."""
    screen = Screen(output)

    from ._models import account_in

    account, problems = account_in(model)
    screen.table(model_table(account))
    if {"scores", "baseline", "baseline_name", "split"} <= set(account):
        screen.table(score_table(account))
    if "certificate" in account:
        screen.table(certificate_table(account["certificate"]))
        screen.say(certificate_words(account["certificate"]))
    for problem in problems:
        screen.note(f"Left out: {problem}.")
    screen.document({"file": model, **account, "not_understood": problems})
    return DONE
