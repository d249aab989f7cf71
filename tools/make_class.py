#!/usr/bin/env python3
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
Write a made-up class of 30 submissions: Bug2 as six students solve it, and six typical mistakes.

Usage: tools/make_class.py FOLDER; then ``bug_nav grade FOLDER/class.yaml``. Each mistake is made
by four students, with other distances and speeds.
"""

from __future__ import annotations

from pathlib import Path
import sys
from typing import Dict, Tuple

TEMPLATE = '''"""Bug2: {about}."""
import math

NEAR, SPEED, TURN = {near}, {speed}, 1.0
state = {{'start': None, 'hit': None, 'far': False}}


def wrap(angle):
    return math.atan2(math.sin(angle), math.cos(angle))


def ahead(scan, low, high):
    """Return the smallest range between two angles [degrees]."""
    found = [r for k, r in enumerate(scan.ranges) if low <= math.degrees(wrap(
        scan.angle_min + k * scan.angle_increment)) <= high and math.isfinite(r)]
    return min(found, default=3.5)


def step(scan, pose, goal):
    x, y, yaw = pose
    away = math.hypot(goal[0] - x, goal[1] - y)
    state['start'] = state['start'] or (x, y)
    if {stops}:
        return 0.0, 0.0
    error = {error}
    front, right = {front}, {right}
    if state['hit'] is None:
        if not (front < NEAR and abs(error) < 0.6):
            return (SPEED if abs(error) < 0.3 else 0.0), max(-TURN, min(TURN, 2.0 * error))
        state.update(hit=(x, y, away), far=False)
    hit_x, hit_y, hit_away = state['hit']
    state['far'] = state['far'] or math.hypot(x - hit_x, y - hit_y) > 0.7
    if state['far'] and math.hypot(x - hit_x, y - hit_y) < 0.25:
        return 'unreachable'
    sx, sy = state['start']
    line = abs((goal[0] - sx) * (y - sy) - (goal[1] - sy) * (x - sx))
    if state['far'] and line / math.hypot(goal[0] - sx, goal[1] - sy) < 0.08 and {nearer}:
        state['hit'] = None
        return SPEED, 0.0
    if front < NEAR:
        return 0.0, 0.8
    return 0.8 * SPEED, max(-0.9, min(0.9, -2.5 * ({gap})))
'''
RIGHT: Dict[str, str] = {
    'about': 'solved', 'stops': 'away < 0.1', 'error': 'wrap(math.atan2(goal[1] - y, '
    'goal[0] - x) - yaw)', 'front': 'ahead(scan, -30, 30)', 'right': 'ahead(scan, -110, -20)',
    'nearer': 'away < hit_away - 0.2', 'gap': 'min(right, NEAR + 0.4) - NEAR'}
MISTAKES: Dict[str, Dict[str, str]] = {
    'leaves_anywhere': {'about': 'leaves at any crossing of the M-line', 'nearer': 'True'},
    'angles_not_wrapped': {'about': 'does not wrap angles',
                           'error': 'math.atan2(goal[1] - y, goal[0] - x) - yaw'},
    'front_in_the_middle': {
        'about': 'takes the middle of the scan for the front',
        'front': 'min(min(scan.ranges[150:210]), 3.5)',
        'right': 'min(min(scan.ranges[70:160]), 3.5)'},
    'never_stops': {'about': 'does not stop at the goal', 'stops': 'False'},
    'infinite_ranges': {'about': 'computes with infinite ranges',
                        'gap': 'sum(scan.ranges[250:340]) / 90 - 2.0 * NEAR '
                        '- (scan.ranges[180] - scan.ranges[0])'},
    'too_near': {'about': 'turns too late', 'front': 'ahead(scan, -8, 8)', 'near': '0.14'}}
VARIANTS: Tuple[Tuple[str, str], ...] = (
    ('0.35', '0.18'), ('0.32', '0.15'), ('0.40', '0.20'), ('0.30', '0.12'), ('0.38', '0.22'),
    ('0.28', '0.16'))


def main(folder: Path) -> None:
    """Write the class."""
    folder.mkdir(parents=True)
    programs = {f'solved_{k}': {**RIGHT, 'near': near, 'speed': speed}
                for k, (near, speed) in enumerate(VARIANTS, 1)}
    programs.update({f'{name}_{k}': {**RIGHT, 'near': near, 'speed': speed, **mistake}
                     for name, mistake in MISTAKES.items()
                     for k, (near, speed) in enumerate(VARIANTS[:4], 1)})
    lines = ['suite: homework_bug2', 'name: class', 'submissions:']
    for name, values in programs.items():
        (folder / f'{name}.py').write_text(TEMPLATE.format(**values), encoding='utf-8')
        lines.append(f'  - {{name: {name}, python: {name}.py}}')
    (folder / 'class.yaml').write_text('\n'.join(lines) + '\n', encoding='utf-8')


if __name__ == '__main__':
    main(Path(sys.argv[1]))
