"""How a section is called on a page where its title is only a number or a letter, such as “4.” or “E.”.

The stored title stays as it was read. With it stands the title above it, else the first words of the section.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from uuid import UUID

from documents.models import Line, TocEntry
from documents.pages.contents_tree import Tree
from reading.rows import ASIDE_KINDS

PATH = " > "  # between the titles of a path, see reading.outline.toc
NUMBER = r"(?:\d++[a-z]?|[a-z]|(?=[ivx])x{0,3}(?:ix|iv|v?i{0,3}))(?![^\W_])"
BARE = re.compile(rf"\A[\W_]*+{NUMBER}(?:[\W_]++{NUMBER})*+[\W_]*+\Z", re.IGNORECASE)
WORDS_SHOWN = 8
LINES_READ = 3  # the number may stand on a line of its own


def says_nothing_alone(title: str) -> bool:
    """Whether a title says nothing but numbers or letters."""
    return BARE.match(title) is not None


def name_section(title: str, path: str, parse_id: UUID, index: int) -> str:
    """The title; where it is bare after the nearest title above it that is not, else with its first words.

    `path` are the titles from the top to this one, `index` is that of its entry. Only a bare title without a name above
    asks the database.
    """
    if not says_nothing_alone(title):
        return title
    above = path.split(PATH)[:-1]
    named = [place for place, each in enumerate(above) if each and not says_nothing_alone(each)]
    if named:
        return PATH.join([*above[named[-1] :], title])
    entry = TocEntry.objects.filter(parse=parse_id, index=index).first()
    begins = read_beginnings(parse_id, {entry.first_line: entry.last_line}) if entry else {}
    return join_words(title, begins[entry.first_line]) if entry else title


def name_path(title: str, path: str, parse_id: UUID, index: int) -> str:
    """The titles from the top to a section; where all are bare, what the section is called."""
    is_named = not all(map(says_nothing_alone, (path or title).split(PATH)))
    return path or title if is_named else name_section(title, path, parse_id, index)


def name_entries(parse_id: UUID, tree: Tree) -> Tree:
    """A table of contents whose bare titles have their first words with them. One query, or none."""
    bare = {
        each.entry.first_line: each.entry.last_line for each in tree.sections if says_nothing_alone(each.entry.title)
    }
    if not bare:
        return tree
    begins = read_beginnings(parse_id, bare)
    return replace(
        tree,
        sections=tuple(
            replace(each, name=join_words(each.entry.title, begins[each.entry.first_line]))
            if says_nothing_alone(each.entry.title)
            else each
            for each in tree.sections
        ),
    )


def read_beginnings(parse_id: UUID, sections: Mapping[int, int]) -> dict[int, str]:
    """The text of the first lines of sections, given as their first and last line, by the first."""
    numbers = {first: range(first, min(first + LINES_READ, last + 1)) for first, last in sections.items()}
    wanted = {number for each in numbers.values() for number in each}
    rows = Line.objects.filter(parse=parse_id, number__in=wanted).exclude(kind__in=ASIDE_KINDS)
    texts = dict(rows.values_list("number", "text"))
    return {first: " ".join(filter(None, map(texts.get, each))) for first, each in numbers.items()}


def join_words(title: str, beginning: str) -> str:
    """A bare title and the first words of what it begins, which may repeat it."""
    words = beginning.removeprefix(title).split()
    return " ".join([title, *words[:WORDS_SHOWN]]) + (" …" if len(words) > WORDS_SHOWN else "")
