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

"""docs/recording.md agrees with the topics in the code."""

from __future__ import annotations

from pathlib import Path
import re

from bug_nav.recording import topics

DOCS = Path(__file__).resolve().parents[2] / 'docs' / 'recording.md'


def test_table_has_every_topic_with_type_and_quality_of_service():
    rows = re.findall(r'^\| `(/\S+)` \| `(\S+)` \| (.*?) \|', DOCS.read_text(), re.MULTILINE)
    known = [*(topic for topic in vars(topics).values() if isinstance(topic, topics.Topic)),
             topics.ranger('NAME')]
    assert sorted(rows) == sorted(
        (topic.name, topic.datatype, ', '.join((
            'reliable' if topic.reliable else 'best effort', str(topic.depth),
            *(['latched'] if topic.latched else [])))) for topic in known)
