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

"""Origin check of the playground server."""

from __future__ import annotations

import asyncio

from bug_nav.playground.origin_check import local_names, MAX_BODY, new_token, OriginCheck
import pytest

HOST = 'localhost:8770'
OWN = {'host': HOST, 'origin': f'http://{HOST}'}


async def hello(scope, receive, send):
    """ASGI application that echoes the request body."""
    if scope['type'] == 'websocket':
        await send({'type': 'websocket.accept'})
        return
    got, more = b'', True
    while more:
        message = await receive()
        if message['type'] == 'http.disconnect':
            got = b'cut off'
            break
        got, more = got + message.get('body', b''), message.get('more_body', False)
    await send({'type': 'http.response.start', 'status': 200, 'headers': []})
    await send({'type': 'http.response.body', 'body': got})


def ask(check, path='/', method='GET', kind='http', query='', body=(b'',), **headers):
    """Return the messages sent in response to one request."""
    sent = []
    scope = {'type': kind, 'path': path, 'method': method, 'query_string': query.encode(),
             'server': ('127.0.0.1', 8770),
             'headers': [(name.replace('_', '-').encode(), value.encode())
                         for name, value in headers.items()]}
    chunks = [{'type': 'http.request', 'body': chunk, 'more_body': index < len(body) - 1}
              for index, chunk in enumerate(body)]

    async def receive():
        return chunks.pop(0) if kind == 'http' else {'type': 'websocket.connect'}

    async def send(message):
        sent.append(message)
    asyncio.run(check(scope, receive, send))
    return sent


def status(sent):
    return sent[0].get('status')


@pytest.mark.parametrize('host', [
    HOST, '127.0.0.1:8770', '127.0.0.1', '[::1]:8770', 'LOCALHOST:1'])
def test_request_to_an_own_host_name_is_served(host):
    assert status(ask(OriginCheck(hello), host=host)) == 200


@pytest.mark.parametrize('host', [
    'evil.example', 'localhost.evil.example:8770', 'evil.example:8770', '192.168.1.7:8770', '',
    '127.0.0.1.evil.example', '[', 'localhost@evil.example', '0.0.0.0:8770'])
def test_foreign_host_name_is_rejected(host):
    assert status(ask(OriginCheck(hello), host=host)) == 421


def test_request_without_a_host_is_rejected():
    assert status(ask(OriginCheck(hello))) == 421


@pytest.mark.parametrize('origin', [
    'http://evil.example', 'https://evil.example', 'null', 'http://localhost:9999',
    'http://localhost:8770.evil.example', 'file://', ''])
@pytest.mark.parametrize('path,method', [('/', 'GET'), ('/api/world', 'POST'),
                                         ('/api/upload', 'POST')])
def test_foreign_origin_is_rejected(origin, path, method):
    assert status(ask(OriginCheck(hello), path, method, host=HOST, origin=origin)) == 403


def test_post_without_an_origin_is_rejected():
    assert status(ask(OriginCheck(hello), '/api/world', 'POST', host=HOST)) == 403


def test_own_page_can_post():
    sent = ask(OriginCheck(hello), '/api/world', 'POST', body=(b'{}',), **OWN)
    assert status(sent) == 200
    assert sent[1]['body'] == b'{}'


@pytest.mark.parametrize('origin', [None, 'http://evil.example'])
def test_websocket_of_another_site_is_closed_before_it_is_accepted(origin):
    headers = {'host': HOST, **({'origin': origin} if origin else {})}
    sent = ask(OriginCheck(hello), '/ws', kind='websocket', **headers)
    assert [message['type'] for message in sent] == ['websocket.close']


def test_websocket_of_the_own_page_is_accepted():
    assert ask(OriginCheck(hello), '/ws', kind='websocket', **OWN)[0]['type'] == 'websocket.accept'


def test_link_on_another_site_opens_the_page_only():
    link = {'host': HOST, 'sec_fetch_site': 'cross-site', 'sec_fetch_mode': 'navigate'}
    assert status(ask(OriginCheck(hello), '/', **link)) == 200
    assert status(ask(OriginCheck(hello), '/api/options', **link)) == 403
    image = {**link, 'sec_fetch_mode': 'no-cors'}
    assert status(ask(OriginCheck(hello), '/', **image)) == 403


