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

"""XML as tolerant as TinyXML, which reads the files of Gazebo."""

from __future__ import annotations

from bug_nav.simulation.world import WorldError
from bug_nav.simulation.xml_tree import read_xml
import pytest


def read(folder, text):
    path = folder / 'a.xml'
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_xml(path)


@pytest.mark.parametrize('before', [
    '', '<?xml version="1.0"?>', '\n \n<?xml version="1.0"?>\n', '\ufeff<?xml version="1.0" ?>',
    '<!-- a licence -->\n<?xml version="1.0" encoding="UTF-8"?>', '<!-- a -- b --- -->',
    '<!--\n<a>&nothing;</a>\n-->'])
def test_content_before_the_root_is_skipped_and_lines_are_kept(before, tmp_path):
    root = read(tmp_path, f'{before}\n<a>\n<b/></a>')
    assert root.tag == 'a' and root.line == before.count('\n') + 2
    assert root.children[0].line == root.line + 1


@pytest.mark.parametrize('inside, text', [
    ('x<!-- -- -->y', 'xy'), ('<![CDATA[<!-- & -->]]>', '<!-- & -->'), ('A & B', 'A & B'),
    ('&amp;&lt;&#65;&#x41;', '&<AA'), ('&nothing; &', '&nothing; &'), ('<![CDATA[a]]>b', 'ab')])
def test_text_is_read_as_by_tinyxml(inside, text, tmp_path):
    assert read(tmp_path, f'<a>{inside}</a>').text == text


def test_prefix_may_be_undeclared(tmp_path):
    root = read(tmp_path, '<a gz:kind="x"><gz:b/><c xmlns:q="urn:r" q:k="1"><q:d/></c>'
                          '<bug_nav:e/><f xmlns="urn:default"/></a>')
    assert root.attributes == {'{gz}kind': 'x'}
    assert [child.tag for child in root.children] == ['{gz}b', 'c', '{urn:bug_nav}e', 'f']
    assert root.children[1].attributes == {'{urn:r}k': '1'}
    assert root.children[1].children[0].tag == '{urn:r}d'


@pytest.mark.parametrize('text, name', [
    ('<a name="Stühle"/>'.encode(), 'Stühle'), ('<a name="Stühle"/>'.encode('latin-1'), 'Stühle'),
    ('<?xml version="1.0" encoding="iso-8859-1"?><a name="Stühle"/>'.encode('latin-1'), 'Stühle'),
    ('\ufeff<a name="Stühle"/>'.encode('utf-16-le'), 'Stühle'),
    ('<?xml version="1.0" encoding="utf-16"?><a name="Stühle"/>'.encode(), 'Stühle'),
    ('<?xml version="1.0" encoding="us-ascii"?><a name="Stühle"/>'.encode(), 'Stühle'),
    ('<?xml version="1.0" encoding="us-ascii"?><a name="Stühle"/>'.encode('latin-1'), 'Stühle'),
    ('<?xml version="1.0" encoding="foo"?><a name="Stühle"/>'.encode('latin-1'), 'Stühle'),
    ('<?xml version="1.0" encoding="zip"?><a name="Stühle"/>'.encode('latin-1'), 'Stühle')])
def test_encodings_are_recognized(text, name, tmp_path):
    assert read(tmp_path, text).name == name


def test_many_unclosed_comments_are_rejected_in_linear_time(tmp_path):
    # With a search for the end from each of them, this takes hours.
    with pytest.raises(WorldError, match='not well-formed'):
        read(tmp_path, '<a>' + '<!--' * 2_000_000)
