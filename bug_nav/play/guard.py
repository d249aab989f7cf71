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
Who may speak to the server: the page that it has served itself, and nobody else.

A page of another site could send requests to this host from the user's browser, or have its name
point to this host (DNS rebinding). So every request has to name this host, and whatever changes
or computes something has to come from this server's own page. Where the server listens to others,
they need the token of the address that it has printed.
"""

from __future__ import annotations

import hmac
from http.cookies import CookieError, SimpleCookie
import ipaddress
import secrets
from typing import Any, Awaitable, Callable, Dict, FrozenSet, Iterable, Mapping
from urllib.parse import parse_qs, urlsplit

MOST_BODY = 1_000_000
"""Bytes of a request, where it is no upload."""
LOCAL = frozenset({'127.0.0.1', 'localhost', '::1'})
HEADERS = {
    'content-security-policy': "default-src 'none'; script-src 'self'; style-src 'self'; "
                               "img-src 'self' data: blob:; connect-src 'self'; "
                               "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin', 'cross-origin-resource-policy': 'same-origin',
    'cache-control': 'no-store'}
"""Of every answer: the page loads nothing from another host, and is part of no other page."""

App = Callable[[Mapping[str, Any], Callable, Callable], Awaitable[None]]


class Guard:
    """Refuses what does not come from the server's own page; the rest goes to the application."""

    def __init__(self, app: App, hosts: Iterable[str] = LOCAL, token: str = '',
                 uploads: Mapping[str, int] = {}):
        """
        Guard an application.

        :param hosts: the names that this server has.
        :param token: '' where only this host is served.
        :param uploads: paths that take larger bodies, and how many bytes.
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
        refused = self._refuses(scope, headers)
        if refused:
            await _refuse(scope, receive, send, *refused)
            return

        async def answer(message: Dict[str, Any]) -> None:
            if message['type'] == 'http.response.start':
                message = {**message, 'headers': [*message['headers'], *self._own(scope)]}
            await send(message)
        await self._app(scope, _bounded(receive, self._most(scope)), answer)

    def _most(self, scope: Mapping[str, Any]) -> int:
        return self._uploads.get(scope['path'], MOST_BODY)

    def _own(self, scope: Mapping[str, Any]) -> Iterable[Any]:
        headers = dict(HEADERS)
        if self._token and scope['path'] == '/':
            headers['set-cookie'] = (f'{self._cookie(scope)}={self._token}; Path=/; HttpOnly; '
                                     'SameSite=Strict')
        return [(name.encode(), value.encode()) for name, value in headers.items()]

    @staticmethod
    def _cookie(scope: Mapping[str, Any]) -> str:
        # Cookies know no ports: two servers on a host would take each other's.
        return f'bug_nav_{(scope.get("server") or ("", 0))[1]}'

    def _refuses(self, scope: Mapping[str, Any], headers: Mapping[str, str]) -> Any:
        """Return status and sentence, None where the request may be answered."""
        host = headers.get('host', '')
        if not self._knows(host):
            return 421, 'this server is not called so; use the address that it has printed'
        if not self._is_own(scope, headers, host):
            return 403, 'another site may not speak to this server'
        if self._token and not self._is_invited(scope, headers):
            return 401, 'the token is missing; use the address that the server has printed'
        length = headers.get('content-length', '0')
        if not length.isdecimal() or int(length) > self._most(scope):
            return 413, f'a request may have up to {self._most(scope)} bytes'
        return None

    def _knows(self, host: str) -> bool:
        try:
            name = urlsplit(f'//{host}').hostname or ''
        except ValueError:
            return False
        # A page elsewhere cannot have an address of numbers point to this host.
        return name in self._hosts or bool(self._token) and _is_address(name)

    @staticmethod
    def _is_own(scope: Mapping[str, Any], headers: Mapping[str, str], host: str) -> bool:
        origin = headers.get('origin')
        if origin is not None:
            return origin in (f'http://{host}', f'https://{host}')
        if scope['type'] == 'websocket' or scope['method'] not in ('GET', 'HEAD'):
            return False
        if headers.get('sec-fetch-site', 'none') in ('none', 'same-origin'):
            return True
        # A link to the page may stand anywhere: following it computes nothing yet.
        return scope['path'] == '/' and headers.get('sec-fetch-mode') == 'navigate'

    def _is_invited(self, scope: Mapping[str, Any], headers: Mapping[str, str]) -> bool:
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
    """Return a token that nobody can guess."""
    return secrets.token_urlsafe(18)


def local_names(host: str, name: str) -> FrozenSet[str]:
    """Return what a server is called that listens on a host whose name is ``name``."""
    return LOCAL | {host, name, f'{name}.local'}


def _same(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode(), other.encode())


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _bounded(receive: Callable, most: int) -> Callable:
    """Return a ``receive`` that ends a body which is longer than it said."""
    got = 0

    async def bounded() -> Any:
        nonlocal got
        message = await receive()
        got += len(message.get('body', b''))
        if got > most:
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
        *((name.encode(), value.encode()) for name, value in HEADERS.items())]})
    await send({'type': 'http.response.body', 'body': f'bug_nav: {sentence}\n'.encode()})
