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
The records that the kernels of a tick share: the state of a goal and the limits of the robot.

Each is a structured array with a single element: its fields have names, in a kernel and in a
debugger alike, and numba passes it as one argument. Lengths are in metres, angles in radians and
times in seconds; velocities are forward, turning, to the left.
"""

from __future__ import annotations

import math

from bug_nav.navigation.compiled import IS_PLAIN
from bug_nav.navigation.settings import clearance, RobotModel, Settings
import numpy as np

COMMANDS = 64
"""Number of past commands for the extrapolation of delayed odometry."""
TICK = 0.05
"""Minimum time until the next command [s]."""
MAX_REQUIRED_SHARE = 0.5
"""Maximum required movement [share of the distance at full speed within the allowance]."""
MARGIN, MARGIN_SHARE = 0.02, 0.5
"""
Minimum distance between the body and an obstacle point [m], and its maximum share of the
clearance: readings with noise must not close a passage in which the contour fits.
"""
RANGER_MARGIN = 0.3
"""
Minimum such distance with single rangers, which are less precise [share of the clearance].
"""

MOTION_STATE = np.dtype([
    # The newest odometry, for the jump check.
    ('stamp', float),               # NaN before the first
    ('odometry', float, 3),         # the pose
    ('jump', float, 3),             # the newest jump: distance, angle and duration
    # Frames.
    ('drift', float, 3),            # pose of the odometry frame in the map frame
    ('correction', float, 3),       # pose of the map frame in the global frame
    ('goal', float, 2),             # in the map frame
    # The way.
    ('pose', float, 3),             # in the map frame
    ('position', float, 2),         # in the global frame
    ('path_length', float),
    ('turned', float),
    ('looked', float, 2),           # place of the last check for a narrow gap (map frame)
    ('gap_is_due', bool),           # the next check is due
    # Progress.
    ('began', float),               # time of the first tick; NaN before it
    ('progress_at', float),         # time of the newest progress; NaN before the first
    ('moved', float),               # path plus R times the angles swept
    ('progress_moved', float),      # the same at the newest progress
    ('advanced', float, 2),         # path and angles swept when the path last grew by `required`
    ('spun', float),                # angles swept until the path last grew by a body radius ...
    ('swept_from', float),          # ... to this, and ...
    ('swept', float, 3),            # ... the rotation since then, its minimum and its maximum
    ('is_standing', bool),          # because data are missing ...
    ('stood', float),               # ... for this time since the progress
    ('is_waiting', bool),           # for an obstacle that moves or may move ...
    ('is_looking', bool),           # or looks around, without a view all around ...
    ('waited', float),              # ... for this time since the progress
    # Velocities.
    ('motion', float, 3),           # of the robot, according to its commands
    ('command', float, 3),          # the newest one
    ('wanted', float, 3),           # requested by the control law
    ('extrapolated', float, 6),     # current pose and motion if odometry is delayed
    ('past', float, (COMMANDS, 7)),  # ring buffer of durations, commands, previous motions
    ('past_count', np.int64),
    ('period', float),              # longest recent time until the next command while it moves
    ('longest', float, 2),          # the same in the current and in the last time window ...
    ('window', float)], align=True)  # ... and the time since the current one began

OF_MODEL = ('robot_radius', 'max_vel_x', 'max_vel_theta', 'acc_lim_x', 'acc_lim_theta',
            'max_wheel_vel', 'wheel_separation')
LIMITS = np.dtype([
    *((name, float) for name in OF_MODEL),
    ('is_omni', bool),
    ('guarded_radius', float),      # of the body with its margin
    ('time_allowance', float),      # time limit of the goal; 0 for none
    ('allowance', float),           # time limit for progress ...
    ('required', float),            # ... of this size
    ('patience_for_data', float)], align=True)


def new_state() -> np.ndarray:
    """Return the state, (1,) of `MOTION_STATE`, of a stationary robot at the origin."""
    state = _record(MOTION_STATE)
    state['stamp'] = state['began'] = state['progress_at'] = math.nan
    state['looked'] = math.inf
    state['period'] = TICK
    return state


def limits_of(model: RobotModel, settings: Settings) -> np.ndarray:
    """Return the limits of a robot, (1,) of `LIMITS`."""
    limits = _record(LIMITS)
    for name in OF_MODEL:
        limits[name] = getattr(model, name)
    allowance = settings.movement_time_allowance
    c = clearance(model, settings)
    margin = RANGER_MARGIN * c if settings.sensing == 'rangers' else 0.0
    limits['is_omni'] = model.base == 'omni'
    limits['guarded_radius'] = model.robot_radius + max(
        margin, min(MARGIN, MARGIN_SHARE * c))
    limits['allowance'] = allowance
    limits['required'] = min(settings.required_movement_radius,
                             MAX_REQUIRED_SHARE * model.max_vel_x * allowance)
    limits['patience_for_data'] = allowance + 2.0 * settings.give_up_timeout
    return limits


def _record(dtype: np.dtype) -> np.ndarray:
    """Return an array with one element of zeros whose fields are attributes in a kernel."""
    made = np.zeros(1, dtype)
    return made.view(np.recarray) if IS_PLAIN else made
