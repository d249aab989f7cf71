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
from bug_nav.navigation.geometry import IDENTITY, Pose
from bug_nav.navigation.perception.perception import NewestScan, Perceived
from bug_nav.navigation.proof.chain import find_chain
from bug_nav.navigation.robot import Robot
from bug_nav.navigation.settings import Settings
from bug_nav.navigation.types import Scan
import numpy as np
import pytest


@pytest.mark.parametrize('outside', [False, True])
def test_chain_between_the_robot_and_its_earlier_path_is_no_certificate(outside):
    angles = np.linspace(0.0, 2.0 * math.pi, 40, endpoint=False)
    robot = Robot(BURGER, Settings())
    for x in (0.0, 0.5, 3.0 if outside else 1.0, 0.5):  # through a gap that has closed since
        robot.set_pose(0.0, Pose(x, 0.0, 0.0), (5.0, 5.0), held=x == 0.0)
    points = 1.5 * np.column_stack((np.cos(angles), np.sin(angles)))
    robot.perception.memory.add(points)
    robot.perception.memory.confirm(points, 1.0)
    assert bool(find_chain(robot)) is not outside


def test_far_points_that_the_newest_scan_sees_through_close_no_chain():
    angles = np.linspace(0.0, 2.0 * math.pi, 400, endpoint=False)
    points = 3.0 * np.column_stack((np.cos(angles), np.sin(angles)))
    ends = {}
    for is_open in (False, True):
        robot = Robot(BURGER, Settings())
        robot.set_pose(0.0, IDENTITY, (6.0, 0.0), held=True)
        robot.perception.memory.add(points)
        ranges = np.where(is_open & (np.abs(np.arange(360) - 180) < 20), math.inf, 3.0)
        scan = Scan(1.0, ranges, -math.pi, math.tau / 360, 0.05, 3.5)
        robot.perception.memory.measure(scan, IDENTITY)
        robot.perception.perceived = Perceived(NewestScan(scan, IDENTITY))
        ends[is_open] = bool(find_chain(robot))
    assert ends == {False: True, True: False}


@pytest.mark.parametrize('readings', [1, 2, 3])
def test_outlier_that_no_later_beam_contradicts_closes_no_gap(readings):
    robot = Robot(BURGER, Settings())
    robot.set_pose(0.0, IDENTITY, (3.0, 0.0), held=True)
    robot.has_driven = True
    away = 1.5 * robot.contour_radius
    opening = np.abs(np.arange(360) - 180) <= 50  # 1.15 diameters of the disc
    for k in range(3):
        ranges = np.where(opening, math.inf, away)
        if k >= 3 - readings:
            ranges[180] = away
        robot.perception.memory.measure(
            Scan(0.2 * k, ranges, -math.pi, math.tau / 360, 0.05, 3.5), IDENTITY)
    assert bool(find_chain(robot)) is (readings == 3)


def test_wall_seen_once_behind_one_that_the_robot_drove_along_counts():
    def line(start, end):
        return np.linspace(start, end, 1 + round(math.dist(start, end) / 0.02))
    often = np.vstack((line((-1.0, 0.0), (1.5, 0.0)), line((-1.0, 0.0), (-1.0, 2.0)),
                       line((-1.0, 2.0), (0.5, 2.0)), line((0.5, 2.0), (0.5, 0.5))))
    bay = line((0.5, 0.1), (1.5, 0.1))  # its end: without it, there is a gap of 0.5 m
    robot = Robot(BURGER, Settings())
    for x in np.linspace(2.0, -0.5, 20):
        robot.set_pose(0.0, Pose(x, -0.3, 0.0), (-0.3, 1.0), held=False)
    robot.has_driven = True
    robot.perception.memory.add(often)
    robot.perception.memory.confirm(often, 10.0)
    robot.perception.memory.add(bay)
    assert find_chain(robot)
