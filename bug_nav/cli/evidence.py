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

"""Evidence from a running robot or a recording, and the requirements on it."""

from __future__ import annotations

import argparse
import re
import sys
from typing import Optional, Tuple, Type, TYPE_CHECKING

from bug_nav.cli import DEFAULT_ROBOT, Interrupted
from bug_nav.cli.progress import PercentLine
from bug_nav.cli.recording_files import open_recording
from bug_nav.cli.robot_file import adopt, MOUNT, of_node, of_robot
from bug_nav.cli.ros_session import catch_signals, report_ros_errors, require_ros
from bug_nav.files import BadInput
from bug_nav.lab.run_setup import parameters_of
from bug_nav.messages.frame_tree import TF, TF_STATIC
from bug_nav.messages.sensor_messages import Mount
from bug_nav.navigation.algorithms.base import Algorithm
from bug_nav.recording.checks.evidence import Evidence, TopicTimes
from bug_nav.recording.checks.frames import ExpectedRobot
from bug_nav.simulation.robots import described, find_robot
from bug_nav.simulation.sensors import LidarModel

LISTENING = 10.0
"""Default listening time [s]."""

if TYPE_CHECKING:
    from bug_nav.ros.client.survey import Survey


def prepare(arguments: argparse.Namespace) -> Tuple[Evidence, ExpectedRobot]:
    """Return empty evidence, and the requirements; they may be those of a running navigator."""
    transforms = () if arguments.bag else adopt_navigator(arguments)
    demands = requirements_of(arguments)
    evidence = evidence_of(*input_topics(arguments), arguments)
    evidence.transforms = transforms or evidence.transforms
    evidence.base_frame = demands.base_frame
    if not demands.use_tf:
        evidence.mount = demands.mount
    return evidence, demands


def evidence_of(scan: str, odom: str, arguments: argparse.Namespace) -> Evidence:
    """Return empty evidence of a robot with these topics."""
    return Evidence(TopicTimes(scan), TopicTimes(odom),
                    absolute(arguments.cmd_vel, arguments.namespace),
                    namespace=arguments.namespace.strip('/'),
                    base_frame=arguments.base_frame or '',
                    transforms=transform_topics(arguments.namespace))


def transform_topics(namespace: str) -> Tuple[str, ...]:
    """Return the topics of transforms of a robot in a namespace: its own, and the shared ones."""
    inside = namespace.strip('/')
    return TF, TF_STATIC, *((f'/{inside}{TF}', f'/{inside}{TF_STATIC}') if inside else ())


def adopt_navigator(arguments: argparse.Namespace) -> Tuple[str, ...]:
    """Check as the running navigator, if there is one; return its topics of transforms."""
    navigator = survey_of(arguments.namespace).navigator
    if navigator is None or arguments.params:
        return ()
    if not navigator.parameters:
        print('bug_nav: bug_navigator does not answer; its parameters are not checked',
              file=sys.stderr)
    adopt(arguments, navigator.parameters)
    for option, topic in (('scan', navigator.scan), ('odom', navigator.odom),
                          ('cmd_vel', navigator.cmd_vel)):
        if topic and getattr(arguments, option) == option:
            setattr(arguments, option, topic)
    if navigator.parameters and arguments.robot is None:
        arguments.params = 'the running bug_navigator'
    return tuple(navigator.transforms)


def survey_of(namespace: str) -> Survey:
    """Return what runs over ROS; BadInput if the namespace is invalid."""
    require_ros(messages=False)
    absolute(namespace.strip('/') or 'none')
    from bug_nav.ros.client.survey import survey  # after require_ros
    with catch_signals() as interrupted:
        with report_ros_errors('check'):
            found = survey(namespace, interrupted)
        if interrupted():
            raise Interrupted
    return found


def requirements_of(arguments: argparse.Namespace, algorithm: Optional[Type[Algorithm]] = None
                    ) -> ExpectedRobot:
    """Return the requirements to check against; BadInput if there is no such robot."""
    node = of_node(arguments)
    robot = arguments.robot or DEFAULT_ROBOT
    try:
        equipment = described(robot, parameters_of(
            of_robot(arguments), getattr(arguments, 'algorithm', ''), algorithm)[0])
    except ValueError as error:
        raise BadInput(str(error)) from error
    if not isinstance(equipment.sensor, LidarModel):
        raise BadInput(f'the robot {robot!r} has single rangers and no scan, which '
                       'this command checks; give a robot with a lidar')
    if equipment.settings.sensing == 'rangers':
        raise BadInput("sensing is 'rangers', which need no scan, and this command checks one; "
                       'allowed are range and contact')
    return ExpectedRobot(
        arguments.params or robot, equipment.model, equipment.settings,
        arguments.base_frame or find_robot(robot).base_frame,
        Mount(equipment.sensor.mount, node.get(MOUNT, False)), node.get('use_tf', True),
        node.get('enable_stamped_cmd_vel'), node.get('use_sim_time'),
        node.get('global_frame', ''))


def input_topics(arguments: argparse.Namespace) -> Tuple[str, str]:
    """Return the scan and odometry topics; BadInput if they are the same."""
    scan, odom = (absolute(topic, arguments.namespace)
                  for topic in (arguments.scan, arguments.odom))
    if scan == odom:
        raise BadInput(f'--scan and --odom are both {scan}; give two different topics')
    return scan, odom


def absolute(topic: str, namespace: str = '') -> str:
    """Return an absolute topic name; BadInput if it is not valid in ROS 2."""
    inside = namespace and not topic.startswith('/')
    full = f'/{namespace.strip("/")}/{topic}' if inside else '/' + topic.lstrip('/')
    if not re.fullmatch(r'(/[A-Za-z_]\w*)+', full, re.ASCII):
        raise BadInput(f'{topic!r} is not a topic name; allowed are letters, digits and "_" '
                       'between single slashes, with no digit first; give one such as /front/scan')
    return full


def read_recording(path: str, evidence: Evidence) -> None:
    """Add a recording to the evidence, with progress."""
    with open_recording(path) as bag:
        from bug_nav.recording.evidence_reader import read_evidence  # needs rosbags
        line = PercentLine(sys.stderr, f'reading {path}')
        try:
            read_evidence(bag, evidence, line.show)
        finally:
            line.clear()


def check_duration(arguments: argparse.Namespace) -> None:
    """Raise BadInput if a listening time is given for a recording."""
    if arguments.bag and arguments.duration is not None:
        raise BadInput('--duration is the listening time for a running robot, and --bag reads a '
                       'recording; omit one of them')


def listen_to(duration: Optional[float], evidence: Evidence) -> None:
    """Add what a running robot sends during a time [s] to the evidence, with progress."""
    duration = duration or LISTENING
    require_ros(messages=False)
    from bug_nav.ros.client.listener import listen  # after require_ros
    line = PercentLine(sys.stderr, f'listening for {duration:g} s')
    with catch_signals() as interrupted:
        try:
            with report_ros_errors('check'):
                listen(evidence, duration, interrupted, line.show)
        finally:
            line.clear()
        if interrupted():
            raise Interrupted
