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
Kinds of files for the fuzz test, and the commands that read them.

A kind is an entry of `KINDS`: the source of its files, and the command for each.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import io
from pathlib import Path
from random import Random
import sys
import tempfile
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Sequence, Tuple

from bug_nav.cli import parser as cli
from bug_nav.cli.ros_domain import reserved_domain
from bug_nav.lab.spec import load_spec
from bug_nav.simulation.shipped import share_dir
import numpy as np
from PIL import Image

Files = Dict[str, bytes]
"""Files of one input by name; the first is the argument of the command."""


class FuzzKind(NamedTuple):
    """A kind of files."""

    seeds: Callable[[], List[Files]]
    """Returns valid files."""
    run: Callable[[Path, Random], int]
    """Reads a file as a command does; returns the exit code."""
    codes: Tuple[int, ...] = (0, 1, 2)
    slowness: int = 1
    """Factor for the time limit."""


def _shipped(folder: str, pattern: str) -> List[Files]:
    paths = sorted((share_dir() / folder).glob(pattern))
    return [{path.name: path.read_bytes()} for path in paths]


# ---- worlds -----------------------------------------------------------------------------------

def _read_world(path: Path, random: Random) -> int:
    """List a world, and sometimes drive in it for a short time."""
    if random.random() < 0.7:
        return cli.main(['worlds', str(path)])
    places = [] if random.random() < 0.5 else ['--start', '0.7,0.8,0', '--goal', '3,1']
    return cli.main(['run', str(path), '--time-allowance', '1', *places])


def _meshes() -> List[Files]:
    """Return a world with a mesh, in each format."""
    import trimesh
    shape = trimesh.creation.icosphere(1, 0.5)
    seeds = []
    for kind, name in (('stl', 'a.stl'), ('stl_ascii', 'text.stl'), ('obj', 'a.obj'),
                       ('dae', 'a.dae')):
        data = shape.export(file_type=kind)
        world = ('<sdf version="1.6"><world name="w"><model name="m"><static>true</static>'
                 '<pose>3 0 0.2 0.3 0 0</pose><link name="l"><collision name="c"><geometry><mesh>'
                 f'<scale>1 2 1</scale><uri>{name}</uri></mesh></geometry></collision></link>'
                 '</model></world></sdf>')
        seeds.append({'w.world': world.encode(),
                      name: data if isinstance(data, bytes) else data.encode()})
    return seeds


MODEL = """<sdf version="1.9"><model name="rack"><frame name="top">
<pose degrees="true">0 0 1 0 0 9</pose>
</frame><link name="a"><pose relative_to="top">0 0 -1 0 0 0</pose><collision name="c"><geometry>
<box><size>1 2 3</size></box></geometry></collision></link><link name="b">
<pose relative_to="a">1 0 0 0.2 0 0
</pose><collision name="c"><geometry><cylinder><radius>0.3</radius><length>2</length></cylinder>
</geometry>
</collision><collision name="d"><pose relative_to="top"/><geometry><ellipsoid><radii>1 1 2</radii>
</ellipsoid></geometry></collision></link><joint name="j" type="fixed"><parent>a</parent>
<child>b</child>
</joint></model></sdf>"""
WORLD = """<sdf version="1.9"><world name="w"><frame name="f" attached_to="one">
<pose>1 0 0 0 0 1</pose></frame>
<include><uri>rack.sdf</uri><name>one</name><pose>3 1 0 0 0 0</pose></include>
<include merge="true"><uri>rack.sdf</uri><name>two</name><placement_frame>b</placement_frame>
<pose relative_to="f">3 4 0 0 0 0</pose></include><model name="box"><static>true</static>
<model name="in"><link name="l"><collision name="c"><geometry><capsule><radius>0.2</radius>
<length>1</length>
</capsule></geometry></collision></link></model><include><uri>rack.sdf</uri></include>
<pose relative_to="one::top">2 0 0 0 0 0</pose></model><state world_name="w"><model name="box">
<pose>5 5 0 0 0 0</pose><scale>1 2 1</scale><link name="l"><pose>5 5 0 0 0 0</pose></link>
</model></state>
</world></sdf>"""


