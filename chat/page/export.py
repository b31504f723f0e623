"""Export a conversation: every question as typed and as asked, and each answer with its quotes and their places."""

import json
import re

from django.utils import timezone
from django.utils.translation import gettext

from chat.models import Citation, Conversation
from chat.page.struck_quotes import mark_in_markdown
from chat.page.thread import ShownCitation, ShownTurn
from chat.turns.repeats import describe_repeat
from chat.turns.replies import OF_ANSWER, citation_json
from reading.matching import join_without_space
from retrieval.record.reading_back import parts_of
from retrieval.told.outcomes import outcome_named

FORMAT = "docintel-conversation-1"
SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~])")
NAME_CHARACTERS_MAX = 60


def file_name(conversation: Conversation) -> str:
    """A safe file name, without extension."""
    plain = re.sub(r"[^a-z0-9]+", "-", conversation.title.lower()).strip("-")
    return plain[:NAME_CHARACTERS_MAX].rstrip("-") or "conversation"


def markdown_of(conversation: Conversation, turns: list[ShownTurn]) -> str:
    """The conversation as Markdown. Text of people, documents and models is escaped, never markup."""
    exported = gettext("exported %(at)s UTC") % {"at": f"{timezone.now():%Y-%m-%d %H:%M}"}
    head = [
        f"# {escape_markdown(conversation.title)}",
        f"{escape_markdown(conversation.base.name)} · {exported}",
    ]
    return "\n\n".join([*head, *(turn_text(shown) for shown in turns)]) + "\n"


def turn_text(shown: ShownTurn) -> str:
    turn, answer = shown.turn, shown.answer
    parts = [
        f"## {turn.number}. {escape_markdown(turn.question)}",
        f"{escape_markdown(shown.scope_words)} · {turn.created_at:%Y-%m-%d %H:%M} UTC",
    ]
    if shown.asked != turn.question:
        parts.append(put_label(gettext("Asked as"), shown.asked))
    if answer is None:
        return "\n\n".join([*parts, escape_markdown(turn.error_for_people) or f"{outcome_named(shown.outcome).words}."])
    parts += [f"**{escape_markdown(shown.objection.line)}**"] if shown.objection else []
    parts += [escape_markdown(shown.repeat_words)] if shown.repeat_words else []
    parts += [f"- {escape_markdown(told.line)}" for told in shown.told_parts]
    parts += [escape_markdown(line) for line in answer.text.split("\n\n")]
    if answer.note:
        parts.append(put_label(gettext("Note"), answer.note))
    if shown.notice:
        parts.append(put_label(gettext("Note"), shown.notice.lead))
    parts += [f"- {escape_markdown(doubt)}" for doubt in shown.doubts]
    return "\n\n".join([*parts, *(quote_text(cited) for cited in shown.citations)])


def put_label(label: str, text: str) -> str:
    return f"{label}: {escape_markdown(text)}"


def quote_text(cited: ShownCitation) -> str:
    quote = mark_in_markdown(cited.citation, lambda text: escape_markdown(join_without_space(text)))
    title, place = escape_markdown(cited.citation.candidate.document_title), escape_markdown(cited.place)
    return f"\\[{cited.marker}\\] {title}, {place}:\n> {quote}"


def escape_markdown(text: str) -> str:
    return SPECIAL.sub(r"\\\1", " ".join(text.split()))


def json_of(conversation: Conversation, turns: list[ShownTurn]) -> str:
    """The conversation as JSON; answers and citations have the fields of the API."""
    content = {
        "format": FORMAT,
        "id": str(conversation.pk),
        "title": conversation.title,
        "base": {"id": str(conversation.base_id), "name": conversation.base.name},
        "exported_at": timezone.now().isoformat(),
        "turns": [turn_fields(shown) for shown in turns],
    }
    return json.dumps(content, ensure_ascii=False, indent=2)


def turn_fields(shown: ShownTurn) -> dict[str, object]:
    turn, answer = shown.turn, shown.answer
    return {
        "id": str(turn.pk),
        "number": turn.number,
        "question": turn.question,
        "asked": shown.asked,
        "scope": turn.scope_name,
        "mode": turn.mode,
        "state": turn.state,
        "again_of": str(turn.again_of_id) if turn.again_of_id else None,
        "run_id": str(turn.run_id) if turn.run_id else None,
        "answered_before": describe_repeat(turn),
        "objection": shown.objection and shown.objection.to_json(),
        "asked_at": turn.created_at.isoformat(),
        "error": turn.error_for_people,
        "parts": parts_of(turn.run) if turn.run else [],
        "answer": answer
        and {name: getattr(answer, name) for name in OF_ANSWER}
        | {"citations": [export_citation(cited.citation) for cited in shown.citations]},
        "feedback": shown.feedback and {"kind": shown.feedback.kind, "comment": shown.feedback.comment},
    }


def export_citation(citation: Citation) -> dict[str, object]:
    told = citation_json(citation) | {"section": citation.candidate.breadcrumb}
    return {name: value for name, value in told.items() if name != "candidate_id"}
