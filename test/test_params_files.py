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

"""Tests of the shipped parameter files against the presets of the robots."""

import dataclasses

from bug_nav.cli.robots import parameter_file
from bug_nav.navigation.settings import RobotModel, Settings
from bug_nav.simulation.robots import check_sensor, ROBOTS
from bug_nav.simulation.shipped import share_dir
import pytest
import yaml

FOLDER = share_dir() / 'params'


def drives(preset):
    try:
        check_sensor(preset.sensor, preset.model, preset.settings)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize('name', [name for name, preset in ROBOTS.items() if drives(preset)])
def test_parameter_file_of_a_robot_is_the_output_of_the_command(name):
    printed = '\n'.join(parameter_file(name, ROBOTS[name])) + '\n'
    assert (FOLDER / f'{name}.yaml').read_text(encoding='utf-8') == printed, (
        f'run: bug_nav robots {name} --params > params/{name}.yaml')


def test_velocity_smoother_passes_commands_of_any_robot_and_stops_it_within_a_period():
    file = yaml.safe_load((FOLDER / 'velocity_smoother.yaml').read_text(encoding='utf-8'))
    smoother = file['/**']['velocity_smoother']['ros__parameters']
    assert smoother['velocity_timeout'] <= 0.5 * Settings().scan_timeout
    assert smoother['feedback'] == 'OPEN_LOOP' and smoother['deadband_velocity'] == [0.0] * 3
    highest = {field.name: field.metadata['high'] for field in dataclasses.fields(RobotModel)}
    speeds = [highest[name] for name in ('max_vel_x', 'max_vel_x', 'max_vel_theta')]
    changes = [highest[name] for name in ('acc_lim_x', 'acc_lim_x', 'acc_lim_theta')]
    for sign, most, change in ((1.0, 'max_velocity', 'max_accel'),
                               (-1.0, 'min_velocity', 'max_decel')):
        for axis in range(3):
            assert sign * smoother[most][axis] >= speeds[axis]
            needed = speeds[axis] * smoother['smoothing_frequency']
            assert sign * smoother[change][axis] >= max(changes[axis], needed)
