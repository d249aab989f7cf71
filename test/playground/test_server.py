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

"""Playground server: worlds, files and runs, for one page or several."""

from __future__ import annotations

import asyncio
import io
import json
import os

from bug_nav.playground import server
from bug_nav.playground.options import MAX_UPLOAD
from bug_nav.playground.origin_check import LOCAL_HOSTS
from bug_nav.playground.server import _Client, MAX_MESSAGE, MAX_QUEUED, Server, with_origin_check
from bug_nav.playground.worker_pool import WorkerPool
from bug_nav.simulation.ascii import load_ascii
from bug_nav.simulation.sdf import load_sdf
import numpy as np
from PIL import Image
import pytest
from starlette.testclient import TestClient

pytestmark = pytest.mark.xdist_group('playground')
WS = 'ws://localhost/ws'
CASE = {'world': {'name': 'demo'}, 'start': [0.7, 0.8, 0.6], 'goal': [7.3, 5.2]}
NEAR = {**CASE, 'goal': [2.5, 0.8]}
LONG = {**CASE, 'goal': [500.0, 500.0]}
"""Unreachable goal: the lap around the room takes seconds to compute."""
DRAWING = '#####\n#S.G#\n#####\n'


@pytest.fixture(scope='module')
def page(tmp_path_factory):
    """Return a client that behaves like a page of the server."""
    pool = WorkerPool(2)
    server = Server(tmp_path_factory.mktemp('files'), 'demo', pool)
    app = with_origin_check(server.app, LOCAL_HOSTS, '')
    with TestClient(app, base_url='http://localhost',
                    headers={'origin': 'http://localhost'}) as client:
        client.pool = pool
        yield client
    pool.close()


def ask(socket, number, case, algorithms=('bug2',), detail=False):
    socket.send_text(json.dumps({'type': 'run', 'id': number, 'detail': detail, 'case': case,
                                 'algorithms': list(algorithms)}))


def answers(socket, number):
    """Yield the messages of a run until it is ready."""
    while True:
        message = json.loads(socket.receive_text())
        assert message['id'] == number, 'message of a cancelled run'
        if message['type'] == 'ready':
            return
        yield message


def run_of(socket, number, case, **more):
    ask(socket, number, case, **more)
    told = list(answers(socket, number))
    assert told[-1]['type'] == 'run', told[-1]
    return told[-1]['run']


def test_page_loads_nothing_from_other_hosts(page):
    text = page.get('/').text
    assert '<script' in text and 'http://' not in text.replace('http://www.w3.org', '')
    for name in ('playground.js', 'view.js', 'style.css'):
        answer = page.get(f'/web/{name}')
        assert answer.status_code == 200 and answer.text
        assert answer.headers['x-content-type-options'] == 'nosniff'


@pytest.mark.parametrize('name', ['..%2Fpage.py', '__init__.py', '%2e%2e', 'nothing.js', '.css'])
def test_other_files_are_not_served(page, name):
    assert page.get(f'/web/{name}').status_code == 404


def test_options_list_worlds_robots_algorithms_and_ranges(page):
    told = page.get('/api/options').json()
    assert 'demo' in told['worlds'] and 'random:rooms' in told['random']
    assert told['first'] == {'name': 'demo'}
    bug2 = next(each for each in told['algorithms'] if each['name'] == 'bug2')
    assert bug2['complete'] and bug2['steps']
    margin, = bug2['parameters']
    assert (margin['name'], margin['low'], margin['high'], margin['unit']) == (
        'bug2.leave_margin', 0.0, 0.03, 'm')
    names = [each['name'] for group in told['groups'] for each in group['parameters']]
    assert {'robot_radius', 'clearance', 'scan_noise', 'odometry'} <= set(names)
    assert len(set(names)) == len(names)


def test_world_document_is_in_millimeters(page):
    world = page.post('/api/world', json={'name': 'demo'}).json()
    assert world['solids'][0][:2] == [8100, 0]
    assert world['start'] == [0.7, 0.8, 0.6]


def test_unknown_world_is_rejected_with_one_sentence(page):
    answer = page.post('/api/world', json={'name': 'dmeo'})
    assert answer.status_code == 400
    assert 'did you mean' in answer.json()['message']


