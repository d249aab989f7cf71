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


"""The executor waits for the node's own client only while a response is pending."""

from types import SimpleNamespace

from bug_nav.ros.node.goal_topic import GoalTopic
from geometry_msgs.msg import PoseStamped
import pytest
from rclpy.action import ActionClient
from rclpy.task import Future

pytestmark = pytest.mark.ros


def test_feedback_wakes_the_executor_only_while_a_response_is_pending(make_stack, monkeypatch):
    node = make_stack().node
    others = list(node.waitables)
    topic = GoalTopic(node)
    (client,) = (each for each in node.waitables
                 if isinstance(each, ActionClient) and each not in others)
    answers = [Future(), Future()]
    sent = iter(answers)
    monkeypatch.setattr(client, 'server_is_ready', lambda: True)
    monkeypatch.setattr(client, 'send_goal_async', lambda goal: next(sent))
    heard = [client.callback_group.can_execute(client)]
    for _ in answers:
        topic._on_pose(PoseStamped())
        heard.append(client.callback_group.can_execute(client))
    for answer in answers:
        answer.set_result(SimpleNamespace(accepted=True))
        heard.append(client.callback_group.can_execute(client))
    assert heard == [False, True, True, True, False]
    client.destroy()
