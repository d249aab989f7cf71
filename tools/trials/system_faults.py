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

"""Kinds of faults that act: silence, clock, process, lifecycle, clients."""

from __future__ import annotations

import math
from random import Random
import signal
from typing import Any, Callable, Iterator, List, Optional

from bug_nav.ros.conversions import to_twist
from geometry_msgs.msg import Twist
from trials.fault import Action, Fault, Kind, silent
from trials.navigator import Lost
from trials.robot import FOREIGN
from trials.trial import ticks, Trial

SPANS = (0.3, 1.0, 3.0, math.inf)
DEAD = 'the base continues with its last command'
MOMENT = 0.3
"""Time that the clock may stop without being a fault [s]."""
PAUSED = ('none', 'time_jumped')
"""Outcomes if a simulation is paused: the robot waits, because it may resume."""
SECOND = 'the base obeys another publisher'


def silence_kinds() -> List[Kind]:
    """Return the kinds of missing messages."""
    kinds = []
    for span in SPANS:
        text = 'for good' if math.isinf(span) else f'for {span:g} s'
        kinds += [
            Kind(f'no scan {text}', lambda random: Fault(scan=silent), span),
            Kind(f'no odom {text}', lambda random: Fault(odom=silent), span),
            Kind(f'no scan and no odom {text}',
                 lambda random: Fault(scan=silent, odom=silent), span),
            Kind(f'no clock {text}', lambda random: Fault(clock=lambda since: None), span,
                 outcomes=PAUSED if math.isinf(span) else ()),
            Kind(f'nothing at all {text}', lambda random: Fault(
                silent, silent, lambda since: None), span,
                 outcomes=PAUSED if math.isinf(span) else ())]
    return kinds


def clock_kinds() -> List[Kind]:
    """Return the kinds of a clock, and all stamps, that jumps, stops or is slow."""
    def jump(name: str, by: float) -> Kind:
        def make(random: Random) -> Fault:
            return Fault(clock=_jump(by))
        outcomes = ('time_jumped',) if by < 0.0 else ()
        return Kind(f'clock {name}', make, outcomes=outcomes, drivable=by > 0.0)
    return [jump('1 s back', -1.0), jump('10 s back', -10.0), jump('1 s ahead', 1.0),
            jump('10 s ahead', 10.0),
            _action_kind('simulation paused for 1 s', _paused(1.0)),
            _action_kind('simulation paused for 5 s', _paused(5.0)),
            _action_kind('simulation at 0.1 x', _slow(0.1, 1.5))]


def _jump(by: float) -> Callable[[float], Optional[float]]:
    return lambda since: by


def _action_kind(name: str, doing: Action, **right: Any) -> Kind:
    right.setdefault('drivable', True)
    return Kind(name, lambda random: Fault(doing=doing), **right)


def _paused(span: float) -> Action:
    def doing(trial: Trial) -> Iterator[None]:
        trial.robot.spin(span)
        yield
    return doing


def _slow(factor: float, span: float) -> Action:
    def doing(trial: Trial) -> Iterator[None]:
        for _ in ticks(span):
            trial.robot.spin(0.05 / factor)
            yield
    return doing


# ---- the process ------------------------------------------------------------------------------

def process_kinds() -> List[Kind]:
    """Return the kinds of a killed or suspended node."""
    kinds = []
    for name in ('SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGPIPE', 'SIGABRT',
                 'SIGSEGV', 'SIGKILL'):
        own = name in ('SIGINT', 'SIGTERM', 'SIGHUP')  # signals of an orderly exit
        kinds.append(_action_kind(
            f'node ended by {name}', _killed(getattr(signal, name)), paced=True,
            excuse='' if own else DEAD,
            outcomes=('canceled',) if own else ('none', 'reached', 'canceled')))
    return kinds + [
        _action_kind(f'node suspended for {span:g} s', _suspended(span), paced=True, excuse=DEAD)
        for span in (1.0, 5.0)]


def _killed(number: int) -> Action:
    def doing(trial: Trial) -> Iterator[None]:
        trial.navigator.signal(number)
        for _ in ticks(3.0):
            yield
    return doing


def _suspended(span: float) -> Action:
    def doing(trial: Trial) -> Iterator[None]:
        trial.navigator.signal(signal.SIGSTOP)
        try:
            for _ in ticks(span):
                yield
        finally:
            trial.navigator.signal(signal.SIGCONT)
    return doing


# ---- lifecycle and goals ----------------------------------------------------------------------

def client_kinds() -> List[Kind]:
    """Return the kinds of transitions, cancels and other goals."""
    canceled = {'outcomes': ('canceled',)}
    return [
        _action_kind('deactivated', _transitions('deactivate'), **canceled),
        _action_kind('deactivated and cleaned up', _transitions('deactivate', 'cleanup'),
                     **canceled),
        _action_kind('shut down', _transitions('shutdown'), **canceled),
        _action_kind('cleanup while active', _transitions('cleanup')),
        _action_kind('canceled', _cancels(1), **canceled),
        _action_kind('canceled 100 times', _cancels(100), **canceled),
        _action_kind('50 goals in a row', _preemptions(50), outcomes=('reached',)),
        _action_kind('client killed', _client_killed),
        *_hostile(),
        _action_kind('flood of scans, 1000/s', _flood('scan', 50)),
        _action_kind('flood of odometry, 1000/s', _flood('odom', 50)),
        _action_kind('second publisher on cmd_vel', _second, excuse=SECOND),
        _action_kind('parameter storm', _storm)]


