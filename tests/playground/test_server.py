"""The server refuses everybody but its own page, and everything that is too much."""

import contextlib
import http.client
import os
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from maxmargin.messages import InputError
from maxmargin.playground import _frames, _request, _server

from .asking import arrays_of, header_of
from .conftest import Command
from .serving import TOKEN, serving, some_points


@pytest.fixture(scope="module")
def served():
    with serving() as found:
        yield found


def get(served, path, **headers):
    connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=10)
    connection.request("GET", path, headers={"Host": served.host, **headers})
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer, text


def test_the_page_is_served_with_its_policy(served):
    answer, text = get(served, f"/{TOKEN}/")
    policy = answer.getheader("content-security-policy")
    assert answer.status == 200 and "<script type=" in text
    assert "default-src 'none'" in policy and "script-src 'self'" in policy and "unsafe" not in policy
    assert answer.getheader("x-content-type-options") == "nosniff"
    assert answer.getheader("referrer-policy") == "no-referrer"


def test_every_file_of_the_page_is_served_and_names_no_other_address(served):
    for file in sorted(_server.PAGE.iterdir()):
        answer, text = get(served, f"/{TOKEN}/{file.name}")
        assert answer.status == 200 and text == file.read_text(encoding="utf-8")
        assert "//cdn" not in text and "https://" not in text
        assert [word for word in text.split() if "http://" in word and "www.w3.org" not in word] == []


def test_the_page_has_no_inline_code():
    text = (_server.PAGE / "index.html").read_text(encoding="utf-8")
    assert text.count("<script") == 1 and " style=" not in text and "<style" not in text
    assert not any(f" on{name}=" in text for name in ("click", "load", "error", "input", "change"))


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        ("/", {}),
        ("/index.html", {}),
        ("/another-token/", {}),
        (f"/{TOKEN}x/", {}),
        (f"/{TOKEN}", {}),
        (f"/{TOKEN}/", {"Host": "attacker.example"}),
        (f"/{TOKEN}/", {"Host": "127.0.0.1:1"}),
        (f"/{TOKEN}/", {"Host": "127.0.0.1"}),
        (f"/{TOKEN}/", {"Origin": "http://attacker.example"}),
        (f"/{TOKEN}/", {"Origin": "null"}),
        (f"/{TOKEN}/app.js", {"Sec-Fetch-Site": "cross-site"}),
    ],
)
def test_foreign_requests_are_refused(served, path, headers):
    answer, text = get(served, path, **headers)
    assert answer.status == 403 and text.startswith("Refused") and TOKEN not in text


@pytest.mark.parametrize(
    "name", ["../_server.py", "..%2f_server.py", "%2e%2e/_server.py", "/etc/passwd", "_server.py", "."]
)
def test_only_files_of_the_page_are_served(served, name):
    answer, text = get(served, f"/{TOKEN}/{name}")
    assert answer.status in (403, 404) and "import" not in text


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
def test_nothing_can_be_sent_to_a_file(served, method):
    connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=10)
    connection.request(method, f"/{TOKEN}/", body=b"x", headers={"Host": served.host})
    assert connection.getresponse().status == 405
    connection.close()


@pytest.mark.parametrize(
    "options",
    [
        {"origin": "http://attacker.example"},
        {"origin": "null"},
        {"origin": None},
        {"uri": "ws://{host}/socket"},
        {"uri": "ws://{host}/another/socket"},
    ],
)
def test_foreign_sockets_are_refused(served, options):
    uri = options.get("uri", served.socket).format(host=served.host)
    with pytest.raises(InvalidStatus) as refused, connect(uri, origin=options.get("origin", served.origin), proxy=None):
        pass
    assert refused.value.response.status_code == 403


def test_a_socket_of_a_foreign_name_is_refused(served):
    with socket.create_connection(("127.0.0.1", served.port), timeout=10) as raw:
        raw.sendall(
            f"GET /{TOKEN}/socket HTTP/1.1\r\nHost: attacker.example\r\nOrigin: http://attacker.example\r\n"
            "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n".encode()
        )
        assert raw.recv(4096).split(b"\r\n")[0].split()[1] == b"403"


