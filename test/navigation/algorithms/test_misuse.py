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

"""Mistakes in the code of an algorithm are explained to its author."""

from __future__ import annotations

import dataclasses
import math
import sys

from arena import Scripted, world_of
from bug_nav import (
    Along,
    follow_boundary,
    meet_boundary,
    move_to_goal,
    Outcome,
    Result,
    Step,
    Twist,
    Unreachable,
)
from bug_nav.simulation.catalogue import find_world
from bug_nav.simulation.episode import run_episode
import numpy as np
import pytest


class Own(Scripted):
    """An algorithm whose `run` is the script itself."""

    def run(self, robot):
        return self.script(robot)


def finding_of_a_generator(robot):
    hit = move_to_goal(robot)
    meet_boundary(robot, hit)
    yield robot.to_goal()


def number(robot):
    yield 3


def element_of_a_generator(robot):
    distance = move_to_goal(robot)[0]
    yield robot.to_goal(distance)


def rule_that_is_a_number(robot):
    hit = yield from move_to_goal(robot)
    yield from follow_boundary(robot, meet_boundary(robot, hit), 0.5)


def rule_without_arguments(robot):
    hit = yield from move_to_goal(robot)
    yield from follow_boundary(robot, meet_boundary(robot, hit), lambda: True)


def yields_at_the_end(robot):
    try:
        while True:
            yield robot.to_goal()
    finally:
        yield robot.to_goal()


def exits_at_the_end(robot):
    try:
        while True:
            yield robot.to_goal()
    finally:
        sys.exit('bye')


def exits(robot):
    yield robot.to_goal()
    sys.exit('bye')


def not_finite(robot):
    yield Twist(0.1, math.nan)


def along_nothing(robot):
    yield Along(math.inf)


def generator(robot):
    yield move_to_goal(robot)


def nothing(robot):
    yield


def nested(robot):
    yield from number(robot)


def returned_intent(robot):
    return robot.to_goal()


def no_yield(robot):
    move_to_goal(robot)


def end(robot):
    yield robot.to_goal()


def name_of_an_outcome(robot):
    yield robot.to_goal()
    return Result('unreachable', 'there is no way')


def number_as_a_message(robot):
    yield robot.to_goal()
    raise Unreachable(3, 'far')


@pytest.mark.parametrize('script, parts', [
    (finding_of_a_generator, ('Own uses a generator as the finding of a behavior', 'yield from')),
    (finding_of_a_generator, ('test_misuse.py:',)),
    (element_of_a_generator, ('Own uses a generator as the finding', 'test_misuse.py:')),
    (rule_that_is_a_number, ('Own passes a rule that is no function (', 'test_misuse.py:',
                             'give a function of the robot')),
    (rule_without_arguments, ('Own passes a rule with other arguments (', 'test_misuse.py:',
                              'give a function of the robot')),
    (exits, ("Own has called sys.exit('bye') (", 'test_misuse.py:', 'raise Unreachable')),
    (number, ('Own has yielded 3 instead of an intent (', 'test_misuse.py:')),
    (nested, ('Own has yielded 3 instead of an intent (', 'test_misuse.py:')),
    (nothing, ('Own has yielded None instead of an intent (', 'yield robot.to_goal()')),
    (not_finite, ('Own has yielded Twist(v=0.1, w=nan, u=0.0), which is not a finite velocity (',
                  'test_misuse.py:')),
    (along_nothing, ('Own has yielded Along(heading=inf', 'is not a finite velocity (')),
    (generator, ('Own has yielded the generator move_to_goal(...)', 'yield from')),
    (returned_intent, ('Own.run has returned Towards(', 'instead of yielding', 'robot.to_goal()')),
    (no_yield, ('Own.run contains no `yield` and has returned None', 'yield from')),
    (end, ('Own has ended with None instead of a Result', 'raise Unreachable')),
    (name_of_an_outcome, ("Own has ended with a Result in which the outcome 'unreachable' is not "
                          'an Outcome',)),
    (number_as_a_message, ("the message 3 is not a text and the lap_length 'far' is not a number",
                           "such as Result(Outcome.BLOCKED, 'no way on')"))])
