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

"""Tests of the chain that proves a goal unreachable: which points and gaps it may use."""

from __future__ import annotations

import math

from arena import BURGER
from bug_nav.navigation.geometry import Pose
from bug_nav.navigation.proof.chain import find_chain
from bug_nav.navigation.robot import Robot
from bug_nav.navigation.settings import Settings
import numpy as np
import pytest


@pytest.mark.parametrize('outside', [False, True])
def test_chain_between_the_robot_and_its_earlier_path_is_no_certificate(outside):
    angles = np.linspace(0.0, 2.0 * math.pi, 40, endpoint=False)
    robot = Robot(BURGER, Settings())
    for x in (0.0, 0.5, 3.0 if outside else 1.0, 0.5):  # through a gap that has closed since
        robot.set_pose(0.0, Pose(x, 0.0, 0.0), (5.0, 5.0), held=x == 0.0)
    robot.perception.memory.add(1.5 * np.column_stack((np.cos(angles), np.sin(angles))))
    assert bool(find_chain(robot)) is not outside
