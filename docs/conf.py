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

"""Configuration of Sphinx for the site of docs/, which `make docs` and rosdoc2 build."""

import os
from pathlib import Path
import re
import sys

# rosdoc2 executes this text elsewhere, with bug_nav installed.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

os.environ['NUMBA_DISABLE_JIT'] = '1'  # kernels are functions with docstrings here

from bug_nav import __version__  # noqa: E402
from bug_nav.visualization.course_script import NAME, write_script  # noqa: E402

project = 'bug_nav'
author = 'The bug_nav authors'
project_copyright = f'2026 {author}. License: Apache-2.0'
version = release = __version__

extensions = ['myst_parser', 'sphinx.ext.autodoc']
exclude_patterns = ['_build', 'templates']
# Deep enough for every heading that a page links to; the anchors are those of GitHub.
myst_heading_anchors = 3

# Commands and output appear verbatim, including -- and "; most of them are not Python.
smartquotes = False
highlight_language = 'none'

html_theme = 'sphinx_rtd_theme'
html_show_sourcelink = False
html_static_path = ['static']
templates_path = ['templates']
html_css_files = ['tables.css']

# The pages about Python are also built without ROS.
autodoc_mock_imports = [
    'action_msgs', 'bug_nav_msgs', 'builtin_interfaces', 'geometry_msgs', 'lifecycle_msgs',
    'nav_msgs', 'rclpy', 'sensor_msgs', 'transforms3d', 'unique_identifier_msgs']
autodoc_member_order = 'bysource'
autodoc_preserve_defaults = True
python_maximum_signature_line_length = 80

STATIC = Path(__file__).resolve().parent / 'static'
PLAYED = STATIC / 'play'
PICTURE = re.compile(r'!\[([^]]*)\]\(\.\./images/algorithms/(\w+)\.png\)')


BOARD = re.compile(r'\[!\[([^]]*)\]\(images/leaderboard\.png\)\]\(images/leaderboard\.png\)')
FRONT = re.compile(r'\.\. image:: images/algorithms/(?P<name>\w+)\.png\n   :alt: (?P<alt>.*)')


COURSE_PICTURE = re.compile(r'(<img src="(?:\.\./)?)static/course/')


def _play(match):
    """Return the player of a run, to replace its picture; the picture if there is no playback."""
    frame = _frame(match[2], match[1], '../')
    return f'```{{raw}} html\n{frame}\n```' if frame else match.group()


def _board(match):
    """Return the leaderboard and a link to it, to replace its picture; the picture without it."""
    if not (PLAYED.parent / 'leaderboard.html').is_file():
        return match.group()
    return ('```{raw} html\n<iframe class="leaderboard" src="_static/leaderboard.html" '
            f'title="{match[1]}" loading="lazy"></iframe>\n'
            '<p><a href="_static/leaderboard.html">Open the leaderboard on a page of its own.</a>'
            '</p>\n```')


def _play_in_front(match):
    """Return the same for the front page, which is in reStructuredText."""
    frame = _frame(match['name'], match['alt'], '')
    return f'.. raw:: html\n\n   {frame}' if frame else match.group()


def _frame(name, alt, root):
    if not (PLAYED / f'{name}.html').is_file():
        return ''
    return (f'<iframe class="played" src="{root}_static/play/{name}.html" '
            f'title="{alt}, playback" loading="lazy"></iframe>')


def _add_course_script(app, page, template, context, doctree):
    """Add the script of the diagrams to the pages that have some, and a note without scripts."""
    body = context.get('body', '')
    if re.search(r'<bug-(diagram|exercise|progress|adversary)\b', body):
        app.add_js_file(NAME, loading_method='defer')
        note = r'<noscript><p>This \1 needs JavaScript.</p></noscript>\g<0>'
        body = re.sub(r'</bug-(diagram|exercise|adversary)>', note, body)
        # The place that the first link of the page leads to.
        mark = '<span id="first-diagram" tabindex="-1"></span>'
        context['body'] = body.replace('<bug-diagram', f'{mark}<bug-diagram', 1)


def setup(app):
    """
    Write the script of the course.

    Pictures are replaced by the playbacks and the leaderboard that `make docs` writes.
    """
    write_script(STATIC)
    app.connect('html-page-context', _add_course_script)
    app.connect('source-read', lambda app, page, source: source.__setitem__(
        0, FRONT.sub(_play_in_front, PICTURE.sub(_play, BOARD.sub(_board, COURSE_PICTURE.sub(
            r'\1_static/course/', source[0]))))))
