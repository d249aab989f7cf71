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
The server of the playground: the page and its modules, worlds, and runs over a websocket.

A client is a page that is open: what it asks for last is what it gets.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import hashlib
import json
from pathlib import Path
from typing import Any, AsyncIterator, Dict, List, Tuple

from bug_nav.commands import BadInput
from bug_nav.play.guard import Guard
from bug_nav.play.job import Job
from bug_nav.play.options import MOST_ALGORITHMS, MOST_UPLOAD, options
from bug_nav.play.pictures import MEDIA
from bug_nav.play.pool import Pool, Task
from bug_nav.play.spec import is_named, parse, saved_name
from bug_nav.sim.catalogue import IMAGES
from bug_nav.viz.web import WEB
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

MOST_CLIENTS = 32
MOST_FILES = 50
"""The files of the uploads; the oldest go first."""
MOST_MESSAGE = 300_000
"""Characters of a message."""
MOST_WAITING = 64
"""Messages for a page that does not take them: nothing more is driven for it until it does."""
TYPES = {'.js': 'text/javascript', '.css': 'text/css', '.html': 'text/html',
         '.svg': 'image/svg+xml'}
MAPS = ('.yaml', '.yml')
"""The endings of files that say how large the pixels of a map's image are."""
READ = ('.sdf', '.world', '.txt', *MAPS, *IMAGES)
"""The endings of files that may be given to the server."""
USUAL_RESOLUTION = '0.05'
"""Of a map without a word about it [m]."""


class Server:
    """The application, and what it keeps while it runs."""

    def __init__(self, folder: Path, world: str, pool: Pool, live: Any = None):
        """
        Keep uploads in ``folder``, which somebody else removes.

        :param world: what a page begins with: a name, or a file of this machine.
        :param live: a robot that is heard over ROS (`bug_nav.play.live.Live`), or None.
        """
        self._folder, self._pool, self._live = folder, pool, live
        self._files: Dict[str, str] = {}
        self._clients = 0
        first = {'name': world} if is_named(world) else {'file': self._add_file(world)}
        self._options = json.dumps({**options(), 'first': first}).encode()
        routes: List[Any] = [
            Route('/', self._page), Route('/web/{name}', self._web),
            Route('/api/options', self._tell_options),
            Route('/api/world', self._world, methods=['POST']),
            Route('/api/upload', self._upload, methods=['POST']),
            Route('/api/save', self._save, methods=['POST']),
            Route('/api/picture', self._picture, methods=['POST']),
            WebSocketRoute('/ws', self._ws)]
        if live is not None:
            routes.append(WebSocketRoute('/live', live.serve))
        self.app = Starlette(routes=routes, lifespan=self._life)

    def _add_file(self, path: str) -> str:
        """Return what a page calls a file of this machine that it may open."""
        name = hashlib.sha256(path.encode()).hexdigest()[:16]
        self._files[name] = path
        return name

    @contextlib.asynccontextmanager
    async def _life(self, app: Starlette) -> AsyncIterator[None]:
        self._pool.listen()
        yield

    # ---- files --------------------------------------------------------------------------------

    async def _page(self, request: Request) -> Response:
        name = 'live.html' if self._live is not None else 'play.html'
        return FileResponse(WEB / name, media_type='text/html')

    async def _web(self, request: Request) -> Response:
        name = request.path_params['name']
        path = WEB / name
        # Of this folder alone: `name` has no slash, and '..' has no ending.
        if path.suffix not in TYPES or not path.is_file():
            return Response(f'there is no {name[:80]!r} here', 404)
        return FileResponse(path, media_type=TYPES[path.suffix])

    async def _tell_options(self, request: Request) -> Response:
        return Response(self._options, media_type='application/json')

    # ---- worlds -------------------------------------------------------------------------------

    async def _world(self, request: Request) -> Response:
        return await self._done('world', await _body(request))

    async def _save(self, request: Request) -> Response:
        ending = {'sdf': '.world', 'txt': '.txt'}.get(request.query_params.get('format', ''))
        if ending is None:
            return _refusal('the format is none of sdf and txt')
        answer = await self._done('save', await _body(request), ending)
        if answer.status_code != 200:
            return answer
        told = json.loads(bytes(answer.body))
        name = saved_name('playground' if ending == '.world' else told['name'], ending)
        return Response(told['text'], media_type='text/plain', headers={
            'content-disposition': f'attachment; filename="{name}"'})

    async def _picture(self, request: Request) -> Response:
        """Draw the runs that a page shows."""
        ending = f'.{request.query_params.get("format", "")}'
        if ending not in MEDIA:
            return _refusal(f'the format is none of {", ".join(each[1:] for each in MEDIA)}')
        return await self._done('picture', await _body(request), ending, MEDIA[ending])

    async def _upload(self, request: Request) -> Response:
        """
        Keep a file under the name of its content, and return its world.

        A map comes as one body: `yaml` bytes of its YAML file, then the image.
        """
        name = request.query_params.get('name', '')
        ending = Path(name).suffix.lower()
        if ending not in READ:
            return _refusal(f'no world is read from a file that ends in {ending[:20]!r}; open one '
                            f'of {", ".join(READ)}')
        try:
            data = await request.body()
        except ClientDisconnect:
            return _refusal(f'a file may have up to {MOST_UPLOAD} bytes', 413)
        called = hashlib.sha256(data + ending.encode()).hexdigest()[:16]
        path = self._folder / f'{called}{ending}'
        query = ''
        if ending in MAPS:
            length, image = request.query_params.get('yaml', ''), request.query_params.get('image')
            kind = Path(image or '').suffix.lower()
            if kind not in IMAGES or not (length.isdecimal() and len(length) < 9
                                          and int(length) < len(data)):
                return _refusal("a map's YAML file needs its image; open both files together: "
                                f'.yaml and one of {", ".join(IMAGES)}')
            # Under a name of our own: the one in the YAML file may be any path of this machine.
            path.with_suffix(kind).write_bytes(data[int(length):])
            data, query = data[:int(length)], f'?image={called}{kind}'
        elif ending in IMAGES:
            query = f'?resolution={request.query_params.get("resolution", USUAL_RESOLUTION)[:12]}'
        path.write_bytes(data)
        self._files[called] = f'{path}{query}'
        while len(self._files) > MOST_FILES:
            self._files.pop(next(iter(self._files)))
        answer = await self._done('world', {'file': called})
        if answer.status_code != 200:
            return answer
        return Response(f'{{"file":"{called}","world":{bytes(answer.body).decode()}}}',
                        media_type='application/json')

    async def _done(self, kind: str, data: Dict[str, Any], ending: str = '',
                    media: str = 'application/json') -> Response:
        """Return what a worker makes of a request."""
        told: asyncio.Future = asyncio.get_running_loop().create_future()

        def tell(answer: Tuple[Any, ...]) -> None:
            if not told.done():
                told.set_result(answer)
        self._pool.submit([Task(told, Job(kind, data, self._files, ending=ending), tell)])
        answer = await told
        if answer[0] == 'done':
            return Response(answer[1], media_type=media)
        return _refusal(answer[1])

    # ---- runs ---------------------------------------------------------------------------------

    async def _ws(self, socket: WebSocket) -> None:
        if self._clients >= MOST_CLIENTS:
            await socket.close(1013, f'{MOST_CLIENTS} pages are open already')
            return
        self._clients += 1
        client = _Client(socket, self._pool, self._files)
        try:
            await client.serve()
        finally:
            self._clients -= 1
            self._pool.drop(client)


