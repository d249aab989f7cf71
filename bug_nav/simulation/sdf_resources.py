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
Find the models and meshes that an SDF world names, on this computer only: nothing is downloaded.

They are searched where Gazebo searches them, and where a repository keeps them:

1. the folders in the environment variables of Gazebo, and `~/.gazebo/models`;
2. the world's own folder and those above it up to the repository, each with its `models` folder
   and the folders that its package.xml exports;
3. the sourced packages of ROS, and the folders that they export;
4. for an address of Fuel, the local cache of Fuel.

Files around the world are untrusted: a link there must not lead out of its folder.

Source: gazebo_ros_paths.py of ros-simulation/gazebo_ros_pkgs (exports); gazebosim/gz-fuel-tools,
LocalCache.cc (layout of the cache).
"""

from __future__ import annotations

from functools import cached_property
import itertools
import os
from pathlib import Path
import re
from typing import Callable, Dict, Iterator, List, Optional, Tuple
from urllib.parse import unquote

from bug_nav.files.untrusted import printable, read_bytes
from bug_nav.simulation.world import WorldError
from bug_nav.simulation.xml_tree import Node, read_xml

VARIABLES = ('GZ_SIM_RESOURCE_PATH', 'IGN_GAZEBO_RESOURCE_PATH', 'SDF_PATH', 'GAZEBO_MODEL_PATH',
             'GAZEBO_RESOURCE_PATH')
FUEL_CACHES = (('GZ_FUEL_CACHE_PATH', '~/.gz/fuel'), ('IGN_FUEL_CACHE_PATH', '~/.ignition/fuel'))
"""The variable of a Fuel cache, and its default."""
MAX_FOLDERS = 200
MAX_PACKAGES = 5000
MAX_ENTRIES = 10_000
"""Maximum number of folders of a Fuel cache that are compared with a name."""
LEVELS = 4
"""Number of folders above the world that are searched if none is the root of a repository."""
MAX_DEPTH = 8
"""Maximum depth of nested includes."""
CONTENTS = ('model', 'actor', 'light')
"""Elements that a file can contribute to a world."""

_HOSTS = ('fuel.gazebosim.org', 'fuel.ignitionrobotics.org')
# The ground and a light, invisible to a lidar; names on Fuel may have a version.
_UNSEEN = re.compile(
    r'model://(ground_plane|sun)/?'
    r'|https?://fuel\.(gazebosim|ignitionrobotics)\.org/[\d.]+/openrobotics/models/'
    r'(ground( |%20|_)plane|sun)(/(\d+|tip))?/?', re.IGNORECASE)
_FUEL = re.compile(r'https?://(?P<host>[\w.-]+)/[\d.]+/(?P<owner>[^/]+)/models/(?P<name>[^/]+)'
                   r'(/(?P<version>\d+|tip))?(/files/(?P<rest>.+))?/?')
_PART = r'[\w+-][\w.+ -]*'
_NAMED = re.compile(rf'(model|package)://({_PART}(?:/{_PART})*)/?')
_EXPORT = re.compile(r'gazebo_(?:model|media)_path\s*=\s*["\']([^"\']{1,1000})["\']')


def is_ground_or_sun(uri: str) -> bool:
    """Return whether an included model is the ground or the sun."""
    return _UNSEEN.fullmatch(uri) is not None


class MissingFile(WorldError):
    """A file is missing at a place where Gazebo does not find it either, or is to be left out."""


class Resources:
    """
    The files that a world can name.

    :param world: path of the world file.
    :param is_alone: whether the files around it do not belong to it: it then names models and
        meshes only by the folders that the user or the installation has set.
    :param skips_missing: whether everything that is not found is to be left out.
    """

    def __init__(self, world: Path, is_alone: bool = False, skips_missing: bool = False) -> None:
        self.world, self.is_alone, self.skips_missing = world, is_alone, skips_missing
        self.included: Dict[Tuple[str, Path], Node] = {}

    def content(self, uri: str, beside: Path) -> Node:
        """
        Return the element of an included file, one of CONTENTS.

        :param uri: text of `<uri>`.
        :param beside: path of the file with the `<include>`.
        :raises MissingFile: if it is not found and is to be left out.
        :raises WorldError: if it is not found; the message lacks file and line of the include.
        """
        key = uri, beside.parent
        if key not in self.included:
            path = self._find(uri, beside, _is_model)
            path = path if path.is_file() else path / _file_name(path)
            root = read_xml(path)
            found = [child for child in root.children if child.tag in CONTENTS]
            if root.tag != 'sdf' or len(found) != 1:
                raise WorldError(f'{path}: one <model> in <sdf> is needed, there are '
                                 f'{len(found) if root.tag == "sdf" else 0}')
            self.included[key] = found[0]
        return self.included[key]

    def file(self, uri: str, beside: Path) -> Path:
        """
        Return the file of an address, such as that of a mesh.

        :param uri: `model://`, `package://`, `file://`, an address of Fuel, or a path.
        :param beside: path of the file that names it; a path is relative to its folder.
        :raises MissingFile: if its folder is there and the file is not, or if it is an absolute
            path, such as one of another computer.
        :raises WorldError: if there is neither; the message says what to do.
        """
        return self._find(uri, beside, os.path.isfile)

    def _find(self, uri: str, beside: Path, is_wanted: Callable[[Path], bool]) -> Path:
        shown = f"'{printable(uri, 150)}'"
        fuel, named = _FUEL.fullmatch(uri), _NAMED.fullmatch(uri)
        if fuel:
            places = _in_fuel_cache(fuel)
            advice = (f'{shown} is not in the local cache of Fuel; fetch it with gz fuel download '
                      f"-u '{printable(uri, 150)}'")
        elif named:
            places = self._named(named[2])
            advice = (f'{shown} is not found; set GZ_SIM_RESOURCE_PATH (GAZEBO_MODEL_PATH for '
                      f'Gazebo 11) to the folder that contains {named[2].split("/")[0]}')
        elif '://' in uri.replace('file://', '', 1) or not uri or '\0' in uri:
            raise WorldError(f'{shown} cannot be read{_reason(uri)}')
        elif self.is_alone and beside == self.world:
            # Not even whether the file exists: that would be an answer as well.
            places = iter(())
            advice = ('a path is not read from a world without its folder; open it with '
                      f'`bug_nav play FILE`: {shown}')
        else:
            places = self._by_path(uri.replace('file://', '', 1), beside)
            advice = (f'{shown} is not found, neither beside {beside} nor in the folders of '
                      'GZ_SIM_RESOURCE_PATH')
        is_certain = uri.replace('file://', '', 1).startswith('/')
        for place in places:
            if is_wanted(place):
                return place
            is_certain = is_certain or os.path.isdir(place.parent)
        # A model of the cache of Fuel, or a renamed one, names its own meshes by another name.
        rest = named[2].partition('/')[2] if named else ''
        for place in _inside(beside.resolve().parent, rest) if rest else ():
            if is_wanted(place):
                return place
        # A whole model is never left out without being asked for.
        if self.skips_missing or is_certain and is_wanted is os.path.isfile:
            raise MissingFile(advice)
        # In a browser, a world has no options.
        option = '' if self.is_alone else (
            f', or leave it out: {printable(self.world.name, 60)}?missing=skip')
        raise WorldError(f'{advice}{option}')

    def _named(self, name: str) -> Iterator[Path]:
        """Yield the places of NAME/PATH."""
        for folder in _trusted_folders():
            yield folder / name
        for folder in self._around:
            yield from _inside(folder, name)
        # A model may be the repository, or contain its world.
        own, _, rest = name.partition('/')
        for folder in self._above:
            if folder.name == own:
                yield from _inside(folder, rest) if rest else (folder,)
        for prefix in _prefixes():
            yield prefix / 'share' / name
        for folder in self._exported:
            yield folder / name

    def _by_path(self, path: str, beside: Path) -> Iterator[Path]:
        yield beside.parent / path
        for folder in _trusted_folders():
            yield folder / path
            yield folder.parent / path
        for folder in self._around:
            yield from _inside(folder, path)

    @cached_property
    def _above(self) -> List[Path]:
        """Return the world's folder and those above it, up to the root of its repository."""
        folders: List[Path] = []
        here = self.world.resolve().parent
        for level, folder in enumerate(() if self.is_alone else (here, *here.parents)):
            if level > LEVELS or level and folder in (Path.home(), Path(folder.anchor)):
                break
            folders.append(folder)
            if (folder / '.git').exists():
                break
        return folders

    @cached_property
    def _around(self) -> List[Path]:
        """Return the folders of the world's repository in which models may be."""
        return [place for folder in self._above
                for place in (folder, folder / 'models', *_exports(folder))][:MAX_FOLDERS]

    @cached_property
    def _exported(self) -> List[Path]:
        """Return the folders that the sourced packages of ROS export."""
        packages = (folder for prefix in _prefixes() for folder in _entries(prefix / 'share'))
        return [path for folder in itertools.islice(packages, MAX_PACKAGES)
                for path in _exports(folder)][:MAX_FOLDERS]


