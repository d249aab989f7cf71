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

"""Tests of Bug1+."""

from arena import hits_and_leaves
from bug_nav.navigation.algorithms.bug1_plus import Bug1Plus
from bug_nav.navigation.geometry import Pose
from bug_nav.simulation.catalogue import find_world
from bug_nav.simulation.episode import run_episode
import pytest


@pytest.mark.parametrize('world, seed', ((8140003, 112995356), (8140002, 2035430475)))
def test_way_that_noise_opens_and_closes_is_not_tried_endlessly(world, seed):
    world = find_world(f'random:cells?seed={world}')
    episode = run_episode(world, Pose(*world.start), world.goal, Bug1Plus(), seed=seed,
                          time_allowance=1000.0)
    assert episode.outcome == 'reached' and episode.contacts == 0
    hits, leaves = hits_and_leaves(episode)
    for left, hit, then in zip(leaves, hits[1:], leaves[1:]):
        assert left.goal_distance > hit.goal_distance > then.goal_distance
