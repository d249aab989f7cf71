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

"""Swarm experiment at a small scale."""

from __future__ import annotations

import math

from bug_nav.navigation.geometry import Pose
from bug_nav.simulation.generators.clearance_grid import ClearanceGrid
from bug_nav.simulation.world import World
import numpy as np
import pytest
from subsets import subset
import swarm

pytestmark = pytest.mark.slow

SMALL = 8.0
TIMES = (10.0, 20.0, 30.0)


@pytest.fixture(scope='module')
def explored() -> swarm.Exploration:
    return swarm.explore(1, 3, TIMES, size=SMALL, outbound=1.0)


def test_coverage_of_the_swarm_increases_without_contacts(explored):
    assert 0.0 < explored.entered[0] < explored.entered[1] < explored.entered[2] < 1.0
    assert 0.0 < explored.seen[0] < explored.seen[1] < explored.seen[2] < 1.0
    assert explored.contacts == explored.bumped == 0
    assert explored.home == explored.ended == 0


def test_exploration_is_repeatable_by_seed(explored):
    again, other = (swarm.explore(seed, 3, TIMES, size=SMALL, outbound=1.0) for seed in (1, 2))
    assert again == explored and other.seen != explored.seen


def test_robots_return_home_after_the_outbound_phase():
    done = swarm.explore(1, 2, (30.0,), size=SMALL, outbound=0.2)
    assert (done.home, done.near, done.ended) == (2, 2, 0)


@pytest.mark.parametrize('seed', subset(range(5), 3))
def test_rooms_are_connected_but_not_with_the_outside(seed):
    world = swarm.building(seed, 12.0)
    middles = [(x, y) for x in (2.0, 6.0, 10.0) for y in (2.0, 6.0, 10.0)]
    assert ClearanceGrid(list(world.solids)).connected(middles[0], *middles[1:])
    assert not ClearanceGrid(list(world.solids)).connected(middles[0], (-1.0, -1.0))


@pytest.mark.parametrize('start, first, last', [
    ('corner', 0.0, 0.5 * math.pi), ('middle', -math.pi, math.pi)])
def test_headings_are_evenly_spaced_and_start_positions_are_clear(start, first, last):
    world, places = swarm.building(1, 20.0), swarm._places(10, 20.0, start)
    robots = swarm._swarm(world, 1, places, start, 1.0)
    headings = [robot.simulator.pose.theta + robot.bug.out for robot in robots]
    step = (last - first) / 10
    assert headings == pytest.approx(first + step * (np.arange(10) + 0.5))
    apart = np.hypot(*(places[:, None] - places).T) + np.eye(10)
    assert apart.min() > 0.7 and world.clearance(places).min() > 0.5


def test_cell_behind_a_wall_is_not_seen():
    wall = np.array([(2.0, 0.0), (2.1, 0.0), (2.1, 4.0), (2.0, 4.0)])
    floor = swarm.Floor(World('', (wall,)), 4.0)
    floor.look(Pose(1.8, 2.2, 0.0))
    seen = floor._places[floor.seen]
    assert len(seen) and seen[:, 0].max() < 2.0
    assert floor.entered.sum() == 1 and floor.entered[1, 2]
    assert np.hypot(*(seen - (1.8, 2.2)).T).max() <= swarm.SIGHT_RANGE


def test_signals_within_range_arrive_with_headings(monkeypatch):
    monkeypatch.setattr(swarm, 'SIGNAL_NOISE', 0.0)
    monkeypatch.setattr(swarm, 'RADIO_RANGE', 1.0)
    places = np.array([(1.0, 1.0), (1.8, 1.0), (2.6, 1.0)])
    robots = swarm._swarm(swarm.building(1, SMALL), 1, places, 'corner', 1.0)
    swarm._exchange_signals(robots, np.random.default_rng(0))
    assert [[other.robot_id for other in robot.bug.heard(None)] for robot in robots] == [
        [1], [0, 2], [1]]
    (heard,) = robots[0].heard
    assert heard.away == pytest.approx(0.8) and heard.heading == robots[1].bug.out


def test_table_has_one_line_per_world_and_the_published_share(monkeypatch, capsys):
    monkeypatch.setattr(swarm, 'SIZE', 4.0)
    swarm.main(['--seeds', '2', '--robots', '1', '--minutes', '1'])
    out, err = capsys.readouterr()
    assert 'published, for ten robots and ten minutes: 90)' in out and 'world 2 of 2' in err
    lines = [line for line in out.splitlines() if line.startswith('|')]
    assert [line.split()[1] for line in lines[2:]] == ['1', '2', 'mean,']
    assert len({line.count('|') for line in lines}) == 1


@pytest.mark.parametrize('option, value', [('robots', '17'), ('seeds', '0'), ('outbound', '2')])
def test_number_out_of_range_is_reported(option, value, capsys):
    with pytest.raises(SystemExit):
        swarm.main([f'--{option}', value])
    assert f'{option} is {value}' in capsys.readouterr().err
