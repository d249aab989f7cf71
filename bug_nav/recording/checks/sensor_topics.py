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

"""Findings on scans and odometry: existence, rate and content."""

from __future__ import annotations

import math
from typing import List, Optional

from bug_nav.messages.ros_distribution import local_only
from bug_nav.navigation.names import did_you_mean
from bug_nav.recording.checks.evidence import Beams, Evidence, READINGS, TopicTimes
from bug_nav.recording.checks.finding import error, Finding, ok, warning
from bug_nav.recording.checks.topic_statistics import backward, intervals_of, repeated
import numpy as np

LASER_SCAN, ODOMETRY = 'sensor_msgs/msg/LaserScan', 'nav_msgs/msg/Odometry'
MAX_REASONS, MAX_REJECTED = 3, 0.1
"""
Maximum number of reasons that are shown, and maximum share of rejected messages of a warning.
"""
MAX_TOO_NEAR = 0.25
"""Maximum share of beams that read -inf."""
MIN_RANGE_SHARE = 0.1
"""Minimum share of beams with a range, below which a warning is given."""
MAX_REPEATED = 0.05
"""Maximum share of repeated stamps."""
MAX_TYPICAL = 100.0
"""Median of the readings above which they are no metres [m]."""
MIN_BEAMS = 90
"""Minimum number of beams per full turn; with fewer, corners fall between beams."""


def findings(evidence: Evidence, scan_timeout: float, odom_timeout: float) -> List[Finding]:
    """Return the findings on scan and odometry topics."""
    found = [_arrives(evidence, evidence.scan, 'scan', LASER_SCAN, scan_timeout)]
    if len(evidence.scan):
        found += [_beams(evidence.beams)] if evidence.beams.has_limits else []
        found += _lidars(evidence)
    found.append(_arrives(evidence, evidence.odom, 'odom', ODOMETRY, odom_timeout))
    for subject, track in (('scan', evidence.scan), ('odom', evidence.odom)):
        reasons = evidence.node.rejected[subject]
        level = error if sum(reasons.values()) > MAX_REJECTED * len(track) else warning
        for reason, count in reasons.most_common(MAX_REASONS):
            found.append(level('node', f'it rejects {count} of {len(track)} messages on '
                               f'{track.topic}: {reason}', 'correct the driver or its settings'))
    return found


def _arrives(evidence: Evidence, track: TopicTimes, subject: str, kind: str, timeout: float
             ) -> Finding:
    missing = _missing(evidence, track, subject, kind)
    if missing is not None:
        return missing
    steady = intervals_of(track.arrivals)
    found = (f'{track.topic}: {len(track)} in {evidence.duration:.1f} s, {steady.rate:.1f} Hz; '
             f'interval {steady.usual:.3f} s (median), 95 % below {steady.late:.3f} s, at most '
             f'{steady.longest:.2f} s')
    # Scans of several lidars on one topic may overtake each other.
    sources = track.stamps_by_frame if kind == LASER_SCAN else [track.stamps]
    back = sum(map(backward, sources))
    if back:
        return error(subject, f'{found}; {back} times the stamp is older than the one before',
                     f'make sure that only one node publishes {track.topic} (ros2 topic info -v '
                     f'{track.topic}); if a clock was set meanwhile, try again')
    again = repeated(track.stamps)
    if again > MAX_REPEATED * len(track) and len(track.frames) == 1:
        return warning(subject, f'{found}; {again} of {len(track)} repeat the stamp before them: '
                       f'there are {steady.rate * (1.0 - again / len(track)):.1f} Hz',
                       f'several nodes may publish {track.topic} (ros2 topic info -v '
                       f'{track.topic}); only one of each stamp is used')
    silent = evidence.ended - float(track.arrivals.max())
    if steady.usual > timeout:
        return error(subject, found, f'too slow: the robot stops {timeout:g} s after each message'
                     f'; increase the rate, or set {subject}_timeout to {2.0 * steady.late:.1f}')
    if max(steady.longest, silent) > timeout:
        last = f', and no message in the last {silent:.1f} s' if silent > timeout else ''
        return warning(subject, found + last, f'the robot stops if no message arrives for '
                       f'{timeout:g} s ({subject}_timeout): look for a busy network or computer')
    return ok(subject, found)


