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
The command ``bug_nav``: what may be typed, and the exit code.

Exit codes: 0 for the verdicts `reached`, `unreachable` and `loop_detected`; 1 for the other
outcomes, and where something that is needed is missing; 2 for bad input, with one line on stderr;
130 after Ctrl-C. What a command does is in ``bug_nav/commands/``, imported when it is asked for,
so that the help comes at once.
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
from bug_nav.commands import BadInput, CannotRun, DEFAULT_PLOT, Interrupted
from bug_nav.commands.values import (
    above_zero,
    above_zero_whole,
    at_least_zero,
    cell,
    duration,
    listening_time,
    number,
    picture_size,
    POINT,
    port,
    POSE,
    seed,
    sight,
    speed,
    speed_up,
    word,
)
from bug_nav.core.interrupt import INTERRUPTED
from bug_nav.core.names import did_you_mean

DESCRIPTION = ('Mapless navigation to a goal with Bug algorithms, and the proof when there is no '
               'way.')
EXAMPLE = 'for a start: bug_nav run u_trap --algorithm tangent_bug --plot run.png'
EXIT_CODES = ('exit code: 0 reached, unreachable or loop_detected; 1 any other outcome; 2 bad '
              'input; 130 Ctrl-C')


FULL = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT)
"""The faults of a disk that takes no more."""
LONGEST = 600
"""Characters of a message."""
ELSEWHERE = {'play': 'bug_nav.play.main'}
"""Commands that have a room of their own."""


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one sentence, and to which ``-1,2`` is a value, no option."""

    def __init__(self, *args: Any, **kwargs: Any):
        """Take what argparse takes."""
        super().__init__(*args, **{**kwargs, 'allow_abbrev': False})
        # argparse knows negative numbers, but neither -1,2 nor -inf nor, before 3.14, -1e-3.
        self._negative_number_matcher = re.compile(r'-(\.?\d|inf|nan)', re.IGNORECASE)

    def parse_known_args(self, *args: Any, **kwargs: Any) -> Any:
        """Refuse what is left over here, where it is known which command it was meant for."""
        found, rest = super().parse_known_args(*args, **kwargs)
        if rest:
            option = next((each for each in rest if each.startswith('-')), '').partition('=')[0]
            self.error(f'unrecognized arguments: {" ".join(rest)}'
                       + did_you_mean(option, self._option_string_actions))
        return found, rest

    def _check_value(self, action: Any, value: Any) -> None:
        if isinstance(action, argparse._SubParsersAction) and value not in action.choices:
            self.error(f'there is no command {value!r} (there are {", ".join(action.choices)})'
                       + did_you_mean(value, action.choices))
        super()._check_value(action, value)

    def error(self, message: str) -> NoReturn:
        """Raise BadInput."""
        raise BadInput(f'{message} (see {self.prog} --help)')


class ShowsNothing(argparse.Action):
    """An option that others have and bug_nav has not: its error tells what there is instead."""

    def __call__(self, parser: argparse.ArgumentParser, namespace: argparse.Namespace,
                 values: Any, option: Optional[str] = None) -> NoReturn:
        """Raise BadInput."""
        raise BadInput(f'there is no {option}: draw a run with `bug_nav run --plot '
                       'FILE` (.png, .svg, .pdf, or moving: .gif, .mp4), or try it out in a '
                       'browser with `bug_nav play`')


def make_parser() -> Parser:
    """Return the parser of the whole command line."""
    parser = Parser(prog='bug_nav', description=DESCRIPTION, epilog=EXAMPLE)
    parser.add_argument('--version', action='version', version=f'bug_nav {__version__}')
    commands = parser.add_subparsers(dest='command', metavar='COMMAND', parser_class=Parser)
    _add_run(commands)
    _add_compare(commands)
    _add_worlds(commands)
    _add_robots(commands)
    _add_algorithms(commands)
    _add_send_goal(commands)
    _add_demo(commands)
    _add_campaign(commands)
    _add_report(commands)
    _add_check(commands)
    _add_replay(commands)
    _add_play(commands)
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
    compare = _add(commands, 'compare', 'drive several algorithms in one world, and draw all of '
                   'their paths in one picture')
    compare.add_argument('--algorithm', default='bug1,bug2,tangent_bug', metavar='NAME[,...]',
                         help='default: %(default)s')
    compare.add_argument('--turn', metavar='SIDE[,...]', help='as for run; several, or both, for '
                         'one run each')
    _add_time_allowance(compare)
    compare.add_argument('--table', metavar='FILE', help='write the table into a .csv file, or '
                         'into a .tex file for LaTeX with booktabs')
    compare.add_argument('--side-by-side', action='store_true',
                         help='draw one map for each run, with the states of the robot')
    _add_case(compare)


def _add_case(run: Parser) -> None:
    """Add world, start, goal, robot and settings, and what comes of them."""
    run.add_argument('world', metavar='WORLD',
                     help='a name that `bug_nav worlds` lists, a file (SDF, the yaml file of an '
                     'occupancy map, an image such as plan.png?resolution=0.05, or a drawing '
                     '.txt), or a random world such as random:cluttered?seed=7')
    run.add_argument('--still', action='store_true',
                     help='nothing moves: the world is as it is in the end')
    run.add_argument('--start', type=POSE, metavar='X,Y,YAW', help="default: the world's own")
    run.add_argument('--goal', type=POINT, metavar='X,Y', help="default: the world's own")
    run.add_argument('--robot', default='burger', metavar='NAME',
                     help='a robot that `bug_nav robots` lists (default: burger)')
    run.add_argument('--seed', type=seed, default=1, metavar='N',
                     help='of the noise; the same seed gives the same run (default: 1)')
    run.add_argument('--noise', type=at_least_zero, metavar='M',
                     help='standard deviation of a range, in metres (scan_noise)')
    run.add_argument('--clearance', type=number, metavar='M',
                     help='what the body keeps from obstacles, in metres')
    run.add_argument('--set', action='append', default=[], metavar='NAME=VALUE', dest='settings',
                     help='any parameter of robot, navigation, lidar, odometry or algorithm, '
                     'such as robot_radius=0.11, odometry=encoders or bug2.leave_margin=0.02; '
                     'may be repeated')
    run.add_argument('--json', action='store_true',
                     help='print one JSON object on one line; after bad input, nothing')
    run.add_argument('--plot', metavar='FILE', help='draw the run into a .png, .svg or .pdf file, '
                     'as a moving picture into a .gif or .mp4 file, or as a page that plays it '
                     'into an .html file')
    run.add_argument('--show', '--animate', '--gui', action=ShowsNothing, nargs=0,
                     help=argparse.SUPPRESS)
    run.add_argument('--speed-up', type=speed_up, default=8.0, metavar='X',
                     help='how much faster than simulated time a moving picture goes (default: '
                     '%(default)g)')
    run.add_argument('--size', type=picture_size, default=442, metavar='PIXELS',
                     help='longer side of the map in a moving picture, such as 1280 for a slide '
                     '(default: %(default)d)')


def _add_record(parser: Parser) -> None:
    parser.add_argument('--record', metavar='FILE',
                        help='record scans, odometry, transforms, commands, markers, path and '
                        'state into a new .mcap file, for Foxglove and rosbag2')


def _add_navigation(parser: Parser, time_allowance: float = 3600.0) -> None:
    parser.add_argument('--algorithm', default='bug2', metavar='NAME', help='default: bug2')
    parser.add_argument('--turn', metavar='SIDE', help='where to turn at a hit point: left '
                        '(keeps the obstacle on the right hand, the default), right, clearer, '
                        'goal, alternating or random (--set turn_seed=N)')
    _add_time_allowance(parser, time_allowance)


def _add_time_allowance(parser: Parser, time_allowance: float = 3600.0) -> None:
    parser.add_argument('--time-allowance', type=duration, metavar='S',
                        default=time_allowance, help='end as a timeout after so many simulated '
                        'seconds; 0 for no limit (default: %(default)g)')


def _add_worlds(commands: Any) -> None:
    worlds = _add(commands, 'worlds', 'list the worlds that come with bug_nav, or draw some')
    worlds.add_argument('worlds', metavar='WORLD', nargs='*',
                        help='what `bug_nav run` takes; default: all that come with bug_nav')
    worlds.add_argument('--plot', metavar='FILE',
                        help='draw them on one sheet, a .png, .svg or .pdf file')
    worlds.epilog = None


def _add_robots(commands: Any) -> None:
    robots = _add(commands, 'robots', 'list the robots that there are presets for, or tell all '
                  'about one')
    robots.add_argument('name', metavar='NAME', nargs='?', help='a robot; default: a table of all')
    robots.add_argument('--params', action='store_true',
                        help='print the parameters of the node bug_navigator for this robot')
    robots.epilog = None


def _add_algorithms(commands: Any) -> None:
    algorithms = _add(commands, 'algorithms', 'list the algorithms, or tell all about one')
    algorithms.add_argument('name', metavar='NAME', nargs='?',
                            help='an algorithm; default: a table of all')
    algorithms.add_argument('--json', action='store_true',
                            help='print one JSON value on one line')
    algorithms.epilog = None


def _add_send_goal(commands: Any) -> None:
    send = _add(commands, 'send-goal', 'send a goal to the node bug_navigator and watch it')
    send.add_argument('x', type=number, metavar='X', help='in metres')
    send.add_argument('y', type=number, metavar='Y', help='in metres')
    send.add_argument('yaw', type=number, metavar='YAW', nargs='?',
                      help='heading at the goal, in radians; default: any')
    _add_node_goal(send)
    send.add_argument('--frame', type=word, default='', metavar='NAME',
                      help="frame of the goal; default: the node's global frame")
    send.add_argument('--tolerance', type=at_least_zero, default=0.0, metavar='M',
                      help="default: the node's xy_goal_tolerance")
    send.add_argument('--namespace', default='', metavar='NAME', help='of the node')
    send.add_argument('--timeout', type=above_zero, default=10.0, metavar='S',
                      help='how long to wait for the node (default: %(default)g)')


def _add_node_goal(parser: Parser) -> None:
    parser.add_argument('--algorithm', type=word, default='', metavar='NAME',
                        help="default: the node's")
    parser.add_argument('--turn', type=word, default='', metavar='SIDE',
                        help='left, right, clearer, goal, alternating or random at a hit '
                        "point; default: the node's")
    parser.add_argument('--time-allowance', type=duration, default=0.0, metavar='S',
                        help="end as a timeout after so many seconds of the node's clock; "
                        '0 for no limit (default: 0)')


def _add_demo(commands: Any) -> None:
    demo = _add(commands, 'demo',
                'start simulator, node and client on this host, and draw the run')
    demo.add_argument('world', metavar='WORLD', nargs='?', default='demo',
                      help='a name that `bug_nav worlds` lists, or a file: SDF, the yaml file of '
                      'an occupancy map, or a drawing .txt (default: demo)')
    _add_node_goal(demo)
    demo.add_argument('--start', type=POSE, metavar='X,Y,YAW', help="default: the world's own")
    demo.add_argument('--goal', type=POINT, metavar='X,Y', help="default: the world's own")
    demo.add_argument('--robot', default='burger', metavar='NAME',
                      help='a robot that `bug_nav robots` lists (default: burger)')
    demo.add_argument('--speed', type=speed, default=0.0, metavar='FACTOR',
                      help='simulated time per real time; 0, the default, for as fast as the '
                      'node can drive')
    demo.add_argument('--plot', metavar='FILE', default=DEFAULT_PLOT,
                      help='default: %(default)s')
    _add_record(demo)


def _add_campaign(commands: Any) -> None:
    campaign = _add(commands, 'campaign', 'drive many episodes in the embedded simulator, and '
                    'judge them')
    campaign.epilog = ('exit code: 0 all is well, or wrong under noise or faults that the '
                       'campaign studies; 1 a verdict was wrong otherwise, an obstacle touched, '
                       'or the software at fault; 2 bad input; 130 Ctrl-C')
    campaign.add_argument('campaign', metavar='CAMPAIGN', nargs='?',
                          help='a name that --list lists, or a YAML file (docs/campaigns.md)')
    campaign.add_argument('--list', action='store_true', help='list the shipped campaigns')
    campaign.add_argument('--out', metavar='DIR', help='folder of journal, rows and report '
                          '(default: out/NAME)')
    campaign.add_argument('--resume', action='store_true',
                          help='go on with what the folder holds')
    campaign.add_argument('--workers', type=above_zero_whole, default=os.cpu_count() or 1,
                          metavar='N', help='processes (default: %(default)s)')
    campaign.add_argument('--scheduler', metavar='ADDRESS', help='drive on the workers of a Dask '
                          'scheduler, such as tcp://10.0.0.1:8786; or local')
    campaign.add_argument('--format', choices=('parquet', 'csv'),
                          help='of the rows (default: parquet where pyarrow is installed)')
    campaign.add_argument('--seed', type=seed, metavar='N', help="instead of the campaign's")
    campaign.add_argument('--multiply', type=above_zero_whole, default=1, metavar='N',
                          help='so many times the starts and goals')
    campaign.add_argument('--set', action='append', default=[], metavar='KEY=VALUE',
                          dest='settings', help='any key of the campaign, such as '
                          'worlds.0.count=5 or settings.clearance=0.15; may be repeated')
    campaign.add_argument('--world', action='append', metavar='WORLD', help='without a campaign: '
                          'as for run, or a kind such as random:cluttered; with commas between '
                          'several, or repeated')
    campaign.add_argument('--count', type=above_zero_whole, metavar='N',
                          help='starts and goals in each --world')
    campaign.add_argument('--goals', choices=('any', 'both', 'reachable', 'unreachable'),
                          help='which goals can be reached, in each --world; both: half of them')
    campaign.add_argument('--places', choices=('own', 'drawn'), help='start and goal of each '
                          '--world: its own, or drawn at random')
    for option, about in (('algorithm', 'or: complete, all'), ('robot', ''), ('follower', ''),
                          ('turn', ''), ('noise', 'standard deviations of a range, in metres')):
        campaign.add_argument(f'--{option}', action='append', metavar=f'{option.upper()}[,...]',
                              help=about or "instead of the campaign's")
    campaign.add_argument('--odometry-noise', metavar='SHARE[,...]',
                          help='of the measured velocities')
    campaign.add_argument('--time-allowance', type=duration, metavar='S',
                          help='of an episode, in simulated seconds')


def _add_report(commands: Any) -> None:
    report = _add(commands, 'report', "make one HTML file of a campaign's rows, or figures and "
                  'tables for a paper')
    report.epilog = None
    report.add_argument('rows', metavar='ROWS', help='a .parquet or .csv file of rows, or the '
                        'folder of a campaign')
    report.add_argument('--out', metavar='FILE', help='an .html file (default: report.html beside '
                        'the rows, report_by_robot.html with --by robot)')
    report.add_argument('--figures', metavar='DIR', help='write the charts into this folder, as '
                        'PDF and SVG, 3.5 in wide; a page is then made with --out alone')
    report.add_argument('--table', metavar='FILE', help='write the scores into a .tex (booktabs) '
                        'or .csv file; a page is then made with --out alone')
    report.add_argument('--title', metavar='TEXT', help="of the page (default: the campaign's, "
                        "else the folder's name)")
    report.add_argument('--by', default='algorithm', choices=(
        'algorithm', 'robot', 'follower', 'turn', 'odometry', 'variant', 'correction'),
        help='what is compared (default: %(default)s)')


def _add_check(commands: Any) -> None:
    check = _add(commands, 'check', 'look at a running robot, or at a recording of it: has it '
                 'what the navigator needs?')
    check.epilog = ('exit code: 0 all is well, or there are warnings alone; 1 there are errors, '
                    'or something that is needed is missing; 2 bad input; 130 Ctrl-C')
    check.add_argument('--bag', metavar='FILE', help='a recording, read without ROS: the folder '
                       'of rosbag2, a .db3 or .mcap file, a CARMEN log; default: the running '
                       'robot, over ROS')
    check.add_argument('--duration', type=listening_time, default=10.0, metavar='S',
                       help='how long to listen to a running robot (default: %(default)g)')
    check.add_argument('--cmd-vel', type=word, default='/cmd_vel', metavar='TOPIC',
                       help='default: %(default)s')
    _add_sources(check)


def _add_replay(commands: Any) -> None:
    replay = _add(commands, 'replay', 'feed a recording to the navigator and tell what it would '
                  'have done')
    replay.epilog = ('exit code: 0 the recording was fed; 1 not one scan could be placed, or '
                     'something that is needed is missing; 2 bad input; 130 Ctrl-C')
    replay.add_argument('bag', metavar='FILE', help='the folder of rosbag2, a .db3 or a .mcap '
                        'file, such as `bug_nav run --record` writes; or a log of CARMEN: .log, '
                        '.clf, or one of these with .gz')
    replay.add_argument('--goal', type=POINT, metavar='X,Y', help='in the frame of odometry; '
                        'default: the last pose of the recording')
    replay.add_argument('--algorithm', default='bug2', metavar='NAME', help='default: bug2')
    replay.add_argument('--plot', metavar='FILE', help='draw it into a .png, .svg or .pdf file')
    replay.add_argument('--map', type=word, metavar='OUT', help='without a goal: make a map of '
                        'what the scans have seen, OUT.yaml and OUT.pgm, for `bug_nav run '
                        'OUT.yaml` and map_server')
    replay.add_argument('--resolution', type=cell, metavar='M', help='the side of a cell of the '
                        'map (default: 0.05)')
    replay.add_argument('--farthest', type=sight, metavar='M', help='what lies farther from '
                        'the lidar is not mapped (default: 20)')
    _add_sources(replay)


def _add_play(commands: Any) -> None:
    play = _add(commands, 'play', 'open the playground in the browser: drag the goal, and see why')
    play.add_argument('world', metavar='WORLD', nargs='?', default='demo',
                      help='what the page begins with, as for `bug_nav run` (default: demo)')
    play.add_argument('--port', type=port, metavar='N',
                      help='default: 8770, or another that is free')
    play.add_argument('--host', type=word, default='127.0.0.1', metavar='NAME',
                      help='serve others, too, such as 0.0.0.0; they need the address with the '
                      'token that is printed then (default: this host alone)')
    play.add_argument('--no-browser', action='store_true', help='print the address, and no more')
    play.add_argument('--live', action='store_true', help='show the robot of a running '
                      'bug_navigator instead, and send it goals, over ROS')
    play.add_argument('--namespace', default='', metavar='NAME', help='of that node, with --live')
    play.epilog = 'Ctrl-C ends it and leaves nothing behind.'


def _add_sources(parser: Parser) -> None:
    parser.add_argument('--scan', type=word, default='/scan', metavar='TOPIC',
                        help='default: %(default)s')
    parser.add_argument('--odom', type=word, default='/odom', metavar='TOPIC',
                        help='default: %(default)s')
    parser.add_argument('--base-frame', type=word, default='base_footprint', metavar='NAME',
                        help="the robot's own frame, robot_base_frame of the node (default: "
                        '%(default)s)')
    parser.add_argument('--robot', default='burger', metavar='NAME',
                        help='a robot that `bug_nav robots` lists (default: burger)')
    parser.add_argument('--set', action='append', default=[], metavar='NAME=VALUE',
                        dest='settings', help='any parameter of robot or navigation, such as '
                        'robot_radius=0.11; may be repeated')
    parser.add_argument('--json', action='store_true',
                        help='print one JSON object on one line; after bad input, nothing')


def main(argv: Optional[Sequence[str]] = None) -> int:
    """Run the command line ``argv`` (without the program's name) and return the exit code."""
    try:
        return _main(sys.argv[1:] if argv is None else list(argv))
    except BadInput as error:
        print(f'bug_nav: {_one_line(str(error))}', file=sys.stderr)
        return 2
    except CannotRun as error:
        print(f'bug_nav: {_one_line(str(error))}', file=sys.stderr)
        return 1
    except ImportError as error:
        print(f'bug_nav: {_one_line(_missing(error))}', file=sys.stderr)
        return 1
    except (Interrupted, KeyboardInterrupt) as error:
        said = str(error) if isinstance(error, Interrupted) else 'interrupted'
        if said:
            print(f'bug_nav: {said}', file=sys.stderr)
        return INTERRUPTED
    except OSError as error:
        if not isinstance(error, BrokenPipeError):  # whose reader has seen enough
            print(f'bug_nav: {_one_line(_fault_of(error))}', file=sys.stderr)
        if error.filename is None:  # of stdout: it must not be tried again at the exit
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _missing(error: ImportError) -> str:
    """Return which package is missing and how to install it; raise an error of bug_nav itself."""
    package = (error.name or 'bug_nav').partition('.')[0]
    if package == 'numba' and not isinstance(error, ModuleNotFoundError):
        return str(error)  # as bug_nav.core.compiled raises it
    if package == 'bug_nav' or not isinstance(error, ModuleNotFoundError):
        raise error
    managed = '' if '>' in package else f', or python3-{package} with the package manager'
    return f'{package} is not installed; pip install "{package}"{managed}'


def _fault_of(error: OSError) -> str:
    """Return what could not be read or written, and why."""
    if error.filename is None and error.errno in FULL:
        return f'standard output cannot be written: {error.strerror}; free some space'
    return f'{error.filename}: {error.strerror}' if error.filename is not None else str(error)


def _one_line(text: str) -> str:
    """Return a text as one line of bounded length without control characters."""
    line = ' '.join(text.split())
    if len(line) > LONGEST:  # what is wrong stands at its beginning, what to do at its end
        line = f'{line[:LONGEST // 2]} ... {line[-LONGEST // 3:]}'
    return ''.join(c if c.isprintable() else '?' for c in line)


def _complete(parser: Parser) -> None:
    """Tell the shell what may follow, names of what there is among it, and end."""
    import argcomplete
    from argcomplete.completers import FilesCompleter
    from bug_nav.algorithms.registry import registered
    from bug_nav.sim.catalogue import shipped_worlds
    from bug_nav.sim.robots import ROBOTS
    known = {'algorithm': list(registered()), 'robot': list(ROBOTS)}
    files = FilesCompleter()
    for command in parser._subparsers._group_actions[0].choices.values():  # type: ignore
        for action in command._actions:
            if action.dest in known and command.prog != 'bug_nav algorithms':
                names = known[action.dest]
                action.completer = lambda names=names, **_: names
            elif action.dest in ('world', 'worlds'):
                action.completer = lambda prefix, **_: [
                    *shipped_worlds(), *files(prefix)]
    argcomplete.autocomplete(parser)


def _main(argv: List[str]) -> int:
    parser = make_parser()
    if '_ARGCOMPLETE' in os.environ:  # a shell that asks what may follow
        _complete(parser)
    try:
        arguments = parser.parse_args(argv)
    except SystemExit as end:  # --help, --version
        return int(end.code or 0)
    if arguments.command is None:
        parser.print_help(sys.stderr)
        return 2
    module = importlib.import_module(ELSEWHERE.get(
        arguments.command, 'bug_nav.commands.' + arguments.command.replace('-', '_')))
    code = module.main(arguments)
    sys.stdout.flush()
    return code
