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

"""Parameter files of ROS, read without ROS."""

from __future__ import annotations

from bug_nav.files import BadInput
from bug_nav.files.parameter_file import as_text, parameters_for, parameters_if_any
from hypothesis import given
from hypothesis import strategies as st
import pytest
import yaml

NODE = '/robot1/bug_navigator'
HEAD = '/**/bug_navigator: {ros__parameters: '


@pytest.fixture
def read(tmp_path):
    def read(text, of=parameters_for):
        file = tmp_path / 'a.yaml'
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return of(str(file), NODE)
    return read


def test_parameters_of_nested_names_have_dots(read):
    assert read(HEAD + '{a: 1, bug2: {leave_margin: 0.02}, bug1: {}}}') == {
        'a': 1, 'bug2.leave_margin': 0.02}


@pytest.mark.parametrize('names', ['/**', '/robot1/bug_navigator', '/*/bug_navigator',
                                   '/**/bug_navigator', 'robot1/bug_navigator'])
def test_wildcards_of_ros_match(read, names):
    assert read(f'{names}: {{ros__parameters: {{a: 1}}}}') == {'a': 1}


def test_later_entries_win_and_other_nodes_are_left_out(read):
    assert read('/**: {ros__parameters: {a: 1, b: 1}}\nother: {ros__parameters: {c: 1}}\n'
                f'{NODE}: {{ros__parameters: {{a: 2}}}}') == {'a': 2, 'b': 1}


@pytest.mark.parametrize('text', ['', '- 1', 'bug_navigator: {ros__parameters: {a: 1}}',
                                  'a: {ros__parameters: {}}'])
def test_file_for_another_node_is_refused_in_one_sentence(read, text):
    assert read(text, parameters_if_any) is None
    with pytest.raises(BadInput, match='has no parameters for /robot1/bug_navigator; begin it'):
        read(text)


@pytest.mark.parametrize('value', ['', '0.3', '[a, b]'])
def test_key_without_parameters_is_refused(read, value):
    with pytest.raises(BadInput, match='has "ros__parameters:" without parameters for '
                       f'{NODE}; write each as "name: value", indented below it'):
        read(f'/**/bug_navigator:\n  ros__parameters: {value}\n')


def test_parameter_beside_the_key_is_refused(read):
    with pytest.raises(BadInput, match="'robot_radius' beside \"ros__parameters:\"; indent it"):
        read('/**/bug_navigator:\n  ros__parameters:\n  robot_radius: 0.3\n')
    assert read('/**:\n  ros__parameters: {a: 1}\n  other: {ros__parameters: {b: 1}}') == {'a': 1}
    assert read(HEAD + '{a: 1}}\nother: {ros__parameters: , c: 1}') == {'a': 1}


BOMB = 'a: &a {x: 1}\n' + ''.join(
    f'{name}: &{name} {{{", ".join(f"k{k}: *{below}" for k in range(9))}}}\n'
    for below, name in zip('abcdefgh', 'bcdefghi'))


@pytest.mark.parametrize('text', [
    b'a: [1\nb: {', b'\xff\xfe\xff', b'[' * 20_000, BOMB, b'#' * 1_000_001, 'a: &a {b: *a}'],
    ids=['brackets', 'binary', 'deep', 'bomb', 'large', 'recursive'])
def test_hostile_file_is_refused_in_one_sentence(read, text):
    with pytest.raises(BadInput) as error:
        read(text)
    assert '\n' not in str(error.value) and len(str(error.value)) < 600


def test_missing_file_is_named(tmp_path):
    (tmp_path / 'robot.yaml').write_text('')
    with pytest.raises(BadInput, match='robt.yaml.* cannot be read: No such file.*did you mean'):
        parameters_for(str(tmp_path / 'robt.yaml'), NODE)


@given(st.one_of(st.booleans(), st.integers(-10**6, 10**6),
                 st.floats(0.001, 1e3).map(lambda value: round(value, 6))))
def test_value_as_text_reads_back(value):
    assert yaml.safe_load(as_text('a', value)) == value


@pytest.mark.parametrize('value', [None, [1], {}])
def test_value_that_is_no_scalar_is_refused(value):
    with pytest.raises(BadInput, match='give a number, true, false or a text'):
        as_text('a', value)
