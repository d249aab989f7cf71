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
What the launch files ask: where a world or a package is, and what a robot's parameters are.

Nothing here needs the package `launch`. A mistake is a LaunchError with one sentence.
"""

from __future__ import annotations

import os
from pathlib import Path
import socket
from typing import Any, Dict, Iterator, List, Optional, Tuple
from urllib.parse import urlsplit

from ament_index_python.packages import get_package_share_directory
from bug_nav.core.distribution import distribution
from bug_nav.core.geometry import Point, Pose
from bug_nav.core.names import did_you_mean
from bug_nav.core.shipped import share_dir
from bug_nav.sim.catalogue import find_world, shipped_worlds
from bug_nav.sim.world import WorldError
from defusedxml import ElementTree
import yaml

GAZEBO = Path('/usr/share/gazebo-11')
"""What Gazebo's own setup.sh names, which who forgets to source it falls through the floor."""
MASTER = 'http://localhost:11345'
"""Where Gazebo listens unless GAZEBO_MASTER_URI says otherwise."""
MOST_AXLE_ERROR = 0.5
"""An axle is taken for longer or shorter than it is by no more than this share of it."""
MODELS = {'burger': 'burger', 'burger_cam': 'burger', 'waffle': 'waffle_pi',
          'waffle_pi': 'waffle_pi'}
"""The models of TurtleBot3, and the preset that has each one's body and lidar."""
THEIRS = {'empty_world': Pose(0.0, 0.0, 0.0)}
"""Where the robot starts in a world of turtlebot3_gazebo; else as in its launch files:"""
THEIR_START = Pose(-2.0, -0.5, 0.0)


class LaunchError(RuntimeError):
    """What is asked for cannot be launched; the message is one sentence."""


def need(*packages: str) -> None:
    """Raise LaunchError with the apt command for the first packages that are not installed."""
    missing = [name for name in packages if package_share(name) is None]
    if missing:
        debs = ' '.join(f'ros-{distribution()}-{name.replace("_", "-")}' for name in missing)
        raise LaunchError(f'not installed: {", ".join(missing)}; install with: '
                          f'sudo apt install {debs}')


def package_share(name: str) -> Optional[Path]:
    """Return the share folder of a package, None where it is not installed."""
    try:
        return Path(get_package_share_directory(name))
    except (LookupError, OSError, ValueError):  # OSError: no prefix is known
        return None


def robot_of(model: str) -> str:
    """Return the preset of a TurtleBot3's model; LaunchError where there is no such model."""
    if model not in MODELS:
        raise LaunchError(f'no TurtleBot3 is called {model!r} (there are {", ".join(MODELS)})'
                          f'{did_you_mean(model, MODELS)}; see the argument model, or '
                          'TURTLEBOT3_MODEL')
    return MODELS[model]


def params_file(robot: str) -> str:
    """Return the shipped file of a robot's parameters."""
    return str(share_dir() / 'params' / f'{robot}.yaml')


def check_params_file(argument: str, path: str, namespace: str, node: str) -> None:
    """
    Raise LaunchError where the file that an argument names has no parameters for a node.

    ROS itself says nothing of a file that is meant for a node of another name or namespace.
    """
    full = _full(namespace, node)
    if not any(_matches(name, full) for name, _ in _blocks(_content(argument, path))):
        raise LaunchError(f'{argument} {path!r} has no parameters for {full}; begin it with '
                          f'"/**/{node}:" and "ros__parameters:" below that')


def parameter_of(path: str, namespace: str, node: str, parameter: str) -> Any:
    """Return what a file of parameters says of a node's parameter; None where it says nothing."""
    said = [block[parameter] for name, block in _blocks(_content('params_file', path))
            if _matches(name, _full(namespace, node)) and parameter in block]
    return said[-1] if said else None


def _content(argument: str, path: str) -> Any:
    try:
        with open(path, encoding='utf-8') as stream:
            return yaml.safe_load(stream)
    except (OSError, ValueError, RecursionError, yaml.YAMLError) as error:
        reason = ' '.join(str(error).split())
        raise LaunchError(f'{argument} {path!r} cannot be read: {reason}') from None


def _full(namespace: str, node: str) -> str:
    return '/' + '/'.join(filter(None, (namespace.strip('/'), node)))


def _blocks(content: Any, above: str = '') -> Iterator[Tuple[str, Dict[str, Any]]]:
    """Yield the full names of the nodes that a file is for, and their parameters."""
    for name, below in content.items() if isinstance(content, dict) else ():
        full = f'{above}/{name}'.replace('//', '/')
        if isinstance(below, dict) and 'ros__parameters' in below:
            told = below['ros__parameters']
            yield full, told if isinstance(told, dict) else {}
        elif isinstance(below, dict):
            yield from _blocks(below, full)


def _matches(pattern: str, name: str) -> bool:
    """Tell whether a node's name is meant; ** is any names, * is any one name."""
    wanted, parts = pattern.strip('/').split('/'), name.strip('/').split('/')

    def fit(wanted: List[str], parts: List[str]) -> bool:
        if not wanted:
            return not parts
        if wanted[0] == '**':
            return any(fit(wanted[1:], parts[skip:]) for skip in range(len(parts) + 1))
        return bool(parts) and wanted[0] in ('*', parts[0]) and fit(wanted[1:], parts[1:])
    return fit(wanted, parts)


# ---- worlds -----------------------------------------------------------------------------------

