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

"""Who may speak to the server of the playground, and who may not."""

from __future__ import annotations

import asyncio

from bug_nav.play.guard import Guard, local_names, MOST_BODY, new_token
import pytest

HOST = 'localhost:8770'
OWN = {'host': HOST, 'origin': f'http://{HOST}'}


async def hello(scope, receive, send):
    """Answer with what came, as an application would."""
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


def ask(guard, path='/', method='GET', kind='http', query='', body=(b'',), **headers):
    """Return what the guard and the application send to one request."""
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
    asyncio.run(guard(scope, receive, send))
    return sent


def status(sent):
    return sent[0].get('status')


@pytest.mark.parametrize('host', [
    HOST, '127.0.0.1:8770', '127.0.0.1', '[::1]:8770', 'LOCALHOST:1'])
def test_page_asked_of_this_host_is_served(host):
    assert status(ask(Guard(hello), host=host)) == 200


@pytest.mark.parametrize('host', [
    'evil.example', 'localhost.evil.example:8770', 'evil.example:8770', '192.168.1.7:8770', '',
    '127.0.0.1.evil.example', '[', 'localhost@evil.example', '0.0.0.0:8770'])
def test_name_that_is_not_this_hosts_is_refused(host):
    assert status(ask(Guard(hello), host=host)) == 421


def test_request_without_a_host_is_refused():
    assert status(ask(Guard(hello))) == 421


@pytest.mark.parametrize('origin', [
    'http://evil.example', 'https://evil.example', 'null', 'http://localhost:9999',
    'http://localhost:8770.evil.example', 'file://', ''])
@pytest.mark.parametrize('path,method', [('/', 'GET'), ('/api/world', 'POST'),
                                         ('/api/upload', 'POST')])
def test_foreign_origin_is_refused(origin, path, method):
    assert status(ask(Guard(hello), path, method, host=HOST, origin=origin)) == 403


def test_post_without_an_origin_is_refused():
    assert status(ask(Guard(hello), '/api/world', 'POST', host=HOST)) == 403


def test_own_page_may_post():
    sent = ask(Guard(hello), '/api/world', 'POST', body=(b'{}',), **OWN)
    assert status(sent) == 200
    assert sent[1]['body'] == b'{}'


@pytest.mark.parametrize('origin', [None, 'http://evil.example'])
def test_websocket_of_another_site_is_closed_before_it_is_accepted(origin):
    headers = {'host': HOST, **({'origin': origin} if origin else {})}
    sent = ask(Guard(hello), '/ws', kind='websocket', **headers)
    assert [message['type'] for message in sent] == ['websocket.close']


def test_websocket_of_the_own_page_is_accepted():
    assert ask(Guard(hello), '/ws', kind='websocket', **OWN)[0]['type'] == 'websocket.accept'


def test_link_on_another_site_leads_to_the_page_but_to_nothing_else():
    link = {'host': HOST, 'sec_fetch_site': 'cross-site', 'sec_fetch_mode': 'navigate'}
    assert status(ask(Guard(hello), '/', **link)) == 200
    assert status(ask(Guard(hello), '/api/options', **link)) == 403
    image = {**link, 'sec_fetch_mode': 'no-cors'}
    assert status(ask(Guard(hello), '/', **image)) == 403


def test_every_answer_forbids_other_hosts_and_frames():
    for sent in (ask(Guard(hello), host=HOST), ask(Guard(hello), host='evil.example')):
        headers = {name.decode(): value.decode() for name, value in sent[0]['headers']}
        assert "default-src 'none'" in headers['content-security-policy']
        assert "frame-ancestors 'none'" in headers['content-security-policy']
        assert 'unsafe' not in headers['content-security-policy']
        assert headers['x-content-type-options'] == 'nosniff'
        assert 'access-control-allow-origin' not in headers


def test_large_body_is_refused_before_it_is_read():
    sent = ask(Guard(hello), '/api/upload', 'POST', content_length=str(100_000_000), **OWN)
    assert status(sent) == 413
    assert b'may have up to' in sent[1]['body']


def test_body_that_is_longer_than_allowed_is_cut_off_whatever_it_says():
    sent = ask(Guard(hello), '/api/world', 'POST', body=(b'x' * 600_000,) * 4, **OWN)
    assert sent[1]['body'] == b'cut off'


def test_upload_may_be_larger_than_other_requests():
    guard = Guard(hello, uploads={'/api/upload': 2 * MOST_BODY})
    size = str(MOST_BODY + 1)
    assert status(ask(guard, '/api/upload', 'POST', content_length=size, **OWN)) == 200
    assert status(ask(guard, '/api/world', 'POST', content_length=size, **OWN)) == 413


@pytest.mark.parametrize('length', ['-1', 'many', '1e9', ''])
def test_length_that_is_no_number_is_refused(length):
    assert status(ask(Guard(hello), '/api/world', 'POST', content_length=length, **OWN)) == 413


class TestToken:
    """Where others are served, too."""

    token = new_token()
    guard = Guard(hello, local_names('0.0.0.0', 'teacher'), token)
    lan = '192.168.1.7:8770'

    def test_page_without_the_token_is_refused(self):
        assert status(ask(self.guard, host=self.lan)) == 401
        assert status(ask(self.guard, host=self.lan, query='token=')) == 401
        assert status(ask(self.guard, host=self.lan, query='token=wrong')) == 401

    def test_page_with_the_token_hands_out_a_cookie_that_opens_the_rest(self):
        sent = ask(self.guard, host=self.lan, query=f'token={self.token}')
        assert status(sent) == 200
        cookie = dict(sent[0]['headers'])[b'set-cookie'].decode()
        assert 'HttpOnly' in cookie and 'SameSite=Strict' in cookie
        pair = cookie.split(';')[0]
        assert status(ask(self.guard, '/api/options', host=self.lan, cookie=pair)) == 200
        opened = ask(self.guard, '/ws', kind='websocket', host=self.lan, cookie=pair,
                     origin=f'http://{self.lan}')
        assert opened[0]['type'] == 'websocket.accept'

    def test_everything_else_without_the_cookie_is_refused(self):
        assert status(ask(self.guard, '/api/options', host=self.lan)) == 401
        # In the address of the page alone: addresses are written down in many places.
        assert status(ask(self.guard, '/api/options', host=self.lan,
                          query=f'token={self.token}')) == 401
        closed = ask(self.guard, '/ws', kind='websocket', host=self.lan,
                     origin=f'http://{self.lan}')
        assert closed[0]['type'] == 'websocket.close'

    def test_refusal_does_not_tell_the_token(self):
        sent = ask(self.guard, host=self.lan, query='token=wrong')
        assert self.token not in repr(sent)

    def test_name_of_another_host_is_refused_with_the_token_too(self):
        assert status(ask(self.guard, host='evil.example', query=f'token={self.token}')) == 421

    def test_machines_own_name_is_served(self):
        assert status(ask(self.guard, host='teacher:8770', query=f'token={self.token}')) == 200

    def test_tokens_are_long_and_never_the_same(self):
        assert len({new_token() for _ in range(100)}) == 100
        assert len(self.token) >= 24
