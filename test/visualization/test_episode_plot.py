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

"""Plot of a run: presence and position of its elements."""

import dataclasses

from bug_nav.navigation.algorithms.bug2 import Bug2
from bug_nav.navigation.algorithms.registry import find, registered
from bug_nav.navigation.geometry import Pose
from bug_nav.navigation.settings import RobotModel, Settings
from bug_nav.simulation.catalogue import find_world
from bug_nav.simulation.episode import run_episode
from bug_nav.simulation.movers import Person
from bug_nav.simulation.world import World
from bug_nav.visualization.episode_plot import (
    draw,
    has_arrived,
    phase_of,
    phases,
    save,
    subtitle,
    verdict_of,
)
from bug_nav.visualization.labels import place_labels
from bug_nav.visualization.record import Mark, record_of, RunRecord, Step
from matplotlib.colors import to_hex
from matplotlib.text import Text
import numpy as np
import pytest

SETTINGS = Settings()
MODEL = RobotModel()
RHO = MODEL.robot_radius + SETTINGS.clearance


def record(name, shortest_path=None):
    world = find_world(name)
    episode = run_episode(world, Pose(*world.start), world.goal, Bug2())
    return record_of(episode, 'Bug2', 'left', goal_tolerance=0.1,
                     robot_radius=MODEL.robot_radius, contour_radius=RHO,
                     shortest_path=shortest_path)


@pytest.fixture(scope='module')
def box():
    return record('box', 6.41)


def parts(figure, gid):
    """Return the artists with a name."""
    return figure.findobj(lambda artist: (artist.get_gid() or '').startswith(gid))


def texts(figure):
    return [text.get_text() for text in figure.findobj(Text)]


def test_world_robot_goal_and_m_line_are_to_scale(box):
    figure = draw(box)
    solids, = parts(figure, 'solids')
    assert len(solids.get_paths()) == len(box.world.solids)
    robot, = parts(figure, 'robot at the start')
    assert robot.get_radius() == MODEL.robot_radius
    assert tuple(robot.get_center()) == (0.0, 0.0)
    tolerance, = parts(figure, 'goal tolerance')
    assert tolerance.get_radius() == 0.1
    m_line, = parts(figure, 'm_line')
    assert np.array_equal(m_line.get_xydata(), [[0.0, 0.0], [6.0, 0.0]])
    assert figure.axes[0].get_aspect() == 1.0


def test_path_is_complete_and_colored_by_state(box):
    lines = parts(draw(box), 'path')
    assert [line.get_gid() for line in lines] == [
        'path: motion to goal', 'path: boundary following', 'path: motion to goal']
    assert len({to_hex(line.get_color()) for line in lines}) == 2
    for before, after in zip(lines, lines[1:]):
        assert np.array_equal(before.get_xydata()[-1], after.get_xydata()[0])
    length = sum(np.hypot(*np.diff(line.get_xydata(), axis=0).T).sum() for line in lines)
    assert length == pytest.approx(box.path_length, abs=0.01)


def test_hit_and_leave_points_are_numbered_at_their_positions(box):
    figure = draw(box)
    for kind in ('hit', 'leave'):
        drawn, = parts(figure, kind)
        wanted = [mark.place for mark in box.marks if mark.kind == kind]
        assert np.allclose(drawn.get_xydata(), wanted)
    assert {'H1', 'L1', 'start', 'goal'} <= set(texts(figure))


def test_titles_and_legend_describe_the_run(box):
    found = texts(draw(box))
    assert 'Bug2 in box, turning left' in found and 'REACHED' in found
    assert {'motion to goal', 'boundary following', 'M-line', 'hit point', 'leave point',
            'contour at 0.224 m'} <= set(found)
    assert 'shortest path 6.41 m' in subtitle(box)


def test_unreachable_goal_is_shown_with_its_reason():
    ring = record('ring_goal')
    found = texts(draw(ring))
    assert 'UNREACHABLE' in found and ring.message in found
    assert 'shortest path' not in subtitle(ring)


def test_certificate_is_drawn_closed_and_named_only_if_it_exists(box):
    ring = record('ring_goal')
    figure = draw(ring)
    drawn, = parts(figure, 'certificate')
    assert np.array_equal(drawn.get_xydata(), [*ring.certificate, ring.certificate[0]])
    assert 'certificate' in texts(figure)
    assert not parts(draw(box), 'certificate') and 'certificate' not in texts(draw(box))


def test_walker_beside_the_run_is_in_view(box):
    route = np.array([(2.0, 3.5), (4.0, 3.5)])
    world = World('w', box.world.solids[:1], box.world.start, box.world.goal,
                  movers=(Person('ann', route),))
    figure = draw(dataclasses.replace(box, world=world))
    assert figure.axes[0].get_ylim()[1] > 3.75


def test_whole_path_is_in_view(box):
    axes = draw(box).axes[0]
    (x0, x1), (y0, y1) = axes.get_xlim(), axes.get_ylim()
    for step in box.steps:
        assert x0 < step.pose.x < x1 and y0 < step.pose.y < y1


def test_contour_has_the_clearance_rho(box):
    # Its type depends on the version of matplotlib, its place above the others does not.
    drawn, = [each for each in draw(box).axes[0].collections if each.get_zorder() == 1.5]
    points = np.vstack([path.vertices for path in drawn.get_paths()])
    assert np.abs(box.world.clearance(points) - RHO).max() < 0.01


