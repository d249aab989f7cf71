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

"""Tests of what the diagrams prove: verdicts against the truth, and the check of certificates."""

from __future__ import annotations

import json
import math
from pathlib import Path
import random
import re

from course_scenes import ALL, COMPLETE, faults_of, is_reachable, random_case, RUN
from javascript import call
import pytest
from shapely.geometry import LineString, Polygon
from shapely.ops import unary_union

COURSE = Path(__file__).resolve().parents[2] / 'docs' / 'course'
CHAPTERS = sorted(path for path in COURSE.glob('*.md')
                  if '<bug-diagram' in path.read_text('utf-8'))
SCENE_OF = re.compile(r"""<bug-(?:diagram|exercise) [^>]*?scene=(?:"([^"]*)"|'([^']*)')[^>]*>""")
RUN_IN = re.compile(r'(?:algorithm|compare)="([^"]*)"')
BOX = [[2.5, -0.8], [3.5, -0.8], [3.5, 1.6], [2.5, 1.6]]


def runs_in(**case):
    """Return the runs of all algorithms in a scene."""
    found = call(RUN, [{'turn': 'left', 'rho': 0, 'range': 3.5, 'names': ALL, **case}])[0]
    assert 'refused' not in found, found
    return found


# ---- scenes that were judged wrongly ------------------------------------------------------------

@pytest.mark.parametrize('turn', ['left', 'right'])
def test_goal_at_a_wall_is_reached_by_every_complete_algorithm(turn):
    for k in range(56):
        found = runs_in(obstacles=[BOX], start=[0, 0], goal=[3.51, round(-0.9 + 0.05 * k, 2)],
                        turn=turn, names=COMPLETE)
        assert {run['verdict'] for run in found['runs']} == {'reached'}, k


def test_goal_behind_a_wall_that_is_cut_off_is_reached():
    found = runs_in(obstacles=[{'wall': [[0.3, -1.64], [1.15, -1.01], [6.2, -1.43]],
                                'width': 0.2}], start=[0.25, -0.59], goal=[4.89, -1.44])
    truth = is_reachable(found['loops'], [0.25, -0.59], [4.89, -1.44])
    expected = 'reached' if truth else 'unreachable'
    assert {run['verdict'] for run in found['runs'] if run['name'] in COMPLETE} == {expected}


@pytest.mark.parametrize('seed', [155, 534, 602, 730, 1049, 1376])
def test_walk_along_a_wall_does_not_lead_through_another_one(seed):
    assert faults_of([random_case(seed)]) == []


@pytest.mark.parametrize('seed', [54, 158, 452, 6929])
def test_ghost_of_visbug_leaves_a_start_on_a_wall(seed):
    assert faults_of([random_case(seed)]) == []


def test_goal_just_inside_a_wall_is_not_reached():
    for depth in (1e-6, 1e-5, 1e-3):
        found = runs_in(obstacles=[BOX], start=[0, 0], goal=[3.5 - depth, 0.2], names=COMPLETE)
        assert {run['verdict'] for run in found['runs']} == {'unreachable'}, depth


# ---- random scenes ------------------------------------------------------------------------------

def test_algorithms_agree_with_the_truth_with_ends_at_walls_and_corners():
    assert wrong(range(400)) == []


@pytest.mark.slow
def test_algorithms_agree_with_the_truth_in_thousands_of_scenes():
    assert wrong(range(10_000, 13_000)) == []


@pytest.mark.campaign
@pytest.mark.timeout(7200)
def test_algorithms_agree_with_the_truth_in_a_hundred_thousand_scenes():
    assert wrong(range(100_000)) == []


def wrong(seeds):
    """Return the faults; a scene that is refused has none, but few may be."""
    found = [fault for k in range(0, len(seeds), 250)
             for fault in faults_of(map(random_case, seeds[k:k + 250]))]
    assert sum(not fault['name'] for fault in found) < max(0.01 * len(seeds), 2)
    return [fault for fault in found if fault['name']]


# ---- the certificate ----------------------------------------------------------------------------

