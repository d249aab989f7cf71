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

"""Per-tick checks of odometry: jumps, the pose and path of the robot, and its progress."""

from __future__ import annotations

import math

from bug_nav.navigation.compiled import applied, composed, inverted, kernel, wrapped
from bug_nav.navigation.control.forward_simulation import advance

JUMP = 0.10
"""Odometry that exceeds twice the feasible motion by more than this is a jump [m]."""
JUMP_ANGLE = 0.5
"""The same for its heading [rad]."""
MAX_SPIN = 50.0
"""Maximum angle swept that counts as progress without progress along the path [rad]."""
GAP_SPACING = 0.03
"""Distance between two checks for a narrow gap [m]."""

IN_PROGRESS, TIME_JUMPED, ODOM_JUMPED, TIMEOUT, NO_DATA, OBSTRUCTED, NO_PROGRESS = range(7)
"""Results of `update_motion`."""


@kernel
def update_motion(state, limits, now, elapsed, stamp, x, y, theta, drifts, is_fresh, held,
                  patience):
    """
    Process the time and the newest odometry pose; return a result, and the place of the robot.

    ``now`` and ``elapsed`` since the last tick [s] are on the steady clock, ``stamp`` [s] is that
    of the pose: NaN to skip the jump check. ``drifts``: the odometry frame moves in the map frame.
    ``is_fresh``: the data are fresh; otherwise the place of the robot stays unchanged. ``held``:
    the robot may have been moved by others, so that the motion does not count as its path.
    ``patience`` [s] is the maximum waiting time for a moving obstacle.

    The place is the pose, the position in the global frame, the direction of the goal (map frame),
    the length of the path [m], the total rotation [rad], and whether to check for a narrow gap
    here.
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
        return TIME_JUMPED, _snapshot(s)
    if _has_jumped(s, c, elapsed, stamp, x, y, theta):
        return ODOM_JUMPED, _snapshot(s)
    if is_fresh:
        s.stamp = stamp
        s.odometry[0], s.odometry[1], s.odometry[2] = x, y, theta
        s.is_standing = s.is_waiting = False
        if drifts:
            x, y, theta = composed(s.drift, (x, y, theta))
        _move(s, x, y, theta, held)
    return _progress(s, c, now, patience), _snapshot(s)


@kernel
def correct(state, drift):
    """
    Move the odometry frame to a pose in the map frame (``drift``), and the robot with it.

    Return the pose of the robot in the map frame and its position in the global one.
    """
    s = state[0]
    pose = composed(drift, composed(inverted(s.drift), s.pose))
    for k in range(3):
        s.drift[k], s.pose[k] = drift[k], pose[k]
    return pose, applied(s.correction, pose[0], pose[1])


@kernel
def _move(s, x, y, theta, held):
    """Set the pose of the robot in the map frame."""
    if not held:
        s.path_length += math.hypot(x - s.pose[0], y - s.pose[1])
        turn = wrapped(theta - s.pose[2])
        s.turned += abs(turn)
        # A robot that looks around turns both ways in one place, and that is progress.
        if s.is_looking:
            s.spun += abs(turn)
        else:
            s.swept[0] += turn
        s.swept[1], s.swept[2] = min(s.swept[1], s.swept[0]), max(s.swept[2], s.swept[0])
    s.pose[0], s.pose[1], s.pose[2] = x, y, theta
    s.position[0], s.position[1] = applied(s.correction, x, y)
    s.gap_is_due = math.hypot(x - s.looked[0], y - s.looked[1]) > GAP_SPACING
    if s.gap_is_due:
        s.looked[0], s.looked[1] = x, y


@kernel
def _snapshot(s):
    return (s.pose[0], s.pose[1], s.pose[2], s.position[0], s.position[1],
            math.atan2(s.goal[1] - s.pose[1], s.goal[0] - s.pose[0]), s.path_length, s.turned,
            s.gap_is_due)


@kernel
def _has_jumped(s, c, elapsed, stamp, x, y, theta):
    """Return whether odometry has moved farther than the robot can; the jump is in `s.jump`."""
    duration = stamp - s.stamp
    if duration < 0.0:  # the clock of odometry was set
        duration = elapsed
    step = math.hypot(x - s.odometry[0], y - s.odometry[1])
    turn = abs(wrapped(theta - s.odometry[2]))
    s.jump[0], s.jump[1], s.jump[2] = step, turn, duration
    # Comparisons with NaN are false: there is no jump before the first pose.
    return (step > JUMP + 2.0 * c.max_vel_x * duration
            or turn > JUMP_ANGLE + 2.0 * c.max_vel_theta * duration)


@kernel
def _progress(s, c, now, patience):
    """
    Return whether the robot makes progress in time, not counting stops and waits.

    Of a rotation, only the angle swept within a body radius of path counts: a robot that turns to
    and fro in one place makes no progress.
    """
    spun = s.spun + s.swept[2] - s.swept[1]
    if s.path_length - s.swept_from >= c.robot_radius:
        s.spun, s.swept_from = spun, s.path_length
        s.swept[0] = s.swept[1] = s.swept[2] = 0.0
    s.moved = s.path_length + c.robot_radius * min(spun, s.advanced[1] + MAX_SPIN)
    if s.path_length - s.advanced[0] >= c.required:
        s.advanced[0], s.advanced[1] = s.path_length, spun
    if math.isnan(s.progress_at) or s.moved - s.progress_moved >= c.required:
        s.progress_at, s.progress_moved = now, s.moved
        s.stood = s.waited = 0.0
    if 0.0 < c.time_allowance < now - s.began:
        return TIMEOUT
    if s.stood > c.patience_for_data:  # it stands again and again
        return NO_DATA
    if s.waited > patience:
        return OBSTRUCTED
    if now - s.progress_at - s.stood - s.waited <= c.allowance:
        return IN_PROGRESS
    return NO_PROGRESS
