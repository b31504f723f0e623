"""What is stored of a run as values again."""

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

from retrieval.models import RetrievalRun
from retrieval.question.kinds import SHIPPED
from retrieval.told.columns import StoredPart
from retrieval.types import ChosenSentence, Hints, Keyword, Meaning, NamedThing, PageTaken, Question, Side, VagueWord


def parts_of(run: RetrievalRun) -> list[StoredPart]:
    """What became of each part of a run's question; none of one that asks a single thing, and of runs before 1.5."""
    found: list[StoredPart] = run.plan.get("parts", [])
    return found


def headlines_from(run: RetrievalRun) -> list[ChosenSentence]:
    """What an answer to a run says first without a writer."""
    stored: list[dict[str, Any]] = (run.plan or {}).get("headlines", [])
    return [
        ChosenSentence(
            each["candidate_id"], each["text"], tuple(map(tuple, each["pieces"])), tuple(each.get("bold") or ()) or None
        )
        for each in stored
    ]


def question_from(parsed: dict[str, Any]) -> Question:
    """The question as it was read, without what the record stores beside it, such as the text as typed."""
    known = {field.name for field in fields(Question)}
    values = tuples_of({name: value for name, value in parsed.items() if name in known})
    values["hints"] = hints_from(parsed["hints"])
    values["keywords"] = tuple(Keyword(**tuples_of(keyword)) for keyword in parsed["keywords"])
    values["sides"] = tuple(Side(**tuples_of(side)) for side in parsed.get("sides", ()))
    values["vague"] = vague_from(parsed.get("vague", {}))
    if "value_pattern" not in parsed:  # a run from before they were recorded
        values["value_pattern"], values["printed_pattern"] = SHIPPED.patterns_of(parsed["answer_type"])
    return Question(**values)


def hints_from(stored: Mapping[str, Any]) -> Hints:
    """Where a stored question asks to look."""
    hints = Hints(**tuples_of(dict(stored)))
    taken = tuple(PageTaken(*each)._replace(pages=tuple(each[2])) for each in hints.taken)
    return replace(hints, objects=tuple(NamedThing(*each) for each in hints.objects), taken=taken)


def vague_from(stored: Mapping[str, Any]) -> VagueWord:
    """The vague word of a stored question; none of a run from before it was recorded."""
    return VagueWord(**{**stored, "meanings": tuple(Meaning(**each) for each in stored.get("meanings", ()))})


def tuples_of(values: dict[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}
