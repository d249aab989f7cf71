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
Converts a world file with movers for Gazebo.

Gazebo 11 renders actors, but a `ray` lidar does not detect them. Actors, and the people that SDF
cannot describe, therefore become upright cylinders. A plug-in of gazebo_ros is added, through
which `bug_movers` moves them and everything else that moves.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Tuple

from bug_nav.simulation.catalogue import find_world
from bug_nav.simulation.movers import Mover, SIDES
from bug_nav.simulation.world import WorldError
from defusedxml import ElementTree
import numpy as np

HEIGHT = 1.7
"""Height of a person [m]."""

STATE_PLUGIN = """
<plugin name="bug_nav_state" filename="libgazebo_ros_state.so">
  <ros><namespace>/gazebo</namespace></ros>
  <update_rate>20.0</update_rate>
</plugin>"""
MODEL = """
<model name="">
  <static>true</static>
  <pose>{pose}</pose>
  <link name="body">{parts}</link>
</model>"""
PART = """
<{kind} name="{kind}_{number}">
  <pose>{x:.4f} {y:.4f} {z} 0 0 0</pose>
  <geometry><cylinder><radius>{radius:.4f}</radius><length>{tall}</length></cylinder></geometry>
</{kind}>"""


def convert_world(path: Path) -> str:
    """Return the world file for Gazebo if the world has movers, else ''."""
    try:
        movers = find_world(path).movers
    except WorldError:  # with meshes or other elements that only Gazebo can read
        return ''
    if not movers:
        return ''
    root = ElementTree.fromstring(path.read_bytes())
    world = root.find('world')
    for actor in world.findall('actor'):
        world.remove(actor)
    models = {model.get('name') for model in world.findall('model')}
    for mover in movers:
        if mover.name not in models:
            world.append(_cylinders(mover))
    world.append(ElementTree.fromstring(STATE_PLUGIN))
    return str(ElementTree.tostring(root, encoding='unicode'))


def _cylinders(mover: Mover) -> ElementTree.Element:
    """Return a model with a cylinder for each part of a person, at its start pose."""
    parts = ''.join(
        PART.format(kind=kind, number=number, x=x, y=y, z=0.5 * HEIGHT, radius=radius, tall=HEIGHT)
        for number, (x, y, radius) in enumerate(map(_circle, mover.parts), 1)
        for kind in ('collision', 'visual'))
    pose = mover.begin(np.random.default_rng(0)).pose
    x, y, yaw = pose if pose is not None else (0.0, 0.0, 0.0)
    model = ElementTree.fromstring(MODEL.format(pose=f'{x} {y} 0 0 0 {yaw}', parts=parts))
    model.set('name', mover.name)
    return model


def _circle(part: np.ndarray) -> Tuple[float, float, float]:
    """Return x, y and radius of the inscribed circle of a regular polygon."""
    x, y = part.mean(axis=0)
    outer = float(np.hypot(*(part - (x, y)).T).max())
    return float(x), float(y), outer * math.cos(math.pi / SIDES)
