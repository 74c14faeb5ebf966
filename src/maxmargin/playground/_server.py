"""The server's application: the page from the package's files, and the socket."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from starlette.applications import Starlette
from starlette.responses import FileResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp
from starlette.websockets import WebSocket, WebSocketDisconnect

from ._answers import handle
from ._frames import FrameError, pack, unpack
from ._guard import Guard
from ._page import specification
from ._presets import FIRST, draw
from ._worker import LANES, Session, Worker

if TYPE_CHECKING:
    from ._fit import Answer

PAGE = Path(__file__).parent / "page"
MOST_BYTES, MOST_SOCKETS, MOST_REQUESTS, WINDOW = 2_000_000, 8, 1000, 5.0
_KINDS = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
_TOO_MANY = 1013


def make_app(port: int, token: str, worker: Worker | None = None, given: Answer | None = None) -> ASGIApp:
    """The application for a server at a port, open to those who have the token; `given` is a table to draw from."""
    owner = _Owner(worker or Worker(handle), given)
    root = f"/{token}"
    routes = [
        WebSocketRoute(f"{root}/socket", owner.serve),
        Route(f"{root}/{{name:path}}", _file),
    ]
    return Guard(Starlette(routes=routes, lifespan=owner.lifespan), port, token)


async def _file(request: Any) -> Response:
    """A file of the page: one of those that are there, by its plain name."""
    name = request.path_params["name"] or "index.html"
    files = {path.name: path for path in PAGE.iterdir() if path.suffix in _KINDS}
    if name not in files:
        return Response("There is no such file.\n", 404, media_type="text/plain")
    return FileResponse(files[name], media_type=_KINDS[files[name].suffix])


class _Owner:
    """The sockets that are open."""

    def __init__(self, worker: Worker, given: Answer | None) -> None:
        self._worker = worker
        if given is None:
            table, (points, labels) = None, draw(FIRST)
            arrays = {"points": points, "labels": labels}
        else:
            table, arrays = given
        self._hello = pack({"kind": "hello", **specification(), "given": table}, arrays)
        self._open: set[WebSocket] = set()

    @asynccontextmanager
    async def lifespan(self, app: Starlette) -> AsyncIterator[None]:
        """The life of the server; the worker ends with it."""
        watch = asyncio.create_task(self._watch())
        try:
            yield
        finally:
            watch.cancel()
            self._worker.close()

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(0.25)
            self._worker.check_time()

    async def serve(self, socket: WebSocket) -> None:
        """One page, from its first message to its last."""
        await socket.accept()
        if len(self._open) >= MOST_SOCKETS:
            await socket.send_bytes(_error("limit", f"{MOST_SOCKETS} pages are open already; close one of them."))
            await socket.close(_TOO_MANY)
            return
        self._open.add(socket)
        loop, answers = asyncio.get_running_loop(), asyncio.Queue[bytes]()

        def send(header: dict[str, Any], arrays: Mapping[str, np.ndarray]) -> None:
            with suppress(RuntimeError):  # the server has ended
                loop.call_soon_threadsafe(answers.put_nowait, pack(header, arrays))

        session = Session(send)
        self._worker.join(session)
        sender = asyncio.create_task(_send_all(socket, answers))
        answers.put_nowait(self._hello)
        try:
            await self._listen(socket, session, answers)
        except WebSocketDisconnect:
            pass
        finally:
            self._open.discard(socket)
            self._worker.leave(session)
            sender.cancel()

    async def _listen(self, socket: WebSocket, session: Session, answers: asyncio.Queue[bytes]) -> None:
        counted, since = 0, time.monotonic()
        while True:
            message = await socket.receive()
            if message["type"] == "websocket.disconnect":
                return
            if time.monotonic() - since > WINDOW:
                counted, since = 0, time.monotonic()
            counted += 1
            if counted > MOST_REQUESTS:
                answers.put_nowait(_error("limit", "Too many requests; the page has to wait some seconds."))
                continue
            try:
                header, arrays = unpack(message.get("bytes") or b"")
            except FrameError as error:
                answers.put_nowait(_error("input", f"The server could not read a message: {error}"))
                continue
            if header.get("kind") == "ping":
                answers.put_nowait(pack({"kind": "ping", "id": header.get("id")}))
            elif not isinstance(header.get("kind"), str) or header["kind"] not in LANES:
                answers.put_nowait(_error("input", "There is no such kind of request.", header.get("id")))
            elif type(header.get("id")) is not int:
                answers.put_nowait(_error("input", "A request needs a number as its id."))
            else:
                self._worker.ask(session, header, arrays)


async def _send_all(socket: WebSocket, answers: asyncio.Queue[bytes]) -> None:
    while True:
        await socket.send_bytes(await answers.get())


def _error(kind: str, message: str, about: Any = None) -> bytes:
    return pack(
        {"kind": "error", "id": about if type(about) is int else None, "error": {"kind": kind, "message": message}}
    )
