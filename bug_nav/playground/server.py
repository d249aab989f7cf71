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
Web server of the playground: page, worlds, files, and runs over a websocket.

A client is an open page. A new request of a client replaces its earlier ones.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import hashlib
import json
from pathlib import Path
from typing import Any, AsyncIterator, Dict, List, Tuple

from bug_nav.files import BadInput
from bug_nav.files.paths import IMAGES
from bug_nav.playground.image_export import PICTURE_TYPES
from bug_nav.playground.job import Job
from bug_nav.playground.options import MAX_ALGORITHMS, MAX_UPLOAD, options
from bug_nav.playground.origin_check import OriginCheck
from bug_nav.playground.request_parser import is_world_name, parse_message, safe_file_name
from bug_nav.playground.worker_pool import Task, WorkerPool
from bug_nav.visualization.web import WEB
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

MAX_CLIENTS = 32
MAX_FILES = 50
"""Maximum number of uploaded files; the oldest are removed first."""
MAX_MESSAGE = 300_000
"""Maximum length of a message [characters]."""
MAX_QUEUED = 64
"""Maximum number of unsent messages; a page that exceeds it gets no new runs."""
MEDIA_TYPES = {'.js': 'text/javascript', '.css': 'text/css', '.html': 'text/html',
               '.svg': 'image/svg+xml'}
MAP_ENDINGS = ('.yaml', '.yml')
"""File endings of map metadata (map_server)."""
WORLD_ENDINGS = ('.sdf', '.world', '.txt', *MAP_ENDINGS, *IMAGES)
"""File endings that may be uploaded."""
DEFAULT_RESOLUTION = '0.05'
"""Resolution of an image without metadata [m/pixel]."""


