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
Node parameters declared from the fields of dataclasses.

The descriptor of a parameter has the unit, range and description of its field. An invalid value
is rejected with the message of `bug_nav.navigation.parameters.check`.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Mapping, Optional, Type, TypeVar

from bug_nav.navigation.names import shown
from bug_nav.navigation.parameters import check, KIND_NAMES, ParameterSet, typed
from rcl_interfaces.msg import FloatingPointRange, IntegerRange, ParameterDescriptor
from rclpy.node import Node
from rclpy.parameter import Parameter

T = TypeVar('T', bound=ParameterSet)


class BadParameter(ValueError):
    """A parameter has an invalid value; the message is one sentence."""


def read(node: Node, group: Type[T], prefix: str = '',
         changed: Optional[Mapping[str, Any]] = None) -> T:
    """Return declared parameters as a dataclass, with the values ``changed`` if given."""
    values = {}
    for field in dataclasses.fields(group):  # type: ignore[arg-type]
        name = prefix + field.name
        values[field.name] = (changed[name] if changed and name in changed
                              else node.get_parameter(name).value)
    return group(**values)


def declare_field(node: Node, name: str, field: dataclasses.Field, live: bool) -> None:
    """Declare a parameter; BadParameter if its initial value is invalid."""
    # First without type and range, so that our message rejects an invalid value.
    value = node.declare_parameter(
        name, field.default, ParameterDescriptor(dynamic_typing=True)).value
    try:
        value = coerced(name, value, type(field.default))
        check(name, value, field)
    except ValueError as error:
        raise BadParameter(str(error)) from error
    node.set_parameters([Parameter(name, value=value)])
    node.set_descriptor(name, describe(name, field, live))


def coerced(name: str, value: Any, kind: type) -> Any:
    """Return the value as its type; an integer is accepted for a double."""
    try:
        return typed(value, kind)
    except TypeError:
        raise BadParameter(f'{name} is {shown(value)}; it has to be {KIND_NAMES[kind]}') from None


def describe(name: str, field: dataclasses.Field, live: bool) -> ParameterDescriptor:
    """Return the descriptor of a field."""
    meta, kind = field.metadata, type(field.default)
    unit = f' [{meta["unit"]}]' if meta.get('unit') else ''
    descriptor = ParameterDescriptor(
        name=name, type=Parameter.Type.from_parameter_value(field.default).value,
        description=meta.get('doc', '') + unit, read_only=not live)
    low, high = meta.get('low'), meta.get('high')
    if meta.get('choices'):
        descriptor.additional_constraints = 'one of: ' + ', '.join(meta['choices'])
    elif low is not None and high is not None and kind is float:
        descriptor.floating_point_range = [
            FloatingPointRange(from_value=float(low), to_value=float(high))]
    elif low is not None and high is not None and kind is int:
        descriptor.integer_range = [IntegerRange(from_value=int(low), to_value=int(high), step=1)]
    return descriptor
