"""Which files of the project cite each rule of docs/requirements.md, and what each says to its readers."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from docintel_site.requirements import find_files, numbers_in, said_in_code

HASH_COMMENTS = {".toml", ".yml", ".txt", ".sh"}
COMMENTS = {
    ".html": re.compile(r"\{#.*?#\}|\{% comment %\}.*?\{% endcomment %\}|<!--.*?-->", re.DOTALL),
    ".css": re.compile(r"/\*.*?\*/", re.DOTALL),
    ".js": re.compile(r"/\*.*?\*/|(?<!:)//[^\n]*", re.DOTALL),
}


def find_sources() -> dict[str, Path]:
    """The files of the project that people write, by their path below its folder."""
    read = {".py", ".md", *COMMENTS, *HASH_COMMENTS}
    return {
        name: path for name, path in find_files() if path.suffix in read or Path(name).parts[0] in ("bin", "Dockerfile")
    }


def find_citations(sources: dict[str, Path]) -> dict[str, list[str]]:
    """The names of those files that cite each number, in their order."""
    found: dict[str, list[str]] = {}
    for name, path in sources.items():
        # Taking code apart is slow, and what its text nowhere has it does not say.
        if any(numbers_in(path.read_text(encoding="utf-8"))):
            for number in dict.fromkeys(numbers_in(words_for_readers(path))):
                found.setdefault(number, []).append(name)
    return found


def words_for_readers(path: Path) -> str:
    """What a file says to its readers: the text of a page; of code its comments, docstrings and names of test cases."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        return "\n".join(words_of_code(text))
    if path.suffix in COMMENTS:
        return "\n".join(COMMENTS[path.suffix].findall(text))
    if path.suffix == ".md":
        return text
    return "\n".join(re.findall(r"(?:^|\s)#.*", text))


def words_of_code(text: str) -> Iterator[str]:
    """What code says to its readers."""
    return (said for _, said in said_in_code(text, ast.parse(text)))
