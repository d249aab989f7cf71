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
"""Actors, and extensions of SDF: doors, appearing objects, people, other robots."""

from __future__ import annotations

import math

from bug_nav.simulation.movers import AutomaticDoor, Person, Scripted
from bug_nav.simulation.other_robots import OtherRobot
from bug_nav.simulation.world import World
import numpy as np
import pytest
from sdf_files import read, rejection

BODY = ('<link name="l"><collision name="c"><pose>0 0 0.25 0 0 0</pose><geometry>'
        '<box><size>2 1 0.5</size></box></geometry></collision></link>')


def actor(script: str, attributes: str = '') -> str:
    return f'<actor name="a"{attributes}>\n<script>{script}</script></actor>'


def trajectory(*points: tuple, number: int = 0) -> str:
    """Return a trajectory through time, x, y, yaw."""
    return f'<trajectory id="{number}" type="walk">' + ''.join(
        f'<waypoint><time>{time}</time><pose>{x} {y} 0 0 0 {yaw}</pose></waypoint>'
        for time, x, y, yaw in points) + '</trajectory>'


def model(inside: str, pose: str = '3 4 0 0 0 1.5707963267948966') -> str:
    """Return a model with an element of bug_nav on line 5 of the file."""
    return f'<model name="m"><static>1</static><pose>{pose}</pose>{BODY}\n{inside}</model>'


def only(world: World):
    (mover,) = world.movers
    return mover


# Actors.

def test_actor_interpolates_its_waypoints_and_repeats(tmp_path):
    walker = only(read(tmp_path, actor(trajectory((0, 1, 2, 0), (2, 3, 2, 0), (3, 3, 3, 1.5)))))
    assert isinstance(walker, Scripted) and walker.name == 'a' and not walker.gives_way
    assert walker.script.at(1.0) == pytest.approx((2.0, 2.0, 0.0))
    assert walker.script.at(2.5) == pytest.approx((3.0, 2.5, 0.75))
    assert walker.script.at(4.0) == pytest.approx((2.0, 2.0, 0.0))
    (body,) = walker.parts
    assert np.hypot(*body.T).min() == pytest.approx(0.25, rel=0.04)


def test_actor_waits_for_its_delay_in_each_cycle(tmp_path):
    script = '<delay_start>5</delay_start>' + trajectory((0, 0, 0, 0), (2, 2, 0, 0))
    walker = only(read(tmp_path, actor(script)))
    for stamp, x in ((0.0, 0.0), (5.0, 0.0), (6.0, 1.0), (7.5, 0.0), (13.0, 1.0)):
        assert walker.script.at(stamp).x == pytest.approx(x)


def test_actor_without_a_loop_stays_at_its_last_waypoint(tmp_path):
    script = '<loop>false</loop>' + trajectory((1, 0, 0, 0), (2, 2, 0, 0))
    walker = only(read(tmp_path, actor(script)))
    assert walker.script.at(0.5).x == 0.0 and walker.script.at(99.0).x == 2.0
    assert len(walker.rests()) == 1


def test_trajectories_are_ordered_by_their_id(tmp_path):
    script = (trajectory((1, 9, 0, 0), (2, 8, 0, 0), number=7)
              + trajectory((2, 2, 0, 0), (0, 0, 0, 0), number=3))
    walker = only(read(tmp_path, actor(script)))
    for stamp, x in ((1.0, 1.0), (2.0, 2.0), (2.5, 9.0), (3.0, 9.0), (3.5, 8.5)):
        assert walker.script.at(stamp).x == pytest.approx(x)


def test_trajectory_without_waypoints_is_skipped(tmp_path):
    script = trajectory() + trajectory((0, 0, 0, 0), (2, 2, 0, 0), number=1)
    assert only(read(tmp_path, actor(script))).script.at(1.0).x == pytest.approx(1.0)


@pytest.mark.parametrize('script', [
    '', '<auto_start>0</auto_start>' + trajectory((0, 5, 5, 0)), trajectory()])
