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

"""Tests of kernels as plain Python, without numba, as needed for a debugger."""

import json
import os
from pathlib import Path
import subprocess
import sys

import pytest

ROOT = Path(__file__).resolve().parents[2]
EPISODE = """
import json, sys
from bug_nav.navigation.algorithms.bug2 import Bug2
from bug_nav.navigation.geometry import Pose
from bug_nav.simulation.episode import run_episode
from bug_nav.simulation.sensors import LidarModel
from bug_nav.simulation.world import World
import numpy as np

box = World('box', (np.array([[0.6, -0.2], [0.8, -0.2], [0.8, 0.2], [0.6, 0.2]]),))
episode = run_episode(box, Pose(-0.2, 0.0, 0.0), (1.6, 0.0), Bug2(), time_allowance=60.0,
                      lidar=LidarModel(scan_count=72, scan_angle_max=6.2))
print(json.dumps(['numba' in sys.modules, episode.outcome, len(episode.events),
                  episode.path_length]))
"""


def run_episode_with(**environment):
    done = subprocess.run([sys.executable, '-c', EPISODE], text=True, capture_output=True,
                          timeout=120.0, cwd=ROOT, env={**os.environ, **environment})
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_episode_in_plain_python_matches_the_compiled_one():
    has_numba, *compiled = run_episode_with(NUMBA_DISABLE_JIT='0')
    imports_it, *plain = run_episode_with(NUMBA_DISABLE_JIT='1')
    assert has_numba and not imports_it
    assert plain[:2] == compiled[:2] == ['reached', 2]
    # Rounding differs in the last bits, which may move a decision by a tick.
    assert plain[2] == pytest.approx(compiled[2], abs=0.02)
