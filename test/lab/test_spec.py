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

"""A specification is read correctly or rejected in one sentence."""

from __future__ import annotations

import math

from bug_nav.lab import cases as cases_module
from bug_nav.lab.cases import candidates, Case, find_case, Selection
from bug_nav.lab.ground_truth import judge, shortest_path
from bug_nav.lab.spec import load_spec, make_spec, multiplied, shipped_campaigns, Spec
from bug_nav.lab.spec_values import SpecError
from bug_nav.simulation.catalogue import find_world
from bug_nav.simulation.generators import ALIASED, GENERATORS, MOVING, RHO, SPARSE
from bug_nav.simulation.robots import ROBOTS
import numpy as np
import pytest
from subsets import subset

BOX = {'worlds': [{'world': 'box'}]}


def test_single_value_is_a_list_with_one_element():
    spec = make_spec({**BOX, 'algorithms': 'bug1', 'range_noise': 0, 'turns': ['left', 'right']})
    assert (spec.algorithms, spec.range_noise) == (('bug1',), (0.0,))
    assert spec.total == spec.combinations == 2


def test_specification_survives_a_round_trip_through_its_document():
    spec = make_spec({
        'name': 'all', 'title': 'All', 'seed': 3, 'algorithms': ['bug2', 'tangent_bug'],
        'robots': ['burger', 'turtlebot4'], 'range_noise': ['own', 0.02], 'repetitions': 2,
        'odometry': [{'model': 'velocity', 'noise': [0.1, 0.2]}, {'model': 'encoders'}],
        'time_allowance': 300,
        'settings': {'clearance': 0.15}, 'paths': False,
        'variants': [{}, {'name': 'slip', 'settings': {'odometry_slip': 0.05}}],
        'corrections': ['none', 'scan_matching', 'own'],
        'worlds': [{'world': 'random:rooms', 'count': 7, 'goals': 'both', 'unjudged': 'keep'},
                   {'world': 'convex', 'places': 'drawn', 'goals': 'unreachable'}]})
    assert make_spec(spec.as_dict()) == spec
    assert make_spec(make_spec(BOX).as_dict()) == make_spec(BOX)
    assert spec.total == 8 * 2 * 2 * 2 * 3 * 2 * 2 * 3


@pytest.mark.parametrize('changes, repeated', [
    ({}, 5), ({'range_noise': 0.0}, 1), ({'range_noise': [0.0, 0.01]}, 5), ({'repetitions': 2}, 2),
    ({'range_noise': 0.0, 'turns': 'random'}, 5),
    ({'range_noise': 0.0, 'odometry': [{'model': 'velocity', 'noise': 0.1}]}, 5),
    ({'worlds': [{'world': 'random:rooms', 'count': 9}]}, 5),
    ({'worlds': [{'world': 'random:rooms', 'count': 10}]}, 1)])
def test_few_cases_are_repeated_if_there_is_noise(changes, repeated):
    spec = make_spec({**BOX, **changes})
    assert spec.repeated == repeated
    assert make_spec(spec.as_dict()) == spec


@pytest.mark.parametrize('levels, usual', [
    ('own', math.inf), (0.1, math.inf), ([0.02, 0.1], 0.02), (['own', 0.1], 0.01)])
def test_base_noise_is_the_lowest_of_several_range_noises(levels, usual):
    assert make_spec({**BOX, 'range_noise': levels}).base_noise == usual


def test_complete_selects_the_complete_algorithms():
    names = make_spec({**BOX, 'algorithms': 'complete'}).algorithms
    assert 'bug2' in names and 'bug0' not in names


def test_every_shipped_campaign_is_valid():
    names = [path.stem for path in shipped_campaigns()]
    assert {'turtlebot3_2024', 'mcguire_2019', 'yufka_2009', 'drift', 'family',
            'verdicts'} <= set(names)
    for name in names:
        spec = load_spec(name)
        assert spec.name == name and spec.title
    paper = load_spec('turtlebot3_2024')
    assert [(entry.count, entry.goals) for entry in paper.worlds] == [(30, 'both'), (10, 'both')]
    assert paper.algorithms == ('bug1', 'bug2') and paper.total == 80
    assert multiplied(paper, 10).total == 800


