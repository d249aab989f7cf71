#!/usr/bin/env python3
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
Drive BARN's worlds in Gazebo 11, and print the metric.

    python3 tools/barn_in_gazebo.py the-barn-challenge/jackal_helper/worlds/BARN --every 6

Needs a sourced workspace with gazebo_ros. Each run has its own Gazebo and navigator. The model's
odometry is the true pose, and its topic ``contacts`` tells of every contact of the body. A folder
gets a row for each run in runs.csv, the driven path, and the output of the launch. Runs that are
in runs.csv are not driven again, so that an interrupted series continues.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import math
import os
from pathlib import Path
import signal
import subprocess
import sys
import time
from typing import Any, Dict, Iterator, List

from bug_nav.lab.barn import barn_columns, barn_entries, MOTION
from bug_nav.lab.spec import load_spec
from bug_nav.messages.ros_distribution import confine
from bug_nav.messages.sensor_messages import odometry_pose, seconds
from bug_nav.ros.client.navigator import BugNavigator
from bug_nav.ros.launching.resources import params_file
from gazebo_msgs.msg import ContactsState
from nav_msgs.msg import Odometry
import numpy as np
import rclpy
from rclpy.qos import qos_profile_sensor_data
import yaml

BARN = load_spec('barn')
RADIUS = BARN.success_radius
LONGEST, STANDS = BARN.time_allowance, 60.0
"""Time limit from the first motion, and the time within which it must begin [s]."""
READY, STOP = 180.0, 30.0
"""Time for the start and for the end of a launch [s]."""
COLUMNS = ('world', 'run', 'result', 'outcome', 'travel_time', 'barn_metric', 'path_length',
           'real_time_factor', 'contact')


class Watch(BugNavigator):
    """The client, which also stores true poses and contacts."""

    def __init__(self) -> None:
        """Subscribe to both."""
        super().__init__('barn_in_gazebo')
        self.track: List[List[float]] = []
        """Time [s], x, y [m], yaw [rad], speed [m/s], turn rate [rad/s]."""
        self.contact = ''
        self.create_subscription(Odometry, 'odom', self._on_odometry, qos_profile_sensor_data)
        self.create_subscription(ContactsState, 'contacts', self._on_contacts, 10)

    def _on_odometry(self, message: Odometry) -> None:
        twist = message.twist.twist
        self.track.append([seconds(message.header.stamp), *odometry_pose(message),
                           twist.linear.x, twist.angular.z])

    def _on_contacts(self, message: ContactsState) -> None:
        for state in message.states if not self.contact else ():
            at = state.contact_positions[0] if state.contact_positions else None
            place = f' at {at.x:.3f} {at.y:.3f} {at.z:.3f}' if at else ''
            self.contact = (f'{seconds(message.header.stamp):.3f} s {state.collision1_name} '
                            f'{state.collision2_name}{place}')
            return