def test_run_sends_path_updates_and_then_the_result(page):
    with page.websocket_connect(WS) as socket:
        ask(socket, 1, CASE, detail=True)
        told = list(answers(socket, 1))
    run = told[-1]['run']
    assert run['outcome'] == 'reached'
    assert run['report']['shortest_path'] < run['report']['path_length'] < run['bound']
    assert len(run['x']) == len(run['y']) == len(run['yaw']) == run['report']['ticks']
    assert sum(run['x']) == pytest.approx(1000.0 * run['report']['final_pose'][0], abs=1.0)
    assert [event['kind'] for event in run['events']][:2] == ['hit', 'leave']
    assert run['detail']['scans']['ranges'] and run['detail']['points']
    way = [xy for each in told if each['type'] == 'path' for xy in each['xy']]
    assert way[:2] == [700, 800]


def test_run_reports_its_progress(page):
    with page.websocket_connect(WS) as socket:
        ask(socket, 1, CASE)
        told = [each for each in answers(socket, 1) if each['type'] == 'path']
    times, lengths = [[each[name] for each in told] for name in ('time', 'length')]
    assert len(told) > 1 and times == sorted(times) and lengths == sorted(lengths)
    assert times[-1] > 0.0 and lengths[-1] > 0.0
    assert all(each['state'] for each in told)


def test_run_without_details_has_the_same_outcome(page):
    with page.websocket_connect(WS) as socket:
        runs = [run_of(socket, number, CASE, detail=detail)
                for number, detail in enumerate((False, True))]
    assert {run['outcome'] for run in runs} == {'reached'}
    lengths = [run['report']['path_length'] for run in runs]
    assert lengths[0] == pytest.approx(lengths[1], rel=0.05)


def test_run_has_a_reason_for_every_tick(page):
    with page.websocket_connect(WS) as socket:
        run = run_of(socket, 1, NEAR, detail=True)
    assert run['why'][0][0] == 0
    assert {name for _, name, _ in run['why']} <= {step['name'] for step in run['steps']}


def test_several_algorithms_run_in_one_request(page):
    with page.websocket_connect(WS) as socket:
        ask(socket, 4, NEAR, ('bug1', 'bug2', 'dist_bug'))
        runs = {each['algorithm']: each['run'] for each in answers(socket, 4)
                if each['type'] == 'run'}
    assert set(runs) == {'bug1', 'bug2', 'dist_bug'}
    assert all(run['outcome'] == 'reached' for run in runs.values())


def test_invalid_algorithm_does_not_affect_the_others(page):
    with page.websocket_connect(WS) as socket:
        ask(socket, 1, NEAR, ('bug2', 'nope'))
        told = {each['algorithm']: each for each in answers(socket, 1) if each['type'] != 'path'}
    assert told['bug2']['type'] == 'run'
    assert 'nope' in told['nope']['message']


def test_thousand_requests_end_with_the_newest_after_few_runs(page):
    with page.websocket_connect(WS) as socket:
        for number in range(1000):
            ask(socket, number, {**CASE, 'goal': [7.3 - 0.001 * number, 5.2]})
        told = []
        while not told or told[-1] != ('ready', 999):
            message = json.loads(socket.receive_text())
            told.append((message['type'], message['id']))
        # At most a few runs per worker are computed, not a thousand.
        assert sum(kind == 'run' for kind, _ in told) < 50


def test_cancelled_run_sends_nothing_more(page):
    with page.websocket_connect(WS) as socket:
        ask(socket, 1, LONG)
        socket.send_text('{"type": "cancel"}')
        run = run_of(socket, 2, NEAR)
    assert run['outcome'] == 'reached'


def test_two_pages_receive_their_own_runs(page):
    with page.websocket_connect(WS) as one, page.websocket_connect(WS) as other:
        ask(one, 1, CASE)
        ask(other, 1, NEAR)
        lengths = [list(answers(socket, 1))[-1]['run']['report']['path_length']
                   for socket in (one, other)]
    assert lengths[0] > lengths[1] + 5.0


