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

"""The shipped files of parameters say what the presets of the robots say."""

from bug_nav.commands.robots import params
from bug_nav.share import share_dir
from bug_nav.sim.robots import check_sensor, ROBOTS
import pytest

FOLDER = share_dir() / 'params'


def drives(preset):
    try:
        check_sensor(preset.sensor, preset.model, preset.settings)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize('name', [name for name, preset in ROBOTS.items() if drives(preset)])
def test_file_of_a_robot_is_what_the_command_prints(name):
    printed = '\n'.join(params(name, ROBOTS[name])) + '\n'
    assert (FOLDER / f'{name}.yaml').read_text(encoding='utf-8') == printed, (
        f'run: bug_nav robots {name} --params > params/{name}.yaml')