@contextlib.contextmanager
def launched(world: Path, start: List[float], parameters: Path, log: Path
             ) -> Iterator['subprocess.Popen[bytes]']:
    """Launch Gazebo with a Jackal and the navigator; end them with SIGINT."""
    pose = [f'{name}:={value}' for name, value in zip(('x_pose', 'y_pose', 'yaw'), start)]
    with open(log, 'wb') as stream:
        process = subprocess.Popen(
            ['ros2', 'launch', 'bug_nav', 'gazebo_demo.launch.py', 'headless:=true',
             'model:=jackal', f'world:={world}', f'params_file:={parameters}', *pose],
            stdout=stream, stderr=subprocess.STDOUT, start_new_session=True,
            # A shell ignores SIGINT for background processes.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
    try:
        yield process
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(STOP)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def drive(entry: Dict[str, Any], algorithm: str, parameters: Path, name: Path) -> Dict[str, Any]:
    """Drive one run, and return its row."""
    goal = entry['goal']
    with launched(Path(entry['world']), entry['start'], parameters,
                  name.with_suffix('.log')) as process:
        client = Watch()
        try:
            if not client.waitUntilActive(READY):
                return {'result': 'no start'}
            deadline = time.monotonic() + READY
            while not client.track and time.monotonic() < deadline:
                client.spin(0.1)
            client.track.clear()
            client.contact = ''  # of the fall to the ground
            client.goToPose(client.makePose(*goal, frame_id='odom'), algorithm)
            began, result = time.monotonic(), ''
            while not result and process.poll() is None:
                client.spin(0.02)
                result = judge(client, goal)
            factor = client.track[-1][0] - client.track[0][0]
            factor /= max(time.monotonic() - began, 1e-3)
            outcome = client.outcome.name if client.isTaskComplete() and client.outcome else ''
        finally:
            client.destroy_node()
    track = np.array(client.track)
    np.savetxt(name.with_suffix('.csv'), track, '%.4f', ',')
    row = {'result': result or 'launch ended', 'outcome': outcome, 'contact': client.contact,
           'path_length': f'{np.hypot(*np.diff(track[:, 1:3], axis=0).T).sum():.3f}',
           'real_time_factor': f'{factor:.2f}', 'barn_metric': '0'}
    if result == 'success':
        row.update({key: f'{value:.4f}' for key, value in barn_columns(
            track[:, 0], track[:, 1:3], goal, RADIUS, entry['reference_length']).items()})
    return row


def judge(client: Watch, goal: Any) -> str:
    """Return how the run has ended, '' if it has not."""
    if not client.track:
        return ''
    if client.contact:
        return 'collision'
    stamp, x, y = client.track[-1][:3]
    if math.dist((x, y), goal) <= RADIUS:
        return 'success'
    moved = next((each[0] for each in client.track
                  if math.dist(each[1:3], client.track[0][1:3]) >= MOTION), None)
    if (stamp - client.track[0][0] > STANDS if moved is None else stamp - moved > LONGEST):
        return 'timeout'
    return 'gave up' if client.isTaskComplete() else ''


def summary(rows: List[Dict[str, str]]) -> str:
    """Return the successes, contacts, travel time and metric of all rows."""
    times = [float(row['travel_time']) for row in rows if row['result'] == 'success']
    metrics = [float(row['barn_metric'] or 0.0) for row in rows]
    factors = [float(row['real_time_factor']) for row in rows if row['real_time_factor']]
    return (f'{len(rows)} runs, {len(times)} successes, '
            f'{sum(row["result"] == "collision" for row in rows)} contacts, '
            f'{sum(row["result"] == "timeout" for row in rows)} timeouts, mean AT '
            f'{np.mean(times or [math.nan]):.2f} s, metric {np.mean(metrics):.4f}, real-time '
            f'factor {min(factors):.2f} to {max(factors):.2f}')


def main() -> int:
    """Drive all runs, and print the summary."""
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument('worlds', type=Path, help='the folder BARN')
    parser.add_argument('--every', type=int, default=1, help='take every Nth world')
    parser.add_argument('--runs', type=int, default=1, help='runs in each world')
    parser.add_argument('--algorithm', default=BARN.algorithms[0])
    parser.add_argument('--out', type=Path, default=Path('barn_gazebo'))
    arguments = parser.parse_args()
    confine(os.environ)
    arguments.out.mkdir(parents=True, exist_ok=True)
    with open(params_file('jackal'), encoding='utf-8') as stream:
        values = yaml.safe_load(stream)
    values['/**']['bug_navigator']['ros__parameters'].update(BARN.settings)
    parameters = (arguments.out / 'params.yaml').resolve()
    parameters.write_text(yaml.safe_dump(values), encoding='utf-8')
    table = arguments.out / 'runs.csv'
    rows = list(csv.DictReader(table.open(encoding='utf-8'))) if table.exists() else []
    done = {(row['world'], int(row['run'])) for row in rows}
    rclpy.init()
    with table.open('a', encoding='utf-8', newline='') as stream:
        writer = csv.DictWriter(stream, COLUMNS)
        if stream.tell() == 0:
            writer.writeheader()
        for run in range(arguments.runs):
            for entry in barn_entries(arguments.worlds.resolve(), arguments.every):
                world = Path(entry['world']).stem
                if (world, run) in done:
                    continue
                row = {'world': world, 'run': run, **drive(
                    entry, arguments.algorithm, parameters, arguments.out / f'{world}_{run}')}
                writer.writerow(row)
                stream.flush()
                rows.append({key: str(row.get(key, '')) for key in COLUMNS})
                print(' '.join(str(row.get(key, '')) or '-' for key in COLUMNS), flush=True)
    print(summary(rows))
    return 0 if all(row['result'] == 'success' for row in rows) else 1


if __name__ == '__main__':
    sys.exit(main())
