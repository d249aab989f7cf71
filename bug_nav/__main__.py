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

"""Entry point of ``python -m bug_nav``."""

import os
import sys

from bug_nav.files import interrupt


def main() -> int:
    """Run the command line; install the Ctrl-C handler first."""
    open_streams()
    interrupt.install_handler('bug_nav')
    from bug_nav.cli.parser import main as run
    code = run()
    interrupt.ignore()
    return code


def open_streams() -> None:
    """
    Connect closed standard streams to the null device.

    They are None; and the next file that is opened would take the place of a closed one.
    """
    for name, mode in (('stdin', 'r'), ('stdout', 'w'), ('stderr', 'w')):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding='utf-8'))


if __name__ == '__main__':
    sys.exit(main())
