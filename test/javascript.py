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

"""Run the simulator of the course in the Node.js that Playwright brings."""

from __future__ import annotations

import json
from pathlib import Path
import subprocess
from typing import Any

from bug_nav.visualization.course_script import render_simulator
import playwright

NODE = Path(playwright.__file__).parent / 'driver' / 'node'


def call(function: str, argument: Any) -> Any:
    """Return the result of a JavaScript function, which may use ``bugCourse``, for an argument."""
    script = (f'{render_simulator()}\nconst given = JSON.parse(require("fs").readFileSync(0));\n'
              f'process.stdout.write(JSON.stringify(({function})(given)));')
    done = subprocess.run([NODE, '-e', script], input=json.dumps(argument), text=True,
                          capture_output=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)