def _models() -> List[Files]:
    """Return a world that includes a model, with frames, joints and a saved state."""
    return [{'w.world': WORLD.encode(), 'rack.sdf': MODEL.encode()}]


def _maps() -> List[Files]:
    cells = np.full((40, 60), 254, dtype=np.uint8)
    cells[0], cells[-1], cells[:, 0], cells[:, -1], cells[10:25, 20:30] = 0, 0, 0, 0, 0
    cells[30:, 40:] = 205
    seeds = []
    for name, content in _images(cells).items():
        text = (f'image: {name}\nresolution: 0.1\norigin: [0.0, 0.0, 0.0]\nnegate: 0\n'
                'occupied_thresh: 0.65\nfree_thresh: 0.196\nmode: trinary\n')
        seeds.append({'map.yaml': text.encode(), name: content})
    return seeds


def _images(cells: np.ndarray) -> Files:
    """Return an image in all formats."""
    rows, columns = cells.shape
    images = {'map.pgm': b'P5\n# a map\n%d %d\n255\n' % (columns, rows) + cells.tobytes(),
              'plain.pgm': b'P2\n%d %d\n255\n' % (columns, rows)
              + '\n'.join(' '.join(map(str, row)) for row in cells).encode()}
    for mode, name in (('L', 'grey.png'), ('RGBA', 'colour.png'), ('P', 'palette.png'),
                       ('1', 'bits.png'), ('L', 'map.bmp'), ('RGB', 'map.ppm'),
                       ('L', 'photo.jpeg')):
        stream = io.BytesIO()
        Image.fromarray(cells).convert(mode).save(stream, name.rpartition('.')[2])
        images[name] = stream.getvalue()
    return images


def _drawings() -> List[Files]:
    room = ('##########\n#>...#...#\n#....#.G.#\n#........#\n##########\n')
    return [{'room.txt': room.encode()}, {'room.txt': f'cell: 0.5\n\n{room}'.encode()},
            {'open.txt': b'cell: 1\nS   G\n'}]


# ---- campaigns and their rows -----------------------------------------------------------------

def _campaigns() -> List[Files]:
    """Return the shipped campaigns that have worlds of their own; others need an option."""
    return [files for files in _shipped('campaigns', '*.yaml')
            if load_spec(next(iter(files))[:-len('.yaml')]).worlds]


def _read_campaign(path: Path, random: Random) -> int:
    """Read, check and store a campaign, and stop before its first episode."""
    from bug_nav.cli import campaign
    stopped = argparse.Namespace(stopped=True)
    with _replaced(campaign, 'run_with_progress', lambda spec, journal, workers: stopped), \
            _replaced(campaign, 'workers_of', lambda arguments: contextlib.ExitStack()):
        return cli.main(['campaign', str(path), '--out', str(path.parent / 'out')])


@contextlib.contextmanager
def _replaced(module: Any, name: str, value: Any) -> Iterator[None]:
    before = getattr(module, name)
    setattr(module, name, value)
    try:
        yield
    finally:
        setattr(module, name, before)


def _rows() -> List[Files]:
    """Return the rows of a small campaign."""
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        out = Path(folder) / 'out'
        formats = ('csv', 'parquet') if importlib.util.find_spec('pyarrow') else ('csv',)
        for kind in formats:
            code = cli.main(['campaign', '--world', 'box', '--count', '1', '--workers', '1',
                             '--out', str(out / kind), '--format', kind])
            if code != 0:
                raise RuntimeError(f'no rows: the campaign exited with {code}')
        return [{f'rows.{kind}': (out / kind / f'rows.{kind}').read_bytes()}
                for kind in formats]


def _read_rows(path: Path, random: Random) -> int:
    return cli.main(['report', str(path), '--out', str(path.parent / 'report.html')])


# ---- recordings -------------------------------------------------------------------------------

