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

"""One trial: drive, let something go wrong, see what the robot does, and send the next goal."""

from __future__ import annotations

import dataclasses
import math
from random import Random
from typing import Any, Callable, Iterator, Optional

from bug_nav.core.geometry import distance
from trials.fault import Kind
from trials.judge import bound_of, NEXT_BOUND, Seen
from trials.navigator import Goal, Lost, Navigator
from trials.robot import LockstepRobot, STEP
from trials.scenes import Moment, some_moment

SETTLE = 70
"""Ticks without a goal after the robot was put elsewhere: no odometry from before is left."""
WARM = (30, 90)
"""The fault begins so many ticks after the goal."""
AFTER = 12
"""Ticks for which the robot is watched after the goal has ended, the fault still there."""
CLEAN = 20
"""Ticks without the fault before the next goal."""


class Trial:
    """A trial of one kind at a random moment."""

    def __init__(self, robot: LockstepRobot, navigator: Navigator, kind: Kind, random: Random):
        """Choose the moment."""
        self.robot, self.navigator, self.kind, self.random = robot, navigator, kind, random
        self.moment: Moment = some_moment(random)
        self.goal: Optional[Goal] = None
        """The goal that is looked at; who does something to the trial may put another here."""
        self.seen = Seen(kind.name, self.moment.world.name, self.moment.algorithm,
                         self.moment.mode)
        self._moved_at = -math.inf

    def run(self) -> Seen:
        """Run it; what the node failed to answer is part of what was seen."""
        try:
            self._run()
        except Lost as lost:
            self.seen = dataclasses.replace(self.seen, lost=str(lost))
        finally:
            self.robot.end()
        robot = self.robot
        self.seen = dataclasses.replace(
            self.seen, contacts=robot.sim.contacts, missing=self.seen.missing + robot.missing,
            alive=self.navigator.alive)
        return self.seen

    def _run(self) -> None:
        robot, moment = self.robot, self.moment
        robot.place(moment.world, moment.start, self.random.randrange(2 ** 31))
        self.idle(SETTLE)
        self.goal = self.navigator.send(*moment.goal, moment.algorithm)
        if self.goal is None:
            raise Lost('the goal before the fault was rejected')
        for _ in range(self.random.randint(*WARM)):
            if not self.goal.ended:
                self._step(expects=True)
        if self.goal.ended:  # too near, or the robot could not do without the fault either
            self.seen = dataclasses.replace(
                self.seen, lost=f'{self.goal.outcome} before the fault: {self.goal.message}')
            return
        robot.missing = 0
        self._with_fault()
        robot.end()
        if not robot.sim.contacts:
            self._next()

    def _with_fault(self) -> None:
        """Let it happen, and go on until the goal has ended or the time is up."""
        robot, kind = self.robot, self.kind
        fault = kind.make(self.random)
        robot.begin(fault)
        doing: Iterator[None] = fault.doing(self) if fault.doing else iter(())
        busy, bound = fault.doing is not None, bound_of(kind)
        self._moved_at = robot.onset
        while robot.stamp - robot.onset < bound and not robot.sim.contacts:
            busy = busy and next(doing, self) is not self  # an iterator that is over gives itself
            if not busy and (fault.doing or robot.stamp - robot.onset >= kind.span):
                robot.end()
            if not busy and self._has_ended():
                break
            self._step(expects=not kind.paced, paced=kind.paced and self.navigator.alive)
        ended_after = robot.stamp - robot.onset
        missing = robot.missing
        for _ in range(AFTER):
            if not robot.sim.contacts:
                self._step(expects=False)
        outcome, message = self._outcome()
        self.seen = dataclasses.replace(
            self.seen, outcome=outcome, message=message, ended_after=ended_after,
            stood_after=self._moved_at - robot.onset, missing=missing, stands=robot.stands,
            off=distance(robot.sim.pose.position, self.moment.goal))
        robot.missing = 0

    def _outcome(self) -> Any:
        if self.goal is None:
            return 'none', 'no goal'
        return self.goal.outcome or 'none', self.goal.message

    def _next(self) -> None:
        """Send the next goal, without the fault; a node that is gone is started anew."""
        robot = self.robot
        if not self.navigator.alive:
            self.navigator.start(lambda: robot.heard)
        self.idle(CLEAN)
        self.navigator.activate()
        where = self.moment.near(robot.sim.pose)
        goal = self.navigator.send(*where, self.moment.algorithm)
        if goal is None:
            self.seen = dataclasses.replace(self.seen, next_outcome='rejected')
            return
        self.goal, began = goal, robot.stamp
        while not goal.ended and robot.stamp - began < NEXT_BOUND and not robot.sim.contacts:
            self._step(expects=True)
        self.seen = dataclasses.replace(
            self.seen, next_outcome=goal.outcome or 'none', next_message=goal.message)

    def idle(self, ticks: int) -> None:
        """Let time pass without a goal."""
        for _ in range(ticks):
            self.robot.step()

    def wait(self, condition: Callable[[], bool], timeout: float = 10.0) -> bool:
        """Wait in the time of this machine, while the simulated time stands."""
        return self.robot.wait(condition, timeout)

    def _step(self, expects: bool, paced: bool = False) -> None:
        robot = self.robot
        robot.step(self._has_ended if expects or paced else None, paced)
        if not robot.stands:
            self._moved_at = robot.stamp

    def _has_ended(self) -> bool:
        return self.goal is None or self.goal.ended or not self.navigator.alive


def ticks(span: float) -> range:
    """Return as many steps as fit into a span [s]."""
    return range(max(round(span / STEP), 1))
