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
Finds worlds, packages and parameter files for the launch files, and prepares Gazebo models.

This module does not need the package `launch`. Errors are a LaunchError with one sentence.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
import socket
from typing import Any, Dict, Iterator, Mapping, Optional, Tuple
from urllib.parse import urlsplit

from ament_index_python.packages import get_package_share_directory
from bug_nav.files import BadInput
from bug_nav.files.parameter_file import full_name, parameters_for, parameters_if_any
from bug_nav.files.paths import did_you_mean_file
from bug_nav.messages.ros_distribution import distribution
from bug_nav.navigation.geometry import Point, Pose
from bug_nav.navigation.names import unknown
from bug_nav.simulation.catalogue import find_world, shipped_worlds
from bug_nav.simulation.shipped import share_dir
from bug_nav.simulation.world import WorldError
from defusedxml import ElementTree

GAZEBO_SHARE = Path('/usr/share/gazebo-11')
"""Resource path set by Gazebo's setup.sh, without which models such as the ground are missing."""
DEFAULT_PORT = 11345
DEFAULT_GAZEBO_URI = f'http://localhost:{DEFAULT_PORT}'
"""Default of GAZEBO_MASTER_URI."""
MAX_AXLE_ERROR = 0.5
"""Maximum relative error of the wheel separation."""
MODELS = {'burger': 'burger', 'burger_cam': 'burger', 'waffle': 'waffle_pi',
          'waffle_pi': 'waffle_pi'}
"""The preset for each TurtleBot3 model, by body and lidar."""
OWN_MODELS = {'jackal': 'jackal'}
"""The preset for each model of bug_nav itself, which is for Gazebo 11."""
TURTLEBOT3_STARTS = {'empty_world': Pose(0.0, 0.0, 0.0)}
"""Start poses in the worlds of turtlebot3_gazebo that differ from `TURTLEBOT3_START`."""
TURTLEBOT3_START = Pose(-2.0, -0.5, 0.0)
"""Start pose in the launch files of turtlebot3_gazebo."""


class LaunchError(RuntimeError):
    """The requested launch is impossible; the message is one sentence."""


def require_packages(*packages: str) -> None:
    """Raise LaunchError with an apt command if packages are not installed."""
    missing = [name for name in packages if package_share(name) is None]
    if missing:
        debs = ' '.join(f'ros-{distribution()}-{name.replace("_", "-")}' for name in missing)
        raise LaunchError(f'not installed: {", ".join(missing)}; install with: '
                          f'sudo apt install {debs}')


def package_share(name: str) -> Optional[Path]:
    """Return the share folder of a package, None if it is not installed."""
    try:
        return Path(get_package_share_directory(name))
    except (LookupError, OSError, ValueError):  # OSError: no prefix is known
        return None


def preset_of(model: str, models: Mapping[str, str] = MODELS) -> str:
    """Return the preset for one of some models; LaunchError for an unknown model."""
    if model not in models:
        raise LaunchError(unknown('model', model, models, f'models are {", ".join(models)}; set '
                                  'the argument model, or TURTLEBOT3_MODEL'))
    return models[model]


def params_file(robot: str) -> str:
    """Return the path of a shipped parameter file."""
    return str(share_dir() / 'params' / f'{robot}.yaml')


def check_params_file(argument: str, path: str, namespace: str, node: str) -> None:
    """
    Raise LaunchError if the parameter file of an argument has no parameters for a node.

    ROS itself silently ignores a file for another node name or namespace.
    """
    with _explained(argument):
        parameters_for(path, full_name(namespace, node))


def parameter_of(path: str, namespace: str, node: str, parameter: str) -> Any:
    """Return the value of a node's parameter in a parameter file, None if it is not set."""
    with _explained('params_file'):
        return (parameters_if_any(path, full_name(namespace, node)) or {}).get(parameter)


@contextlib.contextmanager
def _explained(argument: str) -> Iterator[None]:
    """Raise LaunchError, with the name of the argument, for a bad parameter file."""
    try:
        yield
    except BadInput as error:
        raise LaunchError(f'{argument}: {error}') from None


# ---- worlds -----------------------------------------------------------------------------------

def gazebo_world(name: str) -> Path:
    """Return the path of a world: a file, a shipped world, or one of turtlebot3_gazebo."""
    turtlebot3 = _turtlebot3_worlds()
    given = Path(name).expanduser()
    if given.is_file():
        return given.resolve()
    if name in shipped_worlds():
        return share_dir() / 'worlds' / f'{name}.world'
    if name in turtlebot3:
        return turtlebot3[name]
    if given.suffix or len(given.parts) > 1:
        raise LaunchError(f'world is {name!r}, and there is no such file'
                          + did_you_mean_file(given))
    known = [*shipped_worlds(), *turtlebot3]
    raise LaunchError(unknown('world', name, known, f'worlds are files and {", ".join(known)}'))


def start_and_goal(world: Path) -> Tuple[Pose, Optional[Point]]:
    """Return the start pose in a world, and its proposed goal."""
    if world in _turtlebot3_worlds().values():
        return TURTLEBOT3_STARTS.get(world.stem, TURTLEBOT3_START), None
    try:
        found = find_world(world)
    except WorldError:  # with meshes or other elements that only Gazebo can read
        return Pose(0.0, 0.0, 0.0), None
    return Pose(*(found.start or (0.0, 0.0, 0.0))), found.goal