def test_verdicts_and_drift_have_every_kind_of_static_world():
    verdicts, drift = ([(entry.group, entry.world) for entry in load_spec(name).worlds]
                       for name in ('verdicts', 'drift'))
    assert verdicts + [(kind, f'random:{kind}') for kind in SPARSE] == drift
    assert [kind for kind, _ in verdicts] == [
        kind for kind in GENERATORS if kind not in (*ALIASED, *MOVING, *SPARSE)] + ['dense']


def test_every_variant_and_correction_of_drift_has_a_thousand_episodes():
    spec = multiplied(load_spec('drift'), 8)
    assert spec.total / (len(spec.variants) * len(spec.corrections)) >= 1000


@pytest.mark.parametrize('document, words', [
    (None, 'the document is empty; give a mapping'),
    ({}, 'worlds is missing'),
    ({'algorithms': []}, 'algorithms is []; give a list of 1 to 10000 entries'),
    ({'worlds': ['box']}, "worlds[0] is 'box'; give a mapping"),
    ({'worlds': [{'world': 'box', 'start': [1, 2]}]},
     'worlds[0].start is [1, 2]; give a list of 3 numbers from -10000 to 10000'),
    ({'worlds': [{'world': 'box', 'goal': [1, 2], 'places': 'drawn'}]},
     'worlds[0].goal has no effect with places: drawn; leave out one of them'),
    ({**BOX, 'algoritms': 'bug2'}, "unknown key 'algoritms'; did you mean 'algorithms'? Keys are"),
    ({'worlds': [{'world': 'boxx'}]}, "worlds[0].world: unknown world 'boxx'"),
    ({'worlds': [{'world': 'box', 'cont': 3}]},
     "worlds[0]: unknown key 'cont'; did you mean 'count'?"),
    ({'worlds': [{'world': 'box', 'count': 3}]}, 'one start and goal of its own'),
    ({'worlds': [{'world': 'random:boxes'}]}, "unknown kind of random world 'boxes'"),
    ({'worlds': [{'world': 'random:rooms', 'count': 0}]}, 'a whole number from 1'),
    ({'worlds': [{'world': 'random:rooms', 'count': True}]}, 'is True; give a whole number'),
    ({'worlds': [{'world': 'random:rooms', 'goals': 'some'}]}, 'any, both, reachable or'),
    ({'worlds': [{'world': 'box', 'places': 'drawn', 'max_distance': 0.5}]}, 'min_distance is 1'),
    ({**BOX, 'algorithms': ['bug2', 'bug22']}, "algorithms[1]: unknown algorithm 'bug22'"),
    ({**BOX, 'algorithms': ['bug2', 'bug2']}, "algorithms[1] is 'bug2' again"),
    ({**BOX, 'robots': 'burgher'}, "did you mean 'burger'?"),
    ({**BOX, 'turns': 'up'}, "turns is 'up'; give left, right"),
    ({**BOX, 'followers': ['sweep', 1]}, 'followers[1] is 1'),
    ({**BOX, 'range_noise': math.nan}, 'range_noise is nan; give a number from 0 to 1, or own'),
    ({**BOX, 'range_noise': [0, -1]}, 'range_noise[1] is -1'),
    ({**BOX, 'time_allowance': 'long'}, 'give a number from 1 to 1e+09, or auto'),
    ({**BOX, 'seed': 1.5}, 'seed is 1.5; give a whole number'),
    ({**BOX, 'name': 'a\nb'}, 'name is'),
    *(({**BOX, 'name': name}, f"name is '{name}'; give a name for a folder, without / and")
      for name in ('../../evil', '/evil', 'a/b', 'a/../../b', '..', '.', '.hidden', '~/a')),
    ({**BOX, 'name': 'a\\b'}, 'give a name for a folder, without /'),
    ({**BOX, 'name': 61 * 'a'}, 'at the beginning, of at most 60 characters'),
    ({**BOX, 'odometry': [{'model': 'gps'}]}, "odometry[0].model is 'gps'"),
    ({**BOX, 'odometry': [{'noise': [0, 2]}]}, 'odometry[0].noise[1] is 2'),
    ({**BOX, 'odometry': [{'noise': [0, 0.1]}]},
     'odometry[0].noise is 0.1, which has no effect with the model perfect; give model: encoders'),
    ({**BOX, 'settings': {'odometry_noise': 0.1}},
     'settings: odometry_noise is 0.1, which has no effect while odometry is perfect'),
    ({**BOX, 'variants': [{'name': 'a', 'settings': {'localizer_noise': 0.1}}]},
     'variants[0]: localizer_noise is 0.1, which has no effect while localizer_period is 0.0'),
    ({**BOX, 'settings': {'clearence': 0.1}}, 'settings.clearence is not a parameter'),
    ({**BOX, 'settings': {'robot_radious': 0.1}}, "did you mean 'robot_radius'?"),
    ({**BOX, 'variants': [{'settings': {'robot_radious': 1}}]}, "did you mean 'robot_radius'?"),
    ({**BOX, 'settings': {'bug2.leave_margn': 0.1}}, "did you mean 'bug2.leave_margin'?"),
    ({**BOX, 'settings': {'qqqqqqq': 1}}, 'those of an algorithm are named like bug2.'),
    ({**BOX, 'settings': {'clearance': 99}}, 'settings.clearance is 99'),
    ({**BOX, 'settings': {'clearance': 'wide'}}, "settings.clearance is 'wide'; give a number"),
    ({**BOX, 'settings': {'bug2.leave_margin': 9}}, 'settings.bug2.leave_margin is 9'),
    ({**BOX, 'settings': {'bug1.x': 9}}, 'bug1 is none of the algorithms here'),
    ({**BOX, 'corrections': 'gps'}, "corrections is 'gps'; give scan_matching, none or own"),
    ({**BOX, 'variants': [{'nme': 'a'}]}, "variants[0]: unknown key 'nme'"),
    ({**BOX, 'variants': [{}, {'name': 'a'}, {}]}, "variants[2].name is '' again"),
    ({**BOX, 'variants': [{'settings': {'slip': 1}}]}, 'variants[0]: robots: burger: settings.sl'),
    ({**BOX, 'variants': [{'settings': {'bug1.x': 1}}]}, 'variants[0].settings.bug1.x: bug1'),
    ({**BOX, 'variants': [{'settings': {'bug2.x': 1}}]}, 'variants[0]: settings.bug2.x is no'),
    ({**BOX, 'variants': [{'settings': {'scan_noise': 0.1}}], 'range_noise': 0.01},
     'variants[0].settings.scan_noise is varied by range_noise'),
    ({**BOX, 'settings': {'scan_noise': 0.02}, 'range_noise': [0.0, 0.05]},
     'mine.yaml: settings.scan_noise is varied by range_noise; leave out one of them'),
    ({**BOX, 'settings': {'follower': 'sweep'}, 'followers': ['rolling_disc', 'sweep']},
     'settings.follower is varied by followers'),
    ({**BOX, 'settings': {'turn_direction': 'right'}, 'turns': ['left', 'right']},
     'settings.turn_direction is varied by turns'),
    ({**BOX, 'settings': {'odometry': 'encoders'}, 'odometry': [{}, {'model': 'velocity'}]},
     'settings.odometry is varied by odometry'),
    ({**BOX, 'settings': {'odometry_noise': 0.1},
      'odometry': [{'model': 'velocity', 'noise': [0, 0.2]}]},
     'settings.odometry_noise is varied by odometry'),
    ({**BOX, 'settings': {'drift_correction': 'none'}, 'corrections': ['own', 'none']},
     'settings.drift_correction is varied by corrections'),
    ({'worlds': [{'world': 'box'}, {'world': 'box'}]},
     "worlds include 'box' again; give each value once"),
    ({'worlds': [{'world': 'random:rooms', 'count': count} for count in (1, 2)]},
     "worlds include 'random:rooms' again"),
    ({**BOX, 'odometry': [{}, {}]}, "odometry include 'perfect with noise 0' again"),
    ({**BOX, 'odometry': [{'model': 'velocity', 'noise': levels} for levels in ([.1], [.1, .2])]},
     "odometry include 'velocity with noise 0.1' again"),
    ({**BOX, 'variants': [{}, {'name': 'a', 'settings': {'clearance': 0.2}}]},
     'variants[1] changes rho or xy_goal_tolerance, and with them the ground truth'),
    ({**BOX, 'settings': {'sensing': 'contact'}, 'algorithms': 'tangent_bug'}, 'TangentBug needs'),
    ({**BOX, 'settings': {'sensing': 'contact'}, 'followers': ['pid']}, 'rolling_disc'),
    ({**BOX, 'robots': 'burgr'}, 'mine.yaml: robots: burgr'),
    ({**BOX, 'robots': 'e_puck', 'range_noise': 0.01}, 'noise proportional to the range'),
    ({**BOX, 'robots': 'e_puck', 'algorithms': 'tangent_bug'}, 'robots: e_puck: sensing is')])
