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

"""Display frame of stored positions."""

from bug_nav.messages.display_frame import DisplayFrame
from bug_nav.navigation.geometry import IDENTITY, Pose


def test_invisible_motion_of_the_frame_is_ignored():
    placing = DisplayFrame()
    assert placing.follow(Pose(0.01, 0.0, 0.001), ((0.0, 0.0), (5.0, 0.0))) == IDENTITY


def test_small_motions_of_the_frame_accumulate():
    placing = DisplayFrame()
    shown = {placing.follow(Pose(0.001 * i, 0.0, 0.0), ((0.0, 0.0),)) for i in range(100)}
    assert 2 < len(shown) < 8
    assert abs(placing.pose.x - 0.099) <= 0.02


def test_small_rotation_is_applied_only_with_distant_points():
    placing, turned = DisplayFrame(), Pose(0.0, 0.0, 0.01)
    assert placing.follow(turned, ((1.0, 0.0),)) == IDENTITY
    assert placing.follow(turned, ((1.0, 0.0), (10.0, 0.0))) == turned
