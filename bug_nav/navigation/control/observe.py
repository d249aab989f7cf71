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

"""What a tick learns of odometry: a jump, the robot's place and way, and whether it gets on."""

from __future__ import annotations

import math

from bug_nav.navigation.compiled import kernel
from bug_nav.navigation.control.forward_simulation import advance
from bug_nav.navigation.control.state import wrap

JUMP = 0.10
"""Odometry that exceeds twice the feasible motion by more than this is a jump [m]."""
JUMP_ANGLE = 0.5
"""The same for its heading [rad]."""
GAP_STEP = 0.03
"""Distance between two places where the robot looks for a narrow gap [m]."""

GOING_ON, TIME_JUMPED, ODOM_JUMPED, TIMEOUT, WITHOUT_DATA, IN_THE_WAY, NO_PROGRESS = range(7)
"""What `observe` finds."""


@kernel
def observe(state, limits, now, elapsed, stamp, x, y, theta, drifts, is_fresh, held, patience):
    """
    Take in the time and odometry's newest pose; return what is found, and the robot's place.

    ``now`` and ``elapsed`` since the last tick [s] are on the steady clock, ``stamp`` [s] is the
    pose's own time: NaN where no jump is to be found. ``drifts``: odometry's frame moves in that
    of the core. ``is_fresh``: the data are fresh; else the robot's place stays as it is. ``held``:
    the robot may have been moved there, so that the way does not count as its path. ``patience``
    [s] is how long it may wait for something that moves.

    The place is the pose, the position in the global frame, the goal's direction (core's frame),
    the path's length [m], how far the robot has turned in all [rad], and whether to look for a
    narrow gap here.
    """
    s, c = state[0], limits[0]
    if math.isnan(s.began):
        s.began = now
    if s.is_standing:
        s.stood += elapsed
    if s.is_waiting or s.is_looking:
        s.waited += elapsed
    advance(s, c, elapsed)
    if elapsed < 0.0:
        return TIME_JUMPED, _place(s)
    if _has_jumped(s, c, elapsed, stamp, x, y, theta):
        return ODOM_JUMPED, _place(s)
    if is_fresh:
        s.stamp = stamp
        s.odometry[0], s.odometry[1], s.odometry[2] = x, y, theta
        s.is_standing = s.is_waiting = False
        if drifts:
            x, y = _apply(s.drift, x, y)
            theta = wrap(s.drift[2] + theta)
        _move(s, x, y, theta, held)
    return _progress(s, c, now, patience), _place(s)


@kernel
def correct(state, drift):
    """
    Move odometry's frame to a pose in the core's frame (``drift``), and the robot with it.

    Return the robot's pose in the core's frame and its position in the global one.
    """
    s = state[0]
    before, pose = s.drift, s.pose
    cos, sin = math.cos(before[2]), math.sin(before[2])
    inverse = (-cos * before[0] - sin * before[1], sin * before[0] - cos * before[1],
               wrap(-before[2]))
    x, y = _apply(inverse, pose[0], pose[1])
    theta = wrap(inverse[2] + pose[2])
    x, y = _apply(drift, x, y)
    theta = wrap(drift[2] + theta)
    for k in range(3):
        s.drift[k] = drift[k]
    s.pose[0], s.pose[1], s.pose[2] = x, y, theta
    global_x, global_y = _apply(s.correction, x, y)
    return (x, y, theta), (global_x, global_y)


@kernel
def _move(s, x, y, theta, held):
    """Put the robot at a pose in the core's frame."""
    if not held:
        s.path_length += math.hypot(x - s.pose[0], y - s.pose[1])
        s.turned += abs(wrap(theta - s.pose[2]))
    s.pose[0], s.pose[1], s.pose[2] = x, y, theta
    s.position[0], s.position[1] = _apply(s.correction, x, y)
    s.gap_is_due = math.hypot(x - s.looked[0], y - s.looked[1]) > GAP_STEP
    if s.gap_is_due:
        s.looked[0], s.looked[1] = x, y


@kernel
def _place(s):
    return (s.pose[0], s.pose[1], s.pose[2], s.position[0], s.position[1],
            math.atan2(s.goal[1] - s.pose[1], s.goal[0] - s.pose[0]), s.path_length, s.turned,
            s.gap_is_due)


@kernel
def _apply(pose, x, y):
    """Take a point of a pose's own frame into the frame the pose is given in."""
    cos, sin = math.cos(pose[2]), math.sin(pose[2])
    return pose[0] + cos * x - sin * y, pose[1] + sin * x + cos * y


@kernel
def _has_jumped(s, c, elapsed, stamp, x, y, theta):
    """Tell whether odometry has moved farther than the robot can; `s.jump` says how far."""
    lasted = stamp - s.stamp
    if lasted < 0.0:  # odometry's clock was set
        lasted = elapsed
    step = math.hypot(x - s.odometry[0], y - s.odometry[1])
    turn = abs(wrap(theta - s.odometry[2]))
    s.jump[0], s.jump[1], s.jump[2] = step, turn, lasted
    # Nothing is greater than NaN: there is no jump before the first pose.
    return (step > JUMP + 2.0 * c.max_vel_x * lasted
            or turn > JUMP_ANGLE + 2.0 * c.max_vel_theta * lasted)


@kernel
def _progress(s, c, now, patience):
    """Tell whether the robot gets on, in time; time that it stands or waits is no idle time."""
    moved = s.path_length + c.robot_radius * s.turned
    if math.isnan(s.progress_at) or moved - s.progress_moved >= c.required:
        s.progress_at, s.progress_moved = now, moved
        s.stood = s.waited = 0.0
    if 0.0 < c.time_allowance < now - s.began:
        return TIMEOUT
    if s.stood > c.patience_for_data:  # it stands again and again
        return WITHOUT_DATA
    if s.waited > patience:
        return IN_THE_WAY
    if now - s.progress_at - s.stood - s.waited <= c.allowance:
        return GOING_ON
    return NO_PROGRESS
