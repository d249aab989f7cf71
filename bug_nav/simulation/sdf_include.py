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
Find the models that an SDF world includes, in local folders only; nothing is downloaded.

`model://NAME` is searched in the folders of Gazebo's environment variables, then beside the world
file, in its `models` folder, and in the `models` folder one level up. Models beside the file are
untrusted: a link there must not lead out of its folder.
"""

from __future__ import annotations

import os
from pathlib import Path
import re
from typing import Iterator, Tuple

from bug_nav.simulation.untrusted_files import printable
from bug_nav.simulation.world import WorldError
from bug_nav.simulation.xml_tree import Node, read_xml

VARIABLES = ('GZ_SIM_RESOURCE_PATH', 'IGN_GAZEBO_RESOURCE_PATH', 'GAZEBO_MODEL_PATH')
MAX_FOLDERS = 200
MAX_DEPTH = 8
"""Maximum depth of nested includes."""
# The ground and a light, invisible to a lidar; names on Fuel may have a version.
_UNSEEN = re.compile(
    r'model://(ground_plane|sun)'
    r'|https?://fuel\.(gazebosim|ignitionrobotics)\.org/[\d.]+/openrobotics/models/'
    r'(ground( |%20|_)plane|sun)(/(\d+|tip))?', re.IGNORECASE)
_MODEL = re.compile(r'model://([\w+-][\w.+ -]*(?:/[\w+-][\w.+ -]*)*)/?')


def is_ground_or_sun(uri: str) -> bool:
    """Return whether an included model is the ground or the sun."""
    return _UNSEEN.fullmatch(uri) is not None


def included_model(uri: str, world: Path) -> Tuple[Path, Node]:
    """
    Return the file of an included model, and the model.

    :param world: path of the world file.
    :raises WorldError: if it is not found; the message lacks file and line of the include.
    """
    found = _MODEL.fullmatch(uri)
    if not found:
        raise WorldError(f"<include> of '{printable(uri, 100)}' cannot be read; only model://NAME "
                         'can, from folders on this computer')
    folder = next(_folders(found[1], world), None)
    if folder is None:
        raise WorldError(f"<include> of '{printable(uri, 100)}' is in no folder of "
                         f'{", ".join(VARIABLES)}, nor beside the world or in models/ there')
    path = folder / _file_name(folder)
    root = read_xml(path)
    models = root.find_all('model') if root.tag == 'sdf' else []
    if len(models) != 1:
        raise WorldError(f'{path}: one <model> in <sdf> is needed, there are {len(models)}')
    return path, models[0]


def _folders(name: str, world: Path) -> Iterator[Path]:
    """Yield the folders of a model by search order."""
    given = [folder for variable in VARIABLES
             for folder in os.environ.get(variable, '').split(os.pathsep) if folder]
    for folder in given[:MAX_FOLDERS]:
        if _is_model(Path(folder) / name):
            yield Path(folder) / name
    here = world.resolve().parent
    for base in (here, here / 'models', here.parent / 'models'):
        inside = (base / name).resolve()
        if base.resolve() in inside.parents and _is_model(inside):
            yield inside


def _is_model(folder: Path) -> bool:
    return any((folder / name).is_file() for name in ('model.sdf', 'model.config'))


def _file_name(folder: Path) -> str:
    """Return the name of a model's file, for the newest SDF version in its model.config."""
    config = folder / 'model.config'
    if not config.is_file():
        return 'model.sdf'
    files = read_xml(config).find_all('sdf')
    newest = max(files, key=lambda node: _version(node.attributes.get('version', '')),
                 default=None)
    name = newest.text if newest else 'model.sdf'
    if not re.fullmatch(r'\w[\w.+ -]*', name):
        raise WorldError(f"{config}: '{printable(name, 60)}' is not the name of a file beside it")
    return name


def _version(text: str) -> Tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r'\d{1,6}', text)[:3])
