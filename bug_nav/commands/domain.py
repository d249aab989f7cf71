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

"""A ROS domain of one's own on this host, so that two runs do not hear each other."""

from __future__ import annotations

import contextlib
import os
import socket
from typing import Iterator, MutableMapping

from bug_nav.core import distribution

DOMAINS = range(1, 101)
"""Domains whose ports lie below the ephemeral ones."""
RESERVATIONS = 32768
"""Whoever holds this TCP port + domain has the domain: the rule of ROS's domain_coordinator."""
DISCOVERY, PER_DOMAIN = 7410, 250
"""The UDP port on which the first participant of a domain is discovered (DDSI-RTPS 9.6.1.1)."""


@contextlib.contextmanager
def own_domain() -> Iterator[int]:
    """Yield a domain that nobody on this host uses, reserved for as long as the context lasts."""
    # Not all from the same one: two that begin together need not meet at every step.
    first = os.getpid() % len(DOMAINS)
    for domain in (*DOMAINS[first:], *DOMAINS[:first]):
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as reservation:
            try:
                reservation.bind(('', RESERVATIONS + domain))
            except OSError:
                continue
            if _is_silent(domain):
                yield domain
                return
    raise OSError('no ROS domain from 1 to 100 is free on this host')


def _is_silent(domain: int) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.bind(('', DISCOVERY + PER_DOMAIN * domain))
        except OSError:
            return False
    return True


def confine(environment: MutableMapping[str, str], domain: int) -> None:
    """Change an environment so that DDS stays in a domain and on this host."""
    environment['ROS_DOMAIN_ID'] = str(domain)
    distribution.confine(environment)
