"""``maxmargin playground``: the server, and the browser that opens its page."""

from __future__ import annotations

import secrets
import signal
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ..messages import Argument, InputError
from ._links import fragment_of

_LOOPBACK = "127.0.0.1"


def serve(
    link: str | None = None,
    *,
    table: Any = None,
    target: str | None = None,
    name: str = "",
    port: int = 0,
    browser: bool = True,
    say: Callable[[str], None] | None = None,
) -> None:
    """Serve the playground on this computer until Ctrl-C.

    Parameters
    ----------
    link : str, optional
        A link that was copied from a playground, here or elsewhere, whose state is to be opened.
    table : pyarrow.Table, optional
        A table, as `maxmargin.tables.read_table` gives it, two of whose columns are to be drawn. The page lets its user
        choose which. Of more than 5000 rows that many are drawn at random.
    target : str, optional
        The column of `table` that has the classes or, of a curve, the values.
    name : str, optional
        What the page calls the table.
    port : int, default=0
        0: any that is free.
    browser : bool, default=True
        Whether to open the page in the browser.
    say : callable, optional
        Called with the address; prints it by default.

    """
    if not 0 <= port <= 65535:
        raise InputError(Argument("port", port), " has to be from 0 to 65535.")
    fragment = fragment_of(link)
    try:
        import uvicorn
    except ImportError as error:
        raise ImportError("the playground needs uvicorn: pip install 'maxmargin[playground]'") from error
    given = None
    if table is not None:
        from ._table import given_table

        given = given_table(table, target, name)
    with _listening(port) as listener:
        from ._server import MOST_BYTES, make_app

        port, token = listener.getsockname()[1], secrets.token_urlsafe(24)
        address = f"http://{_LOOPBACK}:{port}/{token}/{fragment}"
        config = uvicorn.Config(
            make_app(port, token, given=given), log_level="warning", access_log=False, ws="websockets-sansio",
            ws_max_size=MOST_BYTES,
            ws_per_message_deflate=False, timeout_graceful_shutdown=1, server_header=False, lifespan="on",
        )  # fmt: skip
        server = _quiet(uvicorn.Server)(config)
        with server.capture_signals():  # Ctrl-C ends it from the moment that it says so
            (say or _print)(f"The playground is at {address}\nCtrl-C ends it.")
            if browser:
                threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
            server.run(sockets=[listener])


@contextmanager
def _listening(port: int) -> Iterator[socket.socket]:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        if sys.platform != "win32":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((_LOOPBACK, port))
        except OSError as error:
            raise InputError(Argument("port", port), f" cannot be used: {error.strerror}.") from error
        listener.listen(64)
        yield listener
    finally:
        listener.close()


def _quiet(server: Any) -> Any:
    """A server that ends by the first Ctrl-C, as it is meant to be ended, and does not raise it again."""

    class Quiet(server):
        @contextmanager
        def capture_signals(self) -> Iterator[None]:
            if threading.current_thread() is not threading.main_thread():
                yield
                return
            before = {number: signal.signal(number, self.handle_exit) for number in (signal.SIGINT, signal.SIGTERM)}
            try:
                yield
            finally:
                for number, handler in before.items():
                    signal.signal(number, handler)

    return Quiet


def _print(text: str) -> None:
    print(text, flush=True)
