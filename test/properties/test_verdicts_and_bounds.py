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

"""P1 to P6, P18, P24, P25: guarantees for verdicts and path lengths."""

from __future__ import annotations

import math

from arena import hits_and_leaves, RHO, TURNS
from bug_nav.lab.ground_truth import bug2_bound, judge, shortest_path
from bug_nav.navigation.types import Outcome, Result
from family import (
    BOTH_TURNS,
    broken,
    but_for_the_safe_rule,
    changed,
    CLUTTER,
    COMPLETE,
    contours,
    driven,
    LONG,
    meets,
    NAMES,
    POSITION_ERROR,
    SCENES,
    SPIRALS,
    state_at,
)
import pytest
from shapely.geometry import Point
from subsets import WHOLE


def truth(episode) -> bool:
    """Return whether the goal is reachable; the ground truth of all scenes here is known."""
    answer = judge(episode.world, episode.start, episode.goal, RHO)
    assert answer is not None
    return answer


def verdict(episode) -> list:
    """P1: the verdict equals the connectivity of the free configuration space."""
    right = 'reached' if truth(episode) else 'unreachable'
    return [] if episode.outcome == right else [f'{episode.outcome}, not {right}']


def soundness(episode) -> list:
    """P2: a reachable goal is never reported as unreachable, and vice versa."""
    wrong = 'unreachable' if truth(episode) else 'reached'
    return [wrong] if episode.outcome == wrong else []


def direct(episode) -> float:
    """Return D [m]."""
    return math.dist(episode.start.position, episode.goal)


def disc_perimeters(episode) -> list:
    """Return the perimeters of the obstacles that meet the disc of radius D about the goal."""
    return [ring.line.length for ring in contours(episode.world)
            if ring.line.distance(Point(episode.goal)) < direct(episode)]


def no_longer_than(bound: float, episode) -> list:
    """Compare with a bound; a disc may exceed it by 10 % and 0.5 m per hit."""
    hits, _ = hits_and_leaves(episode)
    allowed = 1.10 * bound + 0.5 * len(hits)
    return [] if episode.path_length <= allowed else [f'{episode.path_length} > {allowed} m']


def bound_of_bug1(episode) -> float:
    """Return D + 1.5 sum of p_i [m]."""
    return direct(episode) + 1.5 * sum(disc_perimeters(episode))


def bound_of_bug2(episode) -> float:
    """Return D + sum of ceil(n_i / 2) p_i [m]."""
    return bug2_bound(episode.world, RHO, episode.start, episode.goal)


def bound_of_alg(episode) -> float:
    """Return D + 2 sum of p_i [m]."""
    return direct(episode) + 2.0 * sum(disc_perimeters(episode))


def bug1_length(episode) -> list:
    """P3."""
    return no_longer_than(bound_of_bug1(episode), episode)


def bug2_length(episode) -> list:
    """P4; the bound does not apply with the safe rule, which is used only at gaps near 2 rho."""
    if state_at(episode, 'return_to_leave_point') and truth(episode):
        return ['the safe rule was called for']
    return no_longer_than(bound_of_bug2(episode), episode)


def alg_length(episode) -> list:
    """P5."""
    return no_longer_than(bound_of_alg(episode), episode)


def least_length(episode) -> list:
    """P24: the path is at least as long as the shortest, less the goal tolerance."""
    if episode.outcome != 'reached':
        return []
    shortest = shortest_path(episode.world, episode.start, episode.goal, RHO)
    # The robot may pass corners closer by this.
    ease = 2 * math.pi * POSITION_ERROR * max(len(episode.events), 1)
    too_short = shortest - 0.10 - ease - episode.path_length
    return [f'{too_short} m shorter than possible'] if too_short > 0.0 else []


BOUNDS = {'bug1': bound_of_bug1, 'class3': bound_of_bug1, 'bug1_plus': bound_of_bug1,
          'bug2': bound_of_bug2, 'vis_bug_21': bound_of_bug2, 'alg1': bound_of_alg,
          'alg2': bound_of_alg}
PROGRESS = 0.03
"""Minimum decrease of the goal distance between hits, unless the whole lap is driven [m]."""


