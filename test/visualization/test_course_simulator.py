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

"""Tests of the course's simulator, in JavaScript, against the papers' definitions and shapely."""

from __future__ import annotations

import math
import random

from course_scenes import is_reachable
from javascript import call
from oracle import Scene
from oracle_table import maze_of_cells, SCENES, TURNS
import pytest
from shapely.affinity import rotate, translate
from shapely.geometry import box, LineString, Point, Polygon
from shapely.ops import unary_union

CONTACT = ('bug0', 'bug1', 'bug2', 'bug2_naive')
EXACT = 1e-6
"""Rounding of places and lengths [m]."""
CLEAR = 1e-3
"""Free way at a leave point of Bug0 [m], and of a place beside it."""

RUN = """(cases) => cases.map(({loops, start, goal, turn, algorithm}) => {
  const scene = new bugCourse.Scene(loops, start, goal);
  const run = bugCourse.runAlgorithm(scene, algorithm, turn);
  const bound = bugCourse.boundOf(scene, algorithm);
  return {verdict: run.verdict, length: run.length, hits: run.hits, leaves: run.leaves,
    path: run.path, at: run.at, bound: bound && bound.value, certificate: run.certificate,
    moments: run.moments};
})"""


def test_steps_of_bug1_return_to_q_before_the_verdict():
    steps = call('() => bugCourse.ALGORITHMS.bug1.steps', None)
    text = steps[2]['text']
    assert text.index('Return to Q') < text.index('T is unreachable') < text.index('L_i = Q')


# ---- scenes -------------------------------------------------------------------------------------

def loops_of(obstacles):
    """Return the loops of shapely geometry as the oracle walks them."""
    scene = Scene(obstacles, (1e3, 1e3), (1e3, 1e3))
    return [boundary.a.tolist() for boundary in scene.boundaries]


def random_shape(draw):
    """Return a box, an L, a U, a ring with a gap, or a star."""
    width, height = draw.uniform(0.5, 2.5), draw.uniform(0.5, 2.5)
    kind = draw.randrange(5)
    if kind == 0:
        shape = box(0, 0, width, height)
    elif kind == 1:
        shape = LineString([(0, 0), (width, 0), (width, height)]).buffer(
            0.1, cap_style=2, join_style=2)
    elif kind == 2:
        shape = LineString([(0, height), (0, 0), (width, 0), (width, height)]).buffer(
            0.1, cap_style=2, join_style=2)
    elif kind == 3:
        ring = box(0, 0, width + 1, height + 1)
        shape = ring.difference(ring.buffer(-0.2, join_style=2))
        if draw.random() < 0.8:
            shape = shape.difference(box(0.4, -1, 0.4 + draw.uniform(0.1, 0.5), 0.5))
    else:
        count = draw.randrange(5, 12)
        shape = Polygon([(r * math.cos(k), r * math.sin(k)) for k, r in (
            (2 * math.pi * k / count, draw.uniform(0.3, 1.5)) for k in range(count))])
    return rotate(shape, draw.uniform(0, 360))


def random_scene(seed):
    """Return disjoint random shapes, and a free start and goal, in 10 m by 8 m."""
    draw = random.Random(seed)
    solid = unary_union([])
    for _ in range(draw.randint(1, 6)):
        shape = translate(random_shape(draw), draw.uniform(0, 9), draw.uniform(0, 7))
        if shape.is_valid and shape.distance(solid) > 0.05 or solid.is_empty:
            solid = unary_union([solid, shape])
    ends = []
    while len(ends) < 2:
        place = (draw.uniform(-1, 11), draw.uniform(-1, 9))
        if len(ends) or solid.distance(Point(place)) > 0.01:
            ends.append(place)
    return (solid, *ends)


def scene_of(kind, seed):
    if kind == 'maze':
        return maze_of_cells(seed)[:3]
    return random_scene(seed)


# ---- the walks ----------------------------------------------------------------------------------

