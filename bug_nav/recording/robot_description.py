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

"""A robot file from the messages of a robot: what they show, and marks where they show nothing."""

from __future__ import annotations

import dataclasses
import math
from typing import Any, List, Mapping, NamedTuple, Tuple

from bug_nav.messages.frame_tree import FrameGap
from bug_nav.messages.sensor_messages import Mount
from bug_nav.navigation.settings import RobotModel, Settings
from bug_nav.recording.checks.command_topic import STAMPED, TWIST
from bug_nav.recording.checks.evidence import Evidence, TopicTimes
from bug_nav.recording.checks.sensor_topics import LASER_SCAN, ODOMETRY
from bug_nav.recording.checks.stamps import is_simulated
from bug_nav.recording.checks.topic_statistics import intervals_of
from bug_nav.simulation.sensors import LidarModel

TODO = 'TODO'
"""Mark of a value that no message shows."""
MISSED = 3.0
"""Intervals of a topic without a message after which the robot stops, at least."""
UNKNOWN = (
    ('robot_radius', 'm; measure the circle around the robot about its centre of rotation'),
    ('max_vel_x', 'm/s'), ('max_vel_theta', 'rad/s'),
    ('acc_lim_x', 'm/s^2 that the robot really has, also when braking'),
    ('acc_lim_theta', 'rad/s^2 that the robot really has, also when braking'),
    ('wheel_separation', 'm; distance between the wheels'),
    ('max_wheel_vel', 'm/s over the ground'))
"""Parameters of the body, which no message shows."""
DEFAULTS = RobotModel()
MAX_FAN = 6.283185
"""Maximum field of view of the simulated lidar, with the digits of a file [rad]."""


class Line(NamedTuple):
    """A parameter in the file."""

    name: str
    value: Any
    comment: str = ''


def robot_file(evidence: Evidence, base_frame: str, given: Mapping[str, Any], source: str
               ) -> List[str]:
    """
    Return the lines of a robot file.

    :param base_frame: frame of the robot, if it was given, else ''.
    :param given: parameters that the user knows, which replace others.
    :param source: what was observed, for the first line.
    """
    found = [*_topics(evidence, base_frame), *_mount(evidence, base_frame), *_timeouts(evidence)]
    named = {line.name for line in found}
    found = [line._replace(value=given[line.name], comment='given') if line.name in given
             else line for line in found]
    found += [Line(name, given[name], 'given') if name in given else
              Line(name, getattr(DEFAULTS, name), f'{TODO}: {about}') for name, about in UNKNOWN]
    named.update(name for name, _ in UNKNOWN)
    found += [Line(name, value, 'given') for name, value in given.items() if name not in named]
    return [f'# Robot file from {source}. Lines with {TODO} are the defaults of a TurtleBot3 '
            'Burger: set them.', '/**:',
            *_block('bug_navigator', found), *_block('bug_sim', _lidar(evidence))]


def marked(lines: List[str]) -> List[str]:
    """Return the names of the parameters that are marked as unknown."""
    return [line.partition(':')[0].strip() for line in lines if f'# {TODO}' in line]


def only_topic(topics: Mapping[str, str], kind: str, usual: str) -> str:
    """Return the usual topic, or the only one of its type; ValueError if there is none."""
    alike = sorted(name for name, each in topics.items() if each == kind)
    if usual in alike or len(alike) == 1:
        return usual if usual in alike else alike[0]
    what, option = {LASER_SCAN: ('scans', '--scan'), ODOMETRY: ('odometry', '--odom')}[kind]
    if alike:
        raise ValueError(f'{what} are on several topics: {", ".join(alike[:8])}; choose one with '
                         f'{option}')
    raise ValueError(f'there is no topic of {what} ({kind}), which the robot needs')


def _block(node: str, found: List[Line]) -> List[str]:
    return [f'  {node}:', '    ros__parameters:',
            *(f'      {line.name}: {_yaml(line.value)}'
              + (f'  # {line.comment}' if line.comment else '') for line in found)]


