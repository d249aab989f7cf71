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

"""How the process of the node begins."""

import threading

from bug_nav.core import compiled
from bug_nav.ros.node import main
from bug_nav.sim import episode
import pytest

pytestmark = pytest.mark.ros


class Logger:
    """What was told."""

    def __init__(self):
        self.lines, self.told = [], threading.Event()

    def info(self, line):
        self.lines.append(line)
        self.told.set()


@pytest.fixture
def logger():
    return Logger()


def test_compiling_that_takes_long_is_told(monkeypatch, logger):
    monkeypatch.setattr(compiled, 'HAVE_NUMBA', True)
    monkeypatch.setattr(main, 'LONG', 0.0)
    monkeypatch.setattr(episode, 'warm_up', lambda: logger.told.wait(30.0))
    main._warm_up(logger)
    assert len(logger.lines) == 1 and logger.lines[0].startswith('compiling: ')


def test_kernels_that_were_kept_are_not_worth_a_word(monkeypatch, logger):
    monkeypatch.setattr(compiled, 'HAVE_NUMBA', True)
    monkeypatch.setattr(main, 'LONG', 0.3)
    monkeypatch.setattr(episode, 'warm_up', lambda: None)
    main._warm_up(logger)
    assert not logger.told.wait(1.0)


@pytest.mark.parametrize('off, lines', [(False, 1), (True, 0)])
def test_missing_numba_is_told_where_nobody_switched_it_off(monkeypatch, logger, off, lines):
    monkeypatch.setattr(compiled, 'HAVE_NUMBA', False)
    monkeypatch.setattr(compiled, 'WHY_NOT', 'numba is not installed')
    monkeypatch.setattr(compiled, 'SWITCHED_OFF', off)
    main._warm_up(logger)
    assert len(logger.lines) == lines
    assert all(line.startswith('numba is not installed; ') for line in logger.lines)
    assert all('sudo apt install python3-numba' in line for line in logger.lines)