def test_invalid_specification_is_reported_with_file_and_key(document, words):
    with pytest.raises(SpecError) as caught:
        make_spec(document, 'mine.yaml')
    message = str(caught.value)
    assert message.startswith('mine.yaml: ') and words in message and '\n' not in message


@pytest.mark.parametrize('document, words', [
    ({**BOX, 'range_noise': 10 ** 400}, 'give a number from 0 to 1, or own'),
    ({**BOX, 'time_allowance': -10 ** 400}, 'give a number from 1 to 1e+09, or auto'),
    ({**BOX, 'seed': 10 ** 5000}, 'give a whole number'),
    ({**BOX, 'settings': {'clearance': 10 ** 400}}, 'give a number'),
    ({**BOX, 'settings': {'turn_seed': 10 ** 400}}, 'turn_seed is 1000'),
    ({**BOX, 'settings': {'clearance': 'wide' * 1000}}, 'give a number'),
    ({**BOX, 'settings': {'clearance' * 1000: 1}}, 'is not a parameter'),
    ({**BOX, 'odometry': ['x' * 900] * 10}, 'odometry[0] is'),
    ({**BOX, 'odometry': [['perfect'] * 1000]}, 'odometry[0] is'),
    ({**BOX, 'turns' * 1000: 1}, 'unknown key'),
    ({**BOX, 'range_noise': ['own' * 300, 'own' * 300]}, 'range_noise[0] is'),
    (['worlds'] * 1000, 'give a mapping with keys')])
