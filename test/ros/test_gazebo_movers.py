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
"""bug_movers with a mock Gazebo."""

import math

from bug_nav.simulation.catalogue import find_world
from bug_nav.simulation.scene import Scene
from gazebo_msgs.msg import ModelStates
from gazebo_msgs.srv import SetEntityState
from geometry_msgs.msg import Point, Pose
import pytest
from rosgraph_msgs.msg import Clock

pytestmark = pytest.mark.ros
MOVERS = 'bug_nav.ros.sim.gazebo_movers'
HEIGHT = 0.25
"""Height of the frames of all models [m]."""


class Gazebo:
    """A mock of Gazebo with a clock, models that can be moved, and a robot."""

    def __init__(self, stack, names, time):
        self.stack, self.moves, self.time = stack, [], time
        raised = Pose(position=Point(z=HEIGHT))
        self.places = {'burger': Pose(), **dict.fromkeys(names, raised)}
        self._clock = stack.node.create_publisher(Clock, '/clock', 10)
        self._states = stack.node.create_publisher(ModelStates, '/gazebo/model_states', 10)
        stack.node.create_service(SetEntityState, '/gazebo/set_entity_state', self._put)

    def _put(self, request, response):
        self.moves.append((self.time, request.state.name))
        self.places[request.state.name] = request.state.pose
        response.success = True
        return response

    def run(self, until):
        """Advance to a time [s], and handle the requests of bug_movers."""
        while self.time < until:
            self.time += 0.05
            message = Clock()
            message.clock.sec = int(self.time)
            message.clock.nanosec = round((self.time % 1.0) * 1e9) % 1_000_000_000
            self._states.publish(ModelStates(
                name=list(self.places), pose=list(self.places.values())))
            self._clock.publish(message)
            for _ in range(10):  # each handles one request
                self.stack.executor.spin_once(timeout_sec=0.005)


def places_at(stamp):
    """Return the poses of the people of the crowd at a time, without obstructions."""
    world = find_world('crowd')
    scene = Scene(world)
    for step in range(1, round(stamp / 0.05) + 1):
        scene.step(0.05 * step, 0.05)
    return {mover.name: body.pose for mover, body in zip(world.movers, scene.bodies)}


@pytest.fixture
def play(make_stack):
    def start(world, time=0.0, **parameters):
        stack = make_stack()
        movers = find_world(world).movers
        gazebo = Gazebo(stack, [mover.name for mover in movers], time)
        stack.movers = stack.start(MOVERS, world=world, use_sim_time=True, **parameters)
        names = {mover.name for mover in movers}
        stack.wait(lambda: gazebo.run(gazebo.time + 0.05)
                   or names <= {name for _, name in gazebo.moves})
        return gazebo, {mover.name: mover for mover in movers}
    return start


def test_people_follow_their_scripts(play):
    gazebo, people = play('crowd')
    gazebo.run(gazebo.time + 3.0)
    before = places_at(gazebo.time - 0.2), places_at(gazebo.time)
    for name in people:
        found = gazebo.places[name].position
        (x0, y0), (x1, y1) = (places[name].position for places in before)
        assert min(x0, x1) - 0.02 <= found.x <= max(x0, x1) + 0.02
        assert min(y0, y1) - 0.02 <= found.y <= max(y0, y1) + 0.02


def test_door_opens_for_the_robot(play):
    gazebo, _ = play('doors')
    assert gazebo.places['sliding'].position.y == pytest.approx(2.0)
    gazebo.places['burger'].position.x, gazebo.places['burger'].position.y = 5.2, 2.0
    gazebo.run(gazebo.time + 4.0)
    assert gazebo.places['sliding'].position.y == pytest.approx(0.98, abs=1e-6)
    assert gazebo.places['sliding'].position.z == HEIGHT
    # A model that does not move causes no more requests.
    del gazebo.moves[:]
    gazebo.run(gazebo.time + 0.5)
    assert 'sliding' not in [name for _, name in gazebo.moves]


def test_movers_join_a_gazebo_that_has_run_for_days(play):
    gazebo, people = play('crowd', 1e6)
    before = dict(gazebo.places)
    gazebo.run(gazebo.time + 2.0)
    assert any(gazebo.places[name].position != before[name].position for name in people)


def test_robot_pose_that_is_not_finite_is_dropped(play):
    gazebo, _ = play('doors')
    gazebo.places['burger'].position.x = math.nan
    gazebo.stack.wait(lambda: gazebo.run(gazebo.time + 0.05) or (
        'the robot burger: the pose has a number that is not finite' in (
            gazebo.stack.movers.output)))
    gazebo.places['burger'].position.x, gazebo.places['burger'].position.y = 5.2, 2.0
    gazebo.run(gazebo.time + 4.0)
    assert gazebo.places['sliding'].position.y == pytest.approx(0.98, abs=1e-6)


def test_box_is_below_the_ground_until_it_appears(play, tmp_path):
    file = tmp_path / 'box.world'
    file.write_text("""<sdf version="1.6" xmlns:bug_nav="urn:bug_nav"><world name="w">
        <model name="box"><static>1</static><pose>3 1 0 0 0 0</pose>
          <bug_nav:there since="2"/><link name="l"><collision name="c"><geometry>
            <box><size>1 1 1</size></box></geometry></collision></link></model>
        </world></sdf>""")
    gazebo, _ = play(str(file))
    assert gazebo.time < 1.9 and gazebo.places['box'].position.z == -10.0
    gazebo.run(gazebo.time + 2.5)
    place = gazebo.places['box'].position
    assert (place.x, place.y, place.z) == (3.0, 1.0, HEIGHT)


def test_reset_restarts_the_scripts(play):
    gazebo, _ = play('crowd')
    gazebo.run(gazebo.time + 4.0)
    gazebo.time = 0.0
    gazebo.run(0.5)
    assert gazebo.places['ann'].position.y == pytest.approx(places_at(0.5)['ann'].y, abs=0.12)
    assert gazebo.places['ann'].position.y < 1.5


def test_unknown_world_is_reported_without_a_traceback(make_stack):
    stack = make_stack()
    process = stack.start(MOVERS, world='nowhere')
    assert process.wait() != 0
    assert "unknown world 'nowhere'" in process.output
    assert 'Traceback' not in process.output