def test_the_server_listens_on_loopback_alone(served):
    own = {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}
    for address in own - {"127.0.0.1"}:
        if address.startswith("127."):
            continue
        with pytest.raises(OSError, match=r"refused|timed out|unreachable"):
            socket.create_connection((address, served.port), timeout=2).close()


def test_a_message_of_ten_megabytes_ends_the_socket(served):
    with served.connect() as talk:
        with pytest.raises(ConnectionClosed) as closed:
            talk.socket.send(b"x" * 10_000_000)
            talk.take()
        assert closed.value.rcvd.code == 1009
    with served.connect() as talk:  # the server goes on
        assert talk.ask("preset", {"name": "moons", "seed": 0})[1]["points"].shape == (100, 2)


def refused(served, kind, header, arrays=None):
    with served.connect() as talk:
        said, _ = talk.ask(kind, header, arrays)
        return said["error"]


def test_too_many_points_are_refused(served):
    arrays = some_points(100_000)
    arrays = {"points": arrays["points"].astype(np.float64), "labels": arrays["labels"]}
    with served.connect() as talk:
        assert len(_frames.pack({"kind": "fit", "id": 1, **header_of("svc")}, arrays)) < _server.MOST_BYTES
        error = talk.ask("fit", header_of("svc"), arrays)[0]["error"]
    assert error["kind"] == "limit" and "100,000 points" in error["message"]


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_is_refused(served, value):
    arrays = some_points()
    arrays["points"][3, 1] = value
    error = refused(served, "fit", header_of("svc"), arrays)
    assert error["kind"] == "input" and "not finite" in error["message"]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"method": "eval"}, "unknown"),
        ({"method": ["svc"]}, "unknown"),
        ({"method": "__import__('os')"}, "unknown"),
        ({"params": {"C": -1}}, "C=-1"),
        ({"params": {"C": "nan"}}, "C="),
        ({"params": {"C": True}}, "C="),
        ({"params": {"kernel": "precomputed"}}, "kernel="),
        ({"params": {"callback": 1}}, "no parameter"),
        ({"params": {"max_iter": 10**9}}, "no parameter"),
        ({"params": []}, "params="),
        ({"view": [1, 1, 0, 2]}, "view="),
        ({"view": [0, 1e300, 0, 2]}, "view="),
        ({"cells": [100_000, 2]}, "grid"),
        ({"cells": [0, 2]}, "grid"),
        ({"step": 0}, "step="),
        ({"step": "1"}, "step="),
    ],
)
def test_questions_that_cannot_be_are_refused(served, change, sentence):
    error = refused(served, "fit", {**header_of("svc"), **change}, some_points())
    assert error["kind"] in ("input", "limit") and sentence in error["message"]


@pytest.mark.parametrize(
    "arrays",
    [
        {},
        {"points": np.zeros((3, 2))},
        {"points": np.zeros((3, 3)), "labels": np.zeros(3, np.uint8)},
        {"points": np.zeros((3, 2), np.float32), "labels": np.zeros(3, np.uint8)},
        {"points": np.zeros((3, 2)), "labels": np.zeros(2, np.uint8)},
        {"points": np.zeros((3, 2)), "labels": np.array([0, 1, 6], np.uint8)},
        {"points": np.full((3, 2), 1e12), "labels": np.array([0, 1, 1], np.uint8)},
    ],
)
def test_points_that_cannot_be_are_refused(served, arrays):
    assert refused(served, "fit", header_of("svc"), arrays)["kind"] in ("input", "limit")