def test_long_value_is_shortened_in_the_message(document, words):
    with pytest.raises(SpecError) as caught:
        make_spec(document, 'mine.yaml')
    message = str(caught.value)
    assert words in message and len(message) < 600


@pytest.mark.parametrize('odometry, settings', [
    ([{'model': 'velocity', 'noise': [0, 0.1]}], {'odometry_bias': 0.01}),
    ([{'noise': [0, 0.1]}], {'odometry': 'encoders', 'axle_error': 0.01})])
def test_parameter_that_needs_another_is_accepted_together_with_it(odometry, settings):
    assert make_spec({**BOX, 'odometry': odometry, 'settings': settings,
                      'repetitions': 1}).total == 2


@pytest.mark.parametrize('text, words', [
    ('worlds: [', 'mine.yaml:1: not well-formed YAML ('),
    ('name: a\nworlds: [1\nseed: 2', "mine.yaml:3: not well-formed YAML (expected ','"),
    ('', 'mine.yaml: the document is empty; give a mapping with keys such as name'),
    ('seed: 1\nseed: 2\n', "line 2: the key 'seed' is given twice"),
    ('worlds: !!python/object/apply:os.system [echo]', 'not well-formed YAML ('),
    ('\x00', 'not well-formed YAML ('),
    ('[' * 5000, 'not well-formed YAML (')])
