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

"""Kinds of faults of odometry."""

from __future__ import annotations

import math
from random import Random
from typing import Any, Callable, List, Tuple

from bug_nav.messages.sensor_messages import planar
from bug_nav.navigation.geometry import Pose
from bug_nav.ros.conversions import to_pose
from trials.fault import changed, Fault, Filter, Kind
from trials.stamps import stamp_faults


def odom_kinds() -> List[Kind]:
    """Return all kinds."""
    return [*(Kind(f'odom {name}', lambda random, make=make: Fault(odom=make(random)),
                   drivable=drivable, slow=drivable, moves_frame=True)
              for name, make, drivable in stamp_faults()),
            *_transport(), *_jumps(), *_values(), *_frames()]


def _delayed(delay: Callable[[], float]) -> Filter:
    """Delay messages, published in order of their due times."""
    waiting: List[Tuple[float, int, Any]] = []
    count = 0

    def run(message: Any, since: float) -> List[Any]:
        nonlocal count
        count += 1
        waiting.append((since + delay(), count, message))
        waiting.sort(key=lambda entry: entry[:2])
        due = [entry for entry in waiting if entry[0] <= since + 1e-6]
        del waiting[:len(due)]
        return [entry[2] for entry in due]
    return run


def _swapped(message_pairs: List[Any]) -> Filter:
    def run(message: Any, since: float) -> List[Any]:
        message_pairs.append(message)
        if len(message_pairs) < 2:
            return []
        pair = message_pairs[::-1]
        message_pairs.clear()
        return pair
    return run


def _thinned(every: int) -> Filter:
    count = 0

    def run(message: Any, since: float) -> List[Any]:
        nonlocal count
        count += 1
        return [message] if count % every == 0 else []
    return run


def _repeated(times: int) -> Filter:
    return lambda message, since: [message] * times


def _transport() -> List[Kind]:
    def kind(name: str, make: Callable[[Random], Filter], drivable: bool = True) -> Kind:
        return Kind(f'odom {name}', lambda random: Fault(odom=make(random)), drivable=drivable,
                    moves_frame=True)
    return [
        kind('0.1 s late', lambda random: _delayed(lambda: 0.1)),
        kind('0.3 s late', lambda random: _delayed(lambda: 0.3)),
        kind('2 s late', lambda random: _delayed(lambda: 2.0), drivable=False),
        kind('jitter of 0.15 s', lambda random: _delayed(lambda: random.uniform(0.0, 0.15))),
        kind('out of order by 50 ms', lambda random: _swapped([])),
        kind('duplicates', lambda random: _repeated(3)),
        kind('at 5 Hz', lambda random: _thinned(4)),
        kind('at 1 Hz', lambda random: _thinned(20))]


def _moved(offset: Pose) -> Callable[[Any], None]:
    def change(message: Any) -> None:
        message.pose.pose = to_pose(offset.compose(planar(message.pose.pose)))
    return change


def _turned(angle: float) -> Callable[[Any], None]:
    def change(message: Any) -> None:
        pose = planar(message.pose.pose)
        message.pose.pose = to_pose(Pose(pose.x, pose.y, pose.theta + angle))
    return change


def _jumps() -> List[Kind]:
    def kind(name: str, change: Callable[[Any], None]) -> Kind:
        return Kind(f'odom jumps by {name}', lambda random: Fault(odom=changed(change)),
                    outcomes=('odom_jumped',), moves_frame=True)
    return [kind('0.5 m', _moved(Pose(0.5, 0.0, 0.0))), kind('2 m', _moved(Pose(0.0, 2.0, 0.0))),
            kind('90 degrees', _turned(math.pi / 2.0))]


def _values() -> List[Kind]:
    def kind(name: str, change: Callable[[Any], None]) -> Kind:
        return Kind(f'odom {name}', lambda random: Fault(odom=changed(change)), moves_frame=True)

    def place(value: float) -> Callable[[Any], None]:
        def change(message: Any) -> None:
            message.pose.pose.position.x = value
        return change

    def turn(value: float) -> Callable[[Any], None]:
        def change(message: Any) -> None:
            q = message.pose.pose.orientation
            q.x, q.y, q.z, q.w = value, value, value, value
        return change
    return [kind('NaN pose', place(math.nan)), kind('inf pose', place(math.inf)),
            kind('zero quaternion', turn(0.0)), kind('NaN quaternion', turn(math.nan)),
            kind('quaternion of 1e200', turn(1e200)),
            kind('1e9 m', place(1e9)), kind('1e300 m', place(1e300))]


def _frames() -> List[Kind]:
    def frame(message: Any) -> None:
        message.header.frame_id = 'no_such_frame'

    def child(message: Any) -> None:
        message.child_frame_id = 'no_such_frame'

    def random_frame(random: Random) -> Fault:
        def change(message: Any) -> None:
            message.header.frame_id = f'frame_{random.randrange(10 ** 9)}'
        return Fault(odom=changed(change))
    return [Kind('odom wrong frame_id', lambda random: Fault(odom=changed(frame))),
            Kind('odom random frame_id', random_frame),
            Kind('odom wrong child_frame_id', lambda random: Fault(odom=changed(child)))]