def check_walks(scenes):
    """Check runs of the contact algorithms against their definitions; return their number."""
    cases, solids = [], []
    for obstacles, start, goal in scenes:
        cases += [{'loops': loops_of(obstacles), 'start': start, 'goal': goal, 'turn': turn,
                   'algorithm': name} for name in CONTACT for turn in TURNS]
        solids += [obstacles] * len(CONTACT) * len(TURNS)
    for case, run, solid in zip(cases, call(RUN, cases), solids):
        try:
            check_record(run, case)
            check_verdict(run, case)
            Definition(run, case, solid).check()
        except AssertionError as error:
            raise AssertionError(f'{case["algorithm"]} {case["turn"]} {case["start"]}') from error
    return len(cases)


def check_record(run, case):
    """Check the parts of a record that the pages show."""
    walked = sum(math.dist(a, b) for a, b in zip(run['path'], run['path'][1:]))
    assert run['length'] == pytest.approx(walked)
    assert (run['certificate'] is not None) == (run['verdict'] == 'unreachable')
    if run['bound'] is not None and run['verdict'] != 'loop':
        assert run['length'] <= run['bound'] + 1e-6
    times = [moment['s'] for moment in run['moments']]
    assert times == sorted(times) and times[-1] <= run['length'] + 1e-9


def check_verdict(run, case):
    truth = is_reachable(case['loops'], case['start'], case['goal'])
    expected = {'reached' if truth else 'unreachable'}
    if case['algorithm'] in ('bug0', 'bug2_naive'):
        expected = {'reached', 'loop'} if truth else {'loop'}
    assert run['verdict'] in expected
    if run['verdict'] == 'reached':
        assert math.dist(run['path'][-1], case['goal']) < EXACT


