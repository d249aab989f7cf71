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

"""Explanations of common mistakes in the code of an algorithm, for its author."""

from __future__ import annotations

import numbers
import traceback
import types
from typing import Any, Union

from bug_nav.navigation.algorithms.base import Algorithm
from bug_nav.navigation.names import listed, shown
from bug_nav.navigation.types import Along, Outcome, Result, Towards, TurnTo, Twist

YIELD_FROM = 'call behaviors with `yield from`, such as `hit = yield from move_to_goal(robot)`'
INTENTS = 'yield a Towards, Along, TurnTo or Twist, such as `yield robot.to_goal()`'
RESULTS = 'loop until the goal is reached, raise Unreachable or LoopDetected, or return a Result'
RESULT = "return one such as Result(Outcome.BLOCKED, 'no way on')"


def invalid_intent(algorithm: Algorithm, run: Any, intent: Any) -> str:
    """Explain that an algorithm yields no intent, or one whose velocity is not finite."""
    what = _kind(intent)
    if isinstance(intent, (Towards, Along, TurnTo, Twist)):
        return (f'{_name(algorithm)} has yielded {what}, which is not a finite velocity'
                f'{_place(run)}; test positions and headings with math.isfinite')
    remedy = YIELD_FROM if isinstance(intent, types.GeneratorType) else INTENTS
    return f'{_name(algorithm)} has yielded {what} instead of an intent{_place(run)}; {remedy}'


def invalid_result(algorithm: Algorithm, result: Any) -> str:
    """Explain that an algorithm ends without a result or an invalid one; '' if it is valid."""
    if not isinstance(result, Result):
        return f'{_name(algorithm)} has ended with {shown(result)} instead of a Result; {RESULTS}'
    wrong = [f'the {name} {shown(value)} is not {what}' for name, value, kind, what in (
        ('outcome', result.outcome, Outcome, 'an Outcome'),
        ('message', result.message, str, 'a text'),
        ('lap_length', result.lap_length, numbers.Real, 'a number'))
        if not isinstance(value, kind)]
    return (f'{_name(algorithm)} has ended with a Result in which {listed(wrong)}; {RESULT}'
            if wrong else '')


def invalid_run(algorithm: Algorithm, run: Any) -> str:
    """Explain that `Algorithm.run` is not a generator; return '' if it is one."""
    if hasattr(run, '__next__') and hasattr(run, 'close'):
        return ''
    if run is None:
        return f'{_name(algorithm)}.run contains no `yield` and has returned None; {YIELD_FROM}'
    return (f'{_name(algorithm)}.run has returned {_kind(run)} instead of yielding intents; '
            f'{INTENTS}')


def invalid_exit(algorithm: Algorithm, end: SystemExit) -> str:
    """Explain that an algorithm ends the program."""
    return (f'{_name(algorithm)} has called sys.exit({shown(end.code)}) ('
            f'{_author_line(end)}); {RESULTS}')


def invalid_end(algorithm: Algorithm, run: Any) -> str:
    """Explain that an algorithm yields although its generator is being closed."""
    return (f'{_name(algorithm)} yields after its end was requested{_place(run)}; do not yield in '
            'a `finally` or a bare `except`')


def misuse_of(algorithm: Algorithm, error: Union[AttributeError, TypeError]) -> str:
    """Explain an error in a step of an algorithm; return '' if it is not a common mistake."""
    if "'generator' object" in str(error):
        return (f'{_name(algorithm)} uses a generator as the finding of a behavior ({error}, '
                f'{_author_line(error)}); {YIELD_FROM}')
    if 'positional argument' in str(error) and _newest(error) != _author_line(error):
        return (f'{_name(algorithm)} passes a rule with other arguments ({error}, '
                f'{_author_line(error)}); give a function of the robot')
    if 'not callable' in str(error) and _newest(error) != _author_line(error):
        return (f'{_name(algorithm)} passes a rule that is no function ({error}, '
                f'{_author_line(error)}); give a function of the robot')
    return ''


def _author_line(error: BaseException) -> str:
    """Return the newest file and line of the algorithm's author, else the newest of all."""
    own = [f'{frame.f_code.co_filename}:{line}'
           for frame, line in traceback.walk_tb(error.__traceback__)
           if not str(frame.f_globals.get('__name__', '')).startswith('bug_nav.')]
    return own[-1] if own else _newest(error)


def _newest(error: BaseException) -> str:
    *_, (frame, line) = traceback.walk_tb(error.__traceback__)
    return f'{frame.f_code.co_filename}:{line}'


def _name(algorithm: Algorithm) -> str:
    return type(algorithm).__name__


def _kind(value: Any) -> str:
    """Return a value as text; a generator by the name of its function."""
    return (f'the generator {value.__name__}(...)' if isinstance(value, types.GeneratorType)
            else shown(value))


def _place(run: Any) -> str:
    """Return the file and line of the `yield` that a generator has stopped at; '' if unknown."""
    while isinstance(getattr(run, 'gi_yieldfrom', None), types.GeneratorType):
        run = run.gi_yieldfrom
    frame = getattr(run, 'gi_frame', None)
    return f' ({frame.f_code.co_filename}:{frame.f_lineno})' if frame else ''
