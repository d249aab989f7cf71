# Copyright 2026 The bug_nav authors
#
# Licensed under the Apache License, Version 2.0 (the "License");
# you may not use this file except in compliance with the License.
# You may obtain a copy of the License at
#
#     http://www.apache.org/licenses/LICENSE-2.0
#
# Unless required by applicable law or agreed to in writing, software
# distributed under the License is distributed on an "AS IS" BASIS,
# WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
# See the License for the specific language governing permissions and
# limitations under the License.

"""
Origin check of the server: it accepts requests of its own pages only.

A page of another site could send requests to this host from the user's browser (CSRF), or make
its name resolve to this host (DNS rebinding). Therefore every request must name this host, and
requests that compute or change something must come from a page of this server. If the server
listens on a network, requests need the token of the printed address.
"""

from __future__ import annotations

import hmac
from http.cookies import CookieError, SimpleCookie
import ipaddress
import secrets
from typing import Any, Awaitable, Callable, Dict, FrozenSet, Iterable, Mapping
from urllib.parse import parse_qs, urlsplit

MAX_BODY = 1_000_000
"""Maximum size of a request other than an upload [bytes]."""
LOCAL_HOSTS = frozenset({'127.0.0.1', 'localhost', '::1'})
SECURITY_HEADERS = {
    'content-security-policy': "default-src 'none'; script-src 'self'; style-src 'self'; "
                               "img-src 'self' data: blob:; connect-src 'self'; "
                               "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin', 'cross-origin-resource-policy': 'same-origin',
    'cache-control': 'no-store'}
"""Headers of every response: no resources from other hosts, no embedding in other pages."""

App = Callable[[Mapping[str, Any], Callable, Callable], Awaitable[None]]


class OriginCheck:
    """ASGI middleware that rejects requests from other origins."""

    def __init__(self, app: App, hosts: Iterable[str] = LOCAL_HOSTS, token: str = '',
                 uploads: Mapping[str, int] = {}):
        """
        Wrap an application.

        :param hosts: host names of this server.
        :param token: required token; '' if the server listens on this host only.
        :param uploads: paths with larger bodies, and their maximum size [bytes].
        """
        self._app, self._hosts, self._token = app, frozenset(hosts), token
        self._uploads = uploads

    async def __call__(self, scope: Mapping[str, Any], receive: Callable, send: Callable) -> None:
        """Serve a request."""
        if scope['type'] == 'lifespan':
            await self._app(scope, receive, send)
            return
        headers = {name.decode('latin-1'): value.decode('latin-1')
                   for name, value in scope['headers']}
        refused = self._refusal(scope, headers)
        if refused:
            await _refuse(scope, receive, send, *refused)
            return

        async def answer(message: Dict[str, Any]) -> None:
            if message['type'] == 'http.response.start':
                message = {**message, 'headers': [*message['headers'],
                                                  *self._response_headers(scope)]}
            await send(message)
        await self._app(scope, _limited(receive, self._max_body(scope)), answer)

    def _max_body(self, scope: Mapping[str, Any]) -> int:
        return self._uploads.get(scope['path'], MAX_BODY)

    def _response_headers(self, scope: Mapping[str, Any]) -> Iterable[Any]:
        headers = dict(SECURITY_HEADERS)
        if self._token and scope['path'] == '/':
            headers['set-cookie'] = (f'{self._cookie(scope)}={self._token}; Path=/; HttpOnly; '
                                     'SameSite=Strict')
        return [(name.encode(), value.encode()) for name, value in headers.items()]

    @staticmethod
    def _cookie(scope: Mapping[str, Any]) -> str:
        # Cookies ignore ports: the name separates servers on one host.
        return f'bug_nav_{(scope.get("server") or ("", 0))[1]}'

    def _refusal(self, scope: Mapping[str, Any], headers: Mapping[str, str]) -> Any:
        """Return status and message of a refusal; None for an accepted request."""
        host = headers.get('host', '')
        if not self._is_own_host(host):
            return 421, 'unknown host name; use the address that the server printed'
        if not self._is_same_origin(scope, headers, host):
            return 403, 'requests of other sites are not accepted'
        if self._token and not self._has_token(scope, headers):
            return 401, 'the token is missing; use the address that the server printed'
        length = headers.get('content-length', '0')
        if not length.isdecimal() or int(length) > self._max_body(scope):
            return 413, f'a request may have at most {self._max_body(scope)} bytes'
        return None

    def _is_own_host(self, host: str) -> bool:
        try:
            name = urlsplit(f'//{host}').hostname or ''
        except ValueError:
            return False
        # DNS rebinding does not work with numeric addresses.
        return name in self._hosts or bool(self._token) and _is_address(name)

    @staticmethod
    def _is_same_origin(scope: Mapping[str, Any], headers: Mapping[str, str], host: str) -> bool:
        origin = headers.get('origin')
        if origin is not None:
            return origin in (f'http://{host}', f'https://{host}')
        if scope['type'] == 'websocket' or scope['method'] not in ('GET', 'HEAD'):
            return False
        if headers.get('sec-fetch-site', 'none') in ('none', 'same-origin'):
            return True
        # Links to the page are allowed from anywhere: opening it computes nothing.
        return scope['path'] == '/' and headers.get('sec-fetch-mode') == 'navigate'

    def _has_token(self, scope: Mapping[str, Any], headers: Mapping[str, str]) -> bool:
        if scope['path'] == '/':
            given = parse_qs(scope['query_string'].decode('latin-1')).get('token', [''])[0]
            if _same(given, self._token):
                return True
        try:
            cookie = SimpleCookie(headers.get('cookie', '')).get(self._cookie(scope))
        except CookieError:
            return False
        return cookie is not None and _same(cookie.value, self._token)


def new_token() -> str:
    """Return a random token."""
    return secrets.token_urlsafe(18)


def local_names(host: str, name: str) -> FrozenSet[str]:
    """Return the host names of a server on ``host``; ``name`` is that of the machine."""
    return LOCAL_HOSTS | {host, name, f'{name}.local'}


def _same(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode(), other.encode())


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _limited(receive: Callable, limit: int) -> Callable:
    """Return a ``receive`` that disconnects when the body exceeds the limit [bytes]."""
    size = 0

    async def bounded() -> Any:
        nonlocal size
        message = await receive()
        size += len(message.get('body', b''))
        if size > limit:
            return {'type': 'http.disconnect'}
        return message
    return bounded


async def _refuse(scope: Mapping[str, Any], receive: Callable, send: Callable, status: int,
                  sentence: str) -> None:
    if scope['type'] == 'websocket':
        await receive()
        await send({'type': 'websocket.close', 'code': 1008, 'reason': sentence})
        return
    await send({'type': 'http.response.start', 'status': status, 'headers': [
        (b'content-type', b'text/plain; charset=utf-8'), (b'connection', b'close'),
        *((name.encode(), value.encode()) for name, value in SECURITY_HEADERS.items())]})
    await send({'type': 'http.response.body', 'body': f'bug_nav: {sentence}\n'.encode()})