def test_mistake_is_explained_in_one_sentence(script, parts):
    world = find_world('box')
    result = run_episode(world, world.start, world.goal, Own(script), time_allowance=60.0).result
    assert result.outcome is Outcome.INTERNAL
    assert all(part in result.message for part in parts) and '\n' not in result.message


@pytest.mark.parametrize('lap', [3, np.float32(3.0), 3.0])
def test_lap_length_may_be_any_number(lap):
    def script(robot):
        yield robot.to_goal()
        return Result(Outcome.BLOCKED, 'no way', lap)
    result = run_episode(world_of(), (0.0, 0.0, 0.0), (5.0, 0.0), Own(script)).result
    assert result[:3] == (Outcome.BLOCKED, 'no way', 3.0)
    assert type(result.lap_length) is float  # a message of ROS accepts no other


@pytest.mark.parametrize('script, parts', [
    (yields_at_the_end, ('Own yields after its end was requested (', 'test_misuse.py:',
                         '`finally`')),
    (exits_at_the_end, ("Own has called sys.exit('bye') (", 'test_misuse.py:'))])
def test_mistake_at_the_end_of_a_reached_goal_is_explained_in_one_sentence(script, parts):
    result = run_episode(world_of(), (0.0, 0.0, 0.0), (1.0, 0.0), Own(script)).result
    assert result.outcome is Outcome.INTERNAL
    assert all(part in result.message for part in parts) and '\n' not in result.message


def test_mistake_before_the_generator_exists_is_explained():
    class Early(Scripted):

        def run(self, robot):
            return meet_boundary(robot, move_to_goal(robot))
    result = run_episode(world_of(), (0.0, 0.0, 0.0), (5.0, 0.0), Early(end)).result
    assert result.outcome is Outcome.INTERNAL
    assert result.message.startswith('Early uses a generator as the finding of a behavior (')


class Stepping(Scripted):
    """An algorithm with two steps."""

    steps = (Step('1', 'Move.'), Step('2a', 'Follow.'))


@pytest.mark.parametrize('step, message', [
    ('9', "unknown step '9'; `Algorithm.steps` declares '1' and '2a'"),
    ('2', "unknown step '2'; did you mean '2a'? `Algorithm.steps` declares '1' and '2a'")])
def test_step_that_is_not_declared_is_explained(step, message):
    def script(robot):
        robot.enter_step(step)
        yield robot.to_goal()
    result = run_episode(world_of(), (0.0, 0.0, 0.0), (5.0, 0.0), Stepping(script)).result
    assert (result.outcome, result.message) == (Outcome.INTERNAL, message)


@pytest.mark.parametrize('kind', [Stepping, Scripted])
def test_declared_step_or_any_without_a_declaration_is_entered(kind):
    def script(robot):
        robot.enter_step('2a')
        yield robot.to_goal()
        return robot.ledger.step
    algorithm = kind(script)
    run_episode(world_of(), (0.0, 0.0, 0.0), (5.0, 0.0), algorithm)
    assert algorithm.returned == '2a'


def test_error_in_an_algorithm_is_not_taken_for_misuse():
    def script(robot):
        yield robot.no_such_attribute
    with pytest.raises(AttributeError, match='no_such_attribute'):
        run_episode(world_of(), (0.0, 0.0, 0.0), (5.0, 0.0), Own(script), time_allowance=10.0)


@pytest.mark.parametrize('field, value', [('sensing', 'lidar'), ('turn', 'left')])
def test_unknown_value_in_facts_is_rejected(field, value):
    with pytest.raises(ValueError, match=f"{field} of Scripted is '{value}'; allowed are '"):
        dataclasses.replace(Scripted.metadata, **{field: value})
