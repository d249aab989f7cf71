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
The node's parameters, declared from the dataclasses of the navigator and the algorithms.

Live parameters take effect with the next goal; the others are read-only.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Dict, Iterable, List, Mapping, Optional, Tuple, Type, TypeVar

from bug_nav.navigation.algorithms import registry
from bug_nav.navigation.algorithms.base import Algorithm
from bug_nav.navigation.algorithms.entry_points import conflicts
from bug_nav.navigation.names import shortened
from bug_nav.navigation.parameters import check, ParameterSet
from bug_nav.navigation.settings import RobotModel, Settings
from bug_nav.ros.fields import BadParameter, coerced, declare_field, read
from bug_nav.ros.node.settings import GoalDefaults, NodeSettings
from rclpy.exceptions import NameValidationException
from rclpy.expand_topic_name import expand_topic_name
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.validate_full_topic_name import validate_full_topic_name
from rclpy.validate_topic_name import validate_topic_name

T = TypeVar('T', bound=ParameterSet)
LIVE: Tuple[Type[ParameterSet], ...] = (RobotModel, Settings, GoalDefaults)
MAX_REASON = 400
"""Maximum length of a reason, which quotes the given value [characters]."""


class Parameters:
    """Declares the parameters on a node and reads them back as dataclasses."""

    def __init__(self, node: Node):
        """Declare all parameters; BadParameter if an initial value is invalid."""
        self._node = node
        self._fields: Dict[str, Tuple[dataclasses.Field, Any]] = {}
        self._groups: List[Tuple[Type[ParameterSet], str]] = []
        self.algorithms: Dict[str, Type[Algorithm]] = {}
        self._broken: Dict[str, registry.BrokenAlgorithm] = {}
        self._load_algorithms()
        self.declare(NodeSettings, live=False)
        for group in LIVE:
            self.declare(group)
        for name, algorithm in self.algorithms.items():
            self.declare(algorithm.Parameters, f'{name}.')
        self._check_together()
        self._check_algorithm(self.read(GoalDefaults).algorithm)
        self.node = self.read(NodeSettings)
        self._check_topics()

    def _load_algorithms(self) -> None:
        """Load the registered algorithms; log those that cannot be loaded."""
        for sentence in conflicts():
            self._node.get_logger().error(sentence)
        for name in registry.registered():
            try:
                self.algorithms[name] = registry.find(name)
            except registry.BrokenAlgorithm as error:
                self._broken[name] = error
                self._node.get_logger().error(f'the algorithm {error}')

    def declare(self, group: Type[ParameterSet], prefix: str = '', live: bool = True) -> None:
        """Declare the fields of a dataclass."""
        self._groups.append((group, prefix))
        for field in dataclasses.fields(group):  # type: ignore[arg-type]
            declare_field(self._node, prefix + field.name, field, live)
            self._fields[prefix + field.name] = (field, type(field.default))

    def read(self, group: Type[T], prefix: str = '',
             changed: Optional[Mapping[str, Any]] = None) -> T:
        """Return the current values as a dataclass, with the values ``changed`` if given."""
        return read(self._node, group, prefix, changed)

    def algorithm(self, name: str) -> Algorithm:
        """Return an algorithm with its current parameters; ValueError if there is none."""
        if name not in self.algorithms:
            if name in self._broken:
                raise self._broken[name]
            registry.find(name)  # raises with a message that lists the algorithms
        algorithm = self.algorithms[name]
        return algorithm(self.read(algorithm.Parameters, f'{name}.'))

    def rejection_reason(self, changes: Iterable[Parameter]) -> Optional[str]:
        """Return why a change is not allowed, None if it is."""
        try:
            for change in changes:
                if change.name in self._fields:
                    field, kind = self._fields[change.name]
                    check(change.name, coerced(change.name, change.value, kind), field)
                    if change.name == 'algorithm':
                        self._check_algorithm(change.value)
            self._check_together({change.name: change.value for change in self.coerce(changes)})
        except ValueError as error:
            reason = str(error)
            return reason if len(reason) <= MAX_REASON else f'{reason[:MAX_REASON]}...'
        return None

    def coerce(self, changes: Iterable[Parameter]) -> list:
        """Return the changes with integers converted for double parameters."""
        return [Parameter(change.name, value=coerced(
            change.name, change.value, self._fields[change.name][1]))
            if change.name in self._fields else change for change in changes]

    def _check_together(self, changed: Optional[Mapping[str, Any]] = None) -> None:
        """Raise ValueError if values are valid individually but not together."""
        for group, prefix in self._groups:
            self.read(group, prefix, changed)

    def _check_topics(self) -> None:
        settings = self.node
        topics = [('odom_topic', settings.odom_topic), ('scan_topic', settings.scan_topic),
                  *(('imu_topic', topic) for topic in filter(None, [settings.imu_topic])),
                  *(('bumper_topic', topic) for topic in filter(None, [settings.bumper_topic])),
                  *(('range_topics', topic) for topic in settings.ranger_topics)]
        for name, topic in topics:
            try:
                validate_topic_name(topic)  # its message is better than that of the next line
                validate_full_topic_name(expand_topic_name(
                    topic, self._node.get_name(), self._node.get_namespace()))
            except (NameValidationException, RuntimeError, ValueError) as error:
                # Without the lines in which rclpy marks the position.
                why = str(error).splitlines()[0].replace('Invalid topic name: ', '').rstrip(':')
                raise BadParameter(f'{name} is {shortened(topic)!r}: {why}') from None

    def _check_algorithm(self, name: str) -> None:
        if name not in self.algorithms:
            try:
                registry.find(name)
            except registry.UnknownAlgorithm as error:
                raise BadParameter(f'algorithm: {error}') from error