class Definition:
    """A run beside what its paper demands: shapely decides, and no walk is computed again."""

    def __init__(self, run, case, solid):
        self.run, self.start, self.goal = run, case['start'], case['goal']
        self.name, self.turn = case['algorithm'], case['turn']
        self.m_line = LineString([self.start, self.goal])
        self.inner = solid.buffer(-EXACT / 10, join_style=2)
        self.rings = [ring for part in getattr(solid, 'geoms', [solid]) if not part.is_empty
                      for ring in (part.exterior, *part.interiors)]

    def check(self):
        places = [{'point': self.start, 's': 0.0}, *self.run['leaves']]
        for begin, hit in zip(places, self.run['hits']):
            self.check_way_to(begin, hit)
        for k, hit in enumerate(self.run['hits']):
            leave = self.run['leaves'][k] if k < len(self.run['leaves']) else None
            self.check_boundary(hit, leave)

    def check_way_to(self, begin, hit):
        """Assert that the way is straight, free up to the hit, and blocked behind it."""
        a, b = begin['point'], hit['point']
        assert hit['s'] - begin['s'] == pytest.approx(math.dist(a, b), abs=EXACT)
        assert Point(b).distance(LineString([a, self.goal])) < EXACT
        assert self.inner.intersection(LineString([a, b])).length < 10 * EXACT
        assert self.solid_ahead(b, CLEAR) > 0

    def check_boundary(self, hit, leave):
        """Assert one boundary, on the chosen side, and that the robot leaves it by its rule."""
        end = leave['s'] if leave else self.run['length']
        path = self.part(hit['s'], end)
        ring = min(self.rings, key=Point(hit['point']).distance)
        assert all(ring.distance(Point(place)) < EXACT for place in path)
        middles = [((a[0] + b[0]) / 2, (a[1] + b[1]) / 2) for a, b in zip(path, path[1:])]
        assert all(ring.distance(Point(place)) < EXACT for place in middles)
        self.check_side(path)
        if leave:
            assert self.is_free(leave['point'], EXACT)
        if end - hit['s'] > EXACT and self.run['verdict'] != 'reached' or leave:
            {'bug0': self.check_bug0, 'bug1': self.check_bug1, 'bug2': self.check_bug2,
             'bug2_naive': self.check_naive}[self.name](hit, leave, path, ring, end - hit['s'])

    def check_side(self, path):
        a, b = next((pair for pair in zip(path, path[1:]) if math.dist(*pair) > CLEAR),
                    (None, None))
        if a:
            side = 1e-5 * (1 if self.turn == 'left' else -1) / math.dist(a, b)
            assert self.inner.contains(Point((a[0] + b[0]) / 2 + side * (b[1] - a[1]),
                                             (a[1] + b[1]) / 2 - side * (b[0] - a[0])))

    def check_bug0(self, hit, leave, path, ring, walked):
        line = LineString(path) if len(path) > 1 else LineString([path[0]] * 2)
        for k in range(1, 1 + int((walked - CLEAR) / 0.05)):
            assert not self.is_free(line.interpolate(0.05 * k).coords[0], CLEAR)
        assert leave or walked == pytest.approx(ring.length) or len(self.run['hits']) > 2

    def check_bug1(self, hit, leave, path, ring, walked):
        last = leave['point'] if leave else self.run['path'][-1]
        assert math.dist(last, self.goal) == pytest.approx(ring.distance(Point(self.goal)))
        there = abs(ring.project(Point(last)) - ring.project(Point(hit['point'])))
        assert walked == pytest.approx(ring.length + min(there, ring.length - there))
        assert leave or not self.is_free(last, 10 * EXACT)

    def check_bug2(self, hit, leave, path, ring, walked):
        assert [k for k in self.crossings(path, walked) if self.is_leave_of_bug2(k, hit)] == []
        if leave:
            assert self.is_leave_of_bug2(leave['point'], hit)
        else:
            assert walked == pytest.approx(ring.length)

    def check_naive(self, hit, leave, path, ring, walked):
        if leave:
            (ax, ay), (bx, by), (x, y) = self.start, self.goal, leave['point']
            assert abs((bx - ax) * (y - ay) - (by - ay) * (x - ax)) < EXACT * self.m_line.length
            assert walked > 0.3

    def is_leave_of_bug2(self, place, hit):
        return (self.m_line.distance(Point(place)) < EXACT and self.is_free(place, EXACT)
                and math.dist(place, self.goal) < math.dist(hit['point'], self.goal) - EXACT)

    def crossings(self, path, walked):
        """Return the places of the M-line on the way along the boundary, ends left out."""
        line = LineString(path) if len(path) > 1 else LineString([path[0]] * 2)
        met = line.intersection(self.m_line)
        return [place for part in getattr(met, 'geoms', [met]) for place in part.coords
                if EXACT < line.project(Point(place)) < walked - EXACT]

    def part(self, begin, end):
        """Return the places of the path from one length to another."""
        return [place for place, s in zip(self.run['path'], self.run['at'])
                if begin - EXACT / 1e3 <= s <= end + EXACT / 1e3]

    def is_free(self, place, length):
        """Return whether the way to the goal is free for a length."""
        return self.solid_ahead(place, length) < 0.5 * min(length, math.dist(place, self.goal))

    def solid_ahead(self, place, length):
        """Return how much of the way to the goal is solid, on a length."""
        share = min(1.0, length / max(math.dist(place, self.goal), EXACT))
        end = [a + share * (b - a) for a, b in zip(place, self.goal)]
        return self.inner.intersection(LineString([place, end])).length


def test_contact_walks_in_scenes_of_the_literature_follow_the_papers():
    assert check_walks(SCENES.values()) == 144


@pytest.mark.parametrize('kind', ['maze', 'random'])
def test_contact_walks_in_random_scenes_follow_the_papers(kind):
    assert check_walks(scene_of(kind, seed) for seed in range(60)) == 480


