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
Command-line parser of ``bug_nav`` and its exit codes.

Exit codes: 0 for `reached`, `reached_uncertain`, `unreachable` and `loop_detected`; 1 for other
outcomes and missing dependencies; 2 for bad input, with one line on stderr; 130 after Ctrl-C. The
commands are in ``bug_nav/cli/`` and are imported on demand, so that ``--help`` is fast.
"""

from __future__ import annotations

import argparse
import errno
import importlib
import os
import re
import sys
from typing import Any, List, NoReturn, Optional, Sequence

from bug_nav import __version__
from bug_nav.cli import (
    CannotRun,
    DEFAULT_PLOT,
    DEFAULT_ROBOT,
    Interrupted,
    RANDOM_WORLDS,
)
from bug_nav.cli.argument_types import (
    animation_size,
    cell_size,
    duration,
    exam_seed,
    exam_size,
    frame,
    listening_duration,
    max_range,
    non_negative,
    number,
    POINT,
    port,
    POSE,
    positive,
    positive_int,
    printable,
    seed,
    speed_factor,
    speed_up,
)
from bug_nav.files import BadInput
from bug_nav.files.interrupt import INTERRUPTED
from bug_nav.navigation.names import listed, nearest, suggestion, unknown

DESCRIPTION = ('Mapless navigation with Bug algorithms: reach the goal, or prove that it is '
               'unreachable.')
EXAMPLE = 'example: bug_nav run u_trap --algorithm tangent_bug --plot run.png'
EXIT_CODES = ('exit code: 0 reached, reached_uncertain, unreachable or loop_detected; 1 any '
              'other outcome, or a missing requirement; 2 bad input; 130 Ctrl-C')
WRITTEN = 'exit code: 0 written; 1 a missing requirement; 2 bad input; 130 Ctrl-C'
"""Exit codes of commands that write files."""


DISK_FULL_ERRORS = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT)
"""Error numbers of a full disk."""
MAX_MESSAGE_LENGTH = 600
"""Maximum length of an error message [characters]."""


class Parser(argparse.ArgumentParser):
    """Argument parser with one-sentence errors that accepts ``-1,2`` as a value."""

    def __init__(self, *args: Any, **kwargs: Any):
        """Accept the arguments of `argparse.ArgumentParser`."""
        super().__init__(*args, **{**kwargs, 'allow_abbrev': False})
        # argparse accepts negative numbers, but not -1,2 or -inf, nor, before 3.14, -1e-3.
        self._negative_number_matcher = re.compile(r'-(\.?\d|inf|nan)', re.IGNORECASE)

    def parse_known_args(self, *args: Any, **kwargs: Any) -> Any:
        """Reject unknown arguments here, where the command is known, to suggest its options."""
        found, rest = super().parse_known_args(*args, **kwargs)
        if rest:
            option = next((each for each in rest if each.startswith('-')), '').partition('=')[0]
            self.error(f'unrecognized arguments: {" ".join(rest)}'
                       + (self._nearest_option(option)
                          or self._with_commas(rest, *args)))
        return found, rest

    def _nearest_option(self, given: str) -> str:
        """Return a suggestion; without the dashes, which all options have in common."""
        known = {name.lstrip('-'): name for name in self._option_string_actions}
        return suggestion([known[name] for name in nearest(given.lstrip('-'), known)])

    def _with_commas(self, rest: Sequence[str], given: Optional[Sequence[str]] = None,
                     *_: Any) -> str:
        """Return a remedy if ``rest`` continues the value of an option that takes a list."""
        before = list(given or rest)
        option, value = ['', '', *before[:before.index(rest[0])]][-2:]
        action = self._option_string_actions.get(option)
        if action is None or not str(action.metavar).endswith('[,...]'):
            return ''
        return f'; separate names by commas: {option} {",".join([value, *rest])}'

    def _check_value(self, action: Any, value: Any) -> None:
        if isinstance(action, argparse._SubParsersAction) and value not in action.choices:
            self.error(unknown('command', value, action.choices,
                               f'commands are {", ".join(action.choices)}'))
        super()._check_value(action, value)

    def error(self, message: str) -> NoReturn:
        """Raise BadInput."""
        raise BadInput(f'{message} (see {self.prog} --help)')


class UnsupportedOption(argparse.Action):
    """Option of other simulators; its error message names the alternatives in bug_nav."""

    def __call__(self, parser: argparse.ArgumentParser, namespace: argparse.Namespace,
                 values: Any, option: Optional[str] = None) -> NoReturn:
        """Raise BadInput."""
        raise BadInput(f'there is no {option}: draw a run with `bug_nav run --plot '
                       'FILE` (.png, .svg or .pdf; .gif or .mp4 for an animation), or open '
                       'the playground with `bug_nav play`')


def make_parser() -> Parser:
    """Return the parser of the whole command line."""
    parser = Parser(prog='bug_nav', description=DESCRIPTION, epilog=EXAMPLE)
    parser.add_argument('--version', action='version', version=f'bug_nav {__version__}')
    commands = parser.add_subparsers(dest='command', metavar='COMMAND', parser_class=Parser)
    _add_run(commands)
    _add_compare(commands)
    _add_worlds(commands)
    _add_robots(commands)
    _add_robot(commands)
    _add_algorithms(commands)
    _add_send_goal(commands)
    _add_demo(commands)
    _add_campaign(commands)
    _add_bench(commands)
    _add_report(commands)
    _add_grade(commands)
    _add_check(commands)
    _add_robot_recording(commands)
    _add_replay(commands)
    _add_play(commands)
    _add_course(commands)
    return parser


def _add(commands: Any, name: str, about: str) -> Parser:
    return commands.add_parser(name, help=about, description=about[0].upper() + about[1:] + '.',
                               epilog=EXIT_CODES)


def _add_run(commands: Any) -> None:
    run = _add(commands, 'run', 'navigate in the embedded simulator, without ROS')
    _add_navigation(run)
    _add_case(run)
    _add_record(run)


def _add_compare(commands: Any) -> None:
    compare = _add(commands, 'compare', 'run several algorithms in one world and draw their '
                   'paths in one figure')
    compare.add_argument('--algorithm', default='bug1,bug2,tangent_bug', metavar='NAME[,...]',
                         help='algorithms (default: %(default)s)')
    compare.add_argument('--turn', metavar='SIDE[,...]', help='as for run, separated by commas; '
                         'both for left and right')
    _add_time_allowance(compare)
    compare.add_argument('--table', metavar='FILE', help='write the table to a .csv file, or '
                         'to a .tex file for LaTeX with booktabs')
    compare.add_argument('--side-by-side', action='store_true',
                         help='draw one map per run, with the states of the robot')
    _add_case(compare)


def _add_case(run: Parser) -> None:
    """Add the options for the world, start, goal, robot, parameters and output."""
    run.add_argument('world', metavar='WORLD',
                     help='a world listed by `bug_nav worlds`, a file (SDF, map YAML, an image '
                     'such as plan.png?resolution=0.05, or a .txt drawing), or a random world '
                     'such as random:cluttered?seed=7; my.world?missing=skip leaves out models '
                     'that are not found')
    run.add_argument('--still', action='store_true',
                     help='freeze the world in its final state: dynamic obstacles that come to '
                     'rest are at their final positions, and all others are removed')
    run.add_argument('--start', type=POSE, metavar='X,Y,YAW',
                     help="start pose (default: the world's)")
    run.add_argument('--goal', type=POINT, metavar='X,Y', help="goal (default: the world's)")
    run.add_argument('--robot', default='burger', metavar='NAME',
                     help='a robot listed by `bug_nav robots` (default: burger)')
    _add_params(run)
    run.add_argument('--seed', type=seed, default=1, metavar='N',
                     help='noise seed; the same seed gives the same run (default: 1)')
    run.add_argument('--noise', type=non_negative, metavar='M',
                     help='range noise, standard deviation in metres (scan_noise)')
    run.add_argument('--clearance', type=number, metavar='M',
                     help='distance that the robot body keeps from obstacles, in metres')
    run.add_argument('--set', action='append', default=[], metavar='NAME=VALUE', dest='settings',
                     help='any robot, navigation, lidar, odometry, timing or algorithm parameter, '
                     'such as robot_radius=0.11 or bug2.leave_margin=0.02, or a preset such as '
                     'lidar=lds_01; repeatable')
    run.add_argument('--json', action='store_true',
                     help='print the numbers as one JSON object on one line instead of text '
                     '(docs/api.md); after bad input, print nothing on stdout')
    run.add_argument('--plot', metavar='FILE', help='draw the run, or the runs, to a .png, .svg '
                     'or .pdf file, as an animation to a .gif or .mp4 file, or as an interactive '
                     'playback page to an .html file')
    run.add_argument('--show', '--animate', '--gui', action=UnsupportedOption, nargs=0,
                     help=argparse.SUPPRESS)
    run.add_argument('--speed-up', type=speed_up, metavar='X',
                     help='speed of an animation relative to simulated time (default: 8)')
    run.add_argument('--size', type=animation_size, metavar='PIXELS',
                     help='longer side of the map in an animation, such as 442 for a small page '
                     '(default: 880)')


def _add_params(parser: Parser) -> None:
    parser.add_argument('--params', type=printable, metavar='FILE', help='robot file: the '
                        'parameter file of bug_navigator, such as `bug_nav robot init` writes; '
                        'other options take precedence')


def _add_record(parser: Parser) -> None:
    parser.add_argument('--record', metavar='FILE',
                        help='record scans, odometry, transforms, commands, markers, path and '
                        'state to a new .mcap file for Foxglove and rosbag2')


def _add_navigation(parser: Parser) -> None:
    parser.add_argument('--algorithm', default='bug2', metavar='NAME',
                        help='algorithm (default: bug2)')
    parser.add_argument('--turn', metavar='SIDE', help='turn direction at a hit point: left '
                        '(the default; keeps the obstacle on the right), right, clearer, goal, '
                        'alternating or random (--set turn_seed=N)')
    _add_time_allowance(parser)


def _add_time_allowance(parser: Parser) -> None:
    parser.add_argument('--time-allowance', type=duration, metavar='S', default=3600.0,
                        help='time limit in simulated seconds; 0 for no limit (default: '
                        '%(default)g)')


def _add_worlds(commands: Any) -> None:
    worlds = _add(commands, 'worlds', 'list or draw the shipped worlds')
    worlds.add_argument('worlds', metavar='WORLD', nargs='*',
                        help='worlds, as for `bug_nav run`; default: all shipped worlds')
    worlds.add_argument('--plot', metavar='FILE',
                        help='draw the worlds to a .png, .svg or .pdf file')
    worlds.epilog = RANDOM_WORLDS


def _add_robots(commands: Any) -> None:
    robots = _add(commands, 'robots', 'list the robot presets, or describe one')
    robots.add_argument('name', metavar='NAME', nargs='?',
                        help='robot to describe; default: a table of all')
    robots.add_argument('--params', action='store_true',
                        help='print the bug_navigator parameters for this robot')
    robots.epilog = None


def _add_robot(commands: Any) -> None:
    robot = _add(commands, 'robot', 'write a robot file, for --params and for the node, from a '
                 'recording or a running robot')
    robot.add_argument('action', choices=('init',), metavar='init', help='write a new file')
    robot.add_argument('--bag', metavar='FILE', help='a recording, as for check; default: the '
                       'running robot, over ROS')
    robot.add_argument('--out', default='my_robot.yaml', metavar='FILE',
                       help='the new file (default: %(default)s)')
    _add_listening(robot)
    for option, what in (('scan', 'laser scans'), ('odom', 'odometry')):
        robot.add_argument(f'--{option}', type=printable, metavar='TOPIC', help=f'{what} '
                           f'(default: the only ones)')
    robot.add_argument('--base-frame', type=frame, metavar='NAME',
                       help='base frame of the robot (default: that of odometry)')
    robot.add_argument('--set', action='append', default=[], metavar='NAME=VALUE',
                       dest='settings', help='a parameter that you know, such as '
                       'robot_radius=0.29; repeatable')
    robot.epilog = WRITTEN


def _add_algorithms(commands: Any) -> None:
    algorithms = _add(commands, 'algorithms', 'list the algorithms, or describe one')
    algorithms.add_argument('name', metavar='NAME', nargs='?',
                            help='algorithm to describe; default: a table of all')
    algorithms.add_argument('--json', action='store_true',
                            help='print metadata and parameters as JSON on one line instead of '
                            'text: a list, or with NAME one object')
    algorithms.epilog = None


def _add_send_goal(commands: Any) -> None:
    send = _add(commands, 'send-goal', 'send a goal to a bug_navigator node and show the progress')
    send.add_argument('x', type=number, metavar='X', help='goal position in metres')
    send.add_argument('y', type=number, metavar='Y', help='goal position in metres')
    send.add_argument('yaw', type=number, metavar='YAW', nargs='?',
                      help='heading at the goal in radians (default: any)')
    _add_node_goal(send)
    send.add_argument('--frame', type=printable, default='', metavar='NAME',
                      help="frame of the goal, such as base_link for one ahead of the robot; "
                           "default: the node's global frame")
    send.add_argument('--tolerance', type=non_negative, default=0.0, metavar='M',
                      help="goal tolerance (default: the node's xy_goal_tolerance)")
    send.add_argument('--namespace', default='', metavar='NAME', help='namespace of the node')
    send.add_argument('--timeout', type=positive, default=10.0, metavar='S',
                      help='maximum time to wait for the node (default: %(default)g)')


def _add_node_goal(parser: Parser) -> None:
    parser.add_argument('--algorithm', type=printable, default='', metavar='NAME',
                        help="algorithm (default: the node's)")
    parser.add_argument('--turn', type=printable, default='', metavar='SIDE',
                        help='turn direction at a hit point: left, right, clearer, goal, '
                        "alternating or random; default: the node's")
    parser.add_argument('--time-allowance', type=duration, default=0.0, metavar='S',
                        help="time limit in seconds of the node's clock; 0 for no limit "
                        '(default: 0)')


def _add_demo(commands: Any) -> None:
    demo = _add(commands, 'demo',
                'start simulator, node and client on this host and draw the run')
    demo.add_argument('world', metavar='WORLD', nargs='?', default='demo',
                      help='a world listed by `bug_nav worlds`, a file (SDF, map YAML, an image '
                      'such as plan.png?resolution=0.05, or a .txt drawing), or a random world '
                      'such as random:cluttered?seed=7 (default: demo); my.world?missing=skip '
                      'leaves out models that are not found')
    _add_node_goal(demo)
    demo.add_argument('--start', type=POSE, metavar='X,Y,YAW',
                      help="start pose (default: the world's)")
    demo.add_argument('--goal', type=POINT, metavar='X,Y', help="goal (default: the world's)")
    demo.add_argument('--robot', default='burger', metavar='NAME',
                      help='a robot listed by `bug_nav robots` (default: burger)')
    demo.add_argument('--speed', type=speed_factor, default=0.0, metavar='FACTOR',
                      help='ratio of simulated to real time; 0 (the default) runs as fast as '
                      'the node allows')
    demo.add_argument('--plot', metavar='FILE', default=DEFAULT_PLOT,
                      help='plot file (default: %(default)s)')
    _add_record(demo)


def _add_campaign(commands: Any) -> None:
    campaign = _add(commands, 'campaign', 'run many episodes in the embedded simulator and '
                    'judge their verdicts')
    campaign.epilog = ('exit code: 0 no fault, or only wrong and missing verdicts under the noise '
                       'or variants that the campaign studies; 1 any other fault: a wrong '
                       'verdict, an unexpected end without a verdict, a contact, a software '
                       'fault, or a missing requirement; 2 bad input; 130 Ctrl-C')
    campaign.add_argument('campaign', metavar='CAMPAIGN', nargs='?',
                          help='a campaign listed by --list, or a YAML file '
                          '(docs/campaigns.md)')
    campaign.add_argument('--list', action='store_true', help='list the shipped campaigns')
    campaign.add_argument('--out', metavar='DIR', help='output folder for journal, rows and '
                          'report (default: out/NAME)')
    campaign.add_argument('--resume', action='store_true',
                          help='continue the campaign in the output folder')
    _add_workers(campaign)
    campaign.add_argument('--format', choices=('parquet', 'csv'),
                          help='file format of the rows (default: parquet if pyarrow is '
                          'installed)')
    campaign.add_argument('--seed', type=seed, metavar='N',
                          help="noise seed (default: the campaign's)")
    campaign.add_argument('--multiply', type=positive_int, default=1, metavar='N',
                          help='multiply the number of pairs of start and goal by N')
    _add_params(campaign)
    campaign.add_argument('--set', action='append', default=[], metavar='KEY=VALUE',
                          dest='settings', help='any key of the campaign, such as '
                          'worlds.0.count=5 or settings.clearance=0.15; repeatable')
    campaign.add_argument('--world', action='append', metavar='WORLD', help='instead of a '
                          'campaign: worlds as for run, or a generator such as random:cluttered; '
                          'separated by commas or repeated')
    campaign.add_argument('--worlds', metavar='DIR', help="instead of the campaign's worlds: the "
                          'world files of this folder, in the format of the benchmark BARN')
    campaign.add_argument('--every', type=positive_int, default=1, metavar='N',
                          help='every Nth world of --worlds (default: all)')
    campaign.add_argument('--count', type=positive_int, metavar='N',
                          help='number of pairs of start and goal in each --world')
    campaign.add_argument('--goals', choices=('any', 'both', 'reachable', 'unreachable'),
                          help='kind of goals drawn in each --world; both: half reachable, '
                          'half unreachable')
    campaign.add_argument('--places', choices=('own', 'drawn'), help='start and goal of each '
                          '--world: its own or random')
    for option, about in (('algorithm', "algorithms, complete or all (default: the campaign's)"),
                          ('robot', ''), ('follower', ''), ('turn', ''),
                          ('noise', 'range noise, standard deviations in metres')):
        campaign.add_argument(f'--{option}', action='append', metavar=f'{option.upper()}[,...]',
                              help=about or f"{option}s (default: the campaign's)")
    campaign.add_argument('--odometry-noise', metavar='SHARE[,...]',
                          help='odometry noise, as a share of the measured velocities')
    campaign.add_argument('--time-allowance', type=duration, metavar='S',
                          help='time limit of an episode in simulated seconds')


def _add_workers(parser: Parser) -> None:
    parser.add_argument('--workers', type=positive_int, default=os.cpu_count() or 1,
                        metavar='N', help='worker processes (default: %(default)s)')
    parser.add_argument('--scheduler', metavar='ADDRESS', help='run on a Dask scheduler, such '
                        'as tcp://10.0.0.1:8786, or local')


def _add_bench(commands: Any) -> None:
    bench = _add(commands, 'bench', 'run the benchmark of Bug navigation and rank the '
                 'algorithms')
    bench.epilog = ('exit code: 0 when all suites have run, whatever they measured; 1 an error in '
                    'the code of an algorithm, or a missing requirement; 2 bad input; 130 Ctrl-C. '
                    'The same command continues after an '
                    'interruption, and with --full after a quick run; controllers (--python) '
                    'start again. The quick version takes '
                    'half an hour on two cores, the full one ten times as long.')
    bench.add_argument('--algorithm', action='append', default=[], metavar='NAME[,...]',
                       help='algorithms, your own as well (default: all; with --python, none)')
    bench.add_argument('--python', action='append', default=[], metavar='FILE[:FUNCTION]',
                       help='Python file with step(scan, pose, goal) -> (v, w), as for grade, in '
                       'the suites static and noise; repeatable')
    bench.add_argument('--suite', action='append', default=[], metavar='SUITE[,...]',
                       help='static, noise, drift, moving, late or robots, or one robot, such as '
                       'robots_pioneer (default: all)')
    bench.add_argument('--stored', action='store_true', help='drive nothing, and show the scores '
                       'that are stored with this version of bug_nav')
    bench.add_argument('--full', action='store_true',
                       help='ten times as many pairs of start and goal as the quick version')
    bench.add_argument('--out', metavar='DIR', help='output folder for rows and leaderboard '
                       '(default: out/bench)')
    _add_workers(bench)


def _add_report(commands: Any) -> None:
    report = _add(commands, 'report', 'write an HTML report of a campaign, or figures and '
                  'tables for a paper')
    report.epilog = None
    report.add_argument('rows', metavar='ROWS', help='a .parquet or .csv file of rows, or a '
                        'campaign folder')
    report.add_argument('--out', metavar='FILE', help='output .html file (default: report.html '
                        'next to the rows; report_by_robot.html with --by robot)')
    report.add_argument('--figures', metavar='DIR', help='write the charts to this folder as PDF '
                        'and SVG, 3.5 in wide; add --out to write the report, too')
    report.add_argument('--table', metavar='FILE', help='write the scores to a .tex (booktabs) or '
                        '.csv file; add --out to write the report, too')
    report.add_argument('--title', metavar='TEXT', help='title of the report (default: that '
                        'of the campaign, else the name of the folder)')
    report.add_argument('--by', default='algorithm', choices=(
        'algorithm', 'robot', 'follower', 'turn', 'odometry', 'variant', 'correction'),
        help='property to compare (default: %(default)s)')


def _add_grade(commands: Any) -> None:
    grade = _add(commands, 'grade', 'grade any controller, ROS nodes or a Python function, in '
                 'judged worlds')
    grade.epilog = ('exit code: 0 everything was graded, whatever the grades; 1 the grader failed '
                    'in a trial, or a missing requirement; 2 bad input; 130 Ctrl-C. Submissions '
                    'run with limits but not in a sandbox: see docs/grade.md.')
    grade.add_argument('file', metavar='FILE', nargs='?', help='a YAML file with an assignment '
                       'and submissions (docs/grade.md); options have priority')
    grade.add_argument('--suite', metavar='NAME', help='worlds, rules and rubric that ship, such '
                       'as homework_bug2')
    grade.add_argument('--list', action='store_true', help='list the suites')
    grade.add_argument('--template', metavar='DIR', help='write a package template for students '
                       'to a new folder')
    grade.add_argument('--command', action='append', default=[], metavar='TEXT',
                       dest='command_line', help='command that starts the nodes; {x} and {y} are '
                       'the goal; repeatable for several processes of one submission')
    grade.add_argument('--python', action='append', default=[], metavar='FILE[:FUNCTION]',
                       help='Python file with step(scan, pose, goal) -> (v, w); no ROS is needed; '
                       'repeatable for several submissions')
    grade.add_argument('--worlds', metavar='WORLD[,...]', help='worlds as for run, with a start '
                       'and a goal of their own; {seed} is the seed of the submission')
    grade.add_argument('--name', type=printable, metavar='NAME', help='name of the submission')
    grade.add_argument('--folder', metavar='DIR', help='working folder of the commands')
    grade.add_argument('--setup', action='append', default=[], metavar='FILE', help='setup file '
                       'that bash sources before the commands; repeatable')
    grade.add_argument('--stamped', action='store_true',
                       help='the program publishes TwistStamped on cmd_vel')
    grade.add_argument('--robot', metavar='NAME', help='a robot listed by `bug_nav robots` '
                       '(default: burger)')
    grade.add_argument('--simulator', choices=('bug_sim', 'gazebo'), help='simulator of ROS '
                       'nodes; gazebo: Gazebo classic with a TurtleBot3 (default: bug_sim)')
    grade.add_argument('--contact', choices=('hold', 'slide', 'end'), help='reaction to a '
                       'contact: hold the robot, let it slide along the obstacle as Gazebo does, '
                       'or end the trial (default: slide)')
    grade.add_argument('--tolerance', type=positive, metavar='M',
                       help='distance at which the goal is reached (default: 0.2)')
    grade.add_argument('--time-allowance', type=positive, metavar='S', help='time limit in '
                       'simulated seconds from the first command (default: 300)')
    grade.add_argument('--speed', type=speed_factor, metavar='FACTOR', help='ratio of simulated '
                       'to real time for ROS nodes; more than 1 only if they use simulated time; '
                       '0: as fast as they drive (default: 1)')
    grade.add_argument('--seed', type=seed, metavar='N', help='seed of noise and of worlds '
                       '(default: 1)')
    grade.add_argument('--jobs', type=positive_int, default=os.cpu_count() or 1, metavar='N',
                       help='number of trials side by side (default: %(default)s)')
    grade.add_argument('--out', metavar='DIR', help='output folder (default: out/NAME)')
    grade.add_argument('--films', action='store_true',
                       help='add an animation of each trial to the pages')
    grade.add_argument('--no-pages', action='store_true', help='write the table only')
    grade.add_argument('--json', action='store_true', help='print the grades as one JSON object '
                       'on one line instead of text')


def _add_check(commands: Any) -> None:
    check = _add(commands, 'check', 'check that a running robot or a recording meets the '
                 'requirements of the navigator')
    check.epilog = ('exit code: 0 no errors (warnings are allowed); 1 errors or a missing '
                    'dependency; 2 bad input; 130 Ctrl-C')
    check.add_argument('--bag', metavar='FILE', help='a recording, read without ROS: a rosbag2 '
                       'folder, a .db3 or .mcap file, or a CARMEN log; default: the running '
                       'robot, over ROS')
    check.add_argument('--drive', action='store_true', help='after a question, let the robot turn '
                       'on the spot and drive half a metre, to measure its lidar and wheels; '
                       'needs --params or --robot, unless bug_navigator runs')
    check.add_argument('--yes', action='store_true', help='with --drive: do not ask')
    _add_listening(check)
    _add_sources(check, 'findings')


def _add_robot_recording(commands: Any) -> None:
    record = _add(commands, 'record', 'record scans, odometry, transforms and commands of a '
                  'running robot, for check and replay')
    record.epilog = ('Ctrl-C ends the recording, which is then complete. exit code: 0 recorded; 1 '
                     'nothing arrived, or a missing requirement; 2 bad input')
    record.add_argument('file', metavar='FILE', help='the new .mcap file')
    record.add_argument('--duration', type=listening_duration, default=300.0, metavar='S',
                        help='maximum time (default: %(default)g)')
    record.add_argument('--size', type=positive, default=1000.0, metavar='MB',
                        help='maximum size of the file in megabytes (default: %(default)g)')
    record.add_argument('--topic', type=printable, action='append', default=[], metavar='NAME',
                        help='record this topic, with the transforms; repeatable (default: all '
                        'topics of scans, odometry and velocity commands)')
    record.add_argument('--namespace', type=printable, default='', metavar='NAME',
                        help='record the topics of this namespace, with the transforms')


def _add_listening(parser: Parser) -> None:
    """Add the options of commands that listen to a running robot."""
    parser.add_argument('--duration', type=listening_duration, metavar='S',
                        help='listening time for a running robot (default: 10)')
    parser.add_argument('--cmd-vel', type=printable, default='cmd_vel', metavar='TOPIC',
                        help='velocity commands (default: %(default)s)')
    _add_namespace(parser, ', and the navigator,')


def _add_namespace(parser: Parser, others: str = '') -> None:
    parser.add_argument('--namespace', type=printable, default='', metavar='NAME',
                        help='namespace of the robot: names of topics without a leading slash'
                        f'{others} are in it')


def _add_replay(commands: Any) -> None:
    replay = _add(commands, 'replay', 'replay a recording through the navigator and report its '
                  'decisions')
    replay.epilog = ('exit code: 0 the recording was replayed; 1 no scan could be placed, '
                     'or a dependency is missing; 2 bad input; 130 Ctrl-C')
    replay.add_argument('bag', metavar='FILE', help='a rosbag2 folder, a .db3 or .mcap file '
                        '(`bug_nav run --record` writes one), or a CARMEN log (.log or .clf, '
                        'optionally .gz)')
    replay.add_argument('--goal', type=POINT, metavar='X,Y', help='goal in the odometry frame; '
                        'default: the last pose of the recording, the farthest one if it returned '
                        'to its start, or 2 m ahead if the robot stood still')
    replay.add_argument('--algorithm', default='bug2', metavar='NAME',
                        help='algorithm (default: bug2)')
    replay.add_argument('--plot', metavar='FILE', help='draw the replay to a .png, .svg or .pdf '
                        'file')
    replay.add_argument('--map', type=printable, metavar='OUT', help='instead of driving to a '
                        'goal, write a map of the scans, OUT.yaml and OUT.pgm, for `bug_nav run '
                        'OUT.yaml` and map_server')
    replay.add_argument('--resolution', type=cell_size, metavar='M', help='cell size of the map '
                        '(default: 0.05)')
    replay.add_argument('--farthest', type=max_range, metavar='M', help='maximum mapped '
                        'range (default: 20)')
    _add_namespace(replay)
    _add_sources(replay, 'decisions')


def _add_course(commands: Any) -> None:
    course = _add(commands, 'course', 'write the course on Bug algorithms, and open it in the '
                  'browser')
    course.add_argument('--out', default='bug_course', metavar='DIR',
                        help='folder of the pages (default: bug_course)')
    course.add_argument('--teacher', action='store_true', help='write the lesson plan, the '
                        'solutions and the checker of hand-in codes as well')
    course.add_argument('--exam', type=exam_size, default=0, metavar='N', help='write an '
                        'examination of N questions, exam.html, and its key, exam_key.html')
    course.add_argument('--seed', type=exam_seed, metavar='N', help='seed of the first '
                        'scene of the examination (default: 1)')
    course.add_argument('--language', default='en', metavar='NAME', help='language of all texts '
                        'except those of the chapters, such as de (default: %(default)s)')
    course.add_argument('--no-browser', action='store_true', help='print the address only')
    course.epilog = WRITTEN


def _add_play(commands: Any) -> None:
    play = _add(commands, 'play', 'open the playground in the browser')
    play.add_argument('world', metavar='WORLD', nargs='?', default='demo',
                      help='initial world, as for `bug_nav run` (default: demo)')
    _add_params(play)
    play.add_argument('--port', type=port, metavar='N',
                      help='default: 8770, or a free port if it is taken')
    play.add_argument('--host', type=printable, default='127.0.0.1', metavar='NAME',
                      help='address to listen on, such as 0.0.0.0 for the network; other hosts '
                      'need the printed address with its token (default: this host only)')
    play.add_argument('--no-browser', action='store_true', help='print the address only')
    play.add_argument('--live', action='store_true', help='show the robot of a running '
                      'bug_navigator over ROS instead, and send it goals')
    play.add_argument('--namespace', default='', metavar='NAME',
                      help='namespace of that node, with --live')
    play.epilog = 'Press Ctrl-C to stop the server.'


def _add_sources(parser: Parser, printed: str) -> None:
    """Add the options for topics, robot and parameters, and for JSON of what is printed."""
    parser.add_argument('--scan', type=printable, default='scan', metavar='TOPIC',
                        help='laser scans (default: %(default)s)')
    parser.add_argument('--odom', type=printable, default='odom', metavar='TOPIC',
                        help='odometry (default: %(default)s)')
    parser.add_argument('--base-frame', type=frame, metavar='NAME', help='base frame of the '
                        'robot, robot_base_frame of the node (default: that of --robot)')
    parser.add_argument('--robot', metavar='NAME', help='a robot listed by `bug_nav robots` '
                        f'(default: {DEFAULT_ROBOT})')
    _add_params(parser)
    parser.add_argument('--set', action='append', default=[], metavar='NAME=VALUE',
                        dest='settings', help='any robot, navigation or lidar parameter, such as '
                        'robot_radius=0.11 or scan_upside_down=true; repeatable')
    parser.add_argument('--json', action='store_true',
                        help=f'print the {printed} as one JSON object on one line '
                        'instead of text; after bad input, print nothing on stdout')


def main(argv: Optional[Sequence[str]] = None) -> int:
    """Run the command line ``argv`` (without the program name) and return the exit code."""
    try:
        return _main(sys.argv[1:] if argv is None else list(argv))
    except BadInput as error:
        print(f'bug_nav: {_one_line(str(error))}', file=sys.stderr)
        return 2
    except CannotRun as error:
        print(f'bug_nav: {_one_line(str(error))}', file=sys.stderr)
        return 1
    except ImportError as error:
        print(f'bug_nav: {_one_line(_missing_package(error))}', file=sys.stderr)
        return 1
    except (Interrupted, KeyboardInterrupt) as error:
        message = str(error) if isinstance(error, Interrupted) else 'interrupted'
        if message:
            print(f'bug_nav: {message}', file=sys.stderr)
        return INTERRUPTED
    except OSError as error:
        if not isinstance(error, BrokenPipeError):  # the reader closed the pipe
            print(f'bug_nav: {_one_line(_describe_os_error(error))}', file=sys.stderr)
        if error.filename is None:  # stdout: prevent a second attempt to flush it at exit
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _missing_package(error: ImportError) -> str:
    """Return the missing package and how to install it; re-raise errors of bug_nav itself."""
    package = (error.name or 'bug_nav').partition('.')[0]
    if package == 'numba' and not isinstance(error, ModuleNotFoundError):
        return str(error)  # raised by bug_nav.navigation.compiled
    if package == 'bug_nav' or not isinstance(error, ModuleNotFoundError):
        raise error
    managed = '' if '>' in package else f', or python3-{package} with the package manager'
    return f'{package} is not installed; pip install "{package}"{managed}'


def _describe_os_error(error: OSError) -> str:
    """Return the file that could not be read or written, and the reason."""
    if error.filename is None and error.errno in DISK_FULL_ERRORS:
        return f'standard output cannot be written: {error.strerror}; free some space'
    return f'{error.filename}: {error.strerror}' if error.filename is not None else str(error)


def _one_line(text: str) -> str:
    """Return the text as one line of limited length without control characters."""
    line = ' '.join(text.split())
    if len(line) > MAX_MESSAGE_LENGTH:  # keep the problem (start) and the remedy (end)
        line = f'{line[:MAX_MESSAGE_LENGTH // 2]} ... {line[-MAX_MESSAGE_LENGTH // 3:]}'
    return ''.join(c if c.isprintable() else '?' for c in line)


def check_alone(arguments: argparse.Namespace, option: str, *beside: str) -> None:
    """Raise BadInput if options are given that have no effect beside one that does all."""
    commands: Any = make_parser()._subparsers._group_actions[0].choices  # type: ignore
    others = [str(each.option_strings[0] if each.option_strings else each.metavar)
              for each in commands[arguments.command]._actions
              if each.dest in arguments and each.dest not in (option, *beside)
              and getattr(arguments, each.dest) != each.default]
    if others:
        raise BadInput(f'{listed(others)} {"has" if len(others) == 1 else "have"} no effect with '
                       f'--{option}; leave {"it" if len(others) == 1 else "them"} out')


def _complete_arguments(parser: Parser) -> None:
    """Answer a shell completion request, with the names of algorithms, robots and worlds."""
    import argcomplete
    from argcomplete.completers import FilesCompleter
    from bug_nav.navigation.algorithms.registry import registered
    from bug_nav.simulation.catalogue import shipped_worlds
    from bug_nav.simulation.robots import ROBOTS
    candidates = {'algorithm': list(registered()), 'robot': list(ROBOTS)}
    files = FilesCompleter()
    for command in parser._subparsers._group_actions[0].choices.values():  # type: ignore
        for action in command._actions:
            if action.dest in candidates and command.prog != 'bug_nav algorithms':
                names = candidates[action.dest]
                action.completer = lambda names=names, **_: names
            elif action.dest in ('world', 'worlds'):
                action.completer = lambda prefix, **_: [
                    *shipped_worlds(), *files(prefix)]
    argcomplete.autocomplete(parser)


def _report_conflicts() -> None:
    """Print plug-ins that are ignored, because another algorithm of that name runs instead."""
    from bug_nav.navigation.algorithms.entry_points import conflicts
    for sentence in conflicts():
        print(f'bug_nav: {sentence}', file=sys.stderr)


def _with_robot_file(parser: Parser, argv: List[str], first: argparse.Namespace
                     ) -> argparse.Namespace:
    """Parse the arguments again, with the defaults of the robot file."""
    from bug_nav.cli.robot_file import defaults_of, without_other_algorithms
    commands: Any = parser._subparsers._group_actions[0].choices  # type: ignore[union-attr]
    commands[first.command].set_defaults(**defaults_of(first))
    arguments = parser.parse_args(argv)
    without_other_algorithms(arguments)
    return arguments


def _main(argv: List[str]) -> int:
    parser = make_parser()
    if '_ARGCOMPLETE' in os.environ:  # shell completion request
        _complete_arguments(parser)
    try:
        arguments = parser.parse_args(argv)
    except SystemExit as end:  # --help, --version
        return int(end.code or 0)
    if arguments.command is None:
        parser.print_help(sys.stderr)
        return 2
    if getattr(arguments, 'params', None) and arguments.command != 'robots':
        arguments = _with_robot_file(parser, argv, arguments)
    if 'algorithm' in arguments or arguments.command in ('algorithms', 'play'):
        _report_conflicts()
    module = importlib.import_module('bug_nav.cli.' + arguments.command.replace('-', '_'))
    code = module.main(arguments)
    sys.stdout.flush()
    return code
