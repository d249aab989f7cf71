#!/usr/bin/env python3
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
Prepare the ROS 2 wheels of this environment for building against them.

Their exported CMake files contain the include folders of Python and numpy of the build machine.
This rewrites both to those of the running interpreter.
"""

from pathlib import Path
import re
import sys
import sysconfig

import numpy

PYTHON_INCLUDE = re.compile(r'/opt/python/[^/;"]+/include/python[\d.]+')
NUMPY_INCLUDE = re.compile(
    r'/opt/python/[^/;"]+/lib/python[\d.]+/site-packages/numpy/\w+/include')


def main() -> None:
    for path in Path(sys.prefix, 'share').glob('*/cmake/*.cmake'):
        before = path.read_text()
        after = PYTHON_INCLUDE.sub(lambda _: sysconfig.get_path('include'), before)
        after = NUMPY_INCLUDE.sub(lambda _: numpy.get_include(), after)
        if after != before:
            path.write_text(after)


if __name__ == '__main__':
    main()
