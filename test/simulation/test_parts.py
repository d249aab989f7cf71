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

"""Parts that replace those of a robot, in all commands that set its parameters."""

from bug_nav.cli.parser import main
from bug_nav.lab.equipment import equipment_of
from bug_nav.simulation.odometry import OdometryModel
from bug_nav.simulation.parts import LIDARS, WHEELS
from bug_nav.simulation.robots import equip, PARAMETERS, ROBOTS
from bug_nav.simulation.sensors import LidarModel
import pytest


@pytest.mark.parametrize('name', LIDARS)
def test_lidar_part_sets_its_values_and_keeps_the_mount_of_the_robot(name):
    part = LIDARS[name]
    sensor = equip('waffle_pi', {'lidar': name}).sensor
    assert {called: getattr(sensor, called) for called in part.values} == part.values
    assert sensor.mount == ROBOTS['waffle_pi'].sensor.mount
    assert part.sources


@pytest.mark.parametrize('name', WHEELS)
def test_wheels_part_sets_the_odometry(name):
    equipment = equip('burger', {'wheels': name})
    assert equipment.odometry == OdometryModel(**WHEELS[name].values)
    assert equipment.sensor == LidarModel()


@pytest.mark.parametrize('parts', [{}, {'lidar': 'own', 'wheels': 'own'}])
@pytest.mark.parametrize('robot', ROBOTS)
def test_robot_with_its_own_parts_is_unchanged(robot, parts):
    if robot == 'crazyflie':
        return      # it is rejected with any parts
    equipment, preset = equip(robot, parts), ROBOTS[robot]
    assert (equipment.sensor, equipment.odometry) == (preset.sensor, preset.odometry)


def test_value_of_a_part_can_be_overridden_in_any_order():
    changes = {'scan_range_max': 2.0, 'lidar': 'lds_02', 'odometry_bias': 0.02,
               'wheels': 'uncalibrated'}
    equipment = equip('burger', changes)
    assert (equipment.sensor.scan_range_max, equipment.sensor.scan_range_min) == (2.0, 0.16)
    assert (equipment.odometry.odometry, equipment.odometry.odometry_bias) == ('encoders', 0.02)
    assert equipment == equip('burger', dict(reversed(list(changes.items()))))


def test_lidar_part_is_rejected_for_a_robot_without_a_lidar():
    with pytest.raises(ValueError, match="lidar is 'lds_01', but this robot .* has no lidar"):
        equip('e_puck', {'lidar': 'lds_01'})


def test_campaign_accepts_parts_as_settings():
    equipment = equipment_of('burger', lidar='rplidar_a1', wheels='slippery')
    assert equipment.sensor.scan_range_max == 12.0 and equipment.odometry.odometry_slip == 0.05
    with pytest.raises(ValueError, match="settings.lidar is 'lds1'; allowed are own, lds_01"):
        equipment_of('burger', lidar='lds1')


def test_every_value_of_a_part_is_a_parameter():
    for part in (*LIDARS.values(), *WHEELS.values()):
        assert set(part.values) <= set(PARAMETERS)
        assert all(value.__class__ is PARAMETERS[name].default.__class__
                   for name, value in part.values.items())


def test_run_command_accepts_parts(capsys):
    assert main(['run', 'open', '--set', 'wheels=uncalibrated', '--json']) == 0
    assert '"odometry": "encoders"' in capsys.readouterr().out