def _turtlebot3_worlds() -> Dict[str, Path]:
    share = package_share('turtlebot3_gazebo')
    return {} if share is None else {
        path.stem: path for path in sorted((share / 'worlds').glob('*.world'))}


# ---- Gazebo -----------------------------------------------------------------------------------

def gazebo_environment(model: str) -> Dict[str, str]:
    """Return the environment variables for Gazebo and TurtleBot3's files, without those set."""
    share = package_share('turtlebot3_gazebo')  # which a model of bug_nav does not need
    theirs = [] if share is None else [share / 'models']
    wanted = {'GAZEBO_MODEL_PATH': [*theirs, GAZEBO_SHARE / 'models'],
              'GAZEBO_RESOURCE_PATH': [GAZEBO_SHARE]}
    variables = {'TURTLEBOT3_MODEL': model,
                 # No downloads, so that a missing model is an error at once, not after minutes.
                 'GAZEBO_MODEL_DATABASE_URI': os.environ.get('GAZEBO_MODEL_DATABASE_URI', '')}
    for name, folders in wanted.items():
        there = list(filter(None, os.environ.get(name, '').split(os.pathsep)))
        there += [str(folder) for folder in folders
                  if folder.is_dir() and str(folder) not in there]
        variables[name] = os.pathsep.join(there)
    return variables


def _master(uri: str) -> Tuple[str, int]:
    """Return host and port of a Gazebo; LaunchError if ``uri``, with or without scheme, is bad."""
    try:
        place = urlsplit(uri if '://' in uri else f'http://{uri}')
        return place.hostname or 'localhost', place.port or DEFAULT_PORT
    except ValueError as error:
        raise LaunchError(f'GAZEBO_MASTER_URI is {uri!r}: {error}; it must be an address such as '
                          f'{DEFAULT_GAZEBO_URI}') from None


def is_gazebo_running(uri: str) -> bool:
    """Return whether a Gazebo accepts connections at ``uri``."""
    try:
        with socket.create_connection(_master(uri), timeout=1.0):
            return True
    except OSError:
        return False


def missing_gazebo_hint() -> str:
    """Return a hint if no Gazebo is running in which to spawn the robot, else ''."""
    uri = os.environ.get('GAZEBO_MASTER_URI') or DEFAULT_GAZEBO_URI
    return '' if is_gazebo_running(uri) else (
        f'no Gazebo is running at {uri}; start one with libgazebo_ros_factory.so, in which the '
        'robot is then spawned, or leave out use_simulator:=false')


def check_gazebo_is_free() -> None:
    """Raise LaunchError if a Gazebo is running: a second one would exit at once with code 255."""
    uri = os.environ.get('GAZEBO_MASTER_URI') or DEFAULT_GAZEBO_URI
    if not is_gazebo_running(uri):
        return
    host, port = _master(uri)
    raise LaunchError(f'a Gazebo is already running at {uri}; stop it, or spawn the robot in it '
                      'with use_simulator:=false, or start another one beside it with '
                      f'GAZEBO_MASTER_URI=http://{host}:{port + 1}')


def model_file(model: str, ending: str = 'sdf') -> Path:
    """Return the path of the SDF or URDF of a TurtleBot3, or of a model of bug_nav."""
    if model in OWN_MODELS:
        return share_dir() / 'models' / f'{model}.{ending}'
    share = package_share('turtlebot3_gazebo')
    assert share is not None  # checked by `require_packages`
    name = f'turtlebot3_{model}'
    return share / (f'models/{name}/model.sdf' if ending == 'sdf' else f'urdf/{name}.{ending}')


def with_namespace(sdf: str, namespace: str) -> str:
    """
    Return a model whose plug-ins use a namespace, also for transforms.

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
    """Raise LaunchError for an unrealistic relative error."""
    low, high = -MAX_AXLE_ERROR, MAX_AXLE_ERROR
    if not low <= error <= high:
        raise LaunchError(f'axle_error is {error:g}; allowed are {low:g} to {high:g}')


def goal_in_odom(goal: Optional[Point], start: Pose, axle_error: float) -> Optional[Point]:
    """Return a goal of the world in the frame of odometry, which wheels begin at the start."""
    return start.inverse().apply(goal) if goal is not None and axle_error else goal


def with_axle_error(sdf: str, error: float) -> str:
    """
    Return a model with a relative error of its wheel separation.

    Its odometry is then that of its wheels, which drifts and starts at (0, 0).
    """
    check_axle_error(error)
    root = ElementTree.fromstring(sdf)
    for plugin in root.iter('plugin'):
        axles = plugin.findall('wheel_separation')
        if not axles:
            continue
        for axle in axles:
            axle.text = f'{(1.0 + error) * float(axle.text or 0.0):.6f}'
        source = plugin.find('odometry_source')
        if source is None:
            source = plugin.makeelement('odometry_source', {})
            plugin.append(source)
        source.text = '0'
    return str(ElementTree.tostring(root, encoding='unicode'))
