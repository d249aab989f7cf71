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

"""Builds the ROS 2 package bug_nav."""

from glob import glob
import os

from setuptools import find_packages, setup

PACKAGE = 'bug_nav'


def shared(folder):
    """Return the data_files entry for the files in `folder`, which go to share/bug_nav."""
    files = sorted(path for path in glob(f'{folder}/*') if os.path.isfile(path))
    return (f'share/{PACKAGE}/{folder}', files)


setup(
    name=PACKAGE,
    version='0.1.0',
    packages=find_packages(include=[PACKAGE, f'{PACKAGE}.*']),
    package_data={PACKAGE: ['py.typed']},
    data_files=[
        ('share/ament_index/resource_index/packages', [f'resource/{PACKAGE}']),
        (f'share/{PACKAGE}', ['package.xml']),
        *map(shared, ('launch', 'params', 'rviz', 'worlds')),
    ],
    python_requires='>=3.9',
    # package.xml names what the package needs to run. These are what the package managers of
    # ROS 2 Humble's platforms do not have, or have too old.
    install_requires=['setuptools'],
    extras_require={
        'bench': ['networkx', 'rich', 'shapely>=2'],
        'fast': ['numba!=0.58.0'],
        'test': [
            'hypothesis',
            'pytest',
            'pytest-benchmark',
            'pytest-timeout',
            'pytest-xdist',
        ],
    },
    zip_safe=True,
    author='The bug_nav authors',
    maintainer='The bug_nav authors',
    maintainer_email='maintainers@bug-nav.example.com',
    description='Mapless navigation to a goal with Bug algorithms, and the proof when there is '
                'no way.',
    license='Apache-2.0',
    entry_points={
        'console_scripts': [
            'bug_nav = bug_nav.cli:main',
            'bug_navigator = bug_nav.ros.node:main',
            'bug_sim = bug_nav.ros.sim_node:main',
        ],
        'bug_nav.algorithms': [
            'bug2 = bug_nav.algorithms.bug2:Bug2',
        ],
    },
)
