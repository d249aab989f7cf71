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
"""A heading of odometry that exceeds it by more than this is a jump [rad]."""
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
    state, limits = state[0], limits[0]
    if math.isnan(state.began):
        state.began = now
    if state.is_standing:
        state.stood += elapsed
    if state.is_waiting or state.is_looking:
        state.waited += elapsed
    advance(state, limits, elapsed)
    if elapsed < 0.0:
        return TIME_JUMPED, _snapshot(state)
    if _has_jumped(state, limits, elapsed, stamp, x, y, theta):
        return ODOM_JUMPED, _snapshot(state)
    if is_fresh:
        state.stamp = stamp
        state.odometry[0], state.odometry[1], state.odometry[2] = x, y, theta
        state.is_standing = state.is_waiting = False
        if drifts:
            x, y, theta = composed(state.drift, (x, y, theta))
        _move(state, x, y, theta, held)
    return _progress(state, limits, now, patience), _snapshot(state)


@kernel
def correct(state, drift):
    """
    Move the odometry frame to a pose in the map frame (``drift``), and the robot with it.

    Return the pose of the robot in the map frame and its position in the global one.
    """
    state = state[0]
    pose = composed(drift, composed(inverted(state.drift), state.pose))
    for k in range(3):
        state.drift[k], state.pose[k] = drift[k], pose[k]
    return pose, applied(state.correction, pose[0], pose[1])


@kernel
def _move(state, x, y, theta, held):
    """Set the pose of the robot in the map frame."""
    if not held:
        state.path_length += math.hypot(x - state.pose[0], y - state.pose[1])
        turn = wrapped(theta - state.pose[2])
        state.turned += abs(turn)
        # A robot that looks around turns both ways in one place, and that is progress.
        if state.is_looking:
            state.spun += abs(turn)
        else:
            state.swept[0] += turn
        swept = state.swept
        swept[1], swept[2] = min(swept[1], swept[0]), max(swept[2], swept[0])
    state.pose[0], state.pose[1], state.pose[2] = x, y, theta
    state.position[0], state.position[1] = applied(state.correction, x, y)
    state.gap_is_due = math.hypot(x - state.looked[0], y - state.looked[1]) > GAP_SPACING
    if state.gap_is_due:
        state.looked[0], state.looked[1] = x, y


@kernel
def _snapshot(state):
    pose, goal = state.pose, state.goal
    return (pose[0], pose[1], pose[2], state.position[0], state.position[1],
            math.atan2(goal[1] - pose[1], goal[0] - pose[0]), state.path_length, state.turned,
            state.gap_is_due)


@kernel
def _has_jumped(state, limits, elapsed, stamp, x, y, theta):
    """Return whether odometry has moved farther than the robot can, by `state.jump`."""
    duration = stamp - state.stamp
    if duration < 0.0:  # the clock of odometry was set
        duration = elapsed
    step = math.hypot(x - state.odometry[0], y - state.odometry[1])
    turn = abs(wrapped(theta - state.odometry[2]))
    state.jump[0], state.jump[1], state.jump[2] = step, turn, duration
    # Comparisons with NaN are false: there is no jump before the first pose.
    return (step > JUMP + 2.0 * limits.max_vel_x * duration
            or turn > JUMP_ANGLE + 2.0 * limits.max_vel_theta * duration)


@kernel
def _progress(state, limits, now, patience):
    """
    Return whether the robot makes progress in time, not counting stops and waits.

    Of a rotation, only the angle swept within a body radius of path counts: a robot that turns to
    and fro in one place makes no progress.
    """
    spun = state.spun + state.swept[2] - state.swept[1]
    if state.path_length - state.swept_from >= limits.robot_radius:
        state.spun, state.swept_from = spun, state.path_length
        state.swept[0] = state.swept[1] = state.swept[2] = 0.0
    state.moved = state.path_length + limits.robot_radius * min(spun, state.advanced[1] + MAX_SPIN)
    if state.path_length - state.advanced[0] >= limits.required:
        state.advanced[0], state.advanced[1] = state.path_length, spun
    if math.isnan(state.progress_at) or state.moved - state.progress_moved >= limits.required:
        state.progress_at, state.progress_moved = now, state.moved
        state.stood = state.waited = 0.0
    if 0.0 < limits.time_allowance < now - state.began:
        return TIMEOUT
    if state.stood > limits.patience_for_data:  # it stands again and again
        return NO_DATA
    if state.waited > patience:
        return OBSTRUCTED
    if now - state.progress_at - state.stood - state.waited <= limits.allowance:
        return IN_PROGRESS
    return NO_PROGRESS
