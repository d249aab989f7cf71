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
Parameter files of ROS: the parameters that a file has for a node.

The node itself reads them through ROS; this module serves everything that works without ROS, and
finds files that ROS would silently ignore.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple

from bug_nav.files import BadInput
from bug_nav.files.paths import did_you_mean_file
from bug_nav.files.untrusted import printable, read_bytes
from bug_nav.navigation.names import shown
import yaml

MAX_SIZE = 1_000_000
"""Maximum size of a parameter file [bytes]."""
MAX_ENTRIES = 10_000
"""Maximum number of parameters and nodes, because the aliases of YAML can multiply them."""
MAX_DEPTH = 20
"""Maximum depth of mappings."""
PARAMETERS_KEY = 'ros__parameters'
Entry = Tuple[Tuple[str, ...], Any]
"""A value with the keys above it."""


def parameters_for(path: str, node: str) -> Dict[str, Any]:
    """
    Return the parameters of a file for a node, later ones last, by their names with dots.

    :param node: full name, such as /robot1/bug_navigator.
    :raises BadInput: if the file cannot be read or has none, in one sentence.
    """
    found = parameters_if_any(path, node)
    if found is None:
        raise BadInput(f'the parameter file {path!r} has no parameters for {node}; begin it with '
                       f'"/**/{node.rpartition("/")[2]}:" and "{PARAMETERS_KEY}:" below that')
    return found


def parameters_if_any(path: str, node: str) -> Optional[Dict[str, Any]]:
    """Return the parameters of a file for a node; None without any entry for it."""
    entries = list(_flat(_load(path), ()))
    _check_layout(path, entries, node)
    blocks = [block for name, block in _blocks(entries) if _matches(name, node)]
    return {name: value for block in blocks for name, value in block.items()} if blocks else None


def full_name(namespace: str, node: str) -> str:
    """Return the full name of a node."""
    return '/' + '/'.join(filter(None, (namespace.strip('/'), node)))


def _load(path: str) -> Any:
    try:
        return yaml.safe_load(read_bytes(Path(path), MAX_SIZE))
    except (ValueError, RecursionError, yaml.YAMLError) as error:  # as are those of a world
        reason = printable(' '.join(str(error).replace(f'{path}: ', '').split()))
        hint = '' if Path(path).exists() else did_you_mean_file(path)
        raise BadInput(f'the parameter file {path!r} cannot be read: {reason}{hint}') from None


def _check_layout(path: str, entries: Sequence[Entry], node: str) -> None:
    """Raise BadInput if parameters for a node are not below their key, and would be ignored."""
    heads = {head for head in (names[:names.index(PARAMETERS_KEY)] for names, _ in entries
                               if PARAMETERS_KEY in names) if _matches(_node_of(head), node)}
    for names, _ in entries:
        above = [names[:k] for k in range(len(names)) if names[:k] in heads]
        if above and PARAMETERS_KEY not in names:
            raise BadInput(f'the parameter file {path!r} has {shown(names[len(above[0])])} beside '
                           f'"{PARAMETERS_KEY}:"; indent it below that')
    for names, value in entries:
        if names[-1:] == (PARAMETERS_KEY,) and names[:-1] in heads and value != {}:
            raise BadInput(f'the parameter file {path!r} has "{PARAMETERS_KEY}:" without '
                           f'parameters for {node}; write each as "name: value", indented below '
                           'it')


def _node_of(names: Sequence[str]) -> str:
    return '/'.join(('', *names)).replace('//', '/')


def _blocks(entries: Sequence[Entry]) -> Iterator[Tuple[str, Dict[str, Any]]]:
    """Yield the full node names in a parameter file, and their parameters."""
    for names, value in entries:
        if PARAMETERS_KEY in names:
            at = names.index(PARAMETERS_KEY)
            inner = '.'.join(names[at + 1:])
            yield _node_of(names[:at]), {inner: value} if inner and value != {} else {}


def _flat(content: Any, above: Tuple[str, ...]) -> Iterator[Entry]:
    """Yield the values of nested mappings with the keys above them."""
    waiting: List[Entry] = [(above, content)]
    count = 0
    while waiting:
        names, value = waiting.pop()
        count += 1
        if count > MAX_ENTRIES or len(names) > MAX_DEPTH:
            raise BadInput(f'the parameter file has more than {MAX_ENTRIES} parameters, or more '
                           f'than {MAX_DEPTH} levels; leave out those of other nodes')
        if isinstance(value, dict) and value:
            waiting += reversed([((*names, str(name)), below) for name, below in value.items()])
        else:
            yield names, value


def _matches(pattern: str, name: str) -> bool:
    """Return whether a node name matches; ** matches any names, * any one name."""
    wanted, parts = pattern.strip('/').split('/'), name.strip('/').split('/')

    def fit(wanted: List[str], parts: List[str]) -> bool:
        if not wanted:
            return not parts
        if wanted[0] == '**':
            return any(fit(wanted[1:], parts[skip:]) for skip in range(len(parts) + 1))
        return bool(parts) and wanted[0] in ('*', parts[0]) and fit(wanted[1:], parts[1:])
    return fit(wanted, parts)


def as_text(name: str, value: Any) -> str:
    """Return a value as the text of ``NAME=VALUE``; BadInput for lists and the like."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, float, str)):
        return str(value)
    raise BadInput(f'{name} is {shown(value)} in the parameter file; give a number, true, false '
                   'or a text')
