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

"""Tests of ROS domains on this host."""

from __future__ import annotations

import socket

from bug_nav.cli.ros_domain import ALL_DOMAINS, domains_of, reserved_domain
from hypothesis import given
from hypothesis import strategies as st
import pytest


@given(domain=st.sampled_from(ALL_DOMAINS), participant=st.integers(0, 9),
       other=st.integers(32768, 60999))
def test_participant_is_found_by_its_two_ports(domain, participant, other):
    port = 7410 + 250 * domain + 2 * participant
    assert domain in domains_of({port, port + 1, other})


@given(domain=st.integers(102, 232), participant=st.integers(0, 9))
def test_random_port_of_a_client_is_no_domain(domain, participant):
    # A reader of the graph opens one or two such ports itself.
    assert domains_of({7410 + 250 * domain + 2 * participant, 32768}) == []


@pytest.mark.parametrize('participant', [0, 1, 9])
def test_domain_that_a_participant_uses_is_not_reserved(participant):
    # The first of them may have left before a node that still serves the action.
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
        with reserved_domain() as free:  # otherwise another process could try this port now
            other.bind(('', 7410 + 250 * free + 2 * participant))
        with reserved_domain() as domain:
            assert domain != free
