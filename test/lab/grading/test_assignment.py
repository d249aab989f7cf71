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

"""Tests of assignments as YAML and as arguments."""

from __future__ import annotations

from pathlib import Path

from bug_nav.lab.grading.assignment import (
    load_assignment,
    Submission,
    suites,
    UNREACHABLE_LINE,
    world_of,
)
from bug_nav.lab.grading.judgement import truth_of
from bug_nav.lab.spec_values import SpecError
import pytest
import yaml

NODE = {'name': 'it', 'command': 'ros2 run my_bug bug {x} {y}'}


def load(tmp_path, **document):
    file = tmp_path / 'grade.yaml'
    file.write_text(yaml.safe_dump(document))
    return load_assignment(str(file), {})


@pytest.mark.parametrize('name', suites())
def test_suite_is_complete(tmp_path, name):
    found = load(tmp_path, suite=name, submissions=[NODE])
    assert found.name == name and len(found.worlds) >= 4
    assert sum(criterion.points for criterion in found.rubric) == 100.0


def test_three_suites_ship():
    assert suites() == ['homework_bug0', 'homework_bug1', 'homework_bug2']


def test_own_keys_have_priority_over_the_suite(tmp_path):
    found = load(tmp_path, suite='homework_bug2', worlds=['open'], contact='end',
                 submissions=[NODE])
    assert len(found.worlds) == 1 and found.contact == 'end' and found.rubric[1].points == 40.0


def test_each_submission_has_worlds_of_its_own(tmp_path):
    found = load(tmp_path, worlds=['random:posts?seed={seed}'], submissions=[
        NODE, {**NODE, 'name': 'other'}, {**NODE, 'name': 'fixed', 'seed': 7}])
    names = [world_of(found, each, found.worlds[0]).name for each in found.submissions]
    assert len(set(names)) == 3 and names[2].endswith('7')
    again = load(tmp_path, worlds=['random:posts?seed={seed}'], submissions=[NODE])
    assert world_of(again, again.submissions[0], again.worlds[0]).name == names[0]


@pytest.mark.parametrize('world, reachable', [
    ('random:cluttered?seed={seed}', True), ('random:cells?seed={seed}&reachable=false', False)])
def test_random_worlds_of_all_students_are_of_the_same_kind(tmp_path, world, reachable):
    found = load(tmp_path, worlds=[world], submissions=[
        {**NODE, 'name': f'student_{k}', 'seed': 100 + 20 * k} for k in range(6)])
    model = found.preset.model
    for each in found.submissions:
        own = world_of(found, each, found.worlds[0])
        assert truth_of(own, own.start, own.goal, model, 0.2).reachable is reachable


def test_start_and_goal_of_a_world_can_be_given(tmp_path):
    found = load(tmp_path, submissions=[NODE], worlds=[
        {'world': 'open', 'start': [1, 2, 0.5], 'goal': [3, 2]}])
    world = world_of(found, found.submissions[0], found.worlds[0])
    assert (world.start, world.goal) == ((1.0, 2.0, 0.5), (3.0, 2.0))
    assert found.worlds[0].label(1) == 'open from (1, 2) to (3, 2)'


def test_goal_is_filled_into_the_words_of_a_command():
    found = Submission(command=('run "a b" -p goal_x:={x} -p y:={y} --seed {seed}',))
    assert found.commands((1.5, -2.0), 0.0, 7) == [
        ['run', 'a b', '-p', 'goal_x:=1.5', '-p', 'y:=-2.0', '--seed', '7']]


def test_goal_is_no_shell_text():
    found = Submission(command=('run {x}; rm -rf {y}',))
    assert found.commands((1.0, 2.0), 0.0, 1)[0] == ['run', '1.0;', 'rm', '-rf', '2.0']


def test_setup_files_are_sourced_first():
    found = Submission(command=('ros2 run a b',), setup=('/opt/ros/humble/setup.bash', 'a b'))
    (words,) = found.commands((0.0, 0.0), 0.0, 1)
    assert words[:2] == ['bash', '-c'] and words[3:] == ['bash', 'ros2', 'run', 'a', 'b']
    assert words[2] == "source /opt/ros/humble/setup.bash && source 'a b' && exec \"$@\""


def test_folders_are_relative_to_the_file(tmp_path):
    (tmp_path / 'anna').mkdir()
    found = load(tmp_path, worlds=['open'], submissions=[{**NODE, 'folder': 'anna'}])
    assert Path(found.submissions[0].folder) == tmp_path / 'anna'


