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

"""The process that the workers of the playground are forked off."""

import subprocess
import sys

SPY = """
import signal, sys
class Spy:
    def find_spec(self, name, *where):
        if name == 'bug_nav.play.worker':
            sys.exit(0 if signal.getsignal(signal.SIGINT) is signal.SIG_IGN else 1)
sys.meta_path.insert(0, Spy())
import bug_nav.play.ready
"""


def test_ctrl_c_is_not_for_the_process_that_compiles():
    assert subprocess.run([sys.executable, '-c', SPY], timeout=60).returncode == 0
