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

"""Suggestions for a mistyped name."""

from __future__ import annotations

from bug_nav.navigation.names import did_you_mean, listed, unknown
import pytest

OPTIONS = ('--algorithm', '--goal', '--seed', '--set', '--turn')


@pytest.mark.parametrize('name, suggestion', [
    ('--alg', "; did you mean '--algorithm'?"), ('--t', "; did you mean '--turn'?"),
    ('--gaol', "; did you mean '--goal'?"), ('--see', "; did you mean '--seed'?"),
    ('--sett', "; did you mean '--set'?"), ('--qqq', ''), ('', '')])
def test_only_name_with_a_prefix_is_suggested_before_the_nearest_one(name, suggestion):
    assert did_you_mean(name, OPTIONS) == suggestion


def test_ambiguous_prefix_yields_the_nearest_name():
    assert did_you_mean('--se', OPTIONS) == "; did you mean '--set'?"


def test_unknown_name_is_reported_with_suggestions_and_advice():
    assert unknown('robot', 'burgr', iter(['burger']), 'see x') == (
        "unknown robot 'burgr'; did you mean 'burger'? See x")
    assert unknown('robot', 'qqq', ['burger'], 'see x') == "unknown robot 'qqq'; see x"
    assert unknown('robot', 'tb3', [], 'see x', ['a', 'b']) == (
        "unknown robot 'tb3'; did you mean 'a' or 'b'? See x")


@pytest.mark.parametrize('names, text', [
    ([], ''), (['a'], 'a'), (['a', 'b'], 'a and b'), ('abc', 'a, b and c'),
    ('abcd', 'a, b and 2 more')])
def test_names_are_listed_up_to_a_limit(names, text):
    assert listed(iter(names), 3) == text
