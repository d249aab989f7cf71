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
The node, which prints the files that a scan and a goal have passed, and its packages.

A scan passes files from the subscription to the velocity; a goal, from the action server to the
frames that the algorithm uses.
"""

import functools
import json
import math
import os
from pathlib import Path
import sys

os.environ['NUMBA_DISABLE_JIT'] = '1'  # calls within compiled kernels cannot be followed

import bug_nav  # noqa: E402
from bug_nav.navigation.navigator import Navigator  # noqa: E402
from bug_nav.ros.node import driver, main  # noqa: E402
from bug_nav.ros.node.driver import Driver  # noqa: E402
from bug_nav.ros.node.navigator_node import BugNavigatorNode  # noqa: E402
from bug_nav.ros.node.sensors import Sensors  # noqa: E402
from bug_nav.ros.node.server import GoalServer  # noqa: E402
from bug_nav.ros.velocity import Velocity  # noqa: E402

FOLDER = f'{Path(bug_nav.__file__).parent}{os.sep}'
FIRST_TICKS = 5
"""
Number of ticks in which something happens once for a goal, such as the check of a lidar.

They count from the first with data: how long data take to arrive depends on the machine.
"""

passed = {'scan': {}, 'goal': {}, 'first': {}}
"""The functions called in each file on the way of a scan and of a goal, and in the first ticks."""
ways, ticks = [''], 0


def note(frame, event, argument):
    file = frame.f_code.co_filename
    if event == 'call' and file.startswith(FOLDER):
        passed[ways[-1]].setdefault(file[len(FOLDER):], set()).add(frame.f_code.co_name)


def switch_to(way):
    ways[-1] = way
    sys.setprofile(note if way else None)


def follow(kind, name, choose, afterwards=None):
    """Follow a method on the way that ``choose`` returns for the way of its caller."""
    method = getattr(kind, name)

    @functools.wraps(method)
    def followed(*args, **kwargs):
        ways.append('')
        switch_to(choose(ways[-2]))
        try:
            return method(*args, **kwargs)
        finally:
            ways.pop()
            switch_to(ways[-1] if afterwards is None else afterwards)
    setattr(kind, name, followed)


def of_tick(way):
    global ticks
    ticks += ticks > 0
    return 'scan' if ticks > FIRST_TICKS else 'first'


def of_frames(way):
    global ticks
    ticks = max(ticks, 1)
    return goal_first(way)


def only_scan(way):
    return way if way == 'scan' else ''


def goal_first(way):
    return 'goal' if way == 'first' else way


def aside(way):
    return ''


follow(GoalServer, '_on_goal', lambda way: 'goal')
follow(BugNavigatorNode, '_on_goal', lambda way: 'goal')
follow(Driver, 'end', aside)
follow(Driver, 'begin', aside)  # with the messages that have arrived
follow(Navigator, '__init__', aside)  # the parts that a new goal needs
follow(Driver, 'tick', of_tick)
follow(Sensors, 'poll', only_scan)
follow(Sensors, '_on_odometry', aside)
follow(Driver, '_tick_input', goal_first)
follow(Driver, '_is_without', only_scan)
follow(Navigator, '_set_frames', of_frames)
follow(Navigator, '_end', aside)
follow(Velocity, 'send', only_scan, afterwards='')  # what follows in a tick shows the robot
main._warm_up = lambda *args: None
driver.MAX_TICK_TIME = math.inf  # plain Python is slow
code = main.main()
rooms = {name.split('.')[1] for name in sys.modules if name.startswith('bug_nav.')}
found = {way: {file: sorted(names) for file, names in files.items()}
         for way, files in passed.items()}
print(json.dumps({**found, 'rooms': sorted(rooms)}))
sys.exit(code)
