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
Train a linear policy in ``bug_nav/Goal-v0`` with CMA-ES, and write a file that can be graded.

It needs ``pip install "bug_nav[gym]" cma``. Usage: train_policy.py [GENERATIONS [FILE]]; then
``bug_nav grade --python policy.py --worlds open,box,convex``.
"""

import sys
import time

from bug_nav.lab.gym_environment import GoalEnvironment
import cma
import numpy as np

SECTORS = 12
SIZES = (SECTORS + 3) * 2, 2
WORLDS = ('open', 'box', 'pole', 'graze', 'random:cluttered?seed={seed}')
EPISODES = 6
"""Number of episodes per candidate; the same worlds for all candidates of a generation."""
POLICY = '''"""A policy that docs/examples/train_policy.py has trained."""

import math

from bug_nav.lab.gym_environment import observe
import numpy as np

SECTORS = {sectors}
WEIGHTS = {weights}


def step(scan, pose, goal):
    """Return the velocity for a scan; at the goal, where training episodes ended, stop."""
    if math.dist(pose.position, goal) < 0.15:
        return 0.0, 0.0
    weights, bias = (np.array(each) for each in WEIGHTS)
    v, w = np.tanh(observe(scan, pose, goal, SECTORS) @ weights + bias)
    return max(v, 0.0) * 0.22, w * {turn}
'''


def policy_of(genome):
    """Return weights and biases of a policy."""
    weights, bias = np.split(np.asarray(genome), [SIZES[0]])
    return weights.reshape(-1, 2), bias


def episode(environment, policy, seed):
    """Return the reward of an episode, and whether it ended at the goal."""
    weights, bias = policy
    seen, info = environment.reset(seed=seed)
    total, done = 0.0, False
    while not done:
        seen, reward, terminated, truncated, info = environment.step(
            np.tanh(seen @ weights + bias))
        total, done = total + reward, terminated or truncated
    return total, info['success']


def main(generations=60, file='policy.py'):
    """Train, and write the best mean of the search."""
    environment = GoalEnvironment(WORLDS, sectors=SECTORS, time_allowance=60.0, seeds=200)
    began = time.monotonic()
    search = cma.CMAEvolutionStrategy(
        np.zeros(sum(SIZES)), 0.5, {'seed': 1, 'verbose': -9, 'popsize': 14})
    for generation in range(generations):
        genomes = search.ask()
        seeds = [EPISODES * generation + k for k in range(EPISODES)]
        found = [[episode(environment, policy_of(genome), seed) for seed in seeds]
                 for genome in genomes]
        search.tell(genomes, [-np.mean([reward for reward, _ in each]) for each in found])
        print(f'{generation + 1}: mean reward {np.mean([r for e in found for r, _ in e]):.2f}, '
              f'{100 * np.mean([s for e in found for _, s in e]):.0f} % reached, '
              f'{time.monotonic() - began:.0f} s', flush=True)
    weights = [each.tolist() for each in policy_of(search.result.xfavorite)]
    turn = environment._preset.model.max_vel_theta
    with open(file, 'w', encoding='utf-8') as out:
        out.write(POLICY.format(sectors=SECTORS, weights=weights, turn=turn))


if __name__ == '__main__':
    main(*map(int, sys.argv[1:2]), *sys.argv[2:3])
