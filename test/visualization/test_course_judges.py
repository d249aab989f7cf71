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

"""Tests of the judges of the exercises: solutions, and attempts to pass without understanding."""

from __future__ import annotations

import re

from bug_nav.visualization.web import WEB
from javascript import call
import pytest

JUDGE = """(cases) => cases.map(({name, scene, target, options}) => {
  const judge = bugCourse.JUDGES[name];
  const description = typeof scene === 'string' ? bugCourse.sceneFrom(scene) : scene;
  const {algorithm, rho, drift} = judge.defaults;
  const model = new bugCourse.Model(description, {algorithms: [algorithm],
    rho: Number(rho ?? 0), drift: Number(drift ?? 0), ...options});
  const {isSolved, text} = bugCourse.judged(judge, new bugCourse.Case(
    model, target ?? judge.target));
  return [isSolved, text];
})"""
NARROW = {'wall': [[3, 0.2], [3, 1.6], [6, 1.6], [6, -1.6], [3, -1.6], [3, -0.2]], 'width': 0.2}


def judge(name, scene, target=None, **options):
    return call(JUDGE, [{'name': name, 'scene': scene, 'target': target, 'options': options}])[0]


def box(x0, y0, x1, y1):
    return [[x0, y0], [x1, y0], [x1, y1], [x0, y1]]


def ring(x0, y0, x1, y1):
    return {'wall': box(x0, y0, x1, y1), 'width': 0.2, 'closed': True}


def scene(*obstacles, start=(0, 0), goal=(6, 0), **more):
    return {'obstacles': list(obstacles), 'start': list(start), 'goal': list(goal), **more}


def spiral_with_the_start_below():
    """Return `spiral_6` with the start in front of the wall."""
    places = [[0, 0]]
    for k in range(24):
        (x, y), length = places[-1], 1 + k // 2
        dx, dy = ((1, 0), (0, 1), (-1, 0), (0, -1))[k % 4]
        places.append([x + dx * length, y + dy * length])
    return scene({'wall': places, 'width': 0.2}, start=(0, -8), goal=(0.4, 0.5))


# ---- the tasks of the chapters, as on the page of solutions ------------------------------------

@pytest.mark.parametrize('name, given, options', [
    ('bug0-loops', 'u_trap', {}),
    ('bug0-one-side', 'hook', {}),
    ('bug1-beats-bug2-by-3', spiral_with_the_start_below(), {'turn': 'right'}),
    ('bug2-beats-bug1-by-3', 'sp12_in', {'turn': 'left'}),
    ('bug1-near-bound', scene(box(2.9, -1.2, 3.1, 1.2)), {}),
    ('bug2-revisits', 'sp12_in', {'turn': 'right'}),
    ('shortest-certificate', scene(ring(2.4, -0.6, 3.6, 0.6), goal=(3, 0)), {}),
    ('range-halves', scene({'wall': [[3, -0.6], [3, 6]], 'width': 0.2}), {}),
    ('gap-closes', scene(NARROW, goal=(4.6, 0.1), start=(0, 0.3)), {}),
    ('drift-misleads', 'hook', {'turn': 'right', 'drift': 1}),
    ('person-blocks', 'person_in_door', {}),
])
def test_solution_solves_its_exercise(name, given, options):
    solved, text = judge(name, given, **options)
    assert solved, text


# ---- attempts to pass without a solution -------------------------------------------------------

NAMES = [name for name in re.findall(
    r"^  '([\w-]+)':", (WEB / 'course/judges.js').read_text(encoding='utf-8'), re.MULTILINE)
    if not name.startswith('predict')]


@pytest.mark.parametrize('name', NAMES)
@pytest.mark.parametrize('ends, reason', [
    ({'start': (0, 0), 'goal': (0, 0)}, r'Start and goal are 0.00 m apart; they need at least'),
    ({'start': (0, 0), 'goal': (0.3, 0)}, r'Start and goal are 0.30 m apart; they need at least'),
    ({'goal': (3.53, 0.2)}, r'The goal is 0.03 m from an obstacle; it needs at least 0.\d\d m'),
    ({'goal': (3, 0.2)}, r'The goal must be in free space\.'),
    ({'start': (2.46, 0.2)}, r'The start is 0.04 m from an obstacle; it needs at least 0.\d\d m'),
])
def test_scene_in_which_a_task_has_no_meaning_is_refused_with_the_reason(name, ends, reason):
    solved, text = judge(name, scene(box(2.5, -0.8, 3.5, 1.6), **ends), rho=0)
    assert not solved and re.match(reason, text), text