def test_actor_without_a_trajectory_or_auto_start_stays_at_its_pose(tmp_path, script):
    text = actor(script).replace('<script>', '<pose>1 2 1 0 0 0.5</pose><script>')
    assert only(read(tmp_path, text)).script.at(3.0) == pytest.approx((1.0, 2.0, 0.5))


def test_attributes_of_bug_nav_set_legs_radius_and_manner_of_an_actor(tmp_path):
    script = trajectory((0, 0, 0, 0))
    legs = only(read(tmp_path, actor(script, ' bug_nav:legs="true"')))
    assert len(legs.parts) == 2
    assert sorted(part[:, 1].mean() for part in legs.parts) == pytest.approx([-0.13, 0.13])
    walk = trajectory((0, 0, 0, 0), (2, 3, 0, 0), (3, 3, 0, 1), (5, 3, 1, 1))
    polite = only(read(tmp_path, actor(walk, ' bug_nav:manner="yields"')))
    assert polite.manner == 'yields' and polite.speed == pytest.approx(1.5)
    assert polite.route == pytest.approx(np.array([(0, 0), (3, 0), (3, 1)]))
    wide = only(read(tmp_path, actor(script, ' bug_nav:radius="0.4"')))
    assert np.hypot(*wide.parts[0].T).min() == pytest.approx(0.4, rel=0.04)


def test_skin_animation_and_plugin_of_an_actor_are_skipped(tmp_path):
    text = actor(trajectory((0, 0, 0, 0))).replace('<script>', (
        '<skin><filename>walk.dae</filename></skin><animation name="walk">'
        '<filename>walk.dae</filename></animation><plugin name="p" filename="f"/><script>'))
    assert only(read(tmp_path, text)).name == 'a'


# Moving models.

def test_model_moves_through_its_waypoints(tmp_path):
    world = read(tmp_path, model(
        '<bug_nav:moves loop="false"><bug_nav:waypoint time="0" pose="3 4 0"/>'
        '<bug_nav:waypoint time="2" pose="5 4 0"/></bug_nav:moves>'))
    box = only(world)
    assert world.solids == () and box.gives_way
    assert np.abs(box.parts[0]) == pytest.approx(np.tile((1.0, 0.5), (4, 1)))
    assert box.script.at(1.0) == pytest.approx((4.0, 4.0, 0.0))
    (end,) = world.settled.solids
    assert end.min(axis=0) == pytest.approx((4.0, 3.5))


def test_moves_are_a_loop_by_default(tmp_path):
    door = only(read(tmp_path, model(
        '<bug_nav:moves gives_way="false"><bug_nav:waypoint time="0" pose="0 0 0"/>'
        '<bug_nav:waypoint time="2" pose="0 0 1"/><bug_nav:waypoint time="4" pose="0 0 0"/>'
        '</bug_nav:moves>')))
    assert not door.gives_way and door.script.at(5.0).theta == pytest.approx(0.5)


def test_last_of_two_waypoints_with_one_time_counts(tmp_path):
    walker = only(read(tmp_path, actor(trajectory((0, 0, 0, 0), (0, 1, 0, 0), (2, 5, 0, 0),
                                                  (2, 3, 0, 0)))))
    assert walker.script.at(0.0).x == 1.0
    assert walker.script.at(1.0).x == pytest.approx(2.0)


@pytest.mark.parametrize('script', ['', '<script/>', '<script><dance/></script>'])
def test_actor_without_a_trajectory_stands_at_its_pose(tmp_path, script):
    walker = only(read(tmp_path, f'<actor name="a"><pose>1 2 0 0 0 0</pose>{script}</actor>'))
    assert walker.script.at(7.0).position == (1.0, 2.0)


def test_door_is_shut_at_the_pose_of_its_model(tmp_path):
    door = only(read(tmp_path, model(
        '<bug_nav:door open="3 6 1.5707963267948966" duration="3" within="2"/>')))
    assert isinstance(door, AutomaticDoor)
    assert door.shut == pytest.approx((3.0, 4.0, math.pi / 2))
    assert door.opened == pytest.approx((3.0, 6.0, math.pi / 2))
    assert (door.duration, door.within) == (3.0, 2.0)
    assert np.abs(door.parts[0]) == pytest.approx(np.tile((1.0, 0.5), (4, 1)))