def _lidars(evidence: Evidence) -> List[Finding]:
    """Return the findings on the dialect of each lidar."""
    lidars = evidence.node.lidars
    found = [ok('lidar', (f'{frame}: ' if len(lidars) > 1 else '') + str(lidar.dialect))
             for frame, lidar in sorted(lidars.items())]
    if len(lidars) > 1:
        found.append(warning(
            'lidar', f'{evidence.scan.topic} has scans in {len(lidars)} frames, '
            f'{", ".join(sorted(lidars))}', 'each counts as a lidar of its own, and algorithms '
            'that look ahead use the newest scan only; merge them for those'))
    return found


def _missing(evidence: Evidence, track: TopicTimes, subject: str, kind: str
             ) -> Optional[Finding]:
    """Return the finding on a topic with too few messages; None if there are enough."""
    if len(track) > 1:
        return None
    there = evidence.topics.get(track.topic)
    alike = sorted(name for name, each in evidence.topics.items() if each == kind)
    short = kind.rpartition('/')[2]
    if there not in (None, kind):
        why, remedy = f'{track.topic} has the type {there}, not {kind}', ''
    elif there is None:
        why, remedy = f'there is no topic {track.topic}', ''
    else:
        why = f'{("no message", "only one message")[len(track)]} arrived on {track.topic}'
        remedy = 'check that the driver is running and publishes (ros2 topic hz); '
        if evidence.graph and track.topic in evidence.graph.mismatches:
            why += f': {evidence.graph.mismatches[track.topic]}'
    others = [name for name in alike if name != track.topic]
    if others:
        remedy += (f'{short} is on {", ".join(others[:8])}: give --{subject} {others[0]} here, '
                   f'and {subject}_topic to the node')
    elif there != kind:
        near = '' if there else did_you_mean(track.topic, evidence.topics)
        remedy += (f'no topic has the type {short}; check that '
                   + ('the robot and the driver are on, and that ROS_DOMAIN_ID and '
                      f'{local_only()[0]} are the same on both sides' if evidence.graph else
                      'the driver was running and that its topic was recorded') + near)
    return error(subject, why, remedy.strip(' ;'))


def _beams(beams: Beams) -> Finding:
    share = beams.share
    sizes = ' or '.join(str(size) for size in sorted(beams.sizes))
    sweep = float(np.median(beams.sweeps))
    nothing = [f'{word} {share[word]:.0%}' for word in READINGS[1:-2] if share[word]]
    near = [f'{word} {share[word]:.1%}' for word in READINGS[-2:] if share[word]]
    found = (f'{sizes} beams over {math.degrees(beams.fan):.0f} degrees from '
             f'{beams.range_min:.3g} to {beams.range_max:.3g} m, sweep time {sweep:.3f} s; '
             f'{share["range"]:.0%} of the beams have a range; no return: '
             f'{", ".join(nothing) or "none"}'
             + (f'; too near: {", ".join(near)}' if near else ''))
    if beams.covered * 2 > sum(beams.sizes.values()):
        return error('beams', f'{found}; every beam reads range_min',
                     'something covers the lidar, or a simulated one needs a GPU')
    if beams.typical > MAX_TYPICAL:
        return error('beams', f'{found}; half of the finite readings are above '
                     f'{beams.typical:.0f} m', 'the ranges, and perhaps range_min and range_max, '
                     'are in millimetres: divide them by 1000 in the driver')
    if share['-inf'] > MAX_TOO_NEAR:
        return error('beams', f'{found}; -inf means nearer than range_min (REP-117), so the robot '
                     'is surrounded',
                     'if nothing is that near, the driver means no return: let it send inf')
    if share['range'] == 0.0:
        return error('beams', found, 'the lidar measures nothing: is it covered, does it turn, '
                     'is anything within its range?')
    if share['range'] < MIN_RANGE_SHARE:
        return warning('beams', found, 'few beams have a range: normal in a large hall; else '
                       'clean the lidar, or check the driver')
    if beams.fan > 0.0 and max(beams.sizes) / beams.fan * 2.0 * math.pi < MIN_BEAMS:
        return warning('beams', found, 'too few beams to detect narrow obstacles: set a finer '
                       'resolution in the driver')
    return ok('beams', found)
