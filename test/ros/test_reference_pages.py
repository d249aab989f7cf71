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
"""docs/parameters.md and docs/interfaces.md agree with the nodes."""

from pathlib import Path
import re

from bug_nav.navigation.algorithms import registry
import pytest
from rcl_interfaces.srv import DescribeParameters, ListParameters

pytestmark = [pytest.mark.ros, pytest.mark.slow]
DOCS = Path(__file__).resolve().parents[2] / 'docs'
SIMULATED = ('simulator', 'switches', 'parts', 'lidar', 'odometry', 'timing')
"""Tables of parameters that only the simulator has; both nodes have those of the robot."""
OTHERS = re.compile(r'/(parameter_events|rosout|tf|tf_static|.*/transition_event)$|.*/_action/')
"""Topics of rclpy, tf2 and the action."""


@pytest.fixture(scope='module')
def stack(make_stack):
    stack = make_stack()
    stack.start_sim(world='open', odometry='velocity')
    stack.start_navigator()
    return stack


def rows(text):
    """Yield the cells of each row that begins with a name."""
    for line in text.splitlines():
        if line.startswith('| `'):
            yield [cell.strip(' `') for cell in line.strip('|').split(' | ')]


def tables():
    """Return for each table of parameters whether they are live, and their names."""
    text = (DOCS / 'parameters.md').read_text(encoding='utf-8')
    found = {}
    for before, name, table in re.findall(
            r'\n\n([^#|<]+)\n\n<!-- (\w+): .*?-->\n(.*?)<!-- \2: end', text, re.DOTALL):
        kind = re.search(r'live|set at the start', before, re.IGNORECASE)
        found[name] = kind[0].lower() == 'live', [cells[0] for cells in rows(table)]
    return found


def read_only(stack, node):
    """Return the parameters of a node, each with whether it is read-only."""
    names = stack.call(ListParameters, f'/{node}/list_parameters',
                       ListParameters.Request()).result.names
    described = stack.call(DescribeParameters, f'/{node}/describe_parameters',
                           DescribeParameters.Request(names=names)).descriptors
    return {each.name: each.read_only for each in described}


def test_page_lists_every_parameter_of_the_node_and_whether_it_is_live(stack):
    said = {name: not live for table, (live, names) in tables().items()
            if table not in SIMULATED for name in names}
    aliases = {name for name, entry in registry.registered().items()
               if name not in {each.partition('.')[0] for each in said}}
    there = {name: fixed for name, fixed in read_only(stack, 'bug_navigator').items()
             if name.partition('.')[0] not in aliases}
    assert 'clearance' in said and 'bug2.leave_margin' in said
    assert {name: there[name] for name in said} == said
    assert set(there) - set(said) <= {'use_sim_time', 'start_type_description_service'}


def test_page_lists_every_parameter_of_the_simulator_and_whether_it_is_live(stack):
    said = {name: not live for table, (live, names) in tables().items()
            if table in SIMULATED for name in names}
    said.update(dict.fromkeys(tables()['robot'][1], True))
    for name in ('scan_count', 'goal_beacon'):  # the page says that these do not apply
        del said[name]
    there = read_only(stack, 'bug_sim')
    assert {name: there[name] for name in said} == said
    assert set(there) - set(said) <= {'use_sim_time', 'start_type_description_service'}


@pytest.mark.parametrize('heading, node', [
    ('Topics of the node', 'bug_navigator'), ('Topics of the simulator', 'bug_sim')])
def test_page_lists_every_topic_with_its_type_and_direction(stack, heading, node):
    text = (DOCS / 'interfaces.md').read_text(encoding='utf-8')
    section = text.partition(f'\n## {heading}\n')[2].partition('\n## ')[0]
    said = {(re.sub('^~', f'/{node}', name) if name[0] in '~/' else f'/{name}',
             kind.replace('/', '/msg/'), how.partition(',')[0])
            for name, kind, how, *_ in rows(section)}
    there = {(name, kind, direction)
             for direction, ask in (('in', stack.node.get_subscriber_names_and_types_by_node),
                                    ('out', stack.node.get_publisher_names_and_types_by_node))
             for name, kinds in ask(node, '/') for kind in kinds
             if not OTHERS.match(name) and (name, direction) != ('/clock', 'in')}
    assert said and said == there