def termination(episode, bound=None) -> list:
    """P25: an episode ends within 1.5 times the duration of its bound at full speed."""
    if bound is None:
        laps = direct(episode) / PROGRESS
        longest = laps * max([0.0, *disc_perimeters(episode)]) + direct(episode)
    else:
        longest = bound(episode)
    hits, _ = hits_and_leaves(episode)
    budget = 1.5 * (longest + 0.5 * len(hits)) / 0.22
    return [] if episode.time <= budget else [f'{episode.time} > {budget} s']


@pytest.mark.parametrize('name', COMPLETE)
def test_p01_verdict_matches_the_ground_truth(name):
    assert broken(verdict, name, SCENES) == {}


@pytest.mark.parametrize('name', NAMES)
def test_p02_false_verdicts_never_occur(name):
    assert broken(soundness, name, SCENES) == {}


@pytest.mark.parametrize('name', ['bug1', 'class3', 'bug1_plus'])
def test_p03_path_of_bug1_is_within_its_bound(name):
    assert broken(bug1_length, name, (*SCENES, *LONG)) == {}


@pytest.mark.parametrize('name', ['bug2', 'vis_bug_21'])
def test_p04_path_of_bug2_is_within_its_bound(name):
    assert broken(bug2_length, name, (*SCENES, *LONG)) == {}


def test_p04_p24_of_bug2_hold_in_clutter():
    assert broken(but_for_the_safe_rule(bug2_length), 'bug2', CLUTTER) == {}
    assert broken(least_length, 'bug2', CLUTTER) == {}


@pytest.mark.parametrize('name', ['alg1', 'alg2'])
def test_p05_paths_of_alg1_and_alg2_are_within_their_bound(name):
    assert broken(alg_length, name, (*SCENES, *LONG)) == {}


@pytest.mark.parametrize('name, scene', [
    (name, scene) for scene in (SCENES if WHOLE else BOTH_TURNS)
    for name in COMPLETE if meets(name, scene)])
def test_p18_outcome_does_not_depend_on_the_turn(name, scene):
    assert len({driven(name, scene, turn).outcome for turn in TURNS}) == 1, scene


@pytest.mark.parametrize('name', NAMES)
def test_p24_path_is_not_shorter_than_the_shortest_path(name):
    assert broken(least_length, name, SCENES) == {}


@pytest.mark.parametrize('name', COMPLETE)
def test_p25_episode_ends_within_the_time_of_its_bound(name):
    assert broken(lambda episode: termination(episode, BOUNDS.get(name)), name, SCENES) == {}


@pytest.mark.campaign
@pytest.mark.parametrize('name', COMPLETE)
def test_p01_to_p05_hold_in_mazes_and_spirals(name):
    worlds = (*LONG, *SPIRALS)
    length = {'bug1': bug1_length, 'class3': bug1_length, 'bug1_plus': bug1_length,
              'bug2': bug2_length, 'vis_bug_21': bug2_length, 'alg1': alg_length,
              'alg2': alg_length}.get(name, least_length)
    for check in (verdict, soundness, length, least_length):
        assert broken(check, name, worlds, TURNS) == {}


def test_every_check_of_verdicts_and_bounds_can_fail():
    good, shut = driven('bug2', 'u_trap', 'left'), driven('bug2', 'ring_goal', 'left')
    refused = changed(good, result=Result(Outcome.UNREACHABLE, ''))
    arrived = changed(shut, result=Result(Outcome.REACHED, ''))
    bad = [(verdict, [refused, arrived, changed(good, result=Result(Outcome.TIMEOUT, ''))]),
           (soundness, [refused, arrived]),
           (bug1_length, [changed(good, path_length=120.0)]),
           (bug2_length, [changed(good, path_length=40.0)]),
           (alg_length, [changed(good, path_length=120.0)]),
           (least_length, [changed(good, path_length=5.0)]),
           (termination, [changed(good, time=1e6)])]
    for check, episodes in bad:
        assert check(good) == check(shut) == []
        for episode in episodes:
            assert check(episode) != [], check