@pytest.mark.parametrize(
    "message",
    [
        b"",
        b"\1",
        b"\xff\xff\xff\xff{}",
        b"\4\0\0\0nope",
        b"\2\0\0\0[]",
        b"\4\0\0\0\xff\xfe\xfd\xfc",
        _frames.pack({"kind": "fit"}).replace(b'"arrays": {}', b'"arrays": 12'),
        b"\x3c\0\0\0" + b'{"kind": "fit", "id": 1, "arrays": {"points": ["f8",[9],0]}}',
        b"\x3d\0\0\0" + b'{"kind": "fit", "id": 1, "arrays": {"points": ["f8",[-9],0]}}',
        b"\x3d\0\0\0" + b'{"kind": "fit", "id": 1, "arrays": {"points": ["O8",[1],00]}}',
        b"\x24\0\0\0" + b'{"kind": "fit", "id": NaN, "nothing":1}',
        b"\x0e\0\0\0" + b'{"kind": null}',
        b"\x0f\0\0\0" + b'{"kind": "fit"}',
        b"\x0f\0\0\0" + b'{"kind": "what"}'[:15],
        b"\x88\x13\0\0" + b"[" * 5000,
    ],
)
def test_malformed_messages_are_answered_and_the_server_goes_on(served, message):
    with served.connect() as talk:
        talk.socket.send(message)
        said, _ = talk.take()
        assert said["error"]["kind"] == "input"
        talk.socket.send("words, not bytes")
        assert talk.take()[0]["error"]["kind"] == "input"
        assert "certificate" in talk.ask("fit", header_of("svc"), some_points())[0]


def test_fifty_sockets_are_too_many(served):
    with contextlib.ExitStack() as stack:
        options = {"origin": served.origin, "proxy": None}
        sockets = [stack.enter_context(connect(served.socket, **options)) for _ in range(50)]
        first = [_frames.unpack(it.recv(timeout=30))[0] for it in sockets]
        hello = [said for said in first if said["kind"] == "hello"]
        others = [said["error"] for said in first if said["kind"] == "error"]
        assert 1 <= len(hello) <= _server.MOST_SOCKETS and len(hello) + len(others) == 50
        assert all(error["kind"] == "limit" and "close one" in error["message"] for error in others)
    for _ in range(100):  # places are free again
        with connect(served.socket, origin=served.origin, proxy=None) as again:
            if _frames.unpack(again.recv(timeout=30))[0]["kind"] == "hello":
                return
        time.sleep(0.02)
    raise AssertionError("no place was given back")


def test_a_flood_of_requests_is_held_back(served, monkeypatch):
    monkeypatch.setattr(_server, "MOST_REQUESTS", 20)
    with served.connect() as talk:
        for _ in range(60):
            talk.send("ping")
        said = [talk.take()[0] for _ in range(60)]
    assert sum(it["kind"] == "ping" for it in said) == 20
    assert all("Too many requests" in it["error"]["message"] for it in said if it["kind"] == "error")


def test_the_command_waits_for_nothing_that_fits_alone_need():
    """The address is printed, and the page served, before the seconds that scikit-learn and Numba take to load."""
    program = """if True:
        import sys
        import maxmargin.playground
        from maxmargin.playground import _guard, _serve, _server
        def serve(*words, **options):
            _server.make_app(1, "token", worker=object())
            print(sorted({"sklearn", "numba", "scipy", "pandas"} & set(sys.modules)))
        maxmargin.playground.serve = serve
        from maxmargin.cli import main
        sys.exit(main(["playground", "--no-browser"]))
    """
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=True)
    assert said.stdout == "[]\n"


def test_nothing_is_left_behind_by_ctrl_c(tmp_path):
    own = Command(env={**os.environ, "TMPDIR": str(tmp_path), "HOME": str(tmp_path)})
    children = Path(f"/proc/{own.process.pid}/task/{own.process.pid}/children")
    below = children.read_text().split() if children.exists() else []
    assert below == [] and own.end() == (0, "")
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
    with pytest.raises(OSError, match="refused"):
        socket.create_connection(("127.0.0.1", own.port), timeout=2).close()


def test_large_tables_are_refused(served):
    error = refused(served, "table", {"text": "a,b\n" + "1,2\n" * 300_000})
    assert error["kind"] == "limit"
    error = refused(served, "table", {"text": "a,b\n" + "1,2\n" * 6_000})
    assert error["kind"] == "limit" and "6,000 rows" in error["message"]


