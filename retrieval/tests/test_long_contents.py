"""Contents of hundreds and thousands of entries: what of them a request shows, and what opening a branch brings (R38).

Each chapter is on one thing, and the last of its sections has the words of the question: more places than are judged
at the first look, so that only the contents, cut to parts and chapters, lead to the right one.
"""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from documents.storage.content import DocumentContent
from llm.conftest import Serve
from reading.plain_text import read_markdown
from retrieval.arbiter.brief import TOC_LINES_MAX
from retrieval.pipeline import retrieve
from retrieval.second_look import PLACES_MAX
from retrieval.tests.builders import SETTINGS, content_of_reading
from tests.scripted_llm import ScriptedLLM

THINGS = ("Kettles", "Ladders", "Anvils", "Bridles", "Lanterns", "Saddles", "Barrels", "Chisels", "Drums", "Engines")
SHAPES = {620: (4, 11, 13), 1000: (8, 8, 14), 3050: (10, 8, 37)}  # parts, chapters of each, sections of each
QUESTION = "For how many winters are such appliances kept?"
TOKENS_MAX = 16_000
ENTRY = re.compile(r"^ *\[(\d+)\] (.+) \(pp?\. ", re.MULTILINE)


def title_of(chapter: int) -> str:
    return f"{THINGS[chapter % len(THINGS)]} of the kind {chapter}"


def said_of(chapter: int) -> str:
    return f"Such appliances are kept for {chapter + 11} winters."


def write_handbook(folder: Path, size: int) -> DocumentContent:
    parts, chapters, sections = SHAPES[size]
    text = []
    for chapter in range(parts * chapters):
        if chapter % chapters == 0:
            text.append(f"# Part {chapter // chapters + 1}")
        text.append(f"## {title_of(chapter)}")
        for section in range(sections):
            told = said_of(chapter) if section == sections - 1 else f"They stand in hall {section}."
            text += [f"### Rule {chapter}.{section}", told]
    path = folder / f"handbook-{size}.md"
    path.write_text("\n\n".join(text))
    return content_of_reading(read_markdown(path.read_text()), path)


def prompts_of(server: ScriptedLLM) -> list[str]:
    return [str(request.body["input"]) for request in server.requests]


def tokens_of(body: dict[str, Any]) -> float:
    return len(body["instructions"] + body["input"] + json.dumps(body["text"])) / 4


@pytest.mark.parametrize("size", SHAPES)
def test_a_branch_of_very_long_contents_is_opened(serve: Serve, tmp_path: Path, size: int) -> None:
    """R38: over HTTP, with a model that reads in the contents which chapter is meant."""
    handbook = write_handbook(tmp_path, size)
    parts, chapters, sections = SHAPES[size]
    assert len(handbook.toc) > TOC_LINES_MAX
    server = serve()
    retrieve(QUESTION, [handbook], settings=SETTINGS, arbiter="model")
    [first] = prompts_of(server)
    entries = {title: id_ for id_, title in ENTRY.findall(first.partition("</toc>")[0])}
    assert len(entries) == parts + parts * chapters and not any(title.startswith("Rule") for title in entries)
    assert f"({parts * chapters * sections} more entries of deeper levels are not listed" in first
    chapter = next(each for each in reversed(range(parts * chapters)) if said_of(each) not in first)
    server = serve()
    server.wanted = {"wanted_sections": [entries[title_of(chapter)]], "wanted_words": []}
    server.favours = said_of(chapter)
    result = retrieve(QUESTION, [handbook], settings=SETTINGS, arbiter="model")
    _, second = prompts_of(server)
    below = f"Rule {chapter}.{sections - 1}"
    assert f"{title_of(chapter)} › {below}" in second and said_of(chapter) in second
    listed = [title for _, title in ENTRY.findall(second.partition("</toc>")[0]) if title.startswith("Rule")]
    assert listed == [f"Rule {chapter}.{section}" for section in range(sections)], "what is below it, and nothing else"
    best = result.kept()[0]
    assert (result.status, best.section_title, best.quote.text) == ("found", below, said_of(chapter))
    assert max(tokens_of(each.body) for each in server.requests) <= TOKENS_MAX


EVEN = "The seal of a barrel is of lead, and press {} sets it."


def write_even_handbook(folder: Path) -> DocumentContent:
    """One part among others whose sections, of a page each, say the same of another press."""
    text = []
    for part in range(3):
        text.append(f"# Part {part}")
        for section in range(200):
            is_even = part == 1 and section < 30
            text += [f"## Rule {part}.{section}", EVEN.format(section) if is_even else f"It stands in hall {section}."]
            text += [f"Frame {section} has bolt {number} at its foot." for number in range(40)] if is_even else []
    path = folder / "even.md"
    path.write_text("\n\n".join(text))
    return content_of_reading(read_markdown(path.read_text()), path)


@pytest.mark.parametrize("opened", [1, 2])
def test_of_an_opened_branch_many_sections_are_shown(serve: Serve, tmp_path: Path, opened: int) -> None:
    """R38: three lines of a branch say little of it; there is room for twelve, each of another section."""
    handbook, server = write_even_handbook(tmp_path), serve()
    asked = ("In which hall are paid holidays kept?", [handbook])
    server.wanted = {"wanted_sections": [f"Part {part}" for part in (1, 2)[:opened]], "wanted_words": ["seal of lead"]}
    retrieve(*asked, settings=SETTINGS, arbiter="model")
    _, second = prompts_of(server)
    shown = [section for section in range(30) if EVEN.format(section) in second]
    assert len(shown) >= PLACES_MAX // opened
