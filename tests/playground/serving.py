"""A server on a thread of the test, and what talks to it."""

from __future__ import annotations

import contextlib
import socket
import threading
import time

import numpy as np
import uvicorn
from websockets.sync.client import connect

from maxmargin.playground import _frames
from maxmargin.playground._answers import handle
from maxmargin.playground._server import MOST_BYTES, make_app
from maxmargin.playground._worker import Worker

TOKEN = "a-token-of-the-tests"


class Served:
    """Where the server is."""

    def __init__(self, port):
        self.port, self.host = port, f"127.0.0.1:{port}"
        self.origin = f"http://{self.host}"
        self.page = f"{self.origin}/{TOKEN}/"
        self.socket = f"ws://{self.host}/{TOKEN}/socket"

    def connect(self, **options):
        return Talk(connect(self.socket, **{"origin": self.origin, "proxy": None, **options}))


class Talk:
    """A page's end of the socket."""

    def __init__(self, connection):
        self._connection, self.number = connection, 0
        self.socket = connection.__enter__()
        self.hello = self.take()[0]

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self._connection.__exit__(*error)

    def take(self):
        return _frames.unpack(self.socket.recv(timeout=30))

    def send(self, kind, header=None, arrays=None):
        self.number += 1
        self.socket.send(_frames.pack({**(header or {}), "kind": kind, "id": self.number}, arrays or {}))
        return self.number

    def ask(self, kind, header=None, arrays=None):
        number = self.send(kind, header, arrays)
        while True:
            said, found = self.take()
            if said.get("id") == number:
                return said, found


@contextlib.contextmanager
def serving(seconds=20.0, handle=handle, given=None):
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    app = make_app(port, TOKEN, Worker(handle, seconds), given)
    config = uvicorn.Config(
        app,
        log_level="error",
        ws="websockets-sansio",
        ws_max_size=MOST_BYTES,
        timeout_graceful_shutdown=1,
        lifespan="on",
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    while not server.started:
        time.sleep(0.005)
    try:
        yield Served(port)
    finally:
        server.should_exit = True
        thread.join(timeout=10)
        listener.close()
        assert not thread.is_alive()


def some_points(n=12, seed=0):
    rng = np.random.default_rng(seed)
    return {"points": rng.normal(size=(n, 2)), "labels": (np.arange(n) % 2).astype(np.uint8)}
