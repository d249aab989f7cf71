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
A robot file, ``--params``: the parameter file of the node as defaults of a command's options.

The file has the same effect as options on the command line, which take precedence.
"""

from __future__ import annotations

import argparse
import dataclasses
from typing import Any, Dict, Iterable, List, Mapping

from bug_nav.cli.argument_types import settings_of
from bug_nav.files import BadInput
from bug_nav.files.parameter_file import as_text, full_name, parameters_for, parameters_if_any
from bug_nav.navigation.names import unknown
from bug_nav.navigation.parameters import check, typed
from bug_nav.ros.node.settings import GoalDefaults, NodeSettings
from bug_nav.simulation.robots import PARAMETERS

NODE, SIMULATOR = 'bug_navigator', 'bug_sim'
OPTIONS = {'scan_topic': 'scan', 'odom_topic': 'odom', 'robot_base_frame': 'base_frame',
           'algorithm': 'algorithm'}
"""Options of the commands for parameters of the node, by the name of the parameter."""
NODE_FIELDS = {field.name: field for group in (NodeSettings, GoalDefaults)
               for field in dataclasses.fields(group)}
NODE_PARAMETERS = {'use_sim_time', *NODE_FIELDS}
MOUNT = 'scan_upside_down'
"""A parameter that only recordings and real lidars have: the simulated one stands upright."""
SEVERAL_RUNS = ('campaign', 'compare')
"""Commands that choose algorithms and turn directions themselves."""
RECORDED = ('check', 'replay')
"""Commands with scans of a lidar, for which the simulated one does not matter."""
EFFECTIVE = {
    'check': (MOUNT, 'use_tf', 'use_sim_time', 'enable_stamped_cmd_vel', 'global_frame'),
    'replay': (MOUNT, 'use_tf')}
"""Parameters of the node that matter to these commands."""
VARIED = ('turn_direction', 'turn_seed')


def defaults_of(arguments: argparse.Namespace) -> Dict[str, Any]:
    """Return defaults of the options of a command from its ``--params``; BadInput if invalid."""
    values = values_of(arguments.params, getattr(arguments, 'namespace', ''),
                       has_simulator=arguments.command not in RECORDED)
    several = arguments.command in SEVERAL_RUNS
    found: Dict[str, Any] = {
        option: as_text(name, values[name]) for name, option in OPTIONS.items()
        if name in values and option in arguments and not (several and name == 'algorithm')}
    prefix = 'settings.' if arguments.command == 'campaign' else ''
    found['settings'] = [f'{prefix}{name}={as_text(name, values[name])}'
                         for name in _settings_in(values, arguments.command)]
    found['robot_file'] = values
    return found


def check_has_effect(names: Iterable[str], arguments: argparse.Namespace) -> None:
    """Raise BadInput if a parameter for ``--set`` does not apply to a command."""
    effective = {*PARAMETERS, *EFFECTIVE.get(arguments.command, ())}
    for name in names:
        if name in {*NODE_PARAMETERS, MOUNT} - effective:
            option = OPTIONS.get(name, '')
            raise BadInput(f'{name} is a parameter of the node, without an effect here; '
                           + (f'give --{option.replace("_", "-")}' if option in arguments else
                              'leave it out'))


def of_node(arguments: argparse.Namespace) -> Dict[str, Any]:
    """Return the parameters of the node that apply to a recording or a real lidar."""
    settings = settings_of(arguments.settings)
    check_has_effect(settings, arguments)
    found = dict(getattr(arguments, 'robot_file', {}))
    for name in EFFECTIVE[arguments.command]:
        if name in settings:
            found[name] = settings[name] if name == 'global_frame' else _boolean(
                name, settings[name])
    return found


def of_robot(arguments: argparse.Namespace) -> Dict[str, str]:
    """Return the settings of the robot, its lidar and the algorithm, for a recording."""
    return {name: value for name, value in settings_of(arguments.settings).items()
            if name not in EFFECTIVE[arguments.command]}


def _boolean(name: str, text: str) -> bool:
    try:
        return {'true': True, 'false': False}[text.lower()]
    except KeyError:
        raise BadInput(f'{name} is neither true nor false; give one of them') from None


def adopt(arguments: argparse.Namespace, values: Dict[str, Any]) -> None:
    """Use the parameters of a running navigator as a robot file; options take precedence."""
    arguments.robot_file = values
    if arguments.base_frame is None:
        arguments.base_frame = values.get('robot_base_frame')
    if arguments.robot is None:
        arguments.settings = [
            *(f'{name}={as_text(name, value)}' for name, value in values.items()
              if name in PARAMETERS or name == MOUNT), *arguments.settings]


def values_of(path: str, namespace: str = '', *, has_simulator: bool = True) -> Dict[str, Any]:
    """Return the parameters of a file for the node; BadInput if one is unknown."""
    of_node = parameters_for(path, full_name(namespace, NODE))
    values = {**(_simulated_lidar(path, namespace) if has_simulator else {}), **of_node}
    _check_names(values, f'{path!r}: ')
    return values


def _check_names(names: Iterable[str], where: str) -> None:
    """Raise BadInput, which begins with ``where``, if there is no such parameter."""
    known = {*PARAMETERS, *NODE_PARAMETERS}
    for name in names:
        # Parameters of algorithms and quality of service have a dot.
        if name not in known and '.' not in name:
            raise BadInput(where + unknown('parameter', name, sorted(known),
                                           'see docs/parameters.md'))


def check_given(values: Mapping[str, Any]) -> None:
    """Raise BadInput if a file with these parameters would not be valid."""
    _check_names(values, '--set: ')
    fields = {**PARAMETERS, **NODE_FIELDS}
    for name, value in values.items():
        try:
            if name in fields:
                check(name, typed(value, type(fields[name].default)), fields[name])
        except TypeError as error:
            raise BadInput(f'--set {name}: {error}') from None
        except ValueError as error:
            raise BadInput(f'--set: {error}') from None


def _simulated_lidar(path: str, namespace: str) -> Dict[str, Any]:
    """Return what a file has for the node of the simulator, in the terms of this package."""
    found = parameters_if_any(path, full_name(namespace, SIMULATOR)) or {}
    span = ('scan_angle_min', 'scan_angle_max', 'scan_angle_increment')
    if all(isinstance(found.get(name), (int, float)) for name in span) and found[span[2]]:
        found['scan_count'] = round((found[span[1]] - found[span[0]]) / found[span[2]]) + 1
    return {name: value for name, value in found.items() if name in PARAMETERS}


def without_other_algorithms(arguments: argparse.Namespace) -> None:
    """Remove the parameters that the file has for algorithms that are not used."""
    own = f'{getattr(arguments, "algorithm", "")}.'
    of_file = {f'{name}={as_text(name, value)}' for name, value in arguments.robot_file.items()
               if '.' in name and not name.startswith(own)}
    arguments.settings = [each for each in arguments.settings if each not in of_file]


def _settings_in(values: Dict[str, Any], command: str) -> List[str]:
    """Return the names of the parameters in a file that a command accepts with ``--set``."""
    names = [name for name in values if name in PARAMETERS]
    if command in SEVERAL_RUNS:
        return [name for name in names if name not in VARIED]
    if command in RECORDED and MOUNT in values:
        names.append(MOUNT)
    return names + [name for name in values if '.' in name]
