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

"""Findings from a motion: mount, wheels, delays and own parts, measured."""

from __future__ import annotations

import math
from typing import Iterator, List

from bug_nav.messages.sensor_messages import Mount
from bug_nav.navigation.control.motion import JUMP, JUMP_ANGLE
from bug_nav.navigation.settings import RobotModel
from bug_nav.recording.checks.calibration import (
    calibrate,
    Calibration,
    constant_beams,
    isolated,
    MIN_DRIVE,
    MIN_TURN,
    response,
    Track,
    Value,
)
from bug_nav.recording.checks.evidence import Evidence
from bug_nav.recording.checks.finding import error, Finding, Level, ok, warning
from bug_nav.recording.checks.frames import ExpectedRobot, stated_mount
from bug_nav.recording.checks.stamps import has_end_stamps
import numpy as np

CLEAR = 3.0
"""Difference that counts [standard deviations]."""
YAW, LARGE_YAW, PLACE, SCALE, LARGE_SCALE, SKEW, DELAY = (
    math.radians(2.0), math.radians(20.0), 0.03, 0.04, 0.2, 0.08, 0.35)
"""Differences from which there is a warning [rad, m, 1, s], and an error of yaw and wheels."""
VAGUE_YAW, VAGUE_SCALE = math.radians(5.0), 0.1
"""Standard deviations above which a recording shows too little [rad, 1]."""
RECORD = 'record a full turn on the spot and half a metre straight, between walls'
STALE_SCALE = 0.2
"""Share of the distance of odometry below which the scans rather do not move as the robot does."""
OWN_STEPS, MIN_OWN_STEPS, MAX_OWN_SHARE = (0.05, 0.05, 0.1), 12, 0.3
"""
Own parts show in one scan per step of the pose [m, m, rad]. The minimum number of headings, over
which a wall beside the robot comes nearer, or of places, for parts with free space beside them;
and the maximum share of the beams that they may be.
"""
FASTEST, MAX_JUMPS = (5.0, 10.0), 0.01
"""
Speeds that no robot exceeds [m/s, rad/s], and the maximum share of steps of odometry above them.
"""
MIN_SAMPLES = 3
"""Minimum number of scans, and of odometry messages, from which anything is measured."""
HOLD, ASKED, STILL = 0.5, ((0.3, 'm'), (1.0, 'rad')), (0.005, 0.01)
"""
Maximum duration of a command [s], the motion that commands ask for, and the motion of odometry in
which it stands still [m, rad].
"""
BESIDE = 0.1
"""Minimum distance by which both neighbours of such a part are farther away [m]."""
OWN_MARGIN = 0.03
"""Margin of self_radius beyond the parts that are seen [m]."""


def findings(evidence: Evidence, expected: ExpectedRobot) -> List[Finding]:
    """Return what the motion of the robot shows; nothing if it does not move."""
    samples = evidence.samples
    odometry = samples.odometry
    if not (len(evidence.scan) and len(evidence.odom)):
        return []
    if len(odometry.stamps) < MIN_SAMPLES:
        return [_unmeasured(evidence)]
    jumps = list(_jumps(odometry, expected.model))
    if any(each.level is Level.ERROR for each in jumps):
        return jumps  # they are no motion of the robot
    others = [*jumps, *_commands(evidence)]
    if len(samples.scans) < MIN_SAMPLES:
        return [_unmeasured(evidence), *others]
    mount = stated_mount(evidence, expected)
    angles = -samples.angles if mount.upside_down else samples.angles
    # The middle of a sweep is half of it after the first beam, or before the last.
    sweep = float(np.median(evidence.beams.sweeps)) if has_end_stamps(evidence) else 0.0
    found = calibrate(samples.stamps - sweep, _measured(evidence), angles, odometry, mount.pose)
    others += _own_parts(evidence, mount, expected)
    if _is_vague(found):
        return [ok('motion', 'the scans do not show the motion clearly enough to measure mount '
                   f'and wheels; {RECORD}'), *others]
    return [_motion(found), *_mount(found, mount), *_wheels(found), *_skew(found),
            *others]


def _unmeasured(evidence: Evidence) -> Finding:
    """Say why mount and wheels are not measured."""
    samples = evidence.samples
    return ok('motion', f'mount and wheels are not measured: that needs {MIN_SAMPLES} usable scans'
              f' and odometry messages, and there are {len(samples.scans)} and '
              f'{len(samples.odometry.stamps)}; scans of another frame than the first, without '
              'angles or of incomplete turns are not usable')


def _measured(evidence: Evidence) -> List[np.ndarray]:
    """Return the ranges of each scan without those that mean no return, which move along."""
    repeated = [lidar.dialect.readings['repeated'][0] for lidar in evidence.node.lidars.values()]
    return [np.where(np.isin(ranges, repeated), math.nan, ranges)
            for ranges in evidence.samples.scans]


