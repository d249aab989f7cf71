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
from pathlib import Path
import re

from setuptools import find_packages, setup

PACKAGE = 'bug_nav'
HOME = 'https://bug-nav.example.com'


def shared(folder):
    """Return the data_files entry for the files in `folder`, which go to share/bug_nav."""
    files = sorted(path for path in glob(f'{folder}/*') if os.path.isfile(path))
    return (f'share/{PACKAGE}/{folder}', files)


def readme():
    """Return README.md with links that lead from elsewhere to the repository, too."""
    # colcon links this file to where it builds, and no README.md beside it.
    text = (Path(__file__).resolve().parent / 'README.md').read_text(encoding='utf-8')
    text = re.sub(r'(!\[[^]]*\]\()(?!https?:|#)', rf'\1{HOME}/raw/main/', text)
    return re.sub(r'(?<!!)(\[[^][]*\]\()(?!https?:|#)', rf'\1{HOME}/blob/main/', text)


setup(
    name=PACKAGE,
    version='1.0.0',
    packages=find_packages(include=[PACKAGE, f'{PACKAGE}.*']),
    package_data={PACKAGE: ['py.typed'], f'{PACKAGE}.lab': ['*.json'],
                  f'{PACKAGE}.lab.grading': [
                      'suites/*', 'templates/*', 'template/*', 'template/*/*'],
                  f'{PACKAGE}.lab.report': ['templates/*'],
                  f'{PACKAGE}.visualization.web': [
                      '*.html', '*.css', '*.js', '*.svg', 'course/*.css', 'course/*.js',
                      'course/*.json']},
    data_files=[
        ('share/ament_index/resource_index/packages', [f'resource/{PACKAGE}']),
        (f'share/{PACKAGE}', ['package.xml']),
        *map(shared, ('campaigns', 'launch', 'models', 'params', 'rviz', 'security', 'worlds')),
        shared('docs/course'),
    ],
    python_requires='>=3.9',
    # For the commands and the nodes. package.xml names the same, and the packages of ROS. Bounds
    # have to admit the versions of Humble's platforms: numpy is 1.19.5 on Debian 11. numba 0.58.0
    # admits a numpy that it then refuses.
    install_requires=[
        'defusedxml', 'matplotlib', 'numba!=0.58.0', 'numpy>=1.19.5', 'pillow', 'pyyaml',
        'transforms3d'],
    extras_require={
        'all': ['bug_nav[bag,campaign,complete,gym,mesh,play,record]'],
        'bag': ['rosbags'],
        'campaign': ['bug_nav[lab]', 'distributed', 'pyarrow'],
        'complete': ['argcomplete'],
        'gym': ['gymnasium'],
        'lab': ['jinja2', 'rich', 'shapely>=2'],
        'mesh': ['pycollada', 'shapely>=2', 'trimesh'],
        'play': ['starlette', 'uvicorn', 'websockets'],
        'record': ['mcap-ros2-support'],
        'test': [
            'coverage>=7.10',
            'httpx',
            'hypothesis',
            'ipykernel',
            'nbclient',
            'playwright',
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
    long_description=readme(),
    long_description_content_type='text/markdown',
    license='Apache-2.0',
    url=HOME,
    project_urls={
        'Source': HOME,
        'Documentation': f'{HOME}/blob/main/docs',
        'Changes': f'{HOME}/blob/main/CHANGELOG.rst',
        'Issues': f'{HOME}/issues',
    },
    keywords=['robotics', 'navigation', 'bug algorithms', 'ROS 2', 'simulation'],
    classifiers=[
        'Development Status :: 4 - Beta',
        'Environment :: Console',
        'Intended Audience :: Education',
        'Intended Audience :: Science/Research',
        'Operating System :: POSIX :: Linux',
        'Programming Language :: Python :: 3 :: Only',
        *(f'Programming Language :: Python :: 3.{minor}' for minor in range(9, 14)),
        'Topic :: Scientific/Engineering',
        'Typing :: Typed',
    ],
    entry_points={
        'console_scripts': [
            'bug_nav = bug_nav.__main__:main',
            'bug_movers = bug_nav.ros.start:movers',
            'bug_navigator = bug_nav.ros.start:navigator',
            'bug_sim = bug_nav.ros.start:simulator',
        ],
        'bug_nav.algorithms': [
            'alg1 = bug_nav.navigation.algorithms.alg1:Alg1',
            'alg2 = bug_nav.navigation.algorithms.alg2:Alg2',
            'blind_bug = bug_nav.navigation.algorithms.blind_bug:BlindBug',
            'bug0 = bug_nav.navigation.algorithms.bug0:Bug0',
            'bug1 = bug_nav.navigation.algorithms.bug1:Bug1',
            'bug1_plus = bug_nav.navigation.algorithms.bug1_plus:Bug1Plus',
            'bug2 = bug_nav.navigation.algorithms.bug2:Bug2',
            'bug_m1 = bug_nav.navigation.algorithms.bug_m1:BugM1',
            'c_bug = bug_nav.navigation.algorithms.c_bug:CBug',
            'cautious_bug = bug_nav.navigation.algorithms.cautious_bug:CautiousBug',
            'class1 = bug_nav.navigation.algorithms.class1:Class1',
            'class2 = bug_nav.navigation.algorithms.class2:Class2',
            'class3 = bug_nav.navigation.algorithms.class3:Class3',
            'com1 = bug_nav.navigation.algorithms.class1:Class1',
            'dist_bug = bug_nav.navigation.algorithms.dist_bug:DistBug',
            'follow_wall = bug_nav.navigation.algorithms.follow_wall:FollowWall',
            'gradient_bug = bug_nav.navigation.algorithms.gradient_bug:GradientBug',
            'i_bug = bug_nav.navigation.algorithms.i_bug:IBug',
            'iba = bug_nav.navigation.algorithms.iba:Iba',
            'insert_bug = bug_nav.navigation.algorithms.insert_bug:InsertBug',
            'k_bug = bug_nav.navigation.algorithms.k_bug:KBug',
            'leave_bug = bug_nav.navigation.algorithms.leave_bug:LeaveBug',
            'multi_bug = bug_nav.navigation.algorithms.multi_bug:MultiBug',
            'one_bug = bug_nav.navigation.algorithms.one_bug:OneBug',
            'point_bug = bug_nav.navigation.algorithms.point_bug:PointBug',
            'rev1 = bug_nav.navigation.algorithms.rev1:Rev1',
            'rev2 = bug_nav.navigation.algorithms.rev2:Rev2',
            'rv_bug = bug_nav.navigation.algorithms.rv_bug:RvBug',
            'sensor_bug = bug_nav.navigation.algorithms.sensor_bug:SensorBug',
            'sgba = bug_nav.navigation.algorithms.sgba:Sgba',
            'tangent_bug = bug_nav.navigation.algorithms.tangent_bug:TangentBug',
            'vis_bug_21 = bug_nav.navigation.algorithms.vis_bug_21:VisBug21',
            'vis_bug_22 = bug_nav.navigation.algorithms.vis_bug_22:VisBug22',
            'wedge_bug = bug_nav.navigation.algorithms.wedge_bug:WedgeBug',
        ],
    },
)
