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
Behaviors, the building blocks of the algorithms: one file each.

A behavior is a generator that yields one intent per control tick and returns its result. An
algorithm composes behaviors with ``yield from``: consecutive statements are a sequence node,
``while`` is a repeat, ``if`` a fallback, and the program counter is the state.
"""
