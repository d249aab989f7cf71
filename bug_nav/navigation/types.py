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
What goes into the navigator and what comes out of it.

Scans and odometry go to the navigator's queue as they arrive; each tick takes an `Observation`
and returns a `Decision`. The ROS node and the embedded simulator use the same.
"""

from __future__ import annotations

import enum
import math
from typing import NamedTuple, Optional, Tuple

from bug_nav.navigation.geometry import IDENTITY, Point, Pose
import numpy as np


class Twist(NamedTuple):
    """A velocity command in the robot's own frame."""

    v: float
    """Forward [m/s]."""
    w: float
    """Turning, counter-clockwise [rad/s]."""
    u: float = 0.0
    """To the left [m/s]; only an omnidirectional base can."""


STOP = Twist(0.0, 0.0)


class Outcome(enum.Enum):
    """How a goal ended; the value is the name in results and reports."""

    REACHED = 'reached'
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


class Status(enum.Enum):
    """The status of a tick, in the vocabulary of behaviour trees."""

    RUNNING = 'running'
    SUCCESS = 'success'
    FAILURE = 'failure'


class Scan(NamedTuple):
    """
    One sweep of a range sensor.

    ``ranges`` (n,) [m] in REP-117's convention: +inf is free, -inf is too near to measure, NaN is
    an error; 0.0, which a real LDS reports, is unknown. Beam ``i`` points along ``angle_min + i
    angle_increment`` in the frame ``mount``, the sensor's pose in the robot's frame, and was
    measured at ``stamp + i time_increment`` [s].
    """

    stamp: float
    ranges: np.ndarray
    angle_min: float
    angle_increment: float
    range_min: float
    range_max: float
    mount: Pose = IDENTITY
    time_increment: float = 0.0


class Observation(NamedTuple):
    """
    Input of a tick, in addition to the sensor messages, which go to `Navigator.queue`.

    ``stamp`` [s] is the time of the tick, and ``steady`` [s] that on a clock that can neither be
    set nor jump, of which only differences mean something; nan for ``stamp``. ``goal`` is in the
    global frame, and ``correction`` the pose of odom in the global frame.
    """

    stamp: float
    goal: Point
    goal_yaw: Optional[float] = None
    correction: Pose = IDENTITY
    steady: float = math.nan


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
    """Distance to the goal of the place on the contour that was hit or left [m]."""
    path_length: float


class Result(NamedTuple):
    """The outcome of a goal, with its evidence."""

    outcome: Outcome
    message: str
    lap_length: float = 0.0
    """Length of the closed lap that proves the outcome [m], else 0."""
    certificate: Tuple[Point, ...] = ()
    """
    Why the goal is unreachable: a closed chain of obstacle points between robot and goal (global
    frame), each nearer to the next than 2 rho; the last one joins the first. Else empty.
    """
    uncertainty: float = math.nan
    """
    How well it was known at the end where the goal is from the robot: a standard deviation [m].
    nan where drift was not corrected.
    """


class Concluded(Exception):
    """Raised by a behaviour that has come to the result of the goal; the navigator takes it."""

    def __init__(self, result: Result):
        """Take the result."""
        super().__init__(result.message)
        self.result = result


class WorldChanged(Exception):
    """Raised by a behaviour that rests on what is no longer there; the navigator begins anew."""


class Unreachable(Concluded):
    """It is proven that the goal cannot be reached."""

    def __init__(self, message: str, lap_length: float = 0.0):
        """``lap_length``: length of the closed lap that proves it [m]."""
        super().__init__(Result(Outcome.UNREACHABLE, message, lap_length))


class LoopDetected(Concluded):
    """The algorithm goes round in a loop, and would for ever; no proof of anything else."""

    def __init__(self, message: str, lap_length: float = 0.0):
        """``lap_length``: length of the lap, where the loop is one around an obstacle [m]."""
        super().__init__(Result(Outcome.LOOP_DETECTED, message, lap_length))


class Decision(NamedTuple):
    """What a tick decided: a command, and what there is to tell about it."""

    twist: Twist
    status: Status
    state: Tuple[str, ...]
    """The stack of states, outermost first, such as ('boundary_following', 'turning')."""
    events: Tuple[Event, ...] = ()
    """The hit and leave points of this tick alone."""
    result: Optional[Result] = None
    step: str = ''
    """The name of the step of the algorithm's pseudo-code; '' where it has told none."""
    reason: str = ''
    """A sentence why: what was found that led to this step, what is waited for, or the end."""
