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

"""Module that the fork server preloads, so that each worker starts with compiled kernels."""

import signal

# Compiling kernels takes long; the process that started this one handles Ctrl-C.
signal.signal(signal.SIGINT, signal.SIG_IGN)

from bug_nav.files.module_path import leave_current_folder  # noqa: E402

leave_current_folder()  # before numba is imported

from bug_nav.navigation.compile_progress import compiling  # noqa: E402
from bug_nav.simulation.episode import warm_up  # noqa: E402

with compiling():
    warm_up()
