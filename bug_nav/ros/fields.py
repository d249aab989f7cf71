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
Parameters of a node that are fields of dataclasses.

Each field becomes a parameter with its unit, range and purpose in the descriptor. A bad value is
refused with the sentence that `bug_nav.core.parameters.check` gives.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Mapping, Optional, Type, TypeVar

from bug_nav.core.names import shown
from bug_nav.core.parameters import check, Checked, KIND_NAMES, typed
from rcl_interfaces.msg import FloatingPointRange, IntegerRange, ParameterDescriptor
from rclpy.node import Node
from rclpy.parameter import Parameter

T = TypeVar('T', bound=Checked)


class BadParameter(ValueError):
    """A parameter has a value that is not allowed; the message is one sentence."""


def read(node: Node, group: Type[T], prefix: str = '',
         changed: Optional[Mapping[str, Any]] = None) -> T:
    """Return the present values of declared parameters as a dataclass, or those after a change."""
    values = {}
    for field in dataclasses.fields(group):  # type: ignore[arg-type]
        name = prefix + field.name
        values[field.name] = (changed[name] if changed and name in changed
                              else node.get_parameter(name).value)
    return group(**values)


def declare_field(node: Node, name: str, field: dataclasses.Field, live: bool) -> None:
    """Declare one parameter; BadParameter where the value that it was started with is bad."""
    # First without type and range, so that it is our sentence that refuses a bad value.
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
    """Return the value as its type; a whole number will do for a double."""
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