def test_every_response_forbids_other_hosts_and_frames():
    for sent in (ask(OriginCheck(hello), host=HOST), ask(OriginCheck(hello), host='evil.example')):
        headers = {name.decode(): value.decode() for name, value in sent[0]['headers']}
        assert "default-src 'none'" in headers['content-security-policy']
        assert "frame-ancestors 'none'" in headers['content-security-policy']
        assert 'unsafe' not in headers['content-security-policy']
        assert headers['x-content-type-options'] == 'nosniff'
        assert 'access-control-allow-origin' not in headers


def test_large_content_length_is_rejected():
    sent = ask(OriginCheck(hello), '/api/upload', 'POST', content_length=str(100_000_000), **OWN)
    assert status(sent) == 413
    assert b'may have at most' in sent[1]['body']


def test_oversized_body_without_content_length_is_cut_off():
    sent = ask(OriginCheck(hello), '/api/world', 'POST', body=(b'x' * 600_000,) * 4, **OWN)
    assert sent[1]['body'] == b'cut off'


def test_upload_may_be_larger_than_other_requests():
    check = OriginCheck(hello, uploads={'/api/upload': 2 * MAX_BODY})
    size = str(MAX_BODY + 1)
    assert status(ask(check, '/api/upload', 'POST', content_length=size, **OWN)) == 200
    assert status(ask(check, '/api/world', 'POST', content_length=size, **OWN)) == 413


@pytest.mark.parametrize('length', ['-1', 'many', '1e9', ''])
def test_invalid_content_length_is_rejected(length):
    sent = ask(OriginCheck(hello), '/api/world', 'POST', content_length=length, **OWN)
    assert status(sent) == 413


class TestToken:
    """Checks of a server that listens on the network."""

    token = new_token()
    check = OriginCheck(hello, local_names('0.0.0.0', 'teacher'), token)
    lan = '192.168.1.7:8770'

    def test_page_without_the_token_is_rejected(self):
        assert status(ask(self.check, host=self.lan)) == 401
        assert status(ask(self.check, host=self.lan, query='token=')) == 401
        assert status(ask(self.check, host=self.lan, query='token=wrong')) == 401

    def test_page_with_the_token_sets_a_cookie_for_other_requests(self):
        sent = ask(self.check, host=self.lan, query=f'token={self.token}')
        assert status(sent) == 200
        cookie = dict(sent[0]['headers'])[b'set-cookie'].decode()
        assert 'HttpOnly' in cookie and 'SameSite=Strict' in cookie
        pair = cookie.split(';')[0]
        assert status(ask(self.check, '/api/options', host=self.lan, cookie=pair)) == 200
        opened = ask(self.check, '/ws', kind='websocket', host=self.lan, cookie=pair,
                     origin=f'http://{self.lan}')
        assert opened[0]['type'] == 'websocket.accept'

    def test_other_requests_without_the_cookie_are_rejected(self):
        assert status(ask(self.check, '/api/options', host=self.lan)) == 401
        # The query token is accepted for the page only, because addresses are often logged.
        assert status(ask(self.check, '/api/options', host=self.lan,
                          query=f'token={self.token}')) == 401
        closed = ask(self.check, '/ws', kind='websocket', host=self.lan,
                     origin=f'http://{self.lan}')
        assert closed[0]['type'] == 'websocket.close'

    def test_rejection_does_not_reveal_the_token(self):
        sent = ask(self.check, host=self.lan, query='token=wrong')
        assert self.token not in repr(sent)

    def test_foreign_host_name_with_the_token_is_rejected(self):
        assert status(ask(self.check, host='evil.example', query=f'token={self.token}')) == 421

    def test_host_name_of_the_machine_is_served(self):
        assert status(ask(self.check, host='teacher:8770', query=f'token={self.token}')) == 200

    def test_tokens_are_long_and_unique(self):
        assert len({new_token() for _ in range(100)}) == 100
        assert len(self.token) >= 24