class Server:
    """Web application and its state."""

    def __init__(self, folder: Path, world: str, pool: WorkerPool, live: Any = None):
        """
        Create the application; the caller removes ``folder`` with the uploads.

        :param world: initial world of a page: a name, or a file on this machine.
        :param live: view of a running robot (`bug_nav.playground.live.LiveView`), or None.
        """
        self._folder, self._pool, self._live = folder, pool, live
        self._files: Dict[str, str] = {}
        self._clients = 0
        self._kept = ''
        first = {'name': world} if is_world_name(world) else {'file': self._add_file(world)}
        self._options = json.dumps({**options(), 'first': first}).encode()
        routes: List[Any] = [
            Route('/', self._get_page), Route('/web/{name}', self._get_web),
            Route('/api/options', self._get_options),
            Route('/api/world', self._get_world, methods=['POST']),
            Route('/api/upload', self._upload, methods=['POST']),
            Route('/api/save', self._save, methods=['POST']),
            Route('/api/picture', self._picture, methods=['POST']),
            WebSocketRoute('/ws', self._handle_websocket)]
        if live is not None:
            routes.append(WebSocketRoute('/live', live.serve))
        self.app = Starlette(routes=routes, lifespan=self._lifespan)

    def _add_file(self, path: str) -> str:
        """Register a file on this machine and return its id for the page."""
        name = hashlib.sha256(path.encode()).hexdigest()[:16]
        self._files[name] = path
        self._kept = name
        return name

    @contextlib.asynccontextmanager
    async def _lifespan(self, app: Starlette) -> AsyncIterator[None]:
        self._pool.listen()
        yield

    # ---- files --------------------------------------------------------------------------------

    async def _get_page(self, request: Request) -> Response:
        name = 'live.html' if self._live is not None else 'play.html'
        return FileResponse(WEB / name, media_type='text/html')

    async def _get_web(self, request: Request) -> Response:
        name = request.path_params['name']
        path = WEB / name
        # Confined to this folder: `name` has no slash, and '..' has no ending.
        if path.suffix not in MEDIA_TYPES or not path.is_file():
            return Response(f'there is no file {name[:80]!r}', 404)
        return FileResponse(path, media_type=MEDIA_TYPES[path.suffix])

    async def _get_options(self, request: Request) -> Response:
        return Response(self._options, media_type='application/json')

    # ---- worlds -------------------------------------------------------------------------------

    async def _get_world(self, request: Request) -> Response:
        return await self._run_job('world', await _body(request))

    async def _save(self, request: Request) -> Response:
        ending = {'sdf': '.world', 'txt': '.txt'}.get(request.query_params.get('format', ''))
        if ending is None:
            return _refusal('the format must be sdf or txt')
        answer = await self._run_job('save', await _body(request), ending)
        if answer.status_code != 200:
            return answer
        saved = json.loads(bytes(answer.body))
        name = safe_file_name('playground' if ending == '.world' else saved['name'], ending)
        return Response(saved['text'], media_type='text/plain', headers={
            'content-disposition': f'attachment; filename="{name}"'})

    async def _picture(self, request: Request) -> Response:
        """Return a picture of the runs on a page."""
        ending = f'.{request.query_params.get("format", "")}'
        if ending not in PICTURE_TYPES:
            return _refusal('the format must be one of '
                            + ', '.join(each[1:] for each in PICTURE_TYPES))
        return await self._run_job('picture', await _body(request), ending, PICTURE_TYPES[ending])

    async def _upload(self, request: Request) -> Response:
        """
        Store a file under the hash of its content, and return its world.

        The body of a map is its YAML file (``yaml`` bytes), followed by the image.
        """
        name = request.query_params.get('name', '')
        ending = Path(name).suffix.lower()
        if ending not in WORLD_ENDINGS:
            return _refusal(f'files that end in {ending[:20]!r} are not supported; open one '
                            f'of {", ".join(WORLD_ENDINGS)}')
        try:
            data = await request.body()
        except ClientDisconnect:
            return _refusal(f'a file may have at most {MAX_UPLOAD} bytes', 413)
        file_id = hashlib.sha256(data + ending.encode()).hexdigest()[:16]
        path = self._folder / f'{file_id}{ending}'
        query = ''
        if ending in MAP_ENDINGS:
            length, image = request.query_params.get('yaml', ''), request.query_params.get('image')
            kind = Path(image or '').suffix.lower()
            if kind not in IMAGES or not (length.isdecimal() and len(length) < 9
                                          and int(length) < len(data)):
                return _refusal("a map's YAML file needs its image; open both files together: "
                                f'.yaml and one of {", ".join(IMAGES)}')
            # Under a generated name: the YAML file could name any path on this machine.
            path.with_suffix(kind).write_bytes(data[int(length):])
            data, query = data[:int(length)], f'?image={file_id}{kind}'
        elif ending in IMAGES:
            resolution = request.query_params.get('resolution', DEFAULT_RESOLUTION)
            query = f'?resolution={resolution[:12]}'
        path.write_bytes(data)
        self._files[file_id] = f'{path}{query}'
        self._remove_oldest()
        answer = await self._run_job('world', {'file': file_id})
        if answer.status_code != 200:
            return answer
        return Response(f'{{"file":"{file_id}","world":{bytes(answer.body).decode()}}}',
                        media_type='application/json')

    def _remove_oldest(self) -> None:
        """Remove the oldest uploads above the limit, and their files, but not the first world."""
        uploads = [name for name in self._files if name != self._kept]
        for name in uploads[:max(len(uploads) - MAX_FILES, 0)]:
            del self._files[name]
            for path in self._folder.glob(f'{name}.*'):  # a map has an image as well
                path.unlink(missing_ok=True)

    async def _run_job(self, kind: str, data: Dict[str, Any], ending: str = '',
                       media: str = 'application/json') -> Response:
        """Run a job in a worker and return its answer."""
        future: asyncio.Future = asyncio.get_running_loop().create_future()

        def reply(answer: Tuple[Any, ...]) -> None:
            if not future.done():
                future.set_result(answer)
        self._pool.submit([Task(future, Job(kind, data, self._files, ending=ending), reply)])
        answer = await future
        if answer[0] == 'done':
            return Response(answer[1], media_type=media)
        return _refusal(answer[1])

    # ---- runs ---------------------------------------------------------------------------------

    async def _handle_websocket(self, socket: WebSocket) -> None:
        if self._clients >= MAX_CLIENTS:
            await socket.close(1013, f'{MAX_CLIENTS} pages are already open')
            return
        self._clients += 1
        client = _Client(socket, self._pool, self._files)
        try:
            await client.serve()
        finally:
            self._clients -= 1
            self._pool.cancel(client)


