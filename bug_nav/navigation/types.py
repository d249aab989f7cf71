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

"""
Input and output of the navigator, and the intents of behaviors.

Scans and odometry are added to the queue of the navigator when they arrive; each tick takes a
`TickInput` and returns a `Decision`. The ROS node and the embedded simulator use the same types.

An intent is where to go, without wheel speeds: `control.drive` converts it into a velocity.
Headings and places are in the odometry frame; ``side`` is the side of a wall: +1 for the right, -1
for the left, 0 for none.
"""

from __future__ import annotations

import enum
import math
from typing import NamedTuple, Optional, Tuple, Union

from bug_nav.navigation.geometry import IDENTITY, Point, Pose
import numpy as np


class Twist(NamedTuple):
    """A velocity command in the frame of the robot."""

    v: float
    """Forward [m/s]."""
    w: float
    """Turning, counter-clockwise [rad/s]."""
    u: float = 0.0
    """To the left [m/s]; only for an omnidirectional base."""


STOP = Twist(0.0, 0.0)


class Towards(NamedTuple):
    """Go straight to a place."""

    place: Point
    side: int = 0
    speed: float = math.inf
    """Maximum speed [m/s]."""
    room: float = math.inf
    """Distance within which the robot must be able to stop [m]."""


class Along(NamedTuple):
    """Go along a heading [rad]."""

    heading: float
    side: int = 0
    speed: float = math.inf
    """Maximum speed [m/s]."""


class TurnTo(NamedTuple):
    """Turn on the spot to a heading [rad]."""

    heading: float


Intent = Union[Towards, Along, TurnTo, Twist]
"""
A `Twist` is for behaviors with a control law of their own, such as the wall followers of the
literature.
"""


class Outcome(enum.Enum):
    """How a goal ended; the value is the name in results and reports."""

    REACHED = 'reached'
    REACHED_UNCERTAIN = 'reached_uncertain'
    UNREACHABLE = 'unreachable'
    LOOP_DETECTED = 'loop_detected'
    TIMEOUT = 'timeout'
    CANCELED = 'canceled'
    SUPERSEDED = 'superseded'
    BLOCKED = 'blocked'
    SCAN_STALE = 'scan_stale'
    ODOM_STALE = 'odom_stale'
    ODOM_JUMPED = 'odom_jumped'
    ODOM_CONTRADICTORY = 'odom_contradictory'
    UNDECIDED = 'undecided'
    WORLD_CHANGED = 'world_changed'
    TIME_JUMPED = 'time_jumped'
    TF_ERROR = 'tf_error'
    BAD_GOAL = 'bad_goal'
    INTERNAL = 'internal'


ARRIVED = (Outcome.REACHED.value, Outcome.REACHED_UNCERTAIN.value)
"""Names of the outcomes of a robot that is at the goal by its own estimate."""


class Scan(NamedTuple):
    """
    One sweep of a range sensor.

    ``ranges`` (n,) [m] in the convention of REP-117: +inf is free, -inf is too near to measure,
    NaN is an error; 0.0, which a real LDS reports, is unknown. Beam ``i`` points along ``angle_min
    + i angle_increment`` in the frame ``mount``, the pose of the sensor in the frame of the robot,
    and was measured at ``stamp + i time_increment`` [s].

    ``directions`` (2, n): cosines and sines of the directions of the readings in the frame of the
    robot, if they differ from those of the beams; None if not.
    """

    stamp: float
    ranges: np.ndarray
    angle_min: float
    angle_increment: float
    range_min: float
    range_max: float
    mount: Pose = IDENTITY
    time_increment: float = 0.0
    directions: Optional[np.ndarray] = None


class TickInput(NamedTuple):
    """
    Input of a tick, in addition to the sensor messages, which are added to `Navigator.queue`.

    ``stamp`` [s] is the time of the tick, and ``steady`` [s] that on a monotonic clock, of which
    only differences are meaningful; NaN to use ``stamp``. ``goal`` is in the global frame, and
    ``correction`` the pose of odom in the global frame. ``goal_is_measured``: the goal is a
    beacon, measured at ``stamp``, so that odometry drift does not affect it.
    """

    stamp: float
    goal: Point
    goal_yaw: Optional[float] = None
    correction: Pose = IDENTITY
    steady: float = math.nan
    goal_is_measured: bool = False


class Event(NamedTuple):
    """A hit point or a leave point."""

    kind: str
    """'hit' or 'leave'."""
    index: int  # type: ignore[assignment]  # a tuple has a method of this name
    """Counts from 1 in each kind; the leave point L_i belongs to the hit point H_i."""
    pose: Pose
    """In the global frame."""
    stamp: float
    goal_distance: float
    """Distance of the hit or leave point on the contour from the goal [m]."""
    path_length: float


class Result(NamedTuple):
    """The outcome of a goal, with its evidence."""

    outcome: Outcome
    message: str
    lap_length: float = 0.0
    """Length of the closed lap that proves the outcome [m], else 0."""
    certificate: Tuple[Point, ...] = ()
    """
    Proof that the goal is unreachable: a closed chain of obstacle points between robot and goal
    (global frame), each nearer to the next than 2 rho; the last one joins the first. Else empty.
    """
    uncertainty: float = math.nan
    """
    Standard deviation of the place of the goal relative to the robot at the end [m]; NaN without
    drift correction.
    """


class Concluded(Exception):
    """Raised by a behavior to end the goal with a result."""

    def __init__(self, result: Result):
        """Take the result."""
        super().__init__(result.message)
        self.result = result


class InvalidAlgorithm(TypeError):
    """An algorithm does not follow the interface; the message is one sentence for its author."""


class WorldChanged(Exception):
    """Raised when what a behavior depends on is gone or covered; the algorithm restarts."""

    def __init__(self, change: str = 'the followed boundary has disappeared'):
        """``change`` is the reason."""
        super().__init__(change)


class Unreachable(Concluded):
    """Raised when the goal is proven to be unreachable."""

    def __init__(self, message: str, lap_length: float = 0.0):
        """``lap_length``: length of the closed lap that proves it [m]."""
        super().__init__(Result(Outcome.UNREACHABLE, message, lap_length))


class LoopDetected(Concluded):
    """Raised when the algorithm repeats a loop forever; it proves nothing else."""

    def __init__(self, message: str, lap_length: float = 0.0):
        """``lap_length``: length of the lap if the loop is around an obstacle [m]."""
        super().__init__(Result(Outcome.LOOP_DETECTED, message, lap_length))


class Decision(NamedTuple):
    """The result of a tick: a command, and its explanation."""

    twist: Twist
    state: Tuple[str, ...]
    """The stack of states, outermost first, such as ('boundary_following', 'turning')."""
    events: Tuple[Event, ...] = ()
    """The hit and leave points of this tick."""
    result: Optional[Result] = None
    step: str = ''
    """The step of the algorithm's pseudo-code; empty if the algorithm reports none."""
    reason: str = ''
    """
    A sentence with the reason: the finding that led to this step, the cause of waiting, or the
    result.
    """
