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

"""Take the pictures of the playground and the leaderboard for README and docs: docs/images/."""

from __future__ import annotations

from pathlib import Path
import sys

from browsing import browser, Served, until_idle
from bug_nav.lab.benchmark import reference
from bug_nav.lab.report.leaderboard import render

IMAGES = Path(__file__).resolve().parent.parent / 'docs' / 'images'


def at_the_second_leave_point(page):
    """Show the time at which Bug2 leaves the pocket."""
    page.locator('#why .mark.leave').nth(1).click()
    page.mouse.move(700, 20)
    page.wait_for_timeout(600)


def main() -> int:
    """Take the pictures."""
    with browser() as chromium, Served() as server:
        wide = chromium.new_page(viewport={'width': 1360, 'height': 840})
        wide.goto(server.address)
        until_idle(wide)
        at_the_second_leave_point(wide)
        wide.wait_for_timeout(5000)  # until the first hint disappears
        wide.screenshot(path=IMAGES / 'playground.png')
        context = chromium.new_context(viewport={'width': 390, 'height': 844}, has_touch=True,
                                       is_mobile=True, color_scheme='dark')
        phone = context.new_page()
        phone.goto(server.address)
        until_idle(phone)
        phone.wait_for_timeout(5000)
        phone.screenshot(path=IMAGES / 'playground_phone.png')
        board = chromium.new_page(viewport={'width': 1280, 'height': 900})
        board.set_content(render(*reference()))
        board.screenshot(path=IMAGES / 'leaderboard.png')
    return 0


if __name__ == '__main__':
    sys.exit(main())