@pytest.mark.parametrize('document, sentence', [
    ({'worlds': ['open']}, 'no program is given'),
    ({'submissions': [NODE]}, 'no worlds are given'),
    ({'worlds': ['opn'], 'submissions': [NODE]}, "did you mean 'open'"),
    ({'worlds': ['open'], 'submissions': [{'name': 'a'}]}, 'neither python and command'),
    ({'worlds': ['open'], 'submissions': [{**NODE, 'python': 'a.py'}]}, 'both python and command'),
    ({'worlds': ['open'], 'submissions': [{'python': 'no.py'}]}, 'there is no file'),
    ({'worlds': ['open'], 'submissions': [{**NODE, 'folder': 'no'}]}, 'there is no folder'),
    ({'worlds': ['open'], 'submissions': [NODE, NODE]}, "is 'it' again"),
    ({'worlds': ['open'], 'submissions': [{**NODE, 'name': '../up'}]}, 'without / and'),
    ({'worlds': ['open'], 'submissions': [{**NODE, 'comand': 'a'}]}, "did you mean 'command'"),
    ({'worlds': ['open'], 'submissions': [{**NODE, 'verdict': '('}]}, 'no regular expression'),
    ({'worlds': ['open'], 'submissions': [{**NODE, 'command': 'a "b'}]}, 'close all quotes'),
    ({'worlds': ['open'], 'submissions': [{**NODE, 'goal': {'topic': 'a'}}]}, 'has no type'),
    ({'worlds': ['open'], 'submissions': [{**NODE, 'goal': {'a': 'b'}}]}, 'has 0 ways'),
    ({'worlds': ['open'], 'submissions': [NODE], 'contact': 'bounce'}, 'give hold, slide or end'),
    ({'worlds': ['open'], 'submissions': [NODE], 'robot': 'pioneer'}, 'give burger'),
    ({'worlds': ['open'], 'submissions': [NODE], 'suite': 'homework_bug3'}, 'unknown suite'),
    ({'worlds': ['open'], 'submissions': [NODE], 'rubric': [{'criterion': 'style', 'points': 1}]},
     'give runs, reached'),
    *(({'worlds': ['open'], 'submissions': [{'python': __file__, key: value}]},
       f'is a Python function, on which {key} has no effect; leave it out')
      for key, value in (('setup', 'a'), ('goal', {'topic': 'a', 'type': 'b'}), ('verdict', 'no'),
                         ('topics', {'scan': 's'}), ('stamped', True), ('folder', 'a'))),
    ({'worlds': ['open'], 'submissions': [NODE], 'rubric': 2 * [
        {'criterion': 'reached', 'points': 1}]}, "rubric[1].title is 'reached' again"),
    ({'worlds': ['open'], 'submissions': [NODE], 'rubric': [
        {'criterion': 'reached', 'points': 1, 'worst': 3}]},
     'worst of reached is 3, which has no effect; leave it out'),
    ({'worlds': ['open'], 'submissions': [NODE], 'rubric': [
        {'criterion': 'no_contact', 'points': 1, 'best': 2}]}, 'best of no_contact is 2, which'),
    ({'worlds': ['open', 'open'], 'submissions': [NODE]}, "worlds[1] is 'open' again; give each"),
    ({'worlds': [{'world': 'open', 'goal': [1]}], 'submissions': [NODE]},
     'goal is [1]; give a list of 2 numbers'),
    ({'worlds': [{'world': 'box', 'start': [3, 0, 0]}], 'submissions': [NODE]},
     'inside an obstacle')])
def test_mistake_is_named_in_one_sentence(tmp_path, document, sentence):
    with pytest.raises(SpecError) as caught:
        load(tmp_path, **document)
    assert sentence in str(caught.value) and '\n' not in str(caught.value)


def test_environment_of_a_python_function_is_accepted(tmp_path):
    found = load(tmp_path, worlds=['open'], submissions=[
        {'python': __file__, 'environment': {'SPEED': 2}}])
    assert found.submissions[0].variables == {'SPEED': '2'}


@pytest.mark.parametrize('line', [
    'Goal is unreachable', '[INFO] [bug]: goal NOT REACHABLE!', "the goal can't be reached",
    'goal cannot be reached from here'])
def test_usual_lines_say_that_a_goal_is_unreachable(line):
    import re
    assert re.search(UNREACHABLE_LINE, line, re.IGNORECASE)
    assert not re.search(UNREACHABLE_LINE, 'goal reached', re.IGNORECASE)


@pytest.mark.parametrize('keys, change, said', [
    ({'robot': 'jackal'}, {}, "robot is 'jackal'; allowed are burger and waffle_pi"),
    ({'contact': 'hold'}, {}, 'give slide or end'), ({'speed': 4.0}, {}, 'speed is 4; give 1'),
    ({'worlds': ['crowd']}, {}, 'has movers; give static worlds'),
    ({}, {'topics': {'scan': '/laser'}}, 'remap the topics of its command'),
    ({}, {'stamped': True}, 'with Twist')])
def test_gazebo_refuses_what_it_does_not_have(tmp_path, keys, change, said):
    document = {'worlds': ['u_trap'], 'simulator': 'gazebo', **keys}
    with pytest.raises(SpecError, match=said):
        load(tmp_path, submissions=[{**NODE, **change}], **document)
    assert load(tmp_path, **{**document, 'simulator': 'bug_sim'},
                submissions=[{**NODE, **change}]).simulator == 'bug_sim'


def test_gazebo_grades_no_python_function(tmp_path):
    (tmp_path / 'it.py').write_text('def step(scan, pose, goal): return 0.0, 0.0')
    with pytest.raises(SpecError, match="'it' is a Python function; give nodes"):
        load(tmp_path, worlds=['open'], simulator='gazebo',
             submissions=[{'name': 'it', 'python': 'it.py'}])
