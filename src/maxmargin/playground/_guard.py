"""Who may talk to the server: a page of its own address, with its token, on this computer."""

from __future__ import annotations

import secrets
from typing import Any

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self' {socket}; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


class Guard:
    """Refuses requests with another Host, another Origin, or without the token as the first part of their path.

    The Host is checked because a foreign name that resolves to this computer (DNS rebinding) would make a foreign page
    one of the same origin. A socket has to name its Origin: browsers always do.
    """

    def __init__(self, app: ASGIApp, port: int, token: str) -> None:
        self._app, self._token = app, token
        self._hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}
        sockets = " ".join(f"ws://{host}" for host in sorted(self._hosts))
        self._headers = {
            "Content-Security-Policy": _POLICY.format(socket=sockets),
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
            "Cache-Control": "no-store",
            "Cross-Origin-Resource-Policy": "same-origin",
            "Cross-Origin-Opener-Policy": "same-origin",
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        refusal = self._refusal(scope)
        if refusal is None:
            await self._app(scope, receive, self._with_headers(send))
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008, "reason": refusal[:100]})
        else:
            await PlainTextResponse(refusal + "\n", 403, self._headers)(scope, receive, send)

    def _refusal(self, scope: Scope) -> str | None:
        """Why a request is refused, or None."""
        said: dict[str, list[str]] = {}
        for name, value in scope["headers"]:
            said.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
        hosts, origins = said.get("host", []), said.get("origin", [])
        if len(hosts) != 1 or hosts[0].lower() not in self._hosts:
            return "Refused: this server answers to its own address alone."
        own = f"http://{hosts[0].lower()}"
        if any(origin.lower() != own for origin in origins) or (scope["type"] == "websocket" and len(origins) != 1):
            return "Refused: the request comes from another page."
        if said.get("sec-fetch-site", ["none"])[0] not in ("none", "same-origin"):
            return "Refused: the request comes from another page."
        parts = scope["path"].split("/")
        if len(parts) < 3 or not secrets.compare_digest(parts[1].encode(), self._token.encode()):
            return "Refused: the address lacks the token that `maxmargin playground` has printed."
        return None

    def _with_headers(self, send: Send) -> Send:
        async def send_with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                own = [(name.lower().encode(), value.encode()) for name, value in self._headers.items()]
                message = {**message, "headers": [*message.get("headers", ()), *own]}
            await send(message)

        return send_with_headers
