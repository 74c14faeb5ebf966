"""The command ends by Ctrl-C whatever is open, and says what is wrong with a port."""

import contextlib
import http.client
import socket

import pytest
from websockets.sync.client import connect

from maxmargin.cli import main
from maxmargin.playground import _frames

from .conftest import Command


def test_requests_that_never_end_hold_nothing_up():
    """Sixty half requests: the page is served, a model is fitted, and Ctrl-C ends all of it."""
    own = Command()
    origin, path = own.address.split("/", 3)[2], "/" + own.address.split("/", 3)[3]
    with contextlib.ExitStack() as stack:
        for _ in range(60):
            half = stack.enter_context(socket.create_connection(("127.0.0.1", own.port), timeout=10))
            half.sendall(b"GET / HTTP/1.1\r\nHost: ")
        page = http.client.HTTPConnection("127.0.0.1", own.port, timeout=10)
        page.request("GET", path, headers={"Host": origin})
        assert page.getresponse().status == 200
        page.close()
        with connect(f"ws://{origin}{path}socket", origin=f"http://{origin}", proxy=None) as talk:
            assert _frames.unpack(talk.recv(timeout=30))[0]["kind"] == "hello"
            talk.send(_frames.pack({"kind": "preset", "id": 1, "name": "xor", "seed": 0}))
            assert _frames.unpack(talk.recv(timeout=30))[1]["points"].shape == (80, 2)
            code, _ = own.end()
        assert code == 0
    with pytest.raises(OSError, match="refused"):
        socket.create_connection(("127.0.0.1", own.port), timeout=2).close()


@pytest.mark.parametrize(("port", "sentence"), [("70000", "from 0 to 65535"), ("-1", "from 0 to 65535")])
def test_ports_that_cannot_be_are_refused(port, sentence, capsys):
    assert main(["playground", "--no-browser", f"--port={port}"]) == 2
    assert sentence in capsys.readouterr().err


def test_a_port_that_is_taken_is_said_to_be(capsys):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        assert main(["playground", "--no-browser", "--port", str(port)]) == 2
        assert f"{port} cannot be used: Address already in use" in capsys.readouterr().err
