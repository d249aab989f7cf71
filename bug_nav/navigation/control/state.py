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
The numbers that the kernels of a tick share: one record of a goal, and one of the robot's limits.

Each is a structured array with a single element: its fields have names, in a kernel and in a
debugger alike, and numba takes it as one argument. Lengths are in metres, angles in radians and
times in seconds; velocities are forward, turning, to the left.
"""

from __future__ import annotations

import math

from bug_nav.navigation.compiled import kernel
from bug_nav.navigation.settings import RobotModel, Settings
import numpy as np

COMMANDS = 64
"""Number of past commands that late odometry is extrapolated with."""
CREEP = 0.5
"""Largest share of the distance at full speed within the allowance that counts as progress."""
MARGIN = 0.02
"""Distance between the body and a remembered point that is kept [m]."""
RANGERS = 0.3
"""The same with single rangers, which are less precise, as a share of the clearance."""

STATE = np.dtype([
    # Odometry as it came last, for jumps.
    ('stamp', float),               # its own time; NaN before the first
    ('odometry', float, 3),         # the pose
    ('jump', float, 3),             # the newest jump: distance, angle, and the time that it took
    # Frames.
    ('drift', float, 3),            # pose of odometry's frame in that of the core
    ('correction', float, 3),       # pose of the core's frame in the global one
    ('goal', float, 2),             # in the core's frame
    # The way.
    ('pose', float, 3),             # in the core's frame
    ('position', float, 2),         # in the global frame
    ('path_length', float),
    ('turned', float),
    ('looked', float, 2),           # where the robot last looked for a narrow gap (core's frame)
    ('gap_is_due', bool),           # it is to look for one now
    # Progress.
    ('began', float),               # time of the first tick; NaN before it
    ('progress_at', float),         # time of the newest progress; NaN before the first
    ('progress_moved', float),      # path plus R times turning by then
    ('is_standing', bool),          # for want of data ...
    ('stood', float),               # ... so long since then
    ('is_waiting', bool),           # for something that moves, or may move at any moment ...
    ('is_looking', bool),           # or turns to look, with single rangers, ...
    ('waited', float),              # ... so long since then
    # Velocities.
    ('motion', float, 3),           # of the robot, as it follows from its commands
    ('command', float, 3),          # the newest one
    ('wanted', float, 3),           # what the control law asked for
    ('extrapolated', float, 6),     # pose and motion by now, where odometry is late
    ('past', float, (COMMANDS, 7)),  # a ring of durations, commands and motions before them
    ('past_count', np.int64)], align=True)

OF_MODEL = ('robot_radius', 'max_vel_x', 'max_vel_theta', 'acc_lim_x', 'acc_lim_theta',
            'max_wheel_vel', 'wheel_separation')
LIMITS = np.dtype([
    *((name, float) for name in OF_MODEL),
    ('is_omni', bool),
    ('guarded_radius', float),      # of the body with the margin that is kept
    ('time_allowance', float),      # time within which the goal has to be reached; 0 for any
    ('allowance', float),           # time within which progress has to be made ...
    ('required', float),            # ... that is so large
    ('patience_for_data', float)], align=True)


@kernel
def wrap(angle):
    """Return an angle [rad] in [-pi, pi)."""
    return (angle + math.pi) % (2.0 * math.pi) - math.pi


def new_state() -> np.ndarray:
    """Return the state, (1,) of `STATE`, of a robot that stands at the origin."""
    state = _record(STATE)
    state['stamp'] = state['began'] = state['progress_at'] = math.nan
    state['looked'] = math.inf
    return state


def limits_of(model: RobotModel, settings: Settings) -> np.ndarray:
    """Return what a robot must not exceed, (1,) of `LIMITS`."""
    limits = _record(LIMITS)
    for name in OF_MODEL:
        limits[name] = getattr(model, name)
    allowance = settings.movement_time_allowance
    margin = RANGERS * settings.clearance if settings.sensing == 'rangers' else 0.0
    limits['is_omni'] = model.base == 'omni'
    limits['guarded_radius'] = model.robot_radius + max(margin, MARGIN)
    limits['allowance'] = allowance
    limits['required'] = min(settings.required_movement_radius,
                             CREEP * model.max_vel_x * allowance)
    limits['patience_for_data'] = allowance + 2.0 * settings.give_up_timeout
    return limits


def _record(dtype: np.dtype) -> np.ndarray:
    """Return an array with one element of zeros, whose fields a kernel reads as attributes."""
    made = np.zeros(1, dtype)
    return made if hasattr(wrap, 'py_func') else made.view(np.recarray)  # where none is compiled
