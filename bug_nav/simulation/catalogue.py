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

"""Find worlds: shipped ones by name, random ones by seed, others by file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Union

from bug_nav.files.paths import did_you_mean_file, IMAGES
from bug_nav.files.untrusted import looks_like_xml
from bug_nav.navigation.names import unknown
from bug_nav.simulation.ascii import load_ascii
from bug_nav.simulation.generators import PREFIX, random_world
from bug_nav.simulation.sdf import load_sdf
from bug_nav.simulation.shipped import share_dir
from bug_nav.simulation.world import World, WorldError


def find_world(name_or_path: Union[str, Path]) -> World:
    """
    Return a shipped world by its name, a random one by its seed, or read a file by its path.

    :param name_or_path: a name such as `demo`; or `random:cluttered?seed=7`, see
        `simulation.generators.random_world`; or a path with a folder or a suffix: an SDF world,
        optionally with `?missing=skip`, which leaves out models that are not on this computer;
        the yaml file of an occupancy map, optionally with `?unknown=solid` or
        `?image=other.pgm`, another image in its folder; an image with `?resolution=0.05`; or a
        drawing. See `simulation.sdf`, `simulation.occupancy` and `simulation.ascii`.
    :raises WorldError: if there is no such world, or its file is not a world.
    """
    if isinstance(name_or_path, str) and name_or_path.startswith(PREFIX):
        return random_world(name_or_path)
    if name_or_path == '':
        raise WorldError('the name of the world is empty; give one that `bug_nav worlds` lists, '
                         'or a file')
    path = Path(name_or_path)
    if path.suffix or len(path.parts) != 1:
        return _load(path)
    if path.name in shipped_worlds():
        return load_sdf(share_dir() / 'worlds' / f'{path.name}.world')
    # False for a name that is too long, where Path.exists raises.
    if os.path.exists(str(path).partition('?')[0]):
        return _load(path)
    raise WorldError(_unknown(path.name))


def _load(path: Path) -> World:
    """Read a file with the reader for its suffix."""
    name, mark, query = path.name.partition('?')
    ending = Path(name).suffix.lower()
    # Not where files are read, because a file that another one names may be untrusted.
    hint = did_you_mean_file(path.with_name(name)) if name else ''
    if hint:
        raise WorldError(f'{path}: no such file{hint}')
    if ending in ('.world', '.sdf') and not os.path.exists(path.with_name(name)) and (
            Path(name).stem in shipped_worlds()):
        raise WorldError(f"{path}: no such file; the shipped world is called "
                         f"'{Path(name).stem}', without an ending")
    if ending in ('.yaml', '.yml'):
        option, _, value = query.partition('=')
        if mark and option not in ('unknown', 'image'):
            raise WorldError(f"a map takes no argument '{query}'; give a name such as "
                             f'{name}?unknown=solid')
        # Imported here, because only maps need PyYAML and Pillow.
        from bug_nav.simulation.occupancy import load_map
        return load_map(path.with_name(name), **({option: value} if mark else {}))
    if ending in IMAGES:
        return _load_image(path.with_name(name), query)
    if ending == '.txt':
        return load_ascii(path)
    file = path.with_name(name) if name else path
    if ending in ('.world', '.sdf') or not ending and (
            not os.path.isfile(file) or looks_like_xml(file)):
        return _load_sdf(file, query)
    problem = (f"no world has the ending '{Path(name).suffix}'" if ending else
               'a world file without an ending must be SDF (XML)')
    raise WorldError(f'{path}: {problem}; give .world or .sdf (SDF), .yaml (an occupancy map of '
                     'map_server), .png or .pgm (plan.png?resolution=0.05) or .txt (a drawing)')


def _load_sdf(path: Path, query: str) -> World:
    """Read an SDF world; its query says what becomes of missing models."""
    option, _, value = query.partition('=')
    if query and option != 'missing':
        raise WorldError(f"an SDF world takes no argument '{query}'; give a name such as "
                         f'{path.name}?missing=skip')
    return load_sdf(path, missing=value if query else 'refuse')


def _load_image(path: Path, query: str) -> World:
    """Read an image without a yaml file; its query gives the resolution."""
    option, _, value = query.partition('=')
    if option != 'resolution' or not value:
        raise WorldError(
            f'{path}: the image has no resolution; give {path.name}?resolution=0.05 (metres), or '
            f'write beside it a file {path.stem}.yaml with image: {path.name}, resolution: 0.05, '
            'origin: [0, 0, 0], negate: 0, occupied_thresh: 0.65, free_thresh: 0.196, '
            'each on a line')
    from bug_nav.simulation.occupancy import load_image
    return load_image(path, value)


def shipped_worlds() -> list[str]:
    """Return the names of the shipped worlds, sorted."""
    try:
        folder = share_dir() / 'worlds'
    except FileNotFoundError as error:
        raise WorldError(str(error)) from error
    return sorted(path.stem for path in folder.glob('*.world'))


def _unknown(name: str) -> str:
    return unknown('world', name, shipped_worlds(), 'see `bug_nav worlds`')