@pytest.mark.parametrize('text', [
    '', 'no json', '[]', '{}', '{"type": "quit"}', '{"type": "run"}',
    '{"type": "run", "id": 1}', '{"type": "run", "id": "1", "algorithms": ["bug2"]}',
    '{"type": "run", "id": 1, "algorithms": []}', '{"type": "run", "id": 1, "algorithms": [1]}',
    json.dumps({'type': 'run', 'id': 1, 'algorithms': ['bug2'] * 99}), '"' + 'x' * MAX_MESSAGE,
    '{"type": "run", "id": NaN}', '[' * 10000])
def test_invalid_message_is_an_error_and_the_page_still_works(page, text):
    with page.websocket_connect(WS) as socket:
        socket.send_text(text)
        told = json.loads(socket.receive_text())
        assert told['type'] == 'error' and told['message']
        assert run_of(socket, 5, NEAR)['outcome'] == 'reached'


def test_invalid_case_is_an_error_and_the_page_still_works(page):
    with page.websocket_connect(WS) as socket:
        for case in (None, [], {}, {'world': 3}, {**CASE, 'set': {'clearance': 'x' * 5000}}):
            ask(socket, 1, case)
            assert [each['type'] for each in answers(socket, 1)] == ['error']
        assert run_of(socket, 2, NEAR)['outcome'] == 'reached'


def test_worker_that_dies_is_restarted(page):
    with page.websocket_connect(WS) as socket:
        ask(socket, 1, LONG, ('bug2', 'bug1'))
        json.loads(socket.receive_text())  # both have started
        for pid in page.pool.pids:
            os.kill(pid, 9)
        told = [each for each in answers(socket, 1) if each['type'] == 'error']
        assert len(told) == 2 and 'was restarted' in told[0]['message']
        assert run_of(socket, 2, NEAR)['outcome'] == 'reached'


# ---- files ------------------------------------------------------------------------------------

def test_uploaded_drawing_can_be_used_for_a_run(page):
    told = page.post('/api/upload?name=plan.txt', content=DRAWING).json()
    assert told['world']['start'] == [0.75, 0.75, 0.0]
    with page.websocket_connect(WS) as socket:
        run = run_of(socket, 1, {'world': {'file': told['file']}, 'start': [0.75, 0.75, 0.0],
                                 'goal': [1.75, 0.75]})
    assert run['outcome'] == 'reached'
    assert run['command'].startswith('bug_nav run playground.world ')


@pytest.mark.parametrize('name,content,says', [
    ('bomb.sdf', '<!DOCTYPE a [<!ENTITY b "c">]><sdf>&b;</sdf>', 'ntit'),
    ('half.world', '<sdf', 'XML'), ('plan.txt', 'a\tb', 'not known'),
    ('plan.png', 'no picture', ''), ('plan.exe', 'MZ', 'end in'), ('', 'x', 'end in'),
    ('map.yaml', 'image: /etc/passwd', 'open both files'),
    ('plan.txt', b'\xff\xfe\x00', 'UTF-8')])
def test_invalid_world_file_is_rejected_with_one_sentence(page, name, content, says):
    answer = page.post(f'/api/upload?name={name}', content=content)
    assert answer.status_code == 400
    sentence = answer.json()['message']
    assert says in sentence and '\n' not in sentence
    assert 'bug_nav_play' not in sentence and '/tmp' not in sentence and 'files0' not in sentence


@pytest.mark.parametrize('address', [
    '{path}', 'file://{path}', '../{folder}/secret.sdf', 'no.sdf'])
@pytest.mark.parametrize('ending', ['world', 'sdf'])
def test_uploaded_world_reads_no_file_by_its_path(page, tmp_path, address, ending):
    secret = tmp_path / 'secret.sdf'
    secret.write_text('<sdf version="1.6"><model name="m"><static>true</static><link name="l">'
                      '<collision name="c"><geometry><box><size>1 2 1</size></box></geometry>'
                      '</collision></link></model></sdf>')
    uri = address.format(path=secret, folder=tmp_path.name)
    answer = page.post(f'/api/upload?name=w.{ending}', content=(
        f'<sdf version="1.6"><world name="w"><include><uri>{uri}</uri></include></world></sdf>'))
    sentence = answer.json()['message']
    assert answer.status_code == 400 and 'a path is not read' in sentence
    assert 'bug_nav play FILE' in sentence and '\n' not in sentence