@pytest.mark.slow
@pytest.mark.parametrize('kind', ['maze', 'random'])
def test_contact_walks_in_thousands_of_scenes_follow_the_papers(kind):
    assert check_walks(scene_of(kind, seed) for seed in range(100, 1100)) == 8_000


# ---- unions and inflation -----------------------------------------------------------------------

MEASURE = """(cases) => cases.map(({shapes, radius}) => {
  const loops = bugCourse.solidLoops({obstacles: shapes}, radius);
  return loops;
})"""


def shape_of(draw):
    """Return a random shape of the course and the same as shapely geometry."""
    x, y = draw.uniform(0, 6), draw.uniform(0, 6)
    kind = draw.randrange(4)
    if kind == 0:
        count = draw.randrange(3, 9)
        ring = [(x + r * math.cos(k), y + r * math.sin(k)) for k, r in (
            (2 * math.pi * k / count, draw.uniform(0.3, 1.5)) for k in range(count))]
        return ring, Polygon(ring)
    if kind == 1:
        line = [(x, y), (x + draw.uniform(0.5, 2), y), (x + draw.uniform(-1, 2), y + 1.5)]
        thick = LineString(line).buffer(0.1, cap_style=2, join_style=2)
        return {'wall': line, 'width': 0.2}, thick
    if kind == 2:
        ring = [(x, y), (x + 2, y), (x + 2, y + 2), (x, y + 2)]
        solid = Polygon(ring).buffer(0.1, join_style=2)
        return ({'wall': ring, 'width': 0.2, 'closed': True},
                solid.difference(Polygon(ring).buffer(-0.1, join_style=2)))
    circle = [(x + 0.3 * math.cos(2 * math.pi * k / 24), y + 0.3 * math.sin(2 * math.pi * k / 24))
              for k in range(24)]
    return {'person': [x, y], 'radius': 0.3}, Polygon(circle)


def check_unions(seeds, radius):
    cases, expected = [], []
    for seed in seeds:
        draw = random.Random(seed)
        pairs = [shape_of(draw) for _ in range(draw.randint(1, 7))]
        cases.append({'shapes': [shape for shape, _ in pairs], 'radius': radius})
        solid = unary_union([polygon for _, polygon in pairs])
        expected.append(solid.buffer(radius, quad_segs=64) if radius else solid)
    for seed, loops, solid in zip(seeds, call(MEASURE, cases), expected):
        area = sum(signed_area(loop) for loop in loops)
        length = sum(math.dist(a, b) for loop in loops for a, b in zip(loop, [*loop[1:], loop[0]]))
        # Chords of 15 degrees instead of arcs.
        share = 0.01 if radius else 1e-6
        assert area == pytest.approx(solid.area, rel=share), seed
        assert length == pytest.approx(solid.length, rel=share), seed
        if not radius:
            rings = sum(1 + len(part.interiors) for part in getattr(solid, 'geoms', [solid]))
            assert len(loops) == rings, seed


def signed_area(loop):
    return 0.5 * sum(a[0] * b[1] - a[1] * b[0] for a, b in zip(loop, [*loop[1:], loop[0]]))


def test_unions_of_overlapping_shapes_equal_those_of_shapely():
    check_unions(range(200), 0.0)


def test_inflated_shapes_equal_buffers_of_shapely():
    check_unions(range(100), 0.25)


VERDICTS = """(cases) => cases.map(({shapes, start, goal, radius}) => {
  let loops;
  try {
    loops = bugCourse.solidLoops({obstacles: shapes}, radius);
  } catch (error) {
    return error.message;
  }
  const scene = new bugCourse.Scene(loops, start, goal);
  return ['bug1', 'bug2'].flatMap((name) => ['left', 'right'].map((turn) => (
    bugCourse.runAlgorithm(scene, name, turn).verdict)));
})"""