def _is_vague(found: Calibration) -> bool:
    """Return whether scans and odometry fit badly, as among people or in the open."""
    pairs = ((found.yaw, VAGUE_YAW), (found.scale, VAGUE_SCALE), (found.turn_scale, VAGUE_SCALE))
    return any(value is not None and value.sigma > most for value, most in pairs)


def _motion(found: Calibration) -> Finding:
    seen = (f'in {found.turned:.1f} rad of turning and {found.driven:.2f} m of driving the scans '
            'show the motion')
    if found.turned > MIN_TURN and found.driven > MIN_DRIVE:
        return ok('motion', seen)
    return ok('motion', f'{seen}; to measure mount and wheels, {RECORD}')


def _text(measured: Value, unit: str, factor: float = 1.0, digits: int = 3) -> str:
    return (f'{factor * measured.value:.{digits}f} {unit} (+- {factor * measured.sigma:.{digits}f}'
            f' {unit})')


def _differs(measured: Value, stated: float, least: float) -> bool:
    return abs(measured.value - stated) > max(least, CLEAR * measured.sigma)


def _mount(found: Calibration, mount: Mount) -> Iterator[Finding]:
    if found.is_mirrored is None:
        return
    if found.is_mirrored:
        yield error('mirrored', 'the scans turn the other way than odometry: the world is '
                    'mirrored, and the robot would turn into walls',
                    f'scan_upside_down: {str(not mount.upside_down).lower()} (or the same in the '
                    'transform of the lidar); if the lidar is mounted as stated, odometry turns '
                    'the wrong way: swap its wheels')
    if found.yaw is not None:
        off = math.remainder(found.yaw.value - mount.pose.theta, 2.0 * math.pi)
        told = f'the yaw of the lidar is {_text(found.yaw, "degrees", 180.0 / math.pi, 1)}'
        if _differs(Value(off, found.yaw.sigma), 0.0, YAW):
            level = error if abs(off) > LARGE_YAW else warning
            yield level('yaw', f'{told}, not {math.degrees(mount.pose.theta):.1f} degrees: walls '
                        'would be on the wrong side',
                        f'scan_offset_yaw: {found.yaw.value:.3f} (or the same in the transform)')
        else:
            yield ok('yaw', told)
    if found.x is not None and found.y is not None:
        told = f'the lidar is at x {_text(found.x, "m")}, y {_text(found.y, "m")}'
        if (_differs(found.x, mount.pose.x, PLACE) or _differs(found.y, mount.pose.y, PLACE)):
            yield warning('place', f'{told}, not at ({mount.pose.x:.3f}, {mount.pose.y:.3f}) m: '
                          'walls would shift when the robot turns',
                          f'scan_offset_x: {found.x.value:.3f}, scan_offset_y: '
                          f'{found.y.value:.3f} (or the same in the transform)')
        else:
            yield ok('place', told)


def _wheels(found: Calibration) -> Iterator[Finding]:
    if found.scale is not None:
        told = f'the robot drives {_text(found.scale, "times")} as far as odometry reports'
        # A diameter for a radius, or the wrong decoding of encoders, is a factor of up to 4.
        if found.scale.value < STALE_SCALE:
            yield warning('wheels', f'{told}: the scans do not move as the robot does',
                          'record the robot between walls; a lidar that repeats a scan, or sees '
                          'mostly what moves along, cannot show the motion')
        elif _differs(found.scale, 1.0, SCALE):
            level = error if abs(found.scale.value - 1.0) > LARGE_SCALE else warning
            yield level('wheels', told, f'multiply wheel_radius of the base driver by '
                        f'{found.scale.value:.3f}')
        else:
            yield ok('wheels', told)
    if found.turn_scale is not None:
        told = f'it turns {_text(found.turn_scale, "times")} as far as odometry reports'
        # Other wheels change both; what is left is their separation.
        is_wheel = found.scale is not None and _differs(found.scale, 1.0, SCALE)
        scale = found.scale.value if found.scale is not None and is_wheel else 1.0
        if _differs(found.turn_scale, scale, SCALE):
            factor = scale / found.turn_scale.value
            level = error if abs(factor - 1.0) > LARGE_SCALE else warning
            yield level('axle', told, 'multiply the wheel separation of the base driver by '
                        f'{factor:.3f}')
        else:
            yield ok('axle', told)


def _skew(found: Calibration) -> Iterator[Finding]:
    if found.skew is None or found.skew.sigma > SKEW:
        return
    which = 'early' if found.skew.value > 0.0 else 'late'
    told = (f'while the robot turns, stamps of scans are {abs(found.skew.value):.3f} s '
            f'(+- {found.skew.sigma:.3f} s) {which} for those of odometry')
    if _differs(found.skew, 0.0, SKEW):
        yield warning('turn_skew', f'{told}: walls would turn with the robot',
                      'synchronize the clocks (chrony), or stamp the time of measurement in the '
                      'drivers')
    else:
        yield ok('turn_skew', told)