def slam_map(image='map.pgm', side=40, query='image=map.pgm'):
    """Return address and body of the upload of a closed room: YAML file and image."""
    pixels = np.full((side, side), 254, dtype=np.uint8)
    pixels[[0, -1]] = pixels[:, [0, -1]] = 0
    text = (f'image: {image}\nresolution: 0.1\norigin: [-5.0, -3.0, 0.0]\nnegate: 0\n'
            'occupied_thresh: 0.65\nfree_thresh: 0.196\n').encode()
    return (f'/api/upload?name=map.yaml&yaml={len(text)}&{query}',
            text + b'P5 %d %d 255\n' % (side, side) + pixels.tobytes())


@pytest.mark.parametrize('image', ['map.pgm', '/etc/passwd', '../../secret.png'])
def test_map_uses_the_uploaded_image(page, image):
    address, body = slam_map(image)
    world = page.post(address, content=body).json()['world']
    assert world['bounds'] == [-5.0, -3.0, -1.0, 1.0]


@pytest.mark.parametrize('query,cut,says', [
    ('image=map.exe', None, 'open both'), ('', None, 'open both'),
    ('image=../map', None, 'open both'), ('image=map.pgm', -1600, 'image')])
def test_map_without_image_is_rejected_with_one_sentence(page, query, cut, says):
    address, body = slam_map(query=query)
    answer = page.post(address, content=body[:cut])
    assert answer.status_code == 400
    sentence = answer.json()['message']
    assert says in sentence and 'files0' not in sentence and '/tmp' not in sentence


@pytest.mark.slow
@pytest.mark.parametrize('ending,algorithms,begins', [
    ('png', ['bug2'], b'\x89PNG'), ('png', ['bug2', 'bug1'], b'\x89PNG'),
    ('svg', ['bug2'], b'<?xml'),
    ('gif', ['bug2'], b'GIF8'), ('gif', ['bug2', 'bug1'], b'GIF8')])
def test_runs_are_exported_as_pictures(page, ending, algorithms, begins):
    answer = page.post(f'/api/picture?format={ending}', json={
        'case': NEAR, 'algorithms': algorithms, 'side': True})
    assert answer.status_code == 200 and answer.content.startswith(begins)
    if ending != 'svg':
        image = Image.open(io.BytesIO(answer.content))
        assert max(image.size) >= {'png': 1200, 'gif': 800}[ending]
        assert ending == 'png' or image.n_frames > 5


@pytest.mark.parametrize('query,body', [
    ('exe', {}), ('png', {}), ('png', {'case': NEAR, 'algorithms': []}),
    ('png', {'case': NEAR, 'algorithms': ['bug2'] * 9}),
    ('gif', {'case': 3, 'algorithms': ['bug2']}),
    ('svg', {'case': NEAR, 'algorithms': ['nope']})])
def test_invalid_picture_request_is_rejected(page, query, body):
    answer = page.post(f'/api/picture?format={query}', json=body)
    assert answer.status_code == 400 and answer.json()['message']


def test_file_title_is_escaped_in_a_picture(page):
    told = page.post('/api/upload?name=plan.txt', content=DRAWING).json()
    answer = page.post('/api/picture?format=svg', json={
        'case': {'world': {'file': told['file']}, 'start': [0.75, 0.75, 0.0],
                 'goal': [1.75, 0.75]},
        'algorithms': ['bug2'], 'title': '</text><script>alert(1)</script>.txt'})
    assert answer.status_code == 200 and b'<script' not in answer.content