def _reason(uri: str) -> str:
    """Return the end of a sentence: why an address cannot be read, and what is allowed."""
    kind, _, rest = uri.partition('://')
    if kind not in ('model', 'package') or not rest:
        return '; give model://NAME, package://NAME/PATH, an address of Fuel or a path'
    wrong = next((part for part in rest.split('/') if not re.fullmatch(_PART, part)), '')
    return (f" because of '{printable(wrong, 60) or '//'}'; each part of a name begins with a "
            'letter, a digit, _, + or -, and contains only these, blanks and dots')


def _trusted_folders() -> Iterator[Path]:
    """Yield the folders that the user or the installation has set."""
    given = [folder for variable in VARIABLES
             for folder in os.environ.get(variable, '').split(os.pathsep) if folder]
    yield from map(Path, given[:MAX_FOLDERS])
    yield Path('~/.gazebo/models').expanduser()


def _prefixes() -> List[Path]:
    given = os.environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep)
    return [Path(prefix) for prefix in given if prefix][:MAX_FOLDERS]


def _inside(folder: Path, path: str) -> Iterator[Path]:
    """Yield a path in a folder, unless a link or `..` leads out of it."""
    inside = (folder / path).resolve()
    if folder.resolve() in inside.parents:
        yield inside


def _exports(folder: Path) -> List[Path]:
    """Return the folders that a package.xml in a folder exports to Gazebo."""
    path = folder / 'package.xml'
    if not path.is_file():
        return []
    try:
        text = read_bytes(path, 1_000_000, WorldError).decode('utf-8', 'replace')
    except WorldError:
        return []
    return [Path(each.replace('${prefix}', str(folder)))
            for found in _EXPORT.findall(text) for each in found.split(':') if each]