def moved(draw, scene):
    """Return a scene of a chapter with start, goal and all corners moved, as by a reader."""
    scene = json.loads(json.dumps(scene))
    for shape in scene['obstacles']:
        places = shape if isinstance(shape, list) else next(
            shape[key] for key in ('wall', 'room', 'door', 'person') if key in shape)
        for place in places if isinstance(places[0], list) else [places]:
            place[:] = [c + draw.gauss(0, 0.1) for c in place]
    for end in ('start', 'goal'):
        scene[end] = [c + draw.gauss(0, 1.0) for c in scene[end]]
    return scene


def check_chapter(chapter, count):
    """Check the chains in moved scenes of a chapter; return the numbers of chains and scenes."""
    page = chapter.read_text('utf-8')
    texts = [a or b for a, b in SCENE_OF.findall(page)]
    shown = {name for names in RUN_IN.findall(page) for name in names.split()}
    own = [name for name in COMPLETE if name in shown] or ['bug1', 'bug2']
    scenes = call('(texts) => texts.map((text) => bugCourse.sceneFrom(text))', texts)
    draw = random.Random(chapter.stem)
    cases = [{**moved(draw, draw.choice(scenes)), 'turn': draw.choice(('left', 'right')),
              'rho': draw.choice((0, 0, 0.05, 0.2)), 'range': 3.5,
              'names': COMPLETE if draw.random() < 0.1 else own}
             for _ in range(count)]
    chains = scenes_checked = 0
    for k in range(0, count, 100):
        part = cases[k:k + 100]
        for case, found in zip(part, call(RUN, part)):
            if 'refused' in found:
                continue
            scenes_checked += 1
            truth = is_reachable(found['loops'], case['start'], case['goal'])
            for run in found['runs']:
                assert run['verdict'] == ('reached' if truth else 'unreachable'), case
                assert (run['fault'] == '') == (not truth), (run['fault'], case)
                chains += not truth
    return chains, scenes_checked


@pytest.mark.parametrize('chapter', CHAPTERS, ids=lambda path: path.stem)
def test_every_chain_of_a_chapter_passes_the_check(chapter):
    _, scenes = check_chapter(chapter, 40)
    assert scenes > 10


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize('chapter', CHAPTERS, ids=lambda path: path.stem)
def test_every_chain_of_a_chapter_passes_the_check_in_a_thousand_scenes(chapter, record_property):
    chains, scenes = check_chapter(chapter, 1300)
    record_property('chains', chains)
    record_property('scenes', scenes)
    assert scenes > 1000 and chains > 20


FAULT = """(cases) => cases.map(({chain, walls, start, goal, rho}) => (
  bugCourse.faultOf(chain, {walls, start, goal, rho})))"""
RING = [[[0, 0], [4, 0], [4, 4], [0, 4]], [[0.2, 3.8], [3.8, 3.8], [3.8, 0.2], [0.2, 0.2]]]


@pytest.mark.parametrize('change, fault', [
    ({}, ''),
    ({'start': [2, 2], 'goal': [9, 9]}, ''),
    ({'chain': []}, 'there is no chain'),
    ({'goal': [9, 2]}, 'it does not separate the start from the goal'),
    ({'start': [2, 3]}, 'it does not separate the start from the goal'),
    ({'goal': [2, 0]}, 'the goal is on it'),
    ({'chain': [[0, 0], [4, 0], [4, 4]]}, 'a gap in it'),
    ({'chain': [[0, 0], [4, 0], [4, 4], [0, 4.001]]}, 'a gap in it'),
    ({'walls': RING[:1], 'goal': [2, 5]}, 'it does not separate'),
    ({'start': [0, 2]}, ''), ({'start': [0, 0]}, ''), ({'start': [4, 4]}, ''),
])
def test_check_accepts_only_a_chain_of_walls_that_separates_the_ends(change, fault):
    case = {'chain': RING[0], 'walls': RING, 'start': [-1, 2], 'goal': [2, 2], 'rho': 0, **change}
    found = call(FAULT, [case])[0]
    assert found.startswith(fault) and bool(found) == bool(fault)


