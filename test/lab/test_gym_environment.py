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

"""Tests of the Gymnasium environment."""

from __future__ import annotations

import math

from bug_nav.navigation.geometry import Pose
from bug_nav.navigation.types import Scan
import numpy as np
import pytest

gymnasium = pytest.importorskip('gymnasium')
from bug_nav.lab.gym_environment import GoalEnvironment, ID, observe  # noqa: E402, I100
from gymnasium.utils.env_checker import check_env  # noqa: E402


def driven(environment, seed=1, **options):
    """Drive towards the goal; return the rewards, the last step and the last info."""
    seen, _ = environment.reset(seed=seed, options=options)
    rewards = []
    while True:
        distance, cosine, sine = seen[-3:].tolist()
        turn = math.atan2(sine, cosine)
        seen, reward, terminated, truncated, info = environment.step(
            np.array([1.0 if abs(turn) < 0.3 else 0.0, turn], dtype=np.float32))
        rewards.append(reward)
        if terminated or truncated:
            return rewards, terminated, info


@pytest.mark.filterwarnings('error')
@pytest.mark.parametrize('contact', ['end', 'hold', 'slide'])
def test_environment_passes_the_checker_of_gymnasium(contact):
    check_env(gymnasium.make(ID, worlds='box', contact=contact).unwrapped, skip_render_check=True)


def test_goal_without_obstacles_is_reached_with_the_reward_of_its_distance():
    rewards, terminated, info = driven(GoalEnvironment('open'))
    assert terminated and info['success'] and not info['contacts']
    assert sum(rewards) == pytest.approx(5.0 - 0.2 + 10.0 - 0.01 * len(rewards), abs=0.1)


def test_contact_ends_an_episode_if_asked():
    _, terminated, info = driven(GoalEnvironment('box', contact='end'))
    assert terminated and info['contacts'] == 1 and not info['success']
    _, terminated, info = driven(GoalEnvironment('box', contact='hold', time_allowance=30.0))
    assert not terminated and info['contacts'] >= 1


def test_reading_that_is_too_near_is_observed_as_near_and_one_without_a_return_as_free():
    ranges = np.array([-math.inf, 0.0, math.inf, math.nan, 1.75])
    scan = Scan(1.0, ranges, -math.pi + 0.1, 0.4 * math.pi, 0.1, 3.5)
    seen = observe(scan, Pose(0.0, 0.0, 0.0), (5.0, 0.0), sectors=5)
    assert seen[:5].tolist() == [0.0, 1.0, 1.0, 1.0, 0.5]


def test_same_seed_gives_the_same_episode():
    environment = GoalEnvironment(['open', 'pole', 'box'])
    assert driven(environment, 5)[0] == driven(environment, 5)[0]


def test_world_of_an_episode_can_be_chosen():
    _, _, info = driven(GoalEnvironment('box'), world='open')
    assert info['world'] == 'open' and info['success']


def test_several_environments_run_side_by_side():
    several = gymnasium.make_vec(ID, num_envs=3, vectorization_mode='sync', worlds='open')
    seen, _ = several.reset(seed=1)
    assert seen.shape == (3, 27)
    for _ in range(5):
        seen, reward, *_ = several.step(np.zeros((3, 2), dtype=np.float32))
    assert several.observation_space.contains(seen) and reward.shape == (3,)


@pytest.mark.parametrize('given, sentence', [
    ({'worlds': 'opn'}, "did you mean 'open'"), ({'robot': 'pioneer'}, 'has no lidar'),
    ({'contact': 'bounce'}, 'allowed are end, hold and slide')])
def test_bad_argument_is_refused(given, sentence):
    with pytest.raises(ValueError, match=sentence):
        GoalEnvironment(**given)