def test_unreachable_space_has_no_contour():
    """A contour in an inaccessible room would look like a path."""
    from bug_nav.visualization.contour import contour_field
    world = find_world('ring_goal')
    x, y, field = contour_field(world, RHO, np.array([world.start[:2]]), np.array((-1.0, -3.0)),
                                np.array((7.0, 3.0)))
    inside = (np.abs(x[None, :] - 4.5) < 0.5) & (np.abs(y[:, None]) < 0.5)
    outside = (x[None, :] < 2.0) & (y[:, None] < 10.0)
    assert (field[inside] < 0.0).all() and (field[outside] > 0.0).all()


def test_states_have_phases():
    assert phase_of('motion_to_goal').label == 'motion to goal'
    assert phase_of('bug2/boundary_following/turning').label == 'boundary following'
    assert phase_of('return_to_leave_point/boundary_following').label == 'return to a leave point'
    assert phase_of('waiting_for_scan').label == 'other'


def test_last_tick_belongs_to_the_previous_phase():
    steps = (Step(Pose(0, 0, 0), 'motion_to_goal'), Step(Pose(1, 0, 0), ''))
    (phase, stretch), = phases(steps)
    assert phase.label == 'motion to goal' and len(stretch) == 2


@pytest.mark.parametrize('steps', [(), (Step(Pose(0, 0, 0), ''),)])
def test_run_without_motion_is_plotted(steps, tmp_path):
    nothing = RunRecord(World('', ()), 'Bug2', '', Pose(0, 0, 0), (0.0, 0.0), 0.1, 0.1, 0.2,
                        'scan_stale', 'no scan', steps, (), 0.0, 0.0)
    save(nothing, tmp_path / 'nothing.png')
    assert (tmp_path / 'nothing.png').stat().st_size > 1000


def test_plot_of_the_same_run_has_the_same_size(box, tmp_path):
    for name in ('a.svg', 'b.svg'):
        save(box, tmp_path / name)
    # Only the IDs of clip paths are random.
    sizes = {(tmp_path / name).stat().st_size for name in ('a.svg', 'b.svg')}
    assert len(sizes) == 1


def test_global_settings_of_matplotlib_are_unchanged(box):
    import matplotlib
    before = dict(matplotlib.rcParams)
    draw(box)
    assert dict(matplotlib.rcParams) == before


def test_labels_do_not_overlap():
    world = World('', ())
    places = place_labels(['H1', 'L1', 'H2'], [(0.0, 0.0)] * 3, [0.1] * 3, [], [], world, 0.1, 0.2)
    for i, a in enumerate(places):
        for b in places[:i]:
            assert abs(a[0] - b[0]) >= 0.2 or abs(a[1] - b[1]) >= 0.2


def test_m_line_is_not_drawn_for_an_algorithm_without_one(box):
    figure = draw(dataclasses.replace(box, has_m_line=False))
    assert not parts(figure, 'm_line') and 'M-line' not in texts(figure)
    assert {name for name in registered() if find(name).metadata.m_line} == {
        'alg1', 'bug2', 'bug_m1', 'rev1', 'vis_bug_21', 'vis_bug_22'}


def test_return_path_does_not_hide_the_lap_below_it(box):
    half = len(box.steps) // 2
    lap = [Step(step.pose, 'boundary_following') for step in box.steps]
    back = [Step(step.pose, 'return_to_leave_point') for step in reversed(box.steps[half:])]
    one, other = parts(draw(dataclasses.replace(box, steps=(*lap, *back))), 'path')
    assert one.get_linestyle() == '-' and other.get_linestyle() != '-'
    assert other.get_zorder() > one.get_zorder() and not other.get_path_effects()


@pytest.mark.parametrize('numbers, label', [
    ([1], 'H1'), ([2, 3, 4], 'H2-4'), ([1, 3], 'H1,3'), ([1, 3, 5, 7, 9, 10], 'H1,3,...,9-10')])
def test_points_at_the_same_position_share_a_label(box, numbers, label):
    marks = tuple(Mark('hit', number, (3.0, 0.0)) for number in numbers)
    found = texts(draw(dataclasses.replace(box, marks=marks)))
    assert [text for text in found if text.startswith('H')] == [label]


def test_goal_reached_by_the_estimate_alone_is_not_shown_as_success(box):
    short = dataclasses.replace(box, steps=box.steps[:-40], goal_missed=True)
    found = texts(draw(short))
    assert short.outcome == 'reached' and 'REACHED' not in found
    assert 'REACHED BY ITS OWN ESTIMATE' in found
    assert (f'the estimated position is off: the robot truly is {short.goal_error:.2f} m from the '
            'goal' in found)
    assert to_hex(verdict_of(short)[0]) != to_hex(verdict_of(box)[0])


@pytest.mark.parametrize('missed', [False, True])
def test_uncertain_arrival_is_shown_with_its_message(box, missed):
    record = dataclasses.replace(box, outcome='reached_uncertain', goal_missed=missed,
                                 message='the position is only known to 0.41 m')
    found = texts(draw(record))
    assert 'REACHED UNCERTAIN' in found and has_arrived(record) is not missed
    assert any('only known to 0.41 m' in text for text in found)
    assert any('truly is' in text for text in found) is missed


def test_legend_omits_a_state_hidden_by_the_robot():
    ring = record('ring_goal')
    assert any(step.state.endswith('return_to_leave_point') for step in ring.steps)
    assert 'return to a leave point' not in texts(draw(ring))


def test_figure_can_be_displayed_in_a_notebook(box):
    assert draw(box)._repr_png_().startswith(b'\x89PNG')