def gazebo_world(name: str) -> Path:
    """Return the world file: a path, a world of ours, or one of turtlebot3_gazebo's."""
    theirs = _their_worlds()
    given = Path(name).expanduser()
    if given.is_file():
        return given.resolve()
    if name in shipped_worlds():
        return share_dir() / 'worlds' / f'{name}.world'
    if name in theirs:
        return theirs[name]
    if given.suffix or len(given.parts) > 1:
        raise LaunchError(f'world is {name!r}, and there is no such file')
    known = [*shipped_worlds(), *theirs]
    raise LaunchError(f'world is {name!r}, which is neither a file nor one of '
                      f'{", ".join(known)}{did_you_mean(name, known)}')


def start_and_goal(world: Path) -> Tuple[Pose, Optional[Point]]:
    """Return where the robot starts in a world, and the goal that the world proposes."""
    if world in _their_worlds().values():
        return THEIRS.get(world.stem, THEIR_START), None
    try:
        found = find_world(world)
    except WorldError:  # with meshes, or what else Gazebo alone can read
        return Pose(0.0, 0.0, 0.0), None
    return Pose(*(found.start or (0.0, 0.0, 0.0))), found.goal


def _their_worlds() -> Dict[str, Path]:
    share = package_share('turtlebot3_gazebo')
    return {} if share is None else {
        path.stem: path for path in sorted((share / 'worlds').glob('*.world'))}


# ---- Gazebo -----------------------------------------------------------------------------------

def gazebo_environment(model: str) -> Dict[str, str]:
    """Return the variables that Gazebo and TurtleBot3's own files need, as far as unset."""
    share = package_share('turtlebot3_gazebo')
    assert share is not None  # or `need` has said so
    wanted = {'GAZEBO_MODEL_PATH': [share / 'models', GAZEBO / 'models'],
              'GAZEBO_RESOURCE_PATH': [GAZEBO]}
    variables = {'TURTLEBOT3_MODEL': model,
                 # Nothing is downloaded: what a world lacks is missing at once, not in minutes.
                 'GAZEBO_MODEL_DATABASE_URI': os.environ.get('GAZEBO_MODEL_DATABASE_URI', '')}
    for name, folders in wanted.items():
        there = list(filter(None, os.environ.get(name, '').split(os.pathsep)))
        there += [str(folder) for folder in folders
                  if folder.is_dir() and str(folder) not in there]
        variables[name] = os.pathsep.join(there)
    return variables


def gazebo_runs(uri: str) -> bool:
    """Tell whether a Gazebo answers there."""
    place = urlsplit(uri)
    try:
        with socket.create_connection((place.hostname, place.port or 11345), timeout=1.0):
            return True
    except OSError:
        return False


def gazebo_to_come() -> str:
    """Return a hint where no Gazebo runs into which the robot could be put, else ''."""
    uri = os.environ.get('GAZEBO_MASTER_URI') or MASTER
    return '' if gazebo_runs(uri) else (
        f'no Gazebo runs at {uri} yet; start one, with libgazebo_ros_factory.so, and the robot is '
        'put into it, or leave out use_simulator:=false')


def check_gazebo_is_free() -> None:
    """Raise LaunchError where a Gazebo runs already: a second one ends at once, with code 255."""
    uri = os.environ.get('GAZEBO_MASTER_URI') or MASTER
    if not gazebo_runs(uri):
        return
    place = urlsplit(uri)
    raise LaunchError(f'a Gazebo runs already at {uri}; end it, or put the robot into it with '
                      'use_simulator:=false, or start another one beside it with '
                      f'GAZEBO_MASTER_URI={place.scheme}://{place.hostname}:'
                      f'{(place.port or 11345) + 1}')


def model_file(model: str) -> Path:
    """Return the SDF of a TurtleBot3."""
    share = package_share('turtlebot3_gazebo')
    assert share is not None  # or `need` has said so
    return share / 'models' / f'turtlebot3_{model}' / 'model.sdf'


def namespaced(sdf: str, namespace: str) -> str:
    """
    Return a model whose plug-ins speak in a namespace, transforms included.

    As with Nav2, frames keep their names, and each robot has its own tf and tf_static.
    """
    root = ElementTree.fromstring(sdf)
    for plugin in root.iter('plugin'):
        ros = plugin.find('ros')
        if ros is None:
            continue
        for tag, text in (('namespace', f'/{namespace.strip("/")}'), ('remapping', '/tf:=tf')):
            child = ros.makeelement(tag, {})
            child.text = text
            ros.append(child)
    return str(ElementTree.tostring(root, encoding='unicode'))


def check_axle_error(error: float) -> None:
    """Raise LaunchError for an error that nobody makes."""
    low, high = -MOST_AXLE_ERROR, MOST_AXLE_ERROR
    if not low <= error <= high:
        raise LaunchError(f'axle_error is {error:g}; allowed are {low:g} to {high:g}')


def misjudging_its_axle(sdf: str, error: float) -> str:
    """
    Return a model that takes its axle for longer than it is, by that share of it.

    Odometry is that of its wheels then, which is not the truth, and begins at (0, 0).
    """
    check_axle_error(error)
    root = ElementTree.fromstring(sdf)
    for plugin in root.iter('plugin'):
        axle = plugin.find('wheel_separation')
        if axle is None:
            continue
        axle.text = f'{(1.0 + error) * float(axle.text or 0.0):.6f}'
        source = plugin.find('odometry_source')
        if source is None:
            source = plugin.makeelement('odometry_source', {})
            plugin.append(source)
        source.text = '0'
    return str(ElementTree.tostring(root, encoding='unicode'))
