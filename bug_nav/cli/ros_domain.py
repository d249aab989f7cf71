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

"""Exclusive ROS domain on this host, so that concurrent runs do not interfere."""

from __future__ import annotations

import contextlib
import os
import socket
from typing import Container, Iterator, List, MutableMapping

from bug_nav.messages import ros_distribution as distribution

DOMAINS = range(1, 101)
"""Domains whose ports are below the ephemeral range."""
RESERVATION_PORT = 32768
"""TCP port + domain reserves the domain, as in the ROS package domain_coordinator."""
DISCOVERY_PORT, PORTS_PER_DOMAIN = 7410, 250
"""UDP discovery port of domain 0 and its increment per domain (DDSI-RTPS 9.6.1.1)."""
ALL_DOMAINS = range(233)
PARTICIPANTS = 10
"""Number of participants of a domain on this host whose ports are searched."""


@contextlib.contextmanager
def reserved_domain() -> Iterator[int]:
    """Yield a domain that is unused on this host and reserved within the context."""
    # Start at different domains, so that concurrent processes rarely collide.
    first = os.getpid() % len(DOMAINS)
    for domain in (*DOMAINS[first:], *DOMAINS[:first]):
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as reservation:
            try:
                reservation.bind(('', RESERVATION_PORT + domain))
            except OSError:
                continue
            if _is_unused(domain):
                yield domain
                return
    raise OSError('no ROS domain from 1 to 100 is free on this host')


def domains_of(ports: Container[int]) -> List[int]:
    """
    Return the ROS domains of processes with these UDP ports.

    A participant has a port for discovery and the next one for data. One of them alone is none:
    the random ports of any client are between those of the domains from 102 on.
    """
    return [domain for domain in ALL_DOMAINS if any(
        port in ports and port + 1 in ports for port in _discovery_ports(domain))]


def _is_unused(domain: int) -> bool:
    """Return whether no participant has its port: the first may have left before the others."""
    for port in _discovery_ports(domain):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            try:
                probe.bind(('', port))
            except OSError:
                return False
    return True


def _discovery_ports(domain: int) -> range:
    """Return the discovery ports of the participants of a domain."""
    first = DISCOVERY_PORT + PORTS_PER_DOMAIN * domain
    return range(first, first + 2 * PARTICIPANTS, 2)


def confine(environment: MutableMapping[str, str], domain: int) -> None:
    """Set environment variables that restrict DDS to one domain and this host."""
    environment['ROS_DOMAIN_ID'] = str(domain)
    distribution.confine(environment)
