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

"""Small recordings for tests, as a robot would make them."""

import inspect
import math

from bug_nav.navigation.geometry import Pose
from bug_nav.simulation.sensors import LidarModel
from bug_nav.simulation.simulator import Simulator
from bug_nav.simulation.world import World
import numpy as np
import pytest
from rosbags.rosbag2 import Reader, Writer
from rosbags.typesys import get_typestore, Stores

try:
    from rosbags.rosbag2 import CompressionFormat, CompressionMode, StoragePlugin
except ImportError:  # the last release for Python 3.9
    StoragePlugin = None
    CompressionFormat, CompressionMode = Writer.CompressionFormat, Writer.CompressionMode

TYPES = get_typestore(Stores.ROS2_HUMBLE)
LATEST = {'version': 9} if 'version' in inspect.signature(Writer.__init__).parameters else {}
READS_FILES = '.db3' in Reader.STORAGE_PLUGINS
"""Whether rosbags reads a file without its folder, which that for Python 3.9 does not."""
BEGAN = 1_700_000_000.0
"""Start of the recordings [s]."""


def require_files():
    """Skip a test if rosbags reads only folders."""
    if not READS_FILES:
        pytest.skip('rosbags for Python 3.9 reads no single file')


def make(name, **fields):
    """Return a message by the short name of its type; missing fields are zero."""
    package = next(each.split('/')[0] for each in TYPES.types if each.endswith(f'/msg/{name}'))
    kind = TYPES.types[f'{package}/msg/{name}']
    given = dict(fields)
    # Before rosbags 0.11, as on Python 3.9, their name is in capitals.
    fields_of = getattr(TYPES, 'fielddefs', None) or TYPES.FIELDDEFS
    for field, (node, detail) in fields_of[f'{package}/msg/{name}'][1]:
        if field not in given:
            given[field] = _zero(node, detail)
    return kind(**given)


def _zero(node, detail):
    kind = int(node)
    if kind == 1:
        return {'string': '', 'bool': False}.get(
            detail[0], 0.0 if detail[0].startswith('float') else 0)
    if kind == 2:
        return make(detail.rpartition('/')[2])
    (_, inner), size = detail
    name = inner[0] if isinstance(inner, tuple) else ''
    return np.zeros(size or 0, dtype=name) if name.startswith(('float', 'int', 'uint')) else []


def header(stamp, frame):
    whole = math.floor(stamp)
    return make('Header', frame_id=frame,
                stamp=make('Time', sec=whole, nanosec=round((stamp - whole) * 1e9)))


def scan(stamp, ranges=None, frame='base_scan', sweep=0.0, **fields):
    if ranges is None:  # a real lidar never repeats a scan
        ranges = 2.0 + 0.001 * np.cos(100.0 * stamp + np.arange(360))
    ranges = np.asarray(ranges)
    return make('LaserScan', **{
        'header': header(stamp, frame), 'angle_min': 0.0,
        'angle_increment': 2.0 * math.pi / max(len(ranges), 1),
        'angle_max': 2.0 * math.pi, 'range_min': 0.12,
        'range_max': 3.5, 'time_increment': sweep / max(len(ranges) - 1, 1),
        'ranges': ranges.astype(np.float32), 'intensities': np.zeros(0, np.float32), **fields})


def odometry(stamp, x=0.0, y=0.0, yaw=0.0, child='base_footprint'):
    pose = make('Pose', position=make('Point', x=x, y=y), orientation=quaternion(yaw))
    return make('Odometry', header=header(stamp, 'odom'), child_frame_id=child,
                pose=make('PoseWithCovariance', pose=pose, covariance=np.zeros(36)),
                twist=make('TwistWithCovariance', covariance=np.zeros(36)))


def quaternion(yaw):
    return make('Quaternion', z=math.sin(0.5 * yaw), w=math.cos(0.5 * yaw))


def transform(parent, child, x=0.0, yaw=0.0, stamp=BEGAN):
    place = make('Transform', translation=make('Vector3', x=x), rotation=quaternion(yaw))
    return make('TransformStamped', header=header(stamp, parent), child_frame_id=child,
                transform=place)


def write(path, messages, mcap=False, compressed=False):
    """Write tuples (time of arrival, topic, message) into a new recording."""
    if mcap and StoragePlugin is None:
        pytest.skip('rosbags for Python 3.9 writes no MCAP')
    plugin = {'storage_plugin': StoragePlugin.MCAP} if mcap else {}
    topics = {}
    writer = Writer(path, **LATEST, **plugin)
    if compressed:
        writer.set_compression(CompressionMode.STORAGE if mcap else CompressionMode.MESSAGE,
                               CompressionFormat.ZSTD)
    with writer:
        for at, topic, message in sorted(messages, key=lambda each: each[0]):
            kind = message.__msgtype__
            if topic not in topics:
                topics[topic] = writer.add_connection(topic, kind, typestore=TYPES)
            writer.write(topics[topic], round(at * 1e9), TYPES.serialize_cdr(message, kind))
    return str(path)


POSTS = World('posts', tuple(
    np.array([(x, y), (x + 0.5, y), (x + 0.5, y + 0.4), (x, y + 0.4)])
    for x in np.arange(-2.0, 20.0) for y in (-1.5 - 0.1 * (x % 3.0), 1.2 + 0.1 * (x % 2.0))))


def seen_from(x, stamp):
    """Return the ranges that a robot between the posts measures."""
    lidar = LidarModel(scan_offset_x=-0.03, scan_noise=0.001)
    seed = round(1e3 * (stamp - BEGAN))  # a real lidar never repeats a scan
    return Simulator(POSTS, Pose(x, 0.0, 0.0), lidar=lidar, seed=seed).scan().ranges


def drive(duration=6.0, speed=0.2, odom_late=0.0, scan_ahead=0.0, base='base_footprint'):
    """
    Return the messages of a robot that drives ahead between posts.

    Scans at 5 Hz, odometry at 20 Hz.
    """
    messages = [(BEGAN, '/tf_static', make('TFMessage', transforms=[
        transform(base, 'base_scan', x=-0.03)]))]
    for tick in range(int(duration * 20.0)):
        now = BEGAN + 0.05 * tick
        x = speed * 0.05 * tick
        messages.append((now + odom_late, '/odom', odometry(now, x, child=base)))
        messages.append((now, '/tf', make('TFMessage', transforms=[
            transform('odom', base, x=x, stamp=now)])))
        messages.append((now, '/cmd_vel', make('Twist')))
        if tick % 4 == 1:
            messages.append((now, '/scan', scan(now + scan_ahead, seen_from(x, now))))
    return messages
