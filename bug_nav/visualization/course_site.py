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
The course as pages that open from the file system, without a server and without another host.

The chapters are the Markdown files of `docs/course`, in the small part of Markdown that they use.
Each page has the script of the course beside it; the slides, the hand-out and the examination
consist of the same diagrams.
"""

from __future__ import annotations

import html
import itertools
from pathlib import Path
import re
from typing import Callable, Iterator, List, NamedTuple, Sequence, Tuple

from bug_nav.files.paths import atomic_write
from bug_nav.simulation.shipped import share_dir
from bug_nav.visualization.course_script import NAME, translations, write_script
from bug_nav.visualization.web import WEB

CHAPTERS = ('problem', 'bug0', 'bug1', 'bug2', 'range', 'disc', 'drift', 'people')
STUDENTS = ('index', *CHAPTERS, 'family')
TEACHERS = ('teaching', 'solutions')
"""Pages of students, and those that only a teacher writes."""
DOCUMENTATION = 'https://bug-nav.example.com/blob/main/docs/'
"""Where the links to the rest of the documentation lead."""
FULL_COLUMNS = 6
"""Minimum number of columns of a table that is wider than the text."""
_TAG = re.compile(r'<bug-(diagram|exercise)\b[^>]*>.*?</bug-\1>', re.DOTALL)
_CAPTION = re.compile(r' caption="([^"]*)"')
_GIVEN = re.compile(r'<bug-exercise name="(predict|shortest|person)')
"""Exercises whose task is about their scene; the others are drawn from scratch."""
_SCENE = re.compile(r' scene=("[^"]*"|\'[^\']*\')')


class Page(NamedTuple):
    """A page of the course."""

    name: str
    title: str
    body: str


class Texts:
    """
    The texts of pages beside those of the chapters, which stay English, in a language.

    :ivar prose: the attribute of an element whose text is that of a chapter.
    """

    def __init__(self, language: str) -> None:
        """Take a language of `translations`, or en."""
        self.language = language
        self.prose = '' if language == 'en' else ' lang="en"'
        self._table = translations().get(language, {})

    def __call__(self, text: str, *values: object) -> str:
        """Return a text in the language, as HTML, with values in the places of {0} and so on."""
        return html.escape(self._table.get(text, text).format(*values))


def write_course(folder: Path, for_teacher: bool = False, exam: int = 0, seed: int = 1,
                 language: str = 'en') -> Path:
    """
    Write the pages into a folder and return the first one.

    :param for_teacher: write the lesson plan, the solutions and the checker of codes as well.
    :param exam: number of questions of an examination, which is written with its key; 0: none.
    :param seed: seed of its first scene; the next ones follow.
    :param language: language of all texts but those of the chapters.
    """
    folder.mkdir(parents=True, exist_ok=True)
    write_script(folder)
    names = STUDENTS + (TEACHERS if for_teacher else ())
    pages = [page_of(name) for name in names if source_of(name).is_file()]
    tr = Texts(language)
    texts = {page.name: _framed(tr, page, pages) for page in pages}
    chapters = [page for page in pages if page.name in CHAPTERS]
    texts['slides'] = _slides(tr, chapters)
    texts['handout'] = _handout(tr, chapters)
    texts['embed'] = _plain(tr, tr('Diagram'), '<bug-embed></bug-embed>', 'embed')
    if for_teacher:
        title = tr('Check hand-in codes')
        about = tr('Paste the codes of a class, one in a line. Nothing is sent anywhere: this '
                   'page judges each drawing again.')
        texts['check'] = _plain(tr, title, f'<main><h1>{title}</h1>\n<p>{about}</p>\n'
                                '<bug-checker></bug-checker></main>')
    if exam:
        texts['exam'] = _exam(tr, exam, seed, False)
        texts['exam_key'] = _exam(tr, exam, seed, True)
    for name, text in texts.items():
        with atomic_write(folder / f'{name}.html') as partial:
            partial.write_text(text, encoding='utf-8')
    return folder / 'index.html'


def source_of(name: str) -> Path:
    """Return the Markdown file of a page."""
    return share_dir() / 'docs' / 'course' / f'{name}.md'


def page_of(name: str) -> Page:
    """Return a page from its Markdown file."""
    text = source_of(name).read_text(encoding='utf-8')
    # The pictures are for readers without scripts.
    body = re.sub(r'\n<img [^>]*>', '', to_html(text))
    return Page(name, text.partition('\n')[0].lstrip('# '), body)


# ---- Markdown -----------------------------------------------------------------------------------

def to_html(text: str) -> str:
    """Return the HTML of a chapter."""
    return '\n'.join(_blocks(text.splitlines()))


def _blocks(lines: Sequence[str]) -> Iterator[str]:
    lines = list(lines)
    while lines:
        line = lines[0]
        if not line.strip() or line.startswith('<!--'):
            lines.pop(0)
        elif line.startswith('```'):
            yield from _fenced(line, _taken(lines[1:], lines, lambda each: each != '```', 2))
        elif line.startswith('<bug-'):
            taken = _taken(lines, lines, lambda each: '</bug-' not in each, 0)
            yield '\n'.join([*taken, *lines[:1]])
            del lines[:1]
        elif line.startswith('#'):
            level = len(line) - len(line.lstrip('#'))
            yield f'<h{level} id="{_slug(line)}">{_inline(line[level:].strip())}</h{level}>'
            lines.pop(0)
        elif line.startswith('|'):
            yield _table(_taken(lines, lines, lambda each: each.startswith('|'), 0))
        elif line.startswith('> '):
            taken = _taken(lines, lines, lambda each: each.startswith('>'), 0)
            yield f"<blockquote>{_inline(' '.join(each[2:] for each in taken))}</blockquote>"
        elif _ITEM.match(line):
            yield _list(_taken(lines, lines, lambda each: bool(
                _ITEM.match(each) or each.startswith('  ')), 0))
        else:
            yield f"<p>{_inline(' '.join(_taken(lines, lines, _is_text, 0)))}</p>"


_ITEM = re.compile(r'(- |\d+\. )')


def _is_text(line: str) -> bool:
    return bool(line.strip()) and not re.match(r'```|<bug-|#|\||> ', line)


def _taken(where: Sequence[str], lines: List[str], belongs: Callable[[str], bool], beside: int
           ) -> List[str]:
    """Return the first lines that belong together, and remove them and those beside them."""
    taken = list(itertools.takewhile(belongs, where))
    del lines[:len(taken) + beside]
    return taken


def _fenced(first: str, lines: Sequence[str]) -> Iterator[str]:
    if first == '```{raw} html':
        yield '\n'.join(lines)
    elif not first.startswith('```{'):
        yield '<pre>' + html.escape('\n'.join(lines)) + '</pre>'


def _list(lines: Sequence[str]) -> str:
    items: List[str] = []
    for line in lines:
        if _ITEM.match(line):
            items.append(_ITEM.sub('', line, 1))
        else:
            items[-1] += ' ' + line.strip()
    tag = 'ul' if lines[0].startswith('- ') else 'ol'
    return f'<{tag}>' + ''.join(f'<li>{_inline(item)}</li>' for item in items) + f'</{tag}>'


def _table(lines: Sequence[str]) -> str:
    rows = [[_inline(cell.strip()) for cell in line.strip('|').split('|')] for line in lines]
    head = ''.join(f'<th>{cell}</th>' for cell in rows[0])
    body = ''.join('<tr>' + ''.join(f'<td>{cell}</td>' for cell in row) + '</tr>'
                   for row in rows[2:])
    kind = 'wide full' if len(rows[0]) >= FULL_COLUMNS else 'wide'
    return f'<div class="{kind}"><table><thead><tr>{head}</tr></thead>{body}</table></div>'


def _inline(text: str) -> str:
    """Return a line with code, emphasis and links."""
    parts = re.split(r'`([^`]*)`', text)
    for k, part in enumerate(parts):
        escaped = html.escape(part, quote=False)
        if k % 2:
            parts[k] = f'<code>{escaped}</code>'
            continue
        escaped = re.sub(r'\*\*(.+?)\*\*', r'<strong>\1</strong>', escaped)
        parts[k] = re.sub(r'\*(.+?)\*', r'<em>\1</em>', escaped)
    return re.sub(r'\[([^]]*)\]\(([^)]*)\)', _link, ''.join(parts))


def _link(match: 're.Match[str]') -> str:
    text, target = match.groups()
    if target.startswith('../'):
        target = DOCUMENTATION + target[3:]
    elif not target.startswith(('http', '#')):
        if target.endswith('.ipynb'):
            target = f'{DOCUMENTATION}course/{target}'
        target = re.sub(r'\.md(?=$|#)', '.html', target)
    return f'<a href="{target}">{text}</a>'


def _slug(line: str) -> str:
    return re.sub(r'[^\w]+', '-', line.strip('# ').lower()).strip('-')


# ---- pages --------------------------------------------------------------------------------------

def _framed(tr: Texts, page: Page, pages: Sequence[Page]) -> str:
    """Return a page with the links to the others."""
    links = ''.join(
        f'<a href="{each.name}.html"{" aria-current=page" if each is page else ""}>'
        f'{html.escape(each.title)}</a>' for each in pages)
    more = (f'<a href="slides.html">{tr("Slides")}</a>'
            f'<a href="handout.html">{tr("Hand-out")}</a>')
    at = pages.index(page)
    turns = ''.join(f'<a href="{each.name}.html">{word}: {html.escape(each.title)}</a>'
                    for word, each in (
                        (tr('Back'), pages[at - 1] if at else None),
                        (tr('Next'), pages[at + 1] if at + 1 < len(pages) else None))
                    if each)
    first = '<span id="first-diagram" tabindex="-1"></span><bug-'
    body = page.body.replace('<bug-', first, 1)
    names = {each.name for each in pages}
    for name in TEACHERS:
        if name not in names:
            body = re.sub(rf'<tr><td><a href="{name}\.html">.*?</tr>', '', body)
            body = re.sub(rf'<a href="{name}\.html">(.*?)</a>', r'\1', body)
    return _plain(tr, html.escape(page.title),
                  f'<nav aria-label="{tr("Chapters")}">{links}{more}</nav>\n'
                  f'<main{tr.prose}>{body}<p class="turns">{turns}</p></main>')


def _plain(tr: Texts, title: str, content: str, kind: str = 'page') -> str:
    """Return a document; `kind` is the class of its body."""
    skip = (f'<a class="skip" href="#first-diagram">{tr("Skip to the first diagram")}</a>\n'
            if 'id="first-diagram"' in content else '')
    style = (WEB / 'course' / 'pages.css').read_text(encoding='utf-8')
    return (f'<!DOCTYPE html>\n<html lang="{tr.language}">\n<meta charset="utf-8">\n'
            f'<title>{title}</title>\n'
            '<meta name="viewport" content="width=device-width">\n'
            f'<style>\n{style}</style>\n<body class="{kind}">\n{skip}{content}\n'
            f'<script src="{NAME}"></script>\n')


def _parts(page: Page) -> Tuple[List[str], str]:
    """Return the diagrams and exercises of a chapter, and what to remember of it."""
    tags = [match.group() for match in _TAG.finditer(page.body)]
    remember = page.body.partition('id="what-to-remember"')[2]
    listed = re.search(r'<ul>.*?</ul>', remember, re.DOTALL)
    return tags, listed.group() if listed else ''


def _slides(tr: Texts, chapters: Sequence[Page]) -> str:
    """Return the slides: a title, each diagram, and what to remember, for each chapter."""
    slides = []
    for page in chapters:
        tags, remember = _parts(page)
        intro = re.search(r'<p>.*?</p>', page.body, re.DOTALL)
        slides.append(f'<h1>{html.escape(page.title)}</h1>{intro.group() if intro else ""}')
        for tag in tags:
            if not tag.startswith('<bug-diagram'):
                continue
            caption = _CAPTION.search(tag)
            large = re.sub(r' height="\d+"', '', _CAPTION.sub('', tag))
            slides.append(large.replace('<bug-diagram', '<bug-diagram large', 1)
                          + f'<p class="caption">{caption.group(1) if caption else ""}</p>')
        slides.append(f'<h2>{tr("{0}: what to remember", page.title)}</h2>{remember}')
    sections = ''.join(f'<section>{slide}</section>\n' for slide in slides)
    return _plain(tr, tr('Bug algorithms: slides'),
                  f'<main class="deck"{tr.prose}>{sections}</main>\n<bug-slides></bug-slides>',
                  'slides')


def _handout(tr: Texts, chapters: Sequence[Page]) -> str:
    """Return a page for paper: what to remember, a diagram and the tasks of each chapter."""
    title = tr('Bug algorithms: hand-out')
    parts = [f'<h1>{title}</h1>'
             f'<p class="screen">{tr("Print this page, or save it as a PDF.")}</p>']
    for page in chapters:
        tags, remember = _parts(page)
        diagrams = [tag for tag in tags if tag.startswith('<bug-diagram')][:1]
        listed = ''.join(map(_task, (tag for tag in tags if tag.startswith('<bug-exercise'))))
        parts.append(f'<section><h2>{html.escape(page.title)}</h2>{remember}'
                     + ''.join(diagrams) + (f'<ol>{listed}</ol>' if listed else '') + '</section>')
    return _plain(tr, title, f"<main{tr.prose}>{''.join(parts)}</main>", 'handout')


def _task(exercise: str) -> str:
    """Return an exercise for paper: with its scene to draw in, or with room for another one."""
    text = ' '.join(re.sub(r'<[^>]*>', ' ', exercise).split())
    scene = _SCENE.search(exercise)
    place = '<div class="room"></div>'
    if scene and _GIVEN.match(exercise):
        place = (f'<bug-diagram algorithm="none" show="mline" drag="none" controls="none" '
                 f'height="240"{scene.group()}></bug-diagram>')
    return f'<li>{text}{place}</li>'


def _exam(tr: Texts, count: int, seed: int, with_key: bool) -> str:
    """Return an examination with scenes of consecutive seeds, or its key."""
    task = tr('Turning left: draw the paths of Bug1 and Bug2, and mark where each leaves the '
              'obstacle.')
    questions = []
    for number in range(count):
        names = ('bug1', 'bug2') if with_key else ('none',)
        diagrams = ''.join(
            f'<bug-diagram algorithm="{name}" show="mline circumnavigation" drag="none" '
            f'scene="random:{seed + number}" controls="none" height="{840 // (1 + len(names))}">'
            '</bug-diagram>' for name in names)
        questions.append(
            f'<section><h2>{number + 1}</h2><p>{task}</p>{diagrams}</section>')
    title = (tr('Examination, seed {0}: key', seed) if with_key
             else tr('Examination, seed {0}', seed))
    name = '' if with_key else f'<p>{tr("Name:")} <span class="line"></span></p>'
    return _plain(tr, title, f"<main><h1>{title}</h1>{name}{''.join(questions)}</main>",
                  'handout')