def _recordings() -> List[Files]:
    """Return a short drive as MCAP and as sqlite3 with its metadata."""
    from rosbags.rosbag2 import Reader, Writer
    from rosbags.typesys import get_typestore, Stores
    types = get_typestore(Stores.ROS2_HUMBLE)
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        mcap, sqlite = Path(folder) / 'drive.mcap', Path(folder) / 'drive'
        code = cli.main(['run', 'box', '--time-allowance', '2', '--record', str(mcap)])
        if code != 1:
            raise RuntimeError(f'no recording: the drive exited with {code}')
        with Reader(mcap) as reader, Writer(sqlite, version=9) as writer:
            copies = {each.id: writer.add_connection(
                each.topic, each.msgtype, typestore=types)
                for each in reader.connections if each.msgtype in types.fielddefs}
            for connection, stamp, data in reader.messages(
                    [each for each in reader.connections if each.id in copies]):
                writer.write(copies[connection.id], stamp, data)
        files = [sqlite / 'metadata.yaml', *sqlite.glob('*.db3')]
        return [{mcap.name: mcap.read_bytes()}, {each.name: each.read_bytes() for each in files}]


def _read_recording(path: Path, random: Random) -> int:
    command = random.choice((('check', '--bag'), ('replay',)))
    return cli.main([*command, str(path)])


# ---- parameters -------------------------------------------------------------------------------

def _read_params(path: Path, random: Random) -> int:
    """Read a file as the launch files do before they start nodes."""
    from bug_nav.ros.launching.resources import check_params_file, LaunchError
    try:
        check_params_file('params_file', str(path), '', 'bug_navigator')
    except LaunchError as error:
        print(f'launch: {error}', file=sys.stderr)
        return 1
    return 0


def _start_node(path: Path, random: Random) -> int:
    """Start a node with a file, in its own process and domain, and stop it when it is active."""
    from trials.node_start import start_node
    with reserved_domain() as domain:
        return start_node(path, domain)


# ---- command lines ----------------------------------------------------------------------------

def _typed() -> List[Files]:
    lines = ['run demo --time-allowance 1 --set robot_radius=0.11 --set bug2.leave_margin=0.02',
             'run random:cluttered?seed=7 --time-allowance 1 --noise 0.02 --turn right --json',
             'run box --start 0,0,0 --goal 6,0 --time-allowance 1 --clearance 0.1 --seed 3',
             'run random:maze?seed=3&cell=0.8 --algorithm tangent_bug --time-allowance 1',
             'run u_trap --robot e_puck --time-allowance 1 --set odometry=encoders',
             'worlds demo random:rooms?seed=1', 'robots burger --params',
             'algorithms bug2 --json', 'campaign --list']
    return [{'arguments': line.encode()} for line in lines]


def _type(path: Path, random: Random) -> int:
    words = path.read_bytes().decode('utf-8', 'surrogateescape').replace('\0', ' ').split()
    # No command that waits, drives for hours or writes files.
    allowed = ('run', 'worlds', 'robots', 'algorithms')
    if not words or words[0] not in allowed or any(
            word.startswith(('--plot', '--record')) for word in words):
        return cli.main([*words[:1], '--no-such-option'])
    if words[0] == 'run':
        words += ['--time-allowance', '1']
    return cli.main(words)


KINDS: Dict[str, FuzzKind] = {
    'sdf': FuzzKind(lambda: _shipped('worlds', '*.world'), _read_world),
    'model': FuzzKind(_models, _read_world),
    'mesh': FuzzKind(_meshes, _read_world),
    'map': FuzzKind(_maps, _read_world),
    'ascii': FuzzKind(_drawings, _read_world),
    'campaign': FuzzKind(_campaigns, _read_campaign, (0, 1, 2, 130)),
    'rows': FuzzKind(_rows, _read_rows),
    'recording': FuzzKind(_recordings, _read_recording),
    'typed': FuzzKind(_typed, _type),
    'params': FuzzKind(lambda: _shipped('params', '*.yaml'), _read_params),
    'node': FuzzKind(lambda: _shipped('params', '*.yaml'), _start_node, slowness=4)}
NEEDS: Dict[str, Sequence[str]] = {
    'mesh': ('trimesh', 'collada', 'shapely'), 'rows': ('jinja2',),
    'recording': ('rosbags',), 'params': ('ament_index_python',),
    'node': ('rclpy', 'bug_nav_msgs')}
"""Required modules of a kind."""
SHARE = {'node': 0.01}
"""Share of the inputs for slow kinds."""
