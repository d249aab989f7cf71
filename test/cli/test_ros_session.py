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
"""Following a goal of a ROS 2 command with a stand-in for the client, without ROS."""

import io
import signal
from types import SimpleNamespace

from bug_nav.cli import CannotRun, Interrupted, send_goal
from bug_nav.cli.ros_session import cancel, catch_signals, follow
import pytest


class Navigator:
    """A client whose goal ends after its updates; it counts the cancel requests."""

    action_name = '/robot1/navigate_bug'

    def __init__(self, updates=0, result='SUCCEEDED'):
        self._updates, self._result, self.cancels = updates, result, 0

    def isTaskComplete(self):
        self._updates -= 1
        return self._updates < 0

    def getFeedback(self):
        return SimpleNamespace(
            distance_remaining=1.0, state_name='bug2/turning', number_of_hits=0,
            number_of_leaves=0, path_length=0.0,
            navigation_time=SimpleNamespace(sec=0, nanosec=0))

    def isReady(self):
        return True

    def getResult(self):
        return SimpleNamespace(name=self._result)

    def cancelTask(self, timeout):
        self.cancels += 1
        return True

    # What a command needs before it follows the goal.

    def get_namespace(self):
        return '/robot1'

    def waitUntilReady(self, timeout):
        return True

    def makePose(self, *pose):
        return pose

    def goToPose(self, pose, algorithm, **options):
        return False


class ClosedTerminal(io.StringIO):
    """A terminal that fails as if its window were closed, after some lines."""

    def __init__(self, lines):
        super().__init__()
        self._lines = lines

    def isatty(self):
        return True

    def write(self, text):
        self._lines -= 1
        if self._lines < 0:
            raise OSError(5, 'Input/output error')
        return len(text)


@pytest.mark.parametrize('lines', [0, 1])
def test_goal_is_cancelled_although_the_terminal_is_closed(monkeypatch, lines):
    monkeypatch.setattr('sys.stderr', ClosedTerminal(lines))
    navigator = Navigator(updates=2)
    received = iter((False, True))  # SIGHUP, after one update
    with pytest.raises((OSError, Interrupted)):
        follow(navigator, lambda: next(received))
    assert navigator.cancels == 1


def test_cancel_is_sent_although_the_terminal_is_closed(monkeypatch):
    monkeypatch.setattr('sys.stderr', ClosedTerminal(0))
    navigator = Navigator()
    cancel(navigator)
    assert navigator.cancels == 1


def test_goal_unknown_to_a_restarted_node_is_reported_as_lost():
    with pytest.raises(CannotRun, match='serves /robot1/navigate_bug is lost; make sure'):
        follow(Navigator(result='UNKNOWN'), lambda: False)
    follow(Navigator(), lambda: False)


def test_remedy_for_an_inactive_node_names_the_node_in_its_namespace():
    arguments = SimpleNamespace(timeout=1.0, x=1.0, y=2.0, yaw=None, frame='', algorithm='',
                                turn='', time_allowance=0.0, tolerance=0.0)
    with pytest.raises(CannotRun, match='lifecycle set /robot1/bug_navigator activate'):
        send_goal._send(Navigator(), arguments, lambda: False)


@pytest.mark.parametrize('before, is_caught', [
    (signal.SIG_IGN, False), (signal.SIG_DFL, True)])  # with nohup, and without
def test_hangup_is_caught_unless_it_was_ignored(before, is_caught):
    found = signal.signal(signal.SIGHUP, before)
    try:
        with catch_signals() as received:
            signal.raise_signal(signal.SIGHUP)
            assert received() == is_caught
        assert signal.getsignal(signal.SIGHUP) == before
    finally:
        signal.signal(signal.SIGHUP, found)