class _Client:
    """Open page with its websocket."""

    def __init__(self, socket: WebSocket, pool: WorkerPool, files: Dict[str, str]):
        self._socket, self._pool, self._files = socket, pool, files
        self._id = -1
        self._pending = 0
        self._outbox: asyncio.Queue = asyncio.Queue()

    async def serve(self) -> None:
        await self._socket.accept()
        sender = asyncio.ensure_future(self._send())
        try:
            while True:
                self._receive(await self._socket.receive_text())
        except (WebSocketDisconnect, KeyError):
            pass
        finally:
            sender.cancel()

    @property
    def _is_behind(self) -> bool:
        return self._outbox.qsize() >= MAX_QUEUED

    def _receive(self, text: str) -> None:
        if self._is_behind:
            return
        try:
            if len(text) > MAX_MESSAGE:
                raise BadInput(f'a message may have at most {MAX_MESSAGE} characters')
            message = parse_message(text)
            if message.get('type') == 'cancel':
                self._pool.cancel(self)
            elif message.get('type') == 'run':
                self._run(message)
            else:
                raise BadInput("the message type must be 'run' or 'cancel'")
        except BadInput as error:
            self._queue({'type': 'error', 'id': self._id, 'algorithm': None,
                         'message': str(error)})

    def _run(self, message: Dict[str, Any]) -> None:
        number, algorithms = message.get('id'), message.get('algorithms')
        if not isinstance(number, int):
            raise BadInput('the run has no id')
        if (not isinstance(algorithms, list) or not 0 < len(algorithms) <= MAX_ALGORITHMS
                or not all(isinstance(each, str) for each in algorithms)):
            raise BadInput(f'a run needs 1 to {MAX_ALGORITHMS} algorithms')
        self._pool.cancel(self)
        self._id, self._pending = number, len(algorithms)
        case: Any = message.get('case')
        detail = message.get('detail') is True
        self._pool.submit([
            Task(self, Job('run', case, self._files, algorithm, detail),
                 functools.partial(self._forward, number, algorithm))
            for algorithm in algorithms])

    def _forward(self, number: int, algorithm: str, answer: Tuple[Any, ...]) -> None:
        if number != self._id:
            return
        about = {'id': number, 'algorithm': algorithm}
        if answer[0] == 'path':
            if not self._is_behind:
                time, length, state = answer[3]
                self._queue({'type': 'path', **about, 'from': answer[1], 'xy': answer[2],
                            'time': time, 'length': length, 'state': state})
            return
        if answer[0] == 'done':
            # Forward the text of the worker, without parsing a long run.
            head = json.dumps({'type': 'run', **about})
            self._outbox.put_nowait(f'{head[:-1]},"run":{answer[1]}}}')
        elif answer[0] == 'error':
            self._queue({'type': 'error', **about, 'message': answer[1]})
        self._pending -= 1
        if self._pending == 0:
            self._queue({'type': 'ready', 'id': number})

    def _queue(self, message: Dict[str, Any]) -> None:
        self._outbox.put_nowait(json.dumps(message))

    async def _send(self) -> None:
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):
            while True:
                await self._socket.send_text(await self._outbox.get())


async def _body(request: Request) -> Dict[str, Any]:
    try:
        return parse_message((await request.body()).decode('utf-8', 'replace'))
    except (BadInput, ClientDisconnect):
        return {}


def _refusal(sentence: str, status: int = 400) -> JSONResponse:
    return JSONResponse({'message': sentence}, status)


def with_origin_check(app: Any, hosts: Any, token: str) -> OriginCheck:
    """Return the application behind the origin check."""
    return OriginCheck(app, hosts, token, {'/api/upload': MAX_UPLOAD})
