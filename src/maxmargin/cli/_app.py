"""The commands and what they are called. Nothing heavy is imported here: ``--help`` must answer at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from cyclopts import App, Parameter

from ._model_commands import check, explain, export, info, report
from ._playground import playground
from ._predict import predict
from ._train import train

if TYPE_CHECKING:
    from rich.console import Console

COMMANDS: dict[str, Callable[..., int]] = {
    "train": train,
    "predict": predict,
    "explain": explain,
    "check": check,
    "report": report,
    "export": export,
    "info": info,
    "playground": playground,
}
_HELP = "From a table in a file to a tuned, proven, explained and saved model."
_EPILOGUE = (
    "Exit codes: 0 done, 1 a certificate does not hold, 2 a mistake in arguments, files or tables, "
    "3 a fault of maxmargin itself, 130 interrupted."
)


def _version() -> str:
    from .. import __version__  # looked up in the installed package's metadata, which takes its time

    return __version__


def make_app(console: Console, error_console: Console) -> App:
    """The command line as cyclopts reads it."""
    app = App(
        name="maxmargin",
        help=_HELP,
        help_format="plaintext",
        help_epilogue=_EPILOGUE,
        version=_version,
        # Parameters keep their names: --C and not --c; only the underscore is written as a dash.
        default_parameter=Parameter(name_transform=lambda name: name.replace("_", "-"), show_env_var=False),
        console=console,
        error_console=error_console,
        result_action="return_value",
        suppress_keyboard_interrupt=False,
    )
    for place, (name, command) in enumerate(COMMANDS.items()):
        app.command(command, name=name, sort_key=place)
    return app
