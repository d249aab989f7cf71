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

"""Progress of a campaign."""

from types import SimpleNamespace

from bug_nav.lab import progress
import pytest

ROW = SimpleNamespace(fault='', time=1.0)


@pytest.mark.parametrize('rows, words', [(1, '1 of 2 episodes'), (3, '3 of 3 episodes')])
def test_total_of_the_progress_line_grows_with_done_episodes(rows, words, monkeypatch, capsys):
    monkeypatch.setattr(progress, 'PLAIN_PERIOD', -1.0)
    shown = progress.Progress(2)
    for _ in range(rows):  # unjudged worlds may add episodes
        shown.add(ROW, is_new=True)
    assert capsys.readouterr().err.splitlines()[-1].startswith(f'{words}, 0 faults, ')
