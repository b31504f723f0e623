"""Fields of agreements against values that a person read: what is told without a model, and is it right?

Each set in `questions/fields` is documents with named fields: the true value and other ways to say it, the quote and
its page, or "absent". Make rules on `rules` alone; `judge` and `held` say what they are worth.
"""

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from accounts.models import User
from benchmarks.library import Library
from benchmarks.shelf import shelve
from chat.fields.extracting import Asker, find_fields, record_fields
from chat.fields.reading import check_fields
from chat.fields.values import field_json
from chat.models import ExtractionField
from documents import access
from documents.models import Role

VERDICTS = ("found right", "found wrong", "weak right", "weak wrong", "missed", "rightly absent")
QUOTE_SHARE, RUN = 0.4, 5  # of a quote's runs of so many words that a long value has to have
ALIAS_MIN, LONG = 4, 12  # characters that tell a value, and those that no other page says by chance
QUOTES = str.maketrans("’“”", '\'""', "\u200b")


def run(data: Path, sets: Sequence[Path]) -> dict[str, Any]:
    rows = {path.stem: [row for each in json.loads(path.read_text()) for row in ask(each, data)] for path in sets}
    counts = {name: Counter(row["verdict"] for row in asked) for name, asked in rows.items()}
    return {"rows": rows, "counts": {name: {each: found[each] for each in VERDICTS} for name, found in counts.items()}}


def ask(told: Mapping[str, Any], data: Path) -> list[dict[str, Any]]:
    """A row for each field of a document, asked together as a person does."""
    user, _ = User.objects.get_or_create(email="fields@example.org", defaults={"name": "Fields"})
    document = shelve([told["file"]], Library(data))[told["file"]]
    access.set_role(document.base, user, Role.OWNER)
    asker, fields = (
        Asker(user, document.base, "balanced"),
        check_fields((x["name"], "", "", "") for x in told["fields"]),
    )
    runs = record_fields(asker, fields, find_fields(asker, [document], fields))
    rows = []
    for truth, field, made in zip(told["fields"], fields, runs, strict=True):
        named = {"name": field.name, "question": field.question, "answer_type": field.expected.answer_type}
        said = field_json(ExtractionField(**named, run=made))
        told_of = {name: said[name] for name in ("outcome", "value", "page", "quote", "caveats")}
        rows.append({"file": told["file"], "verdict": verdict_on(truth, said), "truth": truth, **told_of})
    return rows


def verdict_on(truth: Mapping[str, Any], said: Mapping[str, Any]) -> str:
    """What a value is worth; what is weak without a value is no worse than a refusal of what is absent."""
    if said["outcome"] in ("found", "weak") and said["value"]:
        return f"{said['outcome']} {'right' if is_right(truth, said) else 'wrong'}"
    is_refused = said["outcome"] in ("not_found", "cannot_tell", "weak")
    return "rightly absent" if truth["truth"] == "absent" and is_refused else "missed"


def is_right(truth: Mapping[str, Any], said: Mapping[str, Any]) -> bool:
    value, quote, is_there = plain(said["value"]), plain(truth["quote"]), truth["truth"] != "absent"
    is_on_page = said["page"] == truth["page"] or truth["page"] is None
    if truth["name"] == "Parties":
        names = [words_of(name)[:2] for name in value.split(";")]
        asked = words_of(truth["truth"])
        return sum(name in (asked[at : at + 2] for at in range(len(asked))) for name in names) > 1
    if is_there and quote:
        if says(quote, value) and (is_on_page or len(value) > LONG):
            return True
        if len(runs_of(quote) & runs_of(value)) >= max(1, QUOTE_SHARE * len(runs_of(quote))):
            return True
    ways = [*([truth["truth"]] if is_there else []), *truth["alts"]] if is_there or truth["amb"] else []
    known = [way for way in map(plain, ways) if len(way) >= ALIAS_MIN]
    is_said = any(says(value, way) or (len(value) >= ALIAS_MIN and says(way, value)) for way in known)
    return is_said and (is_on_page or not is_there)


def plain(text: str) -> str:
    return " ".join(text.translate(QUOTES).casefold().split())


def words_of(text: str) -> list[str]:
    return re.findall(r"[\w$£€%]+", plain(text))


def runs_of(text: str) -> set[tuple[str, ...]]:
    words = words_of(text)
    return {tuple(words[at : at + RUN]) for at in range(max(1, len(words) - RUN + 1))}


def says(text: str, part: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(part)}(?!\w)", text) is not None