def test_model_is_present_from_since_until_until(tmp_path):
    box = only(read(tmp_path, model('<bug_nav:there since="5" until="20"/>')))
    assert [box.is_present(stamp) for stamp in (4.9, 5.0, 19.9, 20.0)] == [
        False, True, True, False]
    assert box.script.at(7.0) == pytest.approx((3.0, 4.0, math.pi / 2)) and box.gives_way
    stays = only(read(tmp_path, model('<bug_nav:there since="5"/>')))
    assert stays.is_present(1e9) and len(stays.rests()) == 1


def test_nested_model_moves_with_its_model_but_others_do_not(tmp_path):
    inner = f'<model name="inner"><pose>0 3 0 0 0 0</pose>{BODY}</model>'
    still = f'<model name="still"><static>1</static>{BODY}</model>'
    world = read(tmp_path, model(f'{inner}<bug_nav:there since="1"/>', '0 0 0 0 0 0') + still)
    assert len(only(world).parts) == 2 and len(world.solids) == 1


# People and robots.

def test_person_has_a_route_and_manners(tmp_path):
    world = read(tmp_path, '<bug_nav:person route="0 0  3 0  3 2" speed="0.8" manner="stubborn" '
                           'pause="2" radius="0.3" legs="true"/>'
                           '<bug_nav:person name="Ann" route="1 1 2 2"/>')
    one, other = world.movers
    assert isinstance(one, Person) and one.name == 'person_1'
    assert one.route.tolist() == [[0, 0], [3, 0], [3, 2]] and one.legs
    assert (one.speed, one.manner, one.pause, one.radius) == (0.8, 'stubborn', 2.0, 0.3)
    assert (other.name, other.speed, other.manner, other.radius) == ('Ann', 1.0, 'yields', 0.25)


def test_robot_element_is_another_robot(tmp_path):
    world = read(tmp_path, '<bug_nav:robot start="1 2 0.5" goal="3 4"/>'
                           '<bug_nav:robot start="5 2 0" goal="3 4" algorithm="bug1"/>')
    assert world.other_robots == (OtherRobot((1.0, 2.0, 0.5), (3.0, 4.0), 'bug2'),
                                  OtherRobot((5.0, 2.0, 0.0), (3.0, 4.0), 'bug1'))


# Invalid elements.

POINT = trajectory((0, 0, 0, 0))
WAYPOINT = '<bug_nav:waypoint time="0" pose="0 0 0"/>'