def test_oldest_uploads_are_removed_but_not_the_world_of_the_command_line(tmp_path, monkeypatch):
    monkeypatch.setattr(server, 'MAX_FILES', 2)
    (tmp_path / 'hall.txt').write_text(DRAWING)
    (tmp_path / 'uploads').mkdir()
    pool = WorkerPool(1)
    try:
        app = with_origin_check(
            Server(tmp_path / 'uploads', str(tmp_path / 'hall.txt'), pool).app, LOCAL_HOSTS, '')
        with TestClient(app, base_url='http://localhost',
                        headers={'origin': 'http://localhost'}) as client:
            first = client.get('/api/options').json()['first']
            address, body = slam_map()
            drawings = [DRAWING.replace('.', k * '.').replace('#####', (4 + k) * '#')
                        for k in (2, 3)]
            files = [client.post(where, content=what).json()['file'] for where, what in (
                (address, body), *(('/api/upload?name=room.txt', text) for text in drawings))]
            answers = [client.post('/api/world', json=world) for world in (
                first, *({'file': name} for name in files))]
    finally:
        pool.close()
    assert [answer.status_code for answer in answers] == [200, 400, 200, 200]
    assert {path.name for path in (tmp_path / 'uploads').iterdir()} == {
        f'{name}.txt' for name in files[1:]}
    assert (tmp_path / 'hall.txt').exists()


def test_oversized_upload_is_rejected(page):
    def endless():
        for _ in range(100):
            yield b'#' * 1_000_000
    answer = page.post('/api/upload?name=plan.txt', content=b'#' * (MAX_UPLOAD + 1))
    assert answer.status_code == 413
    answer = page.post('/api/upload?name=plan.txt', content=endless())
    assert answer.status_code == 413


def test_world_is_saved_as_sdf_and_as_drawing(page, tmp_path):
    spec = {'name': 'demo', 'edits': {'added': [{'c': [2.0, 4.0, 0.3]}]}}
    for ending, read in (('sdf', load_sdf), ('txt', load_ascii)):
        answer = page.post(f'/api/save?format={ending}',
                           json={'world': spec, 'start': [1.0, 1.0, 0.0], 'goal': [3.0, 1.0]})
        assert answer.status_code == 200
        assert 'attachment' in answer.headers['content-disposition']
        path = tmp_path / f'saved.{"world" if ending == "sdf" else "txt"}'
        path.write_text(answer.text, encoding='utf-8')
        world = read(path)
        assert world.solids and world.start is not None and world.goal is not None


def test_saving_a_world_with_movers_is_rejected(page):
    answer = page.post('/api/save?format=sdf', json={'world': {'name': 'crowd'}})
    assert answer.status_code == 400 and 'movers' in answer.json()['message']


@pytest.mark.parametrize('body', ['', '[]', '{"world": {"name": "demo"}, "start": "x"}'])
def test_invalid_save_request_is_rejected(page, body):
    assert page.post('/api/save?format=sdf', content=body).status_code == 400
    assert page.post('/api/save?format=exe', content=body).status_code == 400


def test_blocked_page_starts_no_new_runs():
    told = []

    class Idle:
        """Pool that collects the submitted tasks."""

        def cancel(self, client):
            pass

        def submit(self, tasks):
            told.extend(tasks)

    async def hear():
        client = _Client(None, Idle(), {})
        run = json.dumps({'type': 'run', 'id': 1, 'case': CASE, 'algorithms': ['bug2']})
        client._receive(run)
        for _ in range(10 * MAX_QUEUED):
            told[0].reply(('path', 0, [1, 2], (0.1, 0.02, 'follow')))
            client._receive('nonsense')
        assert client._outbox.qsize() == MAX_QUEUED
        client._receive(run)

    asyncio.run(hear())
    assert len(told) == 1


def test_page_gets_what_a_world_lacks_of_its_file(tmp_path):
    (tmp_path / 'w.world').write_text('<sdf version="1.6"><world name="w"><include>'
                                      '<uri>model://no_such_model</uri></include></world></sdf>')
    name = f'{tmp_path}/w.world?missing=skip'
    pool = WorkerPool(1)
    try:
        server = Server(tmp_path, name, pool)
        app = with_origin_check(server.app, LOCAL_HOSTS, '')
        with TestClient(app, base_url='http://localhost',
                        headers={'origin': 'http://localhost'}) as client:
            first = client.get('/api/options').json()['first']
            (note,) = client.post('/api/world', json=first).json()['notes']
    finally:
        pool.close()
    assert 'no_such_model' in note and str(tmp_path) not in note


def test_page_gets_no_notes_of_a_whole_world(page):
    assert page.post('/api/world', json={'name': 'demo'}).json()['notes'] == []