def _yaml(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        text = f'{value:.6f}'.rstrip('0')
        return f'{text}0' if text.endswith('.') else text
    # Names of topics and frames are not trusted.
    return repr(value) if isinstance(value, int) else '"' + ''.join(
        c for c in str(value) if c.isprintable() and c not in '"\\') + '"'


def _topics(evidence: Evidence, base_frame: str) -> List[Line]:
    names = [name for name in evidence.odom.frames if name]
    stamped = evidence.topics.get(evidence.cmd_vel)
    if evidence.graph is not None and evidence.graph.listeners:
        stamped = evidence.graph.listeners[0][1]
    return [
        Line('use_sim_time', is_simulated(evidence)),
        Line('scan_topic', _relative(evidence.scan.topic, evidence.namespace)),
        Line('odom_topic', _relative(evidence.odom.topic, evidence.namespace)),
        Line('robot_base_frame', base_frame or (names[0] if names else 'base_footprint'),
             '' if base_frame or names else f'{TODO}: frame of the robot'),
        *([Line('global_frame', evidence.odom_frame, 'of odometry')]
          if evidence.odom_frame else []),
        Line('enable_stamped_cmd_vel', stamped == STAMPED,
             '' if stamped in (TWIST, STAMPED) else
             f'{TODO}: true if the robot expects TwistStamped')]


def _relative(topic: str, namespace: str) -> str:
    """Return the name of a topic for a node in a namespace."""
    if not namespace:
        return topic.lstrip('/')
    prefix = f'/{namespace}/'
    return topic[len(prefix):] if topic.startswith(prefix) else topic


def _mount(evidence: Evidence, base_frame: str) -> List[Line]:
    """Return the mount of the lidar, with which the node works without transforms, too."""
    base = base_frame or (evidence.odom.frames[0] if evidence.odom.frames else '')
    comment, mount = 'from the transforms', Mount()
    if len(evidence.scan.frames) > 1:
        comment = (f'{comment}, of {evidence.scan.frames[0]}; the node looks up those of the '
                   'other lidars, too')
    try:
        mount = evidence.tree.mount(base, evidence.scan.frames[0])
    except (FrameGap, ValueError):
        comment = f'{TODO}: there is no transform to the lidar; measure its pose'
    pose = mount.pose
    return [Line('scan_offset_x', pose.x, comment), Line('scan_offset_y', pose.y, comment),
            Line('scan_offset_yaw', pose.theta, comment),
            Line('scan_upside_down', mount.upside_down, comment)]


def _timeouts(evidence: Evidence) -> List[Line]:
    """Return the timeouts that slow sensors need."""
    lines = []
    for name, track in (('scan_timeout', evidence.scan), ('odom_timeout', evidence.odom)):
        usual: float = getattr(Settings(), name)
        interval = intervals_of(track.arrivals).usual if len(track) > 1 else 0.0
        if MISSED * interval > usual:
            lines.append(Line(name, round(MISSED * interval, 1),
                              f'messages come every {interval:.2f} s'))
    return lines


def _lidar(evidence: Evidence) -> List[Line]:
    """Return the simulated lidar: what the messages of the real one say."""
    beams = evidence.beams
    first, last = _angles(evidence)
    usual = LidarModel()
    period = _period(evidence.scan) if len(evidence.scan) > 1 else usual.scan_publish_dur
    sweep = float(beams.sweeps.mean()) if beams.sweeps.size else usual.scan_sweep_time
    count = max(beams.sizes, key=lambda size: beams.sizes[size])
    found = [Line('scan_angle_increment', (last - first) / max(count - 1, 1)),
             # Some lidars repeat their first beams.
             Line('scan_angle_min', first),
             Line('scan_angle_max', min(last, first + MAX_FAN)),
             Line('scan_range_min', beams.range_min), Line('scan_range_max', beams.range_max),
             Line('scan_publish_dur', period), Line('scan_sweep_time', min(sweep, period))]
    return [_allowed(line) for line in found]


def _period(scans: TopicTimes) -> float:
    """Return the time between two scans of one lidar; each of a topic's lidars has a frame [s]."""
    lidars = len(scans.frames)
    if lidars == 1:
        return intervals_of(scans.arrivals).usual
    first, *_, last = scans.arrivals
    return float(last - first) * lidars / (len(scans) - 1)


def _allowed(line: Line) -> Line:
    """Return a line with the nearest value that the simulated lidar accepts."""
    field = {each.name: each for each in dataclasses.fields(LidarModel)}.get(line.name)
    if math.isnan(line.value):
        usual = LidarModel().increment if field is None else field.default
        return Line(line.name, usual, f'{TODO}: the scans do not have it')
    if field is None:
        return line
    return line._replace(value=min(max(line.value, field.metadata['low']),
                                   field.metadata['high']))


def _angles(evidence: Evidence) -> Tuple[float, float]:
    """Return the directions of the first and last beam, of an upright lidar [rad], or NaN."""
    first, last = sorted(evidence.beams.sector)
    if not math.isfinite(first + last):
        return math.nan, math.nan
    turns = 2.0 * math.pi * math.floor((first + math.pi) / (2.0 * math.pi))
    return round(first - turns, 6), round(last - turns, 6)