def test_goal_on_the_start_is_no_factor_of_nan():
    for name in ('bug1-beats-bug2-by-3', 'bug2-beats-bug1-by-3'):
        solved, text = judge(name, scene(box(2.5, -0.8, 3.5, 1.6), goal=(0, 0)))
        assert not solved and 'NaN' not in text


def test_goal_within_the_radius_of_a_wall_does_not_solve_the_gap():
    solved, text = judge('gap-closes', scene(box(2.5, -0.8, 3.5, 1.6), goal=(3.7, 0)))
    assert not solved and text == (
        'The goal is 0.20 m from an obstacle; it needs at least 0.35 m.')


def test_tiny_box_does_not_bring_bug1_to_its_bound():
    for size in (0.01, 0.1, 0.5):
        solved, text = judge('bug1-near-bound', scene(box(3, -size / 2, 3 + size, size / 2)))
        assert not solved, text
    # Nor does one that only the disc of radius D meets.
    solved, text = judge('bug1-near-bound', scene(box(3, -0.01, 3.02, 0.01), box(5, 2, 9, 6)))
    assert not solved and 'you need 95 %' in text


@pytest.mark.parametrize('name', ['shortest-certificate'])
def test_chain_around_the_start_does_not_enclose_the_goal(name):
    solved, text = judge(name, scene(ring(-0.6, -0.6, 0.6, 0.6), goal=(3, 0)))
    assert not solved and text == 'The chain encloses the start; it must enclose the goal.'


def test_person_on_the_goal_does_not_block_it():
    for person in ([4.6, 0.1], [4.6, 0.35]):
        solved, text = judge('person-blocks', scene(
            {'wall': [[3, 0.25], [3, 1.6], [6, 1.6], [6, -1.6], [3, -1.6], [3, -0.25]],
             'width': 0.2}, {'person': person, 'radius': 0.3}, start=(0, 0.3), goal=(4.6, 0.1)))
        assert not solved, text


def test_robot_without_drift_is_not_misled():
    for given in ('hook', 'box', 'u_trap'):
        for turn in ('left', 'right'):
            assert not judge('drift-misleads', given, turn=turn, drift=0)[0]


@pytest.mark.parametrize('clearance, is_enough', [(0.404, True), (0.396, True), (0.39, False)])
def test_value_counts_as_it_is_shown(clearance, is_enough):
    half = clearance + 0.1
    solved, text = judge('shortest-certificate', scene(
        ring(3 - half, -half, 3 + half, half), goal=(3, 0)))
    assert solved == is_enough, text
    assert is_enough or text == 'The goal is 0.39 m from an obstacle; it needs at least 0.40 m.'


def test_share_that_is_shown_as_enough_is_enough():
    solved, text = judge('range-halves', scene({'wall': [[3, -0.6], [3, 4]], 'width': 0.2}))
    shown = int(re.search(r'(\d+) %', text)[1])
    for target in (shown / 100, (shown - 1) / 100):
        solved, text = judge('range-halves', scene(
            {'wall': [[3, -0.6], [3, 4]], 'width': 0.2}), target)
        assert solved == (target == shown / 100), text


# ---- predictions -------------------------------------------------------------------------------

@pytest.mark.parametrize('name', ['predict-bug1-leave', 'predict-bug2-leave'])
def test_flag_at_the_leave_point_alone_is_a_right_prediction(name):
    given = call('(seeds) => seeds.map(bugCourse.randomScene)', list(range(1, 13)))
    leaves = call("""([scenes, name]) => scenes.map((scene) => new bugCourse.Model(
      scene, {algorithms: [name]}).result.runs[0].run.leaves[0].point)""",
                  [given, name.split('-')[1]])
    for each, (x, y) in zip(given, leaves):
        for dx, right in ((0.1, True), (0.2, False)):
            assert judge(name, {**each, 'flag': [x + dx, y]})[0] == right


def test_random_scenes_differ_and_the_answers_of_both_algorithms_are_apart():
    scenes = call('(seeds) => seeds.map(bugCourse.randomScene)', list(range(1, 61)))
    assert len({str(each) for each in scenes}) == 60
    again = call('(seeds) => seeds.map(bugCourse.randomScene)', list(range(1, 61)))
    assert scenes == again
    leaves = call("""(scenes) => scenes.map((scene) => new bugCourse.Model(scene, {
      algorithms: ['bug1', 'bug2']}).result.runs.map(({run}) => run.leaves[0].point))""", scenes)
    for (x1, y1), (x2, y2) in leaves:
        assert (x1 - x2) ** 2 + (y1 - y2) ** 2 > 0.25