def _transitions(*labels: str) -> Action:
    def doing(trial: Trial) -> Iterator[None]:
        for label in labels:
            answer = trial.navigator.transition(label)
            trial.wait(answer.done)
        yield
        trial.wait(lambda: trial.goal is None or trial.goal.ended, MOMENT)
        if 'shutdown' in labels:  # only a new process accepts goals
            trial.navigator.stop()
    return doing


def _cancels(number: int) -> Action:
    def doing(trial: Trial) -> Iterator[None]:
        assert trial.goal is not None
        for _ in range(number):
            trial.goal.handle.cancel_goal_async()
        yield
        trial.wait(lambda: trial.goal is None or trial.goal.ended, MOMENT)
    return doing


def _preemptions(number: int) -> Action:
    def doing(trial: Trial) -> Iterator[None]:
        x, y = trial.moment.goal
        for i in range(number):
            trial.goal = trial.navigator.send(x, y, trial.moment.algorithm)
            if i % 3 == 0:
                yield
    return doing


def _client_killed(trial: Trial) -> Iterator[None]:
    """Let another client send the goal, and kill the client as soon as the robot drives."""
    assert trial.goal is not None
    known = {*trial.navigator.accepted, bytes(trial.goal.handle.goal_id.uuid)}
    client = trial.navigator.send_elsewhere(*trial.moment.goal, trial.moment.algorithm)
    try:
        # The clock stops until the goal is known here.
        theirs: List[bytes] = []

        def is_there() -> bool:
            theirs.extend(key for key in trial.navigator.accepted if key not in known)
            return bool(theirs) or client.ended
        trial.wait(is_there)
        if not theirs:
            raise Lost(f'the client exited: {client.log_tail()}')
        trial.goal = trial.navigator.goal(theirs[-1])
        for _ in ticks(1.0):
            yield
    finally:
        client.signal(signal.SIGKILL)
        client.end()


def _hostile() -> List[Kind]:
    nan, inf = math.nan, math.inf
    goals: List[Any] = [
        ('NaN', (nan, 0.0), {}), ('inf', (inf, 0.0), {}), ('1e30 m away', (1e30, 0.0), {}),
        ('1e300 m away', (1e300, 1e300), {}),
        ('in an unknown frame', (1.0, 1.0), {'frame': 'no_such_frame'}),
        ('in a frame of 100 kB', (1.0, 1.0), {'frame': 'x' * 100_000}),
        ('with an algorithm of 100 kB', (1.0, 1.0), {'algorithm': 'x' * 100_000}),
        ('with an unknown turn', (1.0, 1.0), {'turn_direction': 'up'}),
        ('with a tolerance of NaN', (1.0, 1.0), {'xy_goal_tolerance': nan}),
        ('with a tolerance of 1e300 m', (1.0, 1.0), {'xy_goal_tolerance': 1e300}),
        ('with a tolerance of -1 m', (1.0, 1.0), {'xy_goal_tolerance': -1.0}),
        ('with an allowance of -5 s', (1.0, 1.0), {'allowance': -5.0})]
    return [_action_kind(f'goal {name}', _goal(place, fields), outcomes=('bad_goal', 'tf_error'))
            for name, place, fields in goals]


def _goal(place: Any, fields: Any) -> Action:
    def doing(trial: Trial) -> Iterator[None]:
        trial.goal = trial.navigator.send(*place, **fields)
        yield
    return doing


def _flood(topic: str, times: int, span: float = 2.0) -> Action:
    def doing(trial: Trial) -> Iterator[None]:
        def many(message: Any, since: float) -> List[Any]:
            return [message] * times
        # Every fourth tick has a scan.
        flood = {'scan': Fault(scan=lambda m, s: [m] * 4 * times), 'odom': Fault(odom=many)}
        trial.robot.begin(flood[topic])
        for _ in ticks(span):
            yield
    return doing


def _second(trial: Trial) -> Iterator[None]:
    """Publish commands to turn in place for 2 s, between those of the node."""
    publisher = trial.robot.second_publisher()
    twist: Twist = to_twist(trial.robot.command._replace(v=0.0, w=1.0))
    twist.linear.z = FOREIGN
    try:
        for _ in ticks(2.0):
            publisher.publish(twist)
            yield
    finally:
        trial.robot.forget(publisher)


def _storm(trial: Trial) -> Iterator[None]:
    """Set parameters to valid and invalid values for 2 s, then restore them."""
    values = [0.0, -1.0, 1e-9, 0.05, 0.3, 1.0, 5.0, 1e6, math.nan, math.inf, True, 'left', 'bug1',
              '', 3, [1.0]]
    before = trial.navigator.values()
    names = list(before)
    for _ in ticks(2.0):
        for _ in range(3):
            trial.navigator.set_parameter(
                trial.random.choice(names), trial.random.choice(values))
        yield
    last = [trial.navigator.set_parameter(name, value) for name, value in before.items()]
    trial.wait(lambda: all(answer.done() for answer in last), 20.0)