def test_invalid_file_is_rejected(text, words, tmp_path):
    path = tmp_path / 'mine.yaml'
    path.write_text(text)
    with pytest.raises(SpecError) as caught:
        load_spec(str(path))
    assert words in str(caught.value) and 'mine.yaml' in str(caught.value)


def test_missing_file_unknown_name_and_huge_file_are_reported(tmp_path):
    with pytest.raises(SpecError, match='No such file'):
        load_spec(str(tmp_path / 'mine.yaml'))
    with pytest.raises(SpecError, match="did you mean 'family'"):
        load_spec('famly')
    (tmp_path / 'huge.yaml').write_bytes(b'#' * 1_000_001)
    with pytest.raises(SpecError, match='bytes'):
        load_spec(str(tmp_path / 'huge.yaml'))


def test_entries_of_a_specification_can_be_overridden():
    spec = load_spec('verdicts', [('worlds.0.count', 5), ('seed', 4), ('settings.clearance', 0.2)])
    assert (spec.worlds[0].count, spec.seed, dict(spec.settings)) == (5, 4, {'clearance': 0.2})
    for place in ('worlds.7.count', 'worlds.first.count'):
        with pytest.raises(SpecError, match='is none of the 7 entries'):
            load_spec('verdicts', [(place, 5)])
    with pytest.raises(SpecError, match='nothing below a single value'):
        load_spec('verdicts', [('seed.low', 5)])


# ---- the cases --------------------------------------------------------------------------------

def selected(spec: Spec, entry: int = 0, order=lambda waiting: 0, ahead: int = 1) -> list:
    """Return the cases of an entry, with up to ``ahead`` concurrent searches."""
    selection, waiting, found = Selection(spec, entry), [], []
    while not selection.finished:
        candidate = selection.next_candidate() if len(waiting) < ahead else None
        if candidate is not None:
            waiting.append(candidate)
        if candidate is None or len(waiting) == ahead:
            each = waiting.pop(order(waiting))
            found += selection.take(each, find_case(each, spec.seed))
    return found


def spec_of(seed: int = 5, **entry) -> Spec:
    return make_spec({'seed': seed, 'worlds': [entry]})


@pytest.mark.parametrize('entry', subset([
    {'world': 'random:rooms', 'count': 9, 'goals': 'both'},
    {'world': 'random:rooms', 'count': 9, 'goals': 'both', 'unjudged': 'keep'},
    {'world': 'random:rooms', 'count': 4, 'goals': 'reachable'},
    {'world': 'convex', 'places': 'drawn', 'count': 5, 'goals': 'both'}], 3))
def test_selected_cases_do_not_depend_on_the_order_of_arrival(entry):
    spec = spec_of(**entry)
    one = selected(spec)
    assert one == selected(spec, order=lambda waiting: len(waiting) - 1, ahead=4)
    truths = [case.reachable for case in one]
    half = entry['count'] // 2 if entry['goals'] == 'both' else 0
    assert truths.count(False) == half and truths.count(True) == entry['count'] - half
    assert (None in truths) == ('unjudged' in entry)
    assert [Case.from_dict(case.as_dict()) for case in one] == one


def test_random_world_without_space_for_the_robot_at_the_start_is_skipped():
    spec = make_spec({'seed': 81350000, 'robots': ['pioneer'], 'worlds': [
        {'world': 'random:rooms', 'count': 8, 'unjudged': 'keep'}]})
    for case in selected(spec):
        room = find_world(case.world).clearance(np.array([case.start[:2]]))[0]
        assert room > ROBOTS['pioneer'].model.robot_radius


def test_search_for_random_worlds_with_space_for_the_robot_is_bounded(monkeypatch):
    monkeypatch.setattr(cases_module, '_WORLDS', 10)
    spec = make_spec({'settings': {'robot_radius': 1.5}, 'worlds': [{'world': 'random:rooms'}]})
    with pytest.raises(SpecError, match="'random:rooms' have no start with room"):
        selected(spec)