def slow_handle(session, header, arrays, stopped):
    """Works until it is stopped, where it is asked to by its name, and may complain of what it has by then."""
    if header.get("slow"):
        slow_handle.began.set()
        while not stopped():
            time.sleep(0.002)
        if header["slow"] == "complains":
            raise InputError("There is no step.")
    return {"slow": bool(header.get("slow"))}, {}


slow_handle.began = threading.Event()


@pytest.mark.parametrize("slow", [True, "complains"])
def test_a_newer_fit_stops_the_older_one(slow):
    slow_handle.began.clear()
    with serving(handle=slow_handle) as served, served.connect() as talk:
        old = talk.send("fit", {"slow": slow})
        assert slow_handle.began.wait(10)
        waiting = [talk.send("fit", {"slow": True}) for _ in range(3)][:-1]
        new = talk.send("fit")
        said = {}
        while new not in said:
            answer, _ = talk.take()
            said[answer["id"]] = answer
        assert said[old]["dropped"] and all(said[number]["dropped"] for number in waiting)
        assert said[new]["slow"] is False


@pytest.mark.parametrize("slow", [True, "complains"])
def test_a_fit_that_takes_too_long_is_stopped_and_said_to_be(slow):
    with serving(seconds=0.05, handle=slow_handle) as served, served.connect() as talk:
        said, _ = talk.ask("fit", {"slow": slow})
        assert said["error"]["kind"] == "limit" and "Stopped after" in said["error"]["message"]
        assert talk.ask("fit")[0]["slow"] is False


def test_a_page_that_has_gone_is_not_worked_for():
    slow_handle.began.clear()
    with serving(handle=slow_handle) as served:
        with served.connect() as talk:
            talk.send("fit", {"slow": True})
            assert slow_handle.began.wait(10)
        with served.connect() as other:
            assert other.ask("fit")[0]["slow"] is False


def test_pages_take_turns(served):
    with served.connect() as one, served.connect() as other:
        for _ in range(5):
            assert one.ask("fit", header_of("svc"), some_points(seed=1))[0]["kind"] == "fit"
            assert other.ask("fit", header_of("tree"), some_points(seed=2))[0]["method"] == "tree"


def test_a_page_that_never_rests_does_not_keep_others_waiting():
    """Whatever is asked: a fit of one page does not come before all examples of another."""
    order = []

    def slowly(session, header, arrays, stopped):
        order.append(header["name"])
        if header["name"] == "first":
            slow_handle.began.set()
            go.wait(10)
        return {}, {}

    slow_handle.began.clear()
    go = threading.Event()
    with serving(handle=slowly) as served, served.connect() as one, served.connect() as other:
        one.send("preset", {"name": "first"})
        assert slow_handle.began.wait(10)
        one.send("course", {"name": "course"})
        last = one.send("fit", {"name": "fit"})
        theirs = other.send("preset", {"name": "other"})
        other.ask("ping")
        one.ask("ping")
        go.set()
        while one.take()[0]["id"] != last:
            pass
        while other.take()[0]["id"] != theirs:
            pass
    assert order == ["first", "other", "fit"]


def test_a_real_fit_is_stopped_by_a_newer_one(served):
    """A hard problem of many points is not waited for."""
    rng = np.random.default_rng(0)
    many = arrays_of(rng.normal(size=(_request.MOST_POINTS, 2)), rng.integers(0, 2, _request.MOST_POINTS))
    with served.connect() as talk:
        old = talk.send("fit", header_of("svc", C=1e5, kernel="rbf", gamma=0.5), many)
        time.sleep(0.3)
        new = talk.send("fit", header_of("svc"), some_points())
        said = {}
        while new not in said:
            answer, _ = talk.take()
            said[answer["id"]] = answer
        assert "certificate" in said[new] and (said[old].get("dropped") or "certificate" in said[old])