def grid_case(seed):
    """Return boxes on a grid, ends on the grid, and whether the free space connects them."""
    draw = random.Random(seed)
    shapes, solid = [], unary_union([])
    for _ in range(draw.randint(2, 12)):
        x, y = draw.randrange(8), draw.randrange(8)
        w, h = draw.choice([(1, 1), (1, 4), (4, 1), (2, 2), (0.5, 3), (3, 0.5)])
        shapes.append([[x, y], [x + w, y], [x + w, y + h], [x, y + h]])
        solid = unary_union([solid, Polygon(shapes[-1])])
    free = box(-2, -2, 15, 15).difference(solid)
    ends = []
    while len(ends) < 2:
        place = (draw.randrange(-2, 24) / 2, draw.randrange(-2, 24) / 2)
        if len(ends) or not solid.contains(Point(place)):
            ends.append(place)
    parts = [part.buffer(1e-9) for part in getattr(free, 'geoms', [free])]
    connected = any(all(part.covers(Point(end)) for end in ends) for part in parts)
    return {'shapes': shapes, 'start': ends[0], 'goal': ends[1], 'radius': 0}, connected


def check_grid(seeds):
    """Check verdicts where lines run through corners and along walls; return their number."""
    cases, truths = zip(*map(grid_case, seeds))
    count = 0
    for seed, case, truth, found in zip(seeds, cases, truths, call(VERDICTS, cases)):
        if isinstance(found, str):
            assert found == 'Obstacles would touch at a single point.', seed
            continue
        assert set(found) == {'reached' if truth else 'unreachable'}, (seed, case)
        count += 1
    return count


def test_verdicts_on_a_grid_are_those_of_the_connected_free_space():
    assert check_grid(range(400)) > 150


@pytest.mark.slow
def test_thousands_of_verdicts_on_a_grid_are_those_of_the_connected_free_space():
    assert check_grid(range(1000, 9000)) > 3000


@pytest.mark.slow
@pytest.mark.parametrize('radius', [0.0, 0.05, 0.4])
def test_thousands_of_unions_equal_those_of_shapely(radius):
    check_unions(range(1000, 4000), radius)


@pytest.mark.parametrize('name', sorted(set(SCENES) - {'graze', 'touch', 'gap_step', 'arena_out'}))
def test_scene_of_the_course_equals_the_one_of_the_literature(name):
    loops, start, goal = call("""(name) => {
      const scene = bugCourse.SCENES[name];
      return [bugCourse.solidLoops(scene), scene.start, scene.goal];
    }""", name)
    obstacles, *ends = SCENES[name]
    assert [tuple(start), tuple(goal)] == [tuple(map(float, end)) for end in ends]
    assert sum(map(signed_area, loops)) == pytest.approx(obstacles.area) or name == 'maze'


# ---- the opponent of chapter 1 ------------------------------------------------------------------

PLAY = """(games) => games.map((heights) => {
  const game = new bugCourse.Opponent();
  for (const height of heights) game.steer(height);
  return {...game, length: game.length, bound: game.bound, isOver: game.isOver,
    withMap: game.withMap};
})"""


def test_opponent_makes_every_path_nearly_as_long_as_the_lower_bound():
    draw = random.Random(1)
    games = [[round(draw.uniform(-1, 1) * k / 10, 2) for k in range(60)] for _ in range(300)]
    for game in call(PLAY, [*games, [0.5, 5], [-9], [0.3, -0.3, 1.4, -0.6]]):
        assert game['isOver']
        assert game['bound'] - 0.25 < game['length'] and game['withMap'] < 6.6
        assert game['high'] - game['low'] == pytest.approx(2.0)
        steps = [0, *game['turns'][1:]]
        assert game['walked'] == pytest.approx(sum(abs(b - a) for a, b in zip(steps, steps[1:])))
        assert steps[-1] in (game['low'], game['high'])


def test_opponent_ends_no_wall_before_its_whole_length():
    game, = call(PLAY, [[0.9, -0.9, 1.0]])
    assert not game['isOver'] and game['length'] == pytest.approx(5 + 0.9 + 1.8 + 1.9)
