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
import importlib
import os
import re
import sys
from typing import Any, List, NoReturn, Optional, Sequence

from bug_nav import __version__
from bug_nav.commands import BadInput, CannotRun, DEFAULT_PLOT, INTERRUPTED, Interrupted
from bug_nav.commands.values import (
    above_zero,
    at_least_zero,
    duration,
    number,
    POINT,
    POSE,
    seed,
    speed,
    word,
)

DESCRIPTION = ('Mapless navigation to a goal with Bug algorithms, and the proof when there is no '
               'way.')
EXIT_CODES = ('exit code: 0 reached, unreachable or loop_detected; 1 any other outcome; 2 bad '
              'input; 130 Ctrl-C')


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one sentence, and to which ``-1,2`` is a value, no option."""

    def __init__(self, *args: Any, **kwargs: Any):
        """Take what argparse takes."""
        super().__init__(*args, **{**kwargs, 'allow_abbrev': False})
        # argparse knows negative numbers, but neither -1,2 nor -inf nor, before 3.14, -1e-3.
        self._negative_number_matcher = re.compile(r'-(\.?\d|inf|nan)', re.IGNORECASE)

    def error(self, message: str) -> NoReturn:
        """Raise BadInput."""
        raise BadInput(f'{message} (see {self.prog} --help)')


def make_parser() -> Parser:
    """Return the parser of the whole command line."""
    parser = Parser(prog='bug_nav', description=DESCRIPTION)
    parser.add_argument('--version', action='version', version=f'bug_nav {__version__}')
    commands = parser.add_subparsers(dest='command', metavar='COMMAND', parser_class=Parser)
    _add_run(commands)
    _add_worlds(commands)
    _add_algorithms(commands)
    _add_send_goal(commands)
    _add_demo(commands)
    return parser


def _add(commands: Any, name: str, about: str) -> Parser:
    return commands.add_parser(name, help=about, description=about[0].upper() + about[1:] + '.',
                               epilog=EXIT_CODES)


def _add_run(commands: Any) -> None:
    run = _add(commands, 'run', 'navigate in the embedded simulator, without ROS')
    run.add_argument('world', metavar='WORLD',
                     help='a name that `bug_nav worlds` lists, an SDF file, or a random world '
                     'such as random:cluttered?seed=7')
    _add_navigation(run)
    run.add_argument('--start', type=POSE, metavar='X,Y,YAW', help="default: the world's own")
    run.add_argument('--goal', type=POINT, metavar='X,Y', help="default: the world's own")
    run.add_argument('--seed', type=seed, default=1, metavar='N',
                     help='of the noise; the same seed gives the same run (default: 1)')
    run.add_argument('--noise', type=at_least_zero, metavar='M',
                     help='standard deviation of a range, in metres (scan_noise)')
    run.add_argument('--clearance', type=number, metavar='M',
                     help='what the body keeps from obstacles, in metres')
    run.add_argument('--set', action='append', default=[], metavar='NAME=VALUE', dest='settings',
                     help='any parameter of robot, navigation, lidar or algorithm, such as '
                     'robot_radius=0.11 or bug2.leave_margin=0.02; may be repeated')
    run.add_argument('--json', action='store_true',
                     help='print one JSON object on one line; after bad input, nothing')
    run.add_argument('--plot', metavar='FILE', help='draw the run into a .png, .svg or .pdf file')


def _add_navigation(parser: Parser, time_allowance: float = 3600.0) -> None:
    parser.add_argument('--algorithm', default='bug2', metavar='NAME', help='default: bug2')
    parser.add_argument('--turn', metavar='SIDE', help='where to turn at a hit point: left '
                        '(keeps the obstacle on the right hand, the default), right, clearer, '
                        'goal, alternating or random (--set turn_seed=N)')
    parser.add_argument('--time-allowance', type=duration, metavar='S',
                        default=time_allowance, help='end as a timeout after so many simulated '
                        'seconds; 0 for no limit (default: %(default)g)')


def _add_worlds(commands: Any) -> None:
    _add(commands, 'worlds', 'list the worlds that come with bug_nav').epilog = None


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
                      help='a name that `bug_nav worlds` lists, or an SDF file (default: demo)')
    _add_node_goal(demo)
    demo.add_argument('--start', type=POSE, metavar='X,Y,YAW', help="default: the world's own")
    demo.add_argument('--goal', type=POINT, metavar='X,Y', help="default: the world's own")
    demo.add_argument('--speed', type=speed, default=0.0, metavar='FACTOR',
                      help='simulated time per real time; 0, the default, for as fast as the '
                      'node can drive')
    demo.add_argument('--plot', metavar='FILE', default=DEFAULT_PLOT,
                      help='default: %(default)s')


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
    except ModuleNotFoundError as error:
        package = (error.name or 'bug_nav').partition('.')[0]
        if package == 'bug_nav':
            raise
        print(f'bug_nav: {package} is not installed; install it with pip, or python3-{package} '
              'with the package manager', file=sys.stderr)
        return 1
    except (Interrupted, KeyboardInterrupt):
        return INTERRUPTED
    except OSError as error:
        if not isinstance(error, BrokenPipeError):  # whose reader has seen enough
            print(f'bug_nav: {_one_line(str(error))}', file=sys.stderr)
        # What could not be written must not be tried again at the exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _one_line(text: str) -> str:
    """Return a text as one line without control characters, whatever was typed."""
    return ''.join(c if c.isprintable() else '?' for c in ' '.join(text.split()))


def _main(argv: List[str]) -> int:
    parser = make_parser()
    try:
        arguments = parser.parse_args(argv)
    except SystemExit as end:  # --help, --version
        return int(end.code or 0)
    if arguments.command is None:
        parser.print_help(sys.stderr)
        return 2
    module = importlib.import_module('bug_nav.commands.' + arguments.command.replace('-', '_'))
    code = module.main(arguments)
    sys.stdout.flush()
    return code


if __name__ == '__main__':
    sys.exit(main())