@pytest.mark.parametrize('gap, fault', [(0.399, False), (0.401, True), (1.0, True)])
def test_check_of_a_disc_accepts_gaps_narrower_than_the_disc(gap, fault):
    walls = [[[0, 0], [4, 0], [4, 0.2], [0, 0.2]],
             [[0, 0.2 + gap], [4, 0.2 + gap], [4, 4], [0, 4]]]
    # Around both boxes at rho, straight across the mouths of the gap between them.
    middle = 0.2 + gap / 2
    chain = [[-0.2, 0], [0, -0.2], [4, -0.2], [4.2, 0], [4.2, 0.2], [4, middle], [4.2, 0.2 + gap],
             [4.2, 4], [4, 4.2], [0, 4.2], [-0.2, 4], [-0.2, 0.2 + gap], [0, middle], [-0.2, 0.2]]
    found = call(FAULT, [{'chain': chain, 'walls': walls, 'start': [-2, 0], 'goal': [2, middle],
                          'rho': 0.2}])[0]
    assert bool(found) == fault


def test_check_finds_each_gap_that_is_cut_into_a_chain():
    draw = random.Random(1)
    cases = []
    for _ in range(300):
        count = draw.randrange(3, 12)
        places = [[3 * math.cos(a) * r, 3 * math.sin(a) * r] for a, r in (
            (2 * math.pi * k / count, draw.uniform(0.4, 1)) for k in range(count))]
        ring = Polygon(places)
        wall = ring.boundary.buffer(0.05, join_style=2)
        outer = [list(place) for place in wall.exterior.coords[:-1]][::1]
        at = draw.uniform(0, wall.exterior.length)
        hole = wall.exterior.interpolate(at).buffer(draw.uniform(0.001, 0.3))
        cut = draw.random() < 0.5
        left = wall.difference(hole) if cut else wall
        loops = [list(map(list, r.coords[:-1])) for part in getattr(left, 'geoms', [left])
                 for r in (part.exterior, *part.interiors)]
        inner = ring.buffer(-0.1).representative_point()
        cases.append(({'chain': outer, 'walls': loops, 'start': [9, 9],
                       'goal': [inner.x, inner.y], 'rho': 0}, cut))
    for (case, cut), fault in zip(cases, call(FAULT, [case for case, _ in cases])):
        walls = unary_union([LineString([*loop, loop[0]]) for loop in case['walls']])
        chain = LineString([*case['chain'], case['chain'][0]])
        assert bool(fault) == (chain.difference(walls.buffer(2e-6)).length > 0), (cut, fault)


def test_chain_that_does_not_hold_is_no_proof():
    verdict, reason = call("""() => {
      const run = new bugCourse.Run('bug2', [0, 0]);
      run.end('unreachable', '2c', 'The goal is unreachable.');
      run.checked('it does not separate the start from the goal');
      return [run.verdict, run.moments.at(-1).reason];
    }""", None)
    assert verdict == 'unproven'
    assert 'no certificate: it does not separate' in reason and 'unreachable' not in reason


@pytest.mark.parametrize('person, verdict', [([4.5, 1.6], 'unreachable'), ([9, 9], 'unreachable')])
def test_person_at_a_closed_wall_is_no_part_of_its_certificate(person, verdict):
    ring = {'wall': [[3.1, -1.4], [5.9, -1.4], [5.9, 1.4], [3.1, 1.4]], 'width': 0.2,
            'closed': True}
    found = runs_in(obstacles=[ring, {'person': person, 'radius': 0.3}], start=[0, 0],
                    goal=[4.5, 0.1], names=COMPLETE)
    wall = Polygon([(3, -1.5), (6, -1.5), (6, 1.5), (3, 1.5)]).exterior
    for run in found['runs']:
        assert run['verdict'] == verdict
        assert LineString(run['certificate']).difference(wall.buffer(1e-6)).length == 0
