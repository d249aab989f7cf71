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

"""Plot of a replay: the path by odometry, and the estimated path if it differs."""

from bug_nav.visualization.replay_plot import draw_replay, ReplayRecord
import numpy as np

PATH = [(0.0, 0.0), (1.0, 0.0), (2.0, 0.0)]


def labels(believed, goal=(3.0, 0.0)):
    figure = draw_replay(ReplayRecord('title', PATH, believed, np.zeros((0, 2)), [], [], goal))
    return figure.axes[0].get_legend_handles_labels()[1]


def test_one_path_is_drawn_if_the_estimate_equals_odometry():
    assert labels([(x, 0.02) for x, _ in PATH]) == ['driven in the recording', 'start', 'goal']


def test_both_paths_are_drawn_if_they_differ():
    assert labels([*PATH[:2], (2.0, 0.3)]) == [
        'by odometry, at most 0.30 m off', 'estimated by the navigator', 'start', 'goal']


def test_map_has_no_goal():
    assert 'goal' not in labels(PATH, None)