class _Client:
    """A page that is open."""

    def __init__(self, socket: WebSocket, pool: Pool, files: Dict[str, str]):
        self._socket, self._pool, self._files = socket, pool, files
        self._id = -1
        self._left = 0
        self._out: asyncio.Queue = asyncio.Queue()

    async def serve(self) -> None:
        await self._socket.accept()
        sender = asyncio.ensure_future(self._send())
        try:
            while True:
                self._hear(await self._socket.receive_text())
        except (WebSocketDisconnect, KeyError):
            pass
        finally:
            sender.cancel()

    @property
    def _is_behind(self) -> bool:
        return self._out.qsize() >= MOST_WAITING

    def _hear(self, text: str) -> None:
        if self._is_behind:
            return
        try:
            if len(text) > MOST_MESSAGE:
                raise BadInput(f'a message may have up to {MOST_MESSAGE} characters')
            message = parse(text)
            if message.get('type') == 'cancel':
                self._pool.drop(self)
            elif message.get('type') == 'run':
                self._run(message)
            else:
                raise BadInput('the message is neither run nor cancel')
        except BadInput as error:
            self._tell({'type': 'error', 'id': self._id, 'algorithm': None, 'message': str(error)})

    def _run(self, message: Dict[str, Any]) -> None:
        number, algorithms = message.get('id'), message.get('algorithms')
        if not isinstance(number, int):
            raise BadInput('the run has no number')
        if (not isinstance(algorithms, list) or not 0 < len(algorithms) <= MOST_ALGORITHMS
                or not all(isinstance(each, str) for each in algorithms)):
            raise BadInput(f'1 to {MOST_ALGORITHMS} algorithms can be asked for at a time')
        self._pool.drop(self)
        self._id, self._left = number, len(algorithms)
        case: Any = message.get('case')
        detail = message.get('detail') is True
        self._pool.submit([
            Task(self, Job('run', case, self._files, algorithm, detail),
                 functools.partial(self._told, number, algorithm))
            for algorithm in algorithms])

    def _told(self, number: int, algorithm: str, told: Tuple[Any, ...]) -> None:
        if number != self._id:
            return
        about = {'id': number, 'algorithm': algorithm}
        if told[0] == 'path':
            if not self._is_behind:
                time, length, state = told[3]
                self._tell({'type': 'path', **about, 'from': told[1], 'xy': told[2],
                            'time': time, 'length': length, 'state': state})
            return
        if told[0] == 'done':
            # As it came from the worker: a long run need not be read and written again.
            head = json.dumps({'type': 'run', **about})
            self._out.put_nowait(f'{head[:-1]},"run":{told[1]}}}')
        elif told[0] == 'error':
            self._tell({'type': 'error', **about, 'message': told[1]})
        self._left -= 1
        if self._left == 0:
            self._tell({'type': 'ready', 'id': number})

    def _tell(self, message: Dict[str, Any]) -> None:
        self._out.put_nowait(json.dumps(message))

    async def _send(self) -> None:
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):
            while True:
                await self._socket.send_text(await self._out.get())


async def _body(request: Request) -> Dict[str, Any]:
    try:
        return parse((await request.body()).decode('utf-8', 'replace'))
    except (BadInput, ClientDisconnect):
        return {}


def _refusal(sentence: str, status: int = 400) -> JSONResponse:
    return JSONResponse({'message': sentence}, status)


def guarded(app: Any, hosts: Any, token: str) -> Guard:
    """Return the application as it may be served."""
    return Guard(app, hosts, token, {'/api/upload': MOST_UPLOAD})
