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

"""The names that README and docs have shown go on for one more release."""

from __future__ import annotations

import importlib
import sys

from bug_nav.moved import MOVED
import pytest


@pytest.mark.parametrize('old', MOVED)
def test_module_that_has_moved_is_found_under_its_old_name_with_a_warning(old):
    sys.modules.pop(old, None)
    with pytest.warns(FutureWarning, match=f'{old} is {MOVED[old]} now'):
        module = importlib.import_module(old)
    new = importlib.import_module(MOVED[old])
    public = {name: value for name, value in vars(new).items() if not name.startswith('_')}
    assert public.items() <= vars(module).items()
    assert new.__spec__.name == MOVED[old]


def test_what_has_no_old_name_is_not_found():
    with pytest.raises(ModuleNotFoundError, match='no_such'):
        importlib.import_module('bug_nav.no_such')


def test_settings_are_in_their_old_place_too():
    from bug_nav import robot
    from bug_nav.core import settings
    assert (robot.Settings, robot.RobotModel) == (settings.Settings, settings.RobotModel)
