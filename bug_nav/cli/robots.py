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

"""``bug_nav robots``: list the robot presets or describe one."""

from __future__ import annotations

import argparse
import dataclasses
import textwrap
from typing import Any, Dict, List

from bug_nav.cli import DEFAULT_BASE_FRAME
from bug_nav.files import BadInput
from bug_nav.navigation.settings import clearance, contour_radius
from bug_nav.simulation.robots import check_sensor, find_robot, Preset, ROBOTS
from bug_nav.simulation.sensors import LidarModel, RangerRing

WIDTH = 99
"""Maximum width of the output [characters]."""


def main(arguments: argparse.Namespace) -> int:
    """Run the command."""
    if arguments.name is None:
        if arguments.params:
            raise BadInput(f'--params needs a robot; give one of {", ".join(ROBOTS)}')
        print('\n'.join(table()))
        return 0
    try:
        preset = find_robot(arguments.name)
    except ValueError as error:
        raise BadInput(str(error)) from error
    output = parameter_file if arguments.params else describe
    print('\n'.join(output(arguments.name, preset)))
    return 0


def table() -> List[str]:
    """Return a table with one line per robot."""
    rows = [('robot', 'R', 'speed', 'sensor', 'description'),
            *((name, f'{each.model.robot_radius:g} m', f'{each.model.max_vel_x:g} m/s',
               sensor_summary(each), each.title) for name, each in ROBOTS.items())]
    widths = [max(map(len, column)) for column in zip(*rows)]
    return ['  '.join(f'{cell:<{width}}' for cell, width in zip(row, widths)).rstrip()
            for row in rows]


def sensor_summary(preset: Preset) -> str:
    """Return a short description of the sensor."""
    sensor = preset.sensor
    if isinstance(sensor, RangerRing):
        return f'{len(sensor.rangers)} rangers to {sensor.range_max:g} m'
    return f'{sensor.scan_count} beams to {sensor.scan_range_max:g} m'


def describe(name: str, preset: Preset) -> List[str]:
    """Return the full description of a robot."""
    model, settings, sensor = preset.model, preset.settings, preset.sensor
    wheels = ('omnidirectional' if model.base == 'omni' else
              f'differential, wheels {model.wheel_separation:g} m apart')
    rows = [
        ('body', f'R = {model.robot_radius:g} m, clearance {clearance(model, settings):g} m, '
                 f'rho = {contour_radius(model, settings):g} m'),
        ('drive', f'{wheels}; at most {model.max_vel_x:g} m/s, {model.max_vel_theta:g} rad/s'),
        ('sensor', f'{sensor_summary(preset)}, every {sensor.period:g} s, blind within '
                   f'{sensor.blind:.3g} m of the centre'),
        ('algorithms', _usable_algorithms(name, preset)),
        ('sources', '; '.join(preset.sources))]
    if preset.assumed:
        rows.append(('not published', f'{preset.assumed} (assumed)'))
    lines = [f'{name}: {preset.title}']
    for title, text in rows:
        lines += textwrap.wrap(f'  {title:<14}{text}', WIDTH, subsequent_indent=' ' * 16,
                               break_on_hyphens=False)
    return lines


def parameter_file(name: str, preset: Preset) -> List[str]:
    """Return a parameter file for the node: body, drive, and non-default settings."""
    given = {**dataclasses.asdict(preset.model), **_differing(preset.settings)}
    if preset.base_frame != DEFAULT_BASE_FRAME:
        given['robot_base_frame'] = preset.base_frame
    if isinstance(preset.sensor, RangerRing):
        rangers = preset.sensor.rangers
        mounts = [ranger.mount for ranger in rangers]
        given['range_topics'] = ', '.join(f'range/{ranger.name}' for ranger in rangers)
        given['range_offsets'] = ', '.join(
            f'{mount.x:g} {mount.y:g} {mount.theta:.4f}' for mount in mounts)
    else:
        offsets = dict(zip(('scan_offset_x', 'scan_offset_y', 'scan_offset_yaw'),
                           preset.sensor.mount))
        default = LidarModel()
        given.update({key: value for key, value in offsets.items()
                      if value != getattr(default, key)})
    return [f'# {preset.title}, from: bug_nav robots {name} --params', '/**:',
            '  bug_navigator:', '    ros__parameters:',
            *(f'      {key}: {_yaml(value)}' for key, value in given.items())]


def _differing(values: Any) -> Dict[str, Any]:
    """Return the fields that differ from their defaults."""
    return {field.name: getattr(values, field.name) for field in dataclasses.fields(values)
            if getattr(values, field.name) != field.default}


def _yaml(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


def _usable_algorithms(name: str, preset: Preset) -> str:
    """Return the algorithms that the robot supports, or the reason for none."""
    try:
        check_sensor(preset.sensor, preset.model, preset.settings, name)
    except ValueError as error:
        return f'none: {error}'
    if preset.settings.sensing == 'range':
        return 'all'
    return 'those that do not need ranges, such as bug2, because it has no scan'