@pytest.mark.parametrize('body, line, parts', [
    (actor(trajectory((-1, 0, 0, 0), (0, 1, 0, 0))), 5, ("'a'", '-1 s', '0 or more')),
    (actor(trajectory(('nan', 0, 0, 0))), 5, ('time must be 1',)),
    (actor(trajectory((0, 'x', 0, 0))), 5, ('pose must be 6',)),
    (actor('<delay_start>-1</delay_start>' + POINT), 5, ('delay_start', '-1')),
    (actor('<trajectory id="0" type="w"><waypoint><time>0</time></waypoint></trajectory>'), 5,
     ('<time> and <pose>',)),
    (actor(trajectory(*((k, 0, 0, 0) for k in range(1001)))), 5, ('1001 waypoints',)),
    ('<bug_nav:person route="0 0 1 1" radius="nan"/>', 4, ('radius must be 1',)),
    (actor(POINT, ' bug_nav:legs="two"'), 4, ('bug_nav:legs', "'two'")),
    (actor(POINT, ' bug_nav:radius="9"'), 4, ('bug_nav:radius is 9',)),
    (actor(POINT, ' bug_nav:lges="true"'), 4, ("'bug_nav:lges'", 'bug_nav:legs')),
    (actor(POINT).replace('<script>', '<link name="l"/><script>'), 5, ('<link>', 'moves')),
    (actor(POINT) + actor(POINT), 5, ("second mover is called 'a'",)),
    (model('<bug_nav:moves/>'), 5, ('<bug_nav:moves>', '0 times')),
    (model('<bug_nav:moves speed="1"/>'), 5, ("'speed'", 'loop')),
    (model('<bug_nav:moves><pose/></bug_nav:moves>'), 5, ('<pose>',)),
    (model(f'<bug_nav:moves>{WAYPOINT}{WAYPOINT}</bug_nav:moves>'), 5, ('have to increase',)),
    (model(f'<bug_nav:moves>{WAYPOINT * 1001}</bug_nav:moves>'), 5, ('1001 waypoints',)),
    (model('<bug_nav:moves><bug_nav:waypoint time="0"/></bug_nav:moves>'), 5, ('no pose',)),
    (model('<bug_nav:moves>\n<bug_nav:waypoint time="0" pose="0 0"/></bug_nav:moves>'), 6,
     ('pose must be 3',)),
    (model('<bug_nav:door/>'), 5, ('<bug_nav:door>', 'no open')),
    (model('<bug_nav:door open="0 0 0" duration="0"/>'), 5, ('duration is 0',)),
    (model('<bug_nav:door open="0 0 0" within="-1"/>'), 5, ('within is -1',)),
    (model('<bug_nav:door open="0 0 0"/>\n<bug_nav:there/>'), 5, ('<bug_nav:there>',)),
    (model('<bug_nav:there/>\n<bug_nav:there/>'), 6, ('second <bug_nav:there>',)),
    (model('<bug_nav:there since="5" until="5"/>'), 5, ('since 5 and until 5',)),
    (model('<bug_nav:there since="-1"/>'), 5, ('since -1',)),
    (model('<bug_nav:their since="1"/>'), 5, ('<bug_nav:their>',)),
    (model('<bug_nav:there/>', '0 0 0 1 0 0'), 5, ("'m'", 'upright')),
    (model('<bug_nav:there/>', '0 0 5 0 0 0'), 4, ("'m'", 'height of the lidar')),
    (f'<model name="a"><static>1</static>{model("<bug_nav:there/>")}</model>', 5, ("'a/m'",)),
    ('<bug_nav:person/>', 4, ('route', '0 numbers')),
    ('<bug_nav:person route="0 0 1"/>', 4, ('3 numbers',)),
    ('<bug_nav:person route="0 0 1 x"/>', 4, ('route must be 4',)),
    ('<bug_nav:person route="0 0 1 1" manner="rude"/>', 4, ("'rude'", 'yields')),
    ('<bug_nav:person route="0 0 1 1" speed="99"/>', 4, ('99', 'up to 10 m/s')),
    ('<bug_nav:person route="0 0 1 1" sped="1"/>', 4, ("'sped'", 'speed')),
    (f'<bug_nav:person route="{"0 0 " * 1001}"/>', 4, ('2002 numbers',)),
    ('\n'.join('<bug_nav:person route="0 0 1 1"/>' for _ in range(201)), 204, ('200',)),
    ('<bug_nav:robot goal="0 0"/>', 4, ('<bug_nav:robot>', 'no start')),
    ('<bug_nav:robot start="0 0 0"/>', 4, ('no goal',)),
    ('<bug_nav:robot start="0 0 0" goal="0 0" algorithm="bug9"/>', 4, ("'bug9'",)),
    ('<bug_nav:robot start="0 0 0" goal="0 0" robot="x"/>', 4, ("'robot'",)),
    ('\n'.join('<bug_nav:robot start="0 0 0" goal="0 0"/>' for _ in range(21)), 24, ('20',)),
    ('<bug_nav:peson route="0 0 1 1"/>', 4, ('<bug_nav:peson>',))])
def test_invalid_mover_is_rejected_with_name_and_line(tmp_path, body, line, parts):
    message = rejection(tmp_path, body)
    assert 'my.world' not in message
    assert message.startswith(f':{line}: '), message
    assert all(part in message for part in parts), message


def test_elements_of_other_namespaces_are_skipped(tmp_path):
    world = read(tmp_path, '<x:crowd xmlns:x="urn:x"/>' + model('<x:y xmlns:x="urn:x"/>'))
    assert len(world.solids) == 1 and world.movers == ()