@pytest.mark.parametrize('goals, wish', [('reachable', True), ('unreachable', False)])
@pytest.mark.parametrize('world', ['convex', 'labyrinth'])
def test_drawn_goals_have_the_requested_reachability(world, goals, wish):
    cases = selected(spec_of(world=world, places='drawn', count=6, goals=goals, min_distance=1.5,
                             max_distance=6.0))
    there = find_world(world)
    for case in cases:
        assert judge(there, case.start, case.goal, RHO) is wish
        assert 1.5 <= math.dist(case.start[:2], case.goal) <= 6.0
        assert there.clearance(np.array([case.start[:2]]))[0] >= RHO + 0.02
        truth = case.truths['burger']
        assert truth.shortest == shortest_path(there, case.start, case.goal, RHO)
        # An unreachable goal is in an obstacle or in another room, not merely close to a wall.
        away = there.clearance(np.array([case.goal]))[0]
        assert away >= RHO + 0.02 if wish else (away <= 0.0 or away >= RHO)
    assert len({case.start for case in cases}) == 6


def test_goal_that_is_unreachable_for_only_one_robot_is_not_judged():
    spec = make_spec({'robots': ['burger', 'waffle_pi'], 'worlds': [
        {'world': 'random:rooms', 'count': 12, 'goals': 'both', 'unjudged': 'keep'}]})
    cases = selected(spec)
    assert {robot for case in cases for robot in case.truths} == {'burger', 'waffle_pi'}
    split = [case for case in cases if len({t.reachable for t in case.truths.values()}) > 1]
    assert split and all(case.reachable is None for case in split)


def test_random_world_can_have_several_starts_and_goals():
    cases = selected(spec_of(world='random:cells', places='drawn', count=6, per_world=3,
                             goals='any'))
    assert [case.world for case in cases] == ['random:cells?seed=5'] * 3 + [
        'random:cells?seed=6'] * 3


def test_failed_search_for_a_start_and_goal_is_reported():
    spec = spec_of(world='open', places='drawn', goals='unreachable')
    with pytest.raises(SpecError, match=r'worlds\[0\]: no start and goal, unreachable'):
        selected(spec)


def test_random_worlds_start_with_the_seed_of_the_campaign_or_their_own():
    for changes, first in (({}, 5), ({'first_seed': 9}, 9)):
        spec = spec_of(world='random:rooms?', goals='both', **changes)
        names = [next(candidates(spec, 0, {True: 1, False: 1})).seed]
        assert names == [first]


def test_models_that_a_world_lacks_are_reported(tmp_path, caplog):
    path = tmp_path / 'w.world'
    path.write_text('<sdf version="1.6"><world name="w"><include><uri>model://oak</uri></include>'
                    '</world></sdf>')
    document = {'worlds': [{'world': f'{path}?missing=skip', 'start': [0, 0, 0], 'goal': [5, 0]}]}
    assert make_spec(document).worlds[0].group == 'w'
    assert 'missing models are left out, as in Gazebo: model://oak' in caplog.text
    with pytest.raises(SpecError, match='model://oak'):
        make_spec({'worlds': [{**document['worlds'][0], 'world': str(path)}]})


def test_name_of_a_random_world_keeps_its_arguments():
    spec = spec_of(world='random:cluttered?size=14&count=3', count=2, goals='both')
    assert [case.world for case in selected(spec)] == [
        'random:cluttered?seed=5&size=14&count=3',
        'random:cluttered?seed=5&reachable=false&size=14&count=3']


def test_bounds_match_the_theory():
    (case,) = selected(make_spec(BOX))
    sums = case.truths['burger'].sums
    perimeter = 2 * (1.0 + 2.4) + 2 * math.pi * RHO
    assert sums.direct == 6.0
    assert sums.near == pytest.approx(perimeter, rel=1e-3)
    # Minima of the distance to the goal are on the near side and on the far side.
    assert sums.minima == pytest.approx(2 * perimeter, rel=1e-3)
    # The longest outline for radii from rho - 2 cm to rho + 2 cm.
    assert sums.bug2 == pytest.approx(6.0 + perimeter + 2 * math.pi * 0.02, rel=1e-3)
