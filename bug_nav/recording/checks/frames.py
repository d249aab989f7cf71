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

"""Findings on frames, the mount of the lidar and its blind zone."""

from __future__ import annotations

import math
from typing import List, NamedTuple, Optional, Tuple

from bug_nav.messages.frame_tree import FrameGap
from bug_nav.messages.sensor_messages import Mount
from bug_nav.navigation.names import did_you_mean
from bug_nav.navigation.settings import check_blind_zone, contour_radius, RobotModel, Settings
from bug_nav.recording.checks.evidence import Evidence
from bug_nav.recording.checks.finding import error, Finding, ok, warning


class ExpectedRobot(NamedTuple):
    """Expected robot, against which the evidence is checked."""

    robot: str
    """Name of its preset."""
    model: RobotModel
    settings: Settings
    base_frame: str
    mount: Mount
    """Mount of its lidar if there is no transform."""
    use_tf: bool = True
    """Whether the node takes the mount from a transform if there is one."""
    is_stamped: Optional[bool] = None
    """Whether the node sends TwistStamped; None if unknown."""
    use_sim_time: Optional[bool] = None
    """Whether the node uses the simulated time of /clock; None if unknown."""
    global_frame: str = ''
    """Frame of goals, '' if unknown."""


def findings(evidence: Evidence, expected: ExpectedRobot) -> List[Finding]:
    """Return the findings on frames and blind zone, as far as scans and odometry arrived."""
    found = []
    base, finding = _base(evidence, expected.base_frame)
    found.append(finding)
    if len(evidence.scan):
        mount, finding = _mount(evidence, base, expected)
        found.append(finding)
        if evidence.beams.has_limits:
            found.append(_blind_zone(evidence, mount, expected))
    if evidence.odom_frame:
        found += [_odometry(evidence, base), *_goals(evidence, expected)]
    return found


def stated_mount(evidence: Evidence, expected: ExpectedRobot) -> Mount:
    """Return the mount of the lidar by transform or parameters."""
    return _mount(evidence, _base(evidence, expected.base_frame)[0], expected)[0]


def _base(evidence: Evidence, wanted: str) -> Tuple[str, Finding]:
    """Return the base frame for the further checks, and the finding on it."""
    names = [name for name in evidence.odom.frames if name]
    known = {*evidence.tree.frames, *names}
    if wanted in known or not known:
        return wanted, ok('base', f'the robot frame is {wanted}' if known else
                          f'no frame is known; the robot frame is assumed to be {wanted}')
    other = evidence.base(wanted)
    if other == wanted:
        return wanted, error('base', f'there is no frame {wanted}', 'give --base-frame NAME here, '
                             'and robot_base_frame to the node' + did_you_mean(wanted, known))
    return other, error('base', f'there is no frame {wanted}; odometry is the pose of {other}',
                        f'set robot_base_frame to {other} (here --base-frame {other}, which the '
                        'further checks use)')


def _mount(evidence: Evidence, base: str, expected: ExpectedRobot) -> Tuple[Mount, Finding]:
    """Return the lidar's mount, and the finding on it."""
    tree, scan = evidence.tree, evidence.scan.frames[0]
    if not expected.use_tf:
        return expected.mount, ok('mount', f'{base} -> {scan}: {expected.mount.text}, by the '
                                  'parameters, because use_tf is false')
    try:
        mount = tree.mount(base, scan)
    except FrameGap as gap:
        return expected.mount, error(
            'mount', f'the lidar is in {scan!r}: {gap}', 'start robot_state_publisher, or set '
            'use_tf: false, scan_offset_x, scan_offset_y and scan_offset_yaw of the node; the '
            f'further checks use the mount of the preset {expected.robot}')
    except ValueError as reason:
        return expected.mount, error('mount', str(reason), 'correct the transform')
    found = f'{base} -> {scan}: {mount.text}'
    moving = tree.moving(base, scan)
    if moving:
        return mount, warning('mount', f'{found}; frames between them move: {", ".join(moving)}',
                              'the node looks up the mount of the lidar once: '
                              + _fixed_base(evidence, scan))
    return mount, ok('mount', found)


def _fixed_base(evidence: Evidence, scan: str) -> str:
    """Return the remedy for a lidar that moves."""
    for name in evidence.odom.frames:
        if not _gap(evidence, name, scan) and not evidence.tree.moving(name, scan):
            return (f'set robot_base_frame to {name} (here --base-frame {name}), to which it is '
                    'fixed')
    return 'a lidar on a moving joint is not supported'


def _blind_zone(evidence: Evidence, mount: Mount, expected: ExpectedRobot) -> Finding:
    """Compare the blind zone of the lidar with the contour radius."""
    rho = contour_radius(expected.model, expected.settings)
    away = math.hypot(mount.pose.x, mount.pose.y)
    blind = evidence.beams.range_min + away
    found = (f'rho is {rho:.3f} m; the lidar is blind up to {blind:.3f} m from the centre '
             f'(range_min {evidence.beams.range_min:.3f} m, {away:.3f} m off the centre)')
    try:
        check_blind_zone(expected.model, expected.settings, blind)
    except ValueError as reason:
        return error('near', found, str(reason))
    return ok('near', found)


def _odometry(evidence: Evidence, base: str) -> Finding:
    frame = evidence.odom_frame
    child = next(iter(evidence.odom.frames), '')
    names = f'{frame} -> {base}'
    offset = _gap(evidence, base, child) if child not in ('', base) else ''
    if offset:
        return error('frames', f'odometry is the pose of {child}: {offset}',
                     f'set robot_base_frame to {child}, or send that transform')
    gap = _gap(evidence, frame, base)
    if gap:
        return warning('frames', gap, 'the navigator uses the odometry topic and drives without '
                       f'it; rviz, and goals in a frame other than {frame}, need that transform '
                       'on /tf')
    return ok('frames', f'{names} is on /tf')


def _goals(evidence: Evidence, expected: ExpectedRobot) -> List[Finding]:
    """Return the finding on goals in a frame that is not connected with odometry."""
    wanted, frame = expected.global_frame.lstrip('/'), evidence.odom_frame
    gap = _gap(evidence, wanted, frame) if wanted not in ('', frame) else ''
    if not gap:
        return []
    return [error('goals', f'goals are in {wanted} (global_frame), and odometry is in {frame}: '
                  f'{gap}', f'set global_frame to {frame}, or start the localizer that sends '
                  f'{wanted} to {frame}')]


def _gap(evidence: Evidence, target: str, source: str) -> Optional[str]:
    """Return why two frames are not connected; '' if they are."""
    try:
        evidence.tree.place(target, source)
    except FrameGap as gap:
        return str(gap)
    return ''