def _jumps(odometry: Track, model: RobotModel) -> Iterator[Finding]:
    """Report steps of odometry with which the node ends a goal."""
    spans = np.diff(odometry.stamps)
    x, y, turns = np.abs(np.diff(odometry.values, axis=0)).T
    steps = np.hypot(x, y)

    def exceed(speed: float, rate: float) -> np.ndarray:
        return (steps > JUMP + 2.0 * speed * spans) | (turns > JUMP_ANGLE + 2.0 * rate * spans)
    jumps = exceed(model.max_vel_x, model.max_vel_theta)
    if not jumps.any():
        return
    k = int(np.argmax(np.where(jumps, steps + turns, -1.0)))
    # While it is driven by hand, a robot may be faster than its parameters.
    level = error if exceed(*FASTEST).mean() > MAX_JUMPS else warning
    yield level('jumps', f'odometry jumps {jumps.sum()} times, such as by {steps[k]:.2f} m and '
                f'{turns[k]:.2f} rad in {spans[k]:.2f} s; each jump ends a goal',
                'check the units of odometry (metres, radians, seconds) and that one node '
                f'publishes it; a robot above {model.max_vel_x:g} m/s needs max_vel_x')


def _commands(evidence: Evidence) -> Iterator[Finding]:
    commands, odometry = evidence.samples.commands, evidence.samples.odometry
    times = commands.stamps[:-1]
    # A command holds until the next, or until the base stops by itself.
    holds = np.where((times > odometry.stamps[0]) & (times < odometry.stamps[-1]),
                     np.minimum(np.diff(commands.stamps), HOLD), 0.0)
    asked = holds @ np.abs(commands.values[:-1])
    x, y, heading = np.ptp(odometry.values, axis=0)
    still = [f'{verb}, but the commands on {evidence.cmd_vel} add up to {amount:.2f} {unit}'
             for verb, amount, least, unit, moved, most in (
                 ('drive', asked[0], *ASKED[0], max(x, y), STILL[0]),
                 ('turn', asked[1], *ASKED[1], heading, STILL[1]))
             if amount > least and moved < most]
    if still:
        yield error('still', f'odometry does not {"; it does not ".join(still)}',
                    'check that the base is on and follows that topic, and that its encoders and '
                    'its gyroscope work')
        return
    delays = []
    for is_turn, what, part in ((False, 'forward', 'linear.x'),
                                (True, 'to the left', 'angular.z')):
        follows = response(commands, odometry, is_turn)
        if follows is None:
            continue
        if follows.sign < 0:
            yield error('direction', f'a command {what} moves the robot the other way: it would '
                        'drive into what it sees', f'change the sign of {part} in the base '
                        'driver, or swap its wheels')
        elif follows.delay is not None:
            delays.append(follows.delay)
    if not delays:
        return
    delay = min(delays, key=lambda each: each.sigma)
    told = f'odometry follows a command after {_text(delay, "s", digits=2)}'
    if _differs(delay, 0.0, DELAY):
        yield warning('delay', f'{told}: the robot would stop too late',
                      'find the delay in the base driver or in a velocity smoother; until then, '
                      'lower max_vel_x and raise the clearance')
    else:
        yield ok('delay', told)


def _own_parts(evidence: Evidence, mount: Mount, expected: ExpectedRobot) -> Iterator[Finding]:
    """Report beams that see the same near thing while the robot turns: a part of the robot."""
    samples, radius = evidence.samples, expected.model.robot_radius
    poses = samples.odometry.at(samples.stamps)
    poses[:, 2] %= 2.0 * math.pi
    steps, chosen = np.unique(np.floor(poses / OWN_STEPS), axis=0, return_index=True)
    reach = 1.5 * radius + math.hypot(mount.pose.x, mount.pose.y)
    scans = [samples.scans[k] for k in chosen]
    ranges = constant_beams(scans, reach)
    if len(np.unique(steps[:, 2])) < MIN_OWN_STEPS:
        if len(np.unique(steps[:, :2], axis=0)) < MIN_OWN_STEPS:
            return
        ranges = isolated(ranges, scans, BESIDE)
    own = np.isfinite(ranges)
    if not own.any() or own.mean() > MAX_OWN_SHARE:
        return
    angles = (-samples.angles if mount.upside_down else samples.angles) + mount.pose.theta
    places = np.column_stack((mount.pose.x + ranges * np.cos(angles),
                              mount.pose.y + ranges * np.sin(angles)))[own]
    farthest = float(np.hypot(*places.T).max())
    ignored = expected.model.self_radius or 0.9 * radius
    told = (f'{own.sum()} of {own.size} kept beams see parts of the robot itself, up to '
            f'{farthest:.3f} m from its centre')
    if farthest > ignored:
        yield error('own_parts', f'{told}, and only those within {ignored:.3f} m are ignored: '
                    'the robot would stand in front of itself',
                    f'self_radius: {math.ceil(100.0 * (farthest + OWN_MARGIN)) / 100.0:.2f}')
    else:
        yield ok('own_parts', f'{told}; they are ignored')