def _in_fuel_cache(address: re.Match) -> Iterator[Path]:
    """Yield the places of an address in the caches of Fuel, where names are in lower case."""
    for variable, default in FUEL_CACHES:
        cache = Path(os.environ.get(variable) or default).expanduser()
        for host in dict.fromkeys((address['host'], *_HOSTS)):
            folder: Optional[Path] = cache
            for name in (host, address['owner'], 'models', address['name']):
                folder = folder and _child(folder, unquote(name))
            versions = sorted((each for each in _entries(folder) if each.name.isdecimal()),
                              key=lambda each: int(each.name)) if folder else []
            wanted = address['version']
            if wanted and wanted != 'tip':
                versions = [each for each in versions if each.name == wanted]
            if versions:
                rest = address['rest']
                yield from _inside(versions[-1], unquote(rest)) if rest else (versions[-1],)


def _child(folder: Path, name: str) -> Optional[Path]:
    """Return the entry of a folder with a name in any case, or None."""
    return next((each for each in _entries(folder) if each.name.lower() == name.lower()), None)


def _entries(folder: Path) -> List[Path]:
    try:
        with os.scandir(folder) as entries:
            return [folder / entry.name for entry in itertools.islice(entries, MAX_ENTRIES)]
    except OSError:
        return []


def _is_model(path: Path) -> bool:
    return os.path.isfile(path) or any(
        os.path.isfile(path / name) for name in ('model.sdf', 'model.config'))


def _file_name(folder: Path) -> str:
    """Return the name of a model's file, for the newest SDF version in its model.config."""
    config = folder / 'model.config'
    if not config.is_file():
        return 'model.sdf'
    files = read_xml(config).find_all('sdf')
    newest = max(files, key=lambda node: _version(node.attributes.get('version', '')),
                 default=None)
    name = newest.text if newest else 'model.sdf'
    if not re.fullmatch(r'\w[\w.+ -]*(/\w[\w.+ -]*)*', name):
        raise WorldError(f"{config}: '{printable(name, 60)}' is not the name of a file in its "
                         'folder')
    return name


def _version(text: str) -> Tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r'\d{1,6}', text)[:3])
