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

from __future__ import annotations

import dataclasses
import math

from bug_nav.navigation.algorithms.bug2 import Parameters as Bug2Parameters
from bug_nav.navigation.parameters import check, parameter, ParameterSet
from bug_nav.navigation.settings import RobotModel, Settings
from bug_nav.simulation.odometry import OdometryModel
from bug_nav.simulation.sensors import LidarModel
import pytest


@dataclasses.dataclass(frozen=True)
class Kettle(ParameterSet):
    """Parameters of all types."""

    power: float = parameter(2.0, 'heating power', unit='kW', low=0.5, high=3.0)
    litres: float = parameter(1.0, 'filling', unit='l', low=0.1)
    lag: float = parameter(0.0, 'delay', high=5.0)
    cups: int = parameter(4, 'cups', low=1, high=8)
    colour: str = parameter('red', 'colour', choices=('red', 'blue'))
    lid: bool = parameter(True, 'has a lid')
    note: str = parameter('', 'anything')


def test_defaults_and_bounds_are_accepted():
    assert Kettle().power == 2.0
    assert Kettle(power=0.5, litres=1e9, lag=-1e9, cups=8, colour='blue', lid=False).cups == 8


@pytest.mark.parametrize('values, sentence', [
    ({'power': 3.1}, 'power is 3.1 kW; allowed is 0.5 to 3.0 kW'),
    ({'power': 0.4}, 'power is 0.4 kW; allowed is 0.5 to 3.0 kW'),
    ({'litres': 0.0}, 'litres is 0.0 l; allowed is at least 0.1 l'),
    ({'lag': 6.0}, 'lag is 6.0; allowed is at most 5.0'),
    ({'cups': 9}, 'cups is 9; allowed is 1 to 8'),
    ({'power': math.nan}, 'power is nan; give a finite number in kW'),
    ({'litres': math.inf}, 'litres is inf; give a finite number in l'),
    ({'lag': -math.inf}, 'lag is -inf; give a finite number'),
    ({'colour': 'green'}, "colour is 'green'; allowed are red, blue")])
def test_invalid_value_is_rejected_with_one_sentence(values, sentence):
    with pytest.raises(ValueError) as caught:
        Kettle(**values)
    assert str(caught.value) == sentence


def test_copy_with_an_invalid_value_is_rejected():
    with pytest.raises(ValueError, match='power'):
        dataclasses.replace(Kettle(), power=99.0)


def test_error_names_the_option_that_the_user_gave():
    field = dataclasses.fields(Kettle)[0]
    with pytest.raises(ValueError, match='^--power is 9.0 kW'):
        check('--power', 9.0, field)


@pytest.mark.parametrize('kind', [RobotModel, Settings, LidarModel, OdometryModel, Bug2Parameters])
def test_every_parameter_is_documented_and_its_bounds_contain_the_default(kind):
    kind()      # the defaults are accepted
    for field in dataclasses.fields(kind):
        meta = field.metadata
        assert meta['doc'], field.name
        if type(field.default) in (int, float):
            assert meta['low'] is not None and meta['high'] is not None, field.name
            assert meta['low'] <= field.default <= meta['high'], field.name
            for beyond in (meta['low'] - 1.0, meta['high'] + 1.0, math.nan):
                with pytest.raises(ValueError, match=f'^{field.name} is '):
                    kind(**{field.name: beyond})
        if type(field.default) is float:
            assert meta['unit'] or meta['doc'].startswith('share') or 'a share' in meta['doc']


def test_turn_direction_must_be_one_of_the_policies():
    for direction in ('left', 'right', 'clearer', 'goal', 'alternating', 'random'):
        assert Settings(turn_direction=direction).turn_direction == direction
    with pytest.raises(ValueError, match="'up'; allowed are left, right, clearer, goal, alter"):
        Settings(turn_direction='up')
