"""A conversation as its page shows it: turns with their stages, answers, citations and refused passages."""

import re
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from functools import cached_property
from typing import Any, NamedTuple

from django.db.models import Count, Exists, OuterRef, Prefetch, QuerySet, Subquery
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext, gettext_lazy, ngettext

from accounts.models import User
from chat.checks import AnswerCheck, TypedValue, is_headline
from chat.markup import Part, blocks_of, bold_in
from chat.models import Answer, Citation, Conversation, Feedback, Rewriting, Turn
from chat.objections import Objection, find_objections
from chat.page.grouped import QuoteGroup, group_quotes
from chat.page.narrowing import chips_of, typed_of
from chat.page.outcomes import Sureness, outcome_of_turn, say_unmentioned, sureness_of
from chat.page.part_outcomes import PartOutcomeRow, item_rows, part_rows
from chat.page.scope_table import CARD_ROWS_MAX, ScopeTable, describe_scope, rows_in_order, scope_table_of
from chat.page.stages import Stage, describe_work, finished_stages, in_seconds, waiting_stages
from chat.page.struck_quotes import show_quote
from chat.page.viewer import PaneLink
from chat.page.weak_sources import OF_PLACE, weaknesses_of, with_weaknesses
from chat.scope import askable, scope_words, write_picker_value
from chat.turns.choosing import vague_of
from chat.writing.phrases import anchor_pages, cited_pages, count_in_words, describe_place, repair_of, sentence
from documents.models import Document, Viewer
from documents.pages.phrasing import group_thousands
from reading.matching import join_without_space
from retrieval.arbiter.order import NO_SIGNAL
from retrieval.filters import Filters
from retrieval.models import RetrievalRun, RunCandidate, RunDocument
from retrieval.told.columns import StoredCoverage, StoredWord
from retrieval.told.outcomes import outcome_named
from retrieval.told.planned import MODES, mark_each
from retrieval.told.reasons import absence_of, in_words, name_of_point, passage_reason, point_of, state_of_version
from retrieval.told.searched import foreign_told, searched_told
from retrieval.types import KEPT_ROLES, UNANSWERED, VagueWord

QUOTES_SHOWN = 3  # what a person reads at once; one click has the rest
LINE_SIGNS_MAX = 6  # hyphens and bullets that a headline lacks beside its quote
REFUSED_SHOWN = 3  # near misses on the card of a not-found answer
DISCARDED_SHOWN = 3  # below the kept ones; the audit trail has them all
UNREADABLE_SHOWN = 20  # pages by name
CONVERSATIONS_SHOWN = 100

# What an outcome is told from.
OF_OUTCOME = (
    *("state", "run__status", "run__failure", "run__answerable", "run__arbiter"),
    *("answer__kind", "answer__ended", "answer__items"),
)
# Columns a conversation's page never shows, and which can be long.
HEAVY_OF_RUN = ("run__hits", "run__toc_shown", "run__scope", "run__violations")
HEAVY_OF_CANDIDATE = ("context_text", "context_boxes", "brief", "anchor_pieces")

TYPE_WORDS = {
    "amount": gettext_lazy("Amount"),
    "percentage": gettext_lazy("Percentage"),
    "date": gettext_lazy("Date"),
    "duration": gettext_lazy("Duration"),
    "person": gettext_lazy("Person"),
    "party": gettext_lazy("Party"),
    "role": gettext_lazy("Role"),
    "address": gettext_lazy("Address"),
    "postcode": gettext_lazy("Postcode"),
    "list": gettext_lazy("List"),
    "table": gettext_lazy("Table"),
}
PROBLEM_WORDS = {
    "no_citation": gettext_lazy("cites no passage"),
    "weak_support": gettext_lazy("says more than the passages it cites"),
    "not_computed": gettext_lazy("could not be computed"),
    "number_not_cited": gettext_lazy("has a number that does not stand in the passages it cites"),
    "list_incomplete": gettext_lazy("is fewer than the question or the passages say there are"),
    "start_after_end": gettext_lazy("has a start that is later than its end"),
    "total_differs": gettext_lazy("is a total to which the rows of its table do not add up"),
    "name_not_cited": gettext_lazy("has a name or a month that does not stand in the passages it cites"),
}


@dataclass(frozen=True)
class ShownCitation:
    """A citation with its place and its calibration in words."""

    citation: Citation
    link: PaneLink
    place: str
    repair: str
    weaknesses: list[str]  # of its source, in words
    is_open: bool
    is_said: bool  # its text is the headline, which need not be read twice
    shown_quote: str = ""  # in one line, struck where it is on the page

    @property
    def marker(self) -> int:
        return self.citation.marker

    @property
    def quote(self) -> str:
        return self.citation.quote


class LinkedBlock(NamedTuple):
    """A block of an answer, each part of its lines with the citation that its marker names."""

    is_list: bool
    lines: list[list[tuple[Part, ShownCitation | None]]]


class AnsweredBefore(NamedTuple):
    """The day and the run of the answer that was given again."""

    on: date
    run_id: uuid.UUID


@dataclass(frozen=True)
class ShownPassage:
    """A candidate as a row of "Why these passages?" or as a near miss."""

    candidate: RunCandidate
    link: PaneLink
    place: str
    version: str = ""  # of an amended clause: from when it holds and what became of it

    @property
    def quote(self) -> str:
        return self.candidate.content_anchor or self.candidate.anchor_text

    @property
    def reason(self) -> str:
        """Why it was kept or not, in the reader's language."""
        return passage_reason(self.candidate)


@dataclass(frozen=True)
class Disagreement:
    """Passages that contradict each other, or versions of one clause, to compare."""

    name: str
    point: str
    sides: list[ShownPassage]
    is_open: bool  # where the answer is written and none of them carries it, the answer comes first


class ShownTurn:
    """One turn, ready for its template. Reads only prefetched rows."""

    def __init__(self, turn: Turn, open_marker: int = 0) -> None:
        self.turn = turn
        self.open_marker = open_marker
        self.notice: Any = None  # of badly read pages, see chat.page.rereading; set where there is one
        self.follow_ups: Any = None  # see chat.page.following; set where something is worth asking next

    @property
    def run(self) -> RetrievalRun | None:
        return self.turn.run

    @cached_property
    def answer(self) -> Answer | None:
        return getattr(self.turn, "answer", None)

    @property
    def is_running(self) -> bool:
        return self.turn.state in (Turn.State.QUEUED, Turn.State.RUNNING)

    @property
    def outcome(self) -> str:
        """The code of its outcome: what a reviewer holds against the answer, else how the question ended."""
        return self.objection.code if self.objection else outcome_of_turn(self.turn)

    @property
    def sureness(self) -> Sureness | None:
        """How far to trust what fixed rules found; None where the outcome says enough."""
        return None if self.objection else sureness_of(self.run, self.answer, self.candidates)

    @property
    def reader(self) -> Viewer | None:
        """Who reads this, and so whose rights say whether a reviewer's reason is shown."""
        return self.turn.conversation.user

    @cached_property
    def objection(self) -> Objection | None:
        """What a reviewer holds against the answer; `attach_objections` asks for many turns at once."""
        return find_objections([self.turn.pk], self.reader).get(self.turn.pk)

    @property
    def is_absent(self) -> bool:
        return self.answer is not None and self.answer.kind in UNANSWERED

    @property
    def absence(self) -> str:
        """Why there is no answer, in the reader's language where the program said it."""
        assert self.answer is not None
        if self.run and self.answer.text == sentence(self.run.not_found_reason):
            return sentence(absence_of(self.run, is_outside=self.is_outside))
        return in_words(self.answer.text)

    @property
    def is_outside(self) -> bool:
        """Whether it is shown to somebody who may not see the base."""
        return False

    @property
    def searched(self) -> list[StoredWord]:
        """The words searched, in the languages of the documents."""
        return searched_told(self.run) if self.run else []

    @property
    def is_extractive(self) -> bool:
        return self.answer is not None and self.answer.kind == Answer.Kind.EXTRACTIVE

    @cached_property
    def rewriting(self) -> Rewriting | None:
        """How a follow-up was read, if the reader should know: it was rewritten, or could not be."""
        kept: Rewriting | None = getattr(self.turn, "rewriting", None)
        return kept if kept and kept.outcome != Rewriting.Outcome.ALONE else None

    @property
    def asked(self) -> str:
        """The question that was actually asked of the documents."""
        return self.rewriting.rewritten if self.rewriting else self.turn.question

    @cached_property
    def answered_before(self) -> AnsweredBefore | None:
        """None for an answer of its own."""
        repeat = self.run.repeat if self.run else {}
        return AnsweredBefore(date.fromisoformat(repeat["on"]), uuid.UUID(repeat["run"])) if repeat else None

    @property
    def repeat_words(self) -> str:
        """That the answer was given before, in a sentence; "" for one of its own."""
        if not self.answered_before:
            return ""
        told = {"day": date_format(self.answered_before.on)}
        return gettext("Answered before on %(day)s: the question, the documents and the settings are the same.") % told

    @cached_property
    def later(self) -> list[Turn]:
        return sorted(self.turn.asked_again.all(), key=lambda turn: turn.number)

    @property
    def mode_words(self) -> str:
        return str(MODES.get(self.turn.mode, self.turn.mode))

    @property
    def again_words(self) -> str:
        """Why this turn refers to an earlier one."""
        if self.turn.is_full_search:
            return gettext("Search of every document, from")
        is_edit = self.turn.as_typed and self.turn.again_of_id
        return gettext("Edited from") if is_edit else gettext("Asked again from")

    @property
    def scope_value(self) -> str:
        """The scope picker's value for the same documents."""
        return write_picker_value(self.turn.document_ids) or f"base:{self.turn.conversation.base_id}"

    @cached_property
    def left_aside(self) -> int:
        """How many documents of the base a question of chosen ones was not asked of."""
        if self.is_running or not self.turn.document_ids:
            return 0
        base = self.turn.conversation.base
        return askable(self.turn.conversation.user, base).exclude(pk__in=self.turn.document_ids).count()

    @property
    def typed_filters(self) -> dict[str, str]:
        return typed_of(Filters.from_json(self.turn.filters))

    @property
    def scope_words(self) -> str:
        return scope_words(self.turn)

    @property
    def narrowed(self) -> str:
        """What narrowed the question, in words; "" for nothing."""
        return " · ".join(chip.words for chip in chips_of(self.typed_filters))

    @cached_property
    def vague(self) -> VagueWord:
        """The word of the question that is vague alone; an empty one of other questions."""
        return vague_of(self.run)

    @property
    def meanings(self) -> list[dict[str, object]]:
        """What the vague word can mean, to choose from; [] where there is no choice."""
        vague = self.vague
        return [
            {"text": each.text, "is_first": each.text == vague.proposed, "is_assumed": each.text == vague.assumed}
            for each in vague.meanings
            if len(vague.meanings) > 1
        ]

    @cached_property
    def form_id(self) -> uuid.UUID:
        """The id of the forms that edit or repeat the question: sent twice, each makes one turn."""
        return uuid.uuid4()

    @cached_property
    def told_parts(self) -> list[PartOutcomeRow]:
        """What became of each thing that was asked, unless all of it was found, or the one thing was not."""
        rows = item_rows(self.answer) if self.answer else []
        if len(rows) < 2 and self.is_absent:
            rows = []
        rows = rows or (part_rows(self.run) if self.run else [])
        return rows if any(row.why for row in rows) else []

    @cached_property
    def feedback(self) -> Feedback | None:
        """The latest feedback of the person who asked."""
        own = [each for each in self.turn.feedback.all() if each.by_id == self.turn.conversation.user_id]
        return own[-1] if own else None

    @property
    def feedback_url(self) -> str:
        return reverse("chat:feedback", args=[self.turn.pk])

    @cached_property
    def candidates(self) -> list[RunCandidate]:
        return list(self.run.candidates.all()) if self.run else []

    @property
    def kept(self) -> list[RunCandidate]:
        return [candidate for candidate in self.candidates if candidate.role in KEPT_ROLES]

    @property
    def cited_count(self) -> int:
        """How many of the passages the answer cites."""
        return len({each.citation.candidate_id for each in self.citations})

    @property
    def fates(self) -> str:
        """How many passages were cited, kept without being cited, and left aside: together all there are."""
        left = gettext("%(count)s not judged") if self.is_unjudged else gettext("%(count)s left aside")
        cited = {each.citation.candidate_id for each in self.citations}  # of what nobody judged, too
        kept = sum(each.pk not in cited for each in self.kept)
        told = [
            (gettext("%(count)s cited"), self.cited_count),
            (gettext("%(count)s kept, not cited"), kept),
            (left, len(self.candidates) - self.cited_count - kept),
        ]
        return ", ".join(words % {"count": count} for words, count in told if count)

    @property
    def is_unjudged(self) -> bool:
        return self.run is not None and (self.run.arbiter_status == "not_run" or self.run.arbiter == "none")

    @cached_property
    def has_many_documents(self) -> bool:
        return len({candidate.document_id for candidate in self.candidates}) > 1

    @cached_property
    def stages(self) -> list[Stage]:
        if self.run is None or self.is_running:
            return waiting_stages()
        cited = gettext("%(count)s cited") % {"count": self.cited_count} if self.cited_count else ""
        return finished_stages(self.run, self.candidates, ", ".join(filter(None, [cited, self.written])))

    @property
    def stages_line(self) -> str:
        """What was done for a finished answer, in one line."""
        assert self.run is not None
        return describe_work(self.run, self.cited_count, len(self.candidates), self.written)

    @property
    def written(self) -> str:
        """How long it took until the answer was there; "" of one that never was."""
        if self.answer is None:
            return ""
        return in_seconds((self.answer.created_at - self.turn.created_at).total_seconds())

    @cached_property
    def citations(self) -> list[ShownCitation]:
        if self.answer is None:
            return []
        return [self._shown(citation) for citation in self.answer.citations.all()]

    @property
    def first_citations(self) -> list[ShownCitation]:
        return self.citations[:QUOTES_SHOWN]

    @property
    def more_citations(self) -> list[ShownCitation]:
        """The quotes that are folded away until somebody wants them, or has the page of one open."""
        return self.citations[QUOTES_SHOWN:]

    @property
    def is_more_open(self) -> bool:
        return any(cited.is_open for cited in self.more_citations)

    def _shown(self, citation: Citation) -> ShownCitation:
        return ShownCitation(
            citation=citation,
            link=PaneLink(self.turn, citation.marker),
            place=describe_place(citation.candidate, cited_pages(citation), with_document=self.has_many_documents),
            repair=repair_of(citation.candidate),
            weaknesses=[
                *filter(None, [self.versions.get(citation.candidate.candidate_id)]),
                *weaknesses_of(citation, but=OF_PLACE),
            ],
            is_open=citation.marker == self.open_marker,
            is_said=citation.marker in self.said_markers,
            shown_quote=show_quote(citation),
        )

    @cached_property
    def groups(self) -> list[QuoteGroup[ShownCitation]]:
        """The quotes of an outline or a comparison in their groups; none of another answer."""
        if self.run is None or not self.is_extractive:
            return []
        return group_quotes(self.run, self.kept, [(each.citation, each) for each in self.citations])

    @cached_property
    def blocks(self) -> list[LinkedBlock]:
        """The answer's text as blocks, each marker with its citation."""
        return self._blocks(self.answer.text) if self.answer else []

    @cached_property
    def headline_blocks(self) -> list[LinkedBlock]:
        return self._blocks(self.headline)

    @cached_property
    def headline(self) -> str:
        """What an extractive answer says before its quotes: the computed figure, the cell or the best sentence."""
        is_said = self.answer is not None and any(map(is_headline, self.answer.checks))
        return self.answer.text.partition("\n\n\u201c")[0] if self.answer and is_said else ""

    @cached_property
    def said_markers(self) -> set[int]:
        """The citations whose words the headline says, or the row that is lit below it."""
        typed = [
            (each["markers"][0], each["typed"])
            for each in (self.answer.checks if self.answer else [])
            if "typed" in each
        ]
        said = {marker: each["text"] for marker, each in typed if each["type"] == "sentence"}
        cells = [(marker, each["rows"][each["at"][0]]) for marker, each in typed if each["type"] == "cell"]
        said |= {marker: " ".join([row["label"], *row["cells"]]) for marker, row in cells}
        quotes = {each.marker: each.quote for each in self.answer.citations.all()} if self.answer else {}
        return {marker for marker, text in said.items() if len(quotes.get(marker, "")) <= len(text) + LINE_SIGNS_MAX}

    @cached_property
    def headline_table(self) -> dict[str, object]:
        """The rows around the cells an extractive answer gives, these marked; empty without any."""
        typed = [check["typed"] for check in self.answer.checks if check.get("typed")] if self.answer else []
        cells = [each for each in typed if each["type"] == "cell"]
        if not cells:
            return {}
        cell, lit = cells[0], {tuple(each["at"]) for each in cells}
        rows = [
            {"label": row["label"], "cells": [(text, (at, column) in lit) for column, text in enumerate(row["cells"])]}
            for at, row in enumerate(cell["rows"])
        ]
        return {**cell, "rows": rows}

    @cached_property
    def typed(self) -> list[dict[str, object]]:
        """The typed values of an extractive answer, as printed and as read, but for those its headline says whole."""
        if not self.is_extractive or self.answer is None:
            return []
        found = [
            (check["typed"], check["markers"][0])
            for check in self.answer.checks
            if check.get("typed") and not is_headline(check) and not self._is_said(check["typed"])
        ]
        return [self._typed(typed, marker) for typed, marker in found]

    def _is_said(self, typed: TypedValue) -> bool:
        """Whether the headline prints the value, and it was read as printed."""
        printed = re.escape(typed.get("printed", ""))
        return bool(printed and not read_words(typed) and re.search(rf"(?<!\w){printed}(?!\w)", self.headline))

    def _typed(self, typed: TypedValue, marker: int) -> dict[str, object]:
        links = {shown.marker: shown for shown in self.citations}
        parts = [Part(typed.get("printed", "")), Part(str(marker), marker)]
        return typed | {
            "name": TYPE_WORDS.get(typed["type"], typed["type"]),
            "read": read_words(typed),
            "length": length_words(typed),
            "line": [(part, links.get(part.marker)) for part in parts if part.text],
        }

    def _blocks(self, text: str) -> list[LinkedBlock]:
        links = {shown.marker: shown for shown in self.citations}
        return [
            LinkedBlock(block.is_list, [[(p, links.get(p.marker)) for p in line] for line in block.lines])
            for block in blocks_of(text, links, bold_in(self.answer.checks if self.answer else ()))
        ]

    @property
    def plain_text(self) -> str:
        """Question, answer and citations as plain text for copying."""
        if self.answer is None:
            return self.turn.question
        states = {each.marker: self.versions.get(each.citation.candidate.candidate_id, "") for each in self.citations}
        cited = [
            f"[{each.marker}] \u201c{join_without_space(each.quote)}\u201d "
            + ", ".join(filter(None, (each.place, states[each.marker])))
            for each in self.citations
        ]
        told = "\n".join(part.line for part in self.told_parts)
        notes = [self.answer.note, self.notice.lead if self.notice else ""]
        text = self.absence if self.is_absent else self.answer.text
        judged = self.objection.line if self.objection else ""
        said = [self.turn.question, judged, self.repeat_words, told, text, *notes, "\n".join(cited)]
        return "\n\n".join(filter(None, said))

    @cached_property
    def why(self) -> list[ShownPassage]:
        """The kept passages, then the first of those refused."""
        aside = [candidate for candidate in self.candidates if candidate.role not in KEPT_ROLES]
        return self._passages([*self.kept, *aside[:DISCARDED_SHOWN]])

    @property
    def more_refused(self) -> int:
        return max(len(self.candidates) - len(self.kept) - DISCARDED_SHOWN, 0)

    @cached_property
    def refused(self) -> list[ShownPassage]:
        """The nearest passages of a not-found answer, whatever role the arbiter gave them."""
        near = [candidate for candidate in self.candidates if candidate.rule != NO_SIGNAL.name]
        return self._passages(near[:REFUSED_SHOWN])

    def _passages(self, candidates: Iterable[RunCandidate]) -> list[ShownPassage]:
        return [
            ShownPassage(
                candidate,
                PaneLink(self.turn, candidate.position, is_refused=True),
                describe_place(candidate, anchor_pages(candidate), with_document=self.has_many_documents),
                self.versions.get(candidate.candidate_id, ""),
            )
            for candidate in candidates
        ]

    @cached_property
    def versions(self) -> dict[str, str]:
        """By candidate that is a version of an amended clause, from when it holds and what became of it."""
        found = self.run.contradictions if self.run else []
        return {
            key: state_of_version(state)
            for each in found
            for key, state in zip(each["candidate_ids"], each.get("in_force", ()), strict=False)
        }

    @cached_property
    def contradictions(self) -> list[Disagreement]:
        """The contradictions that were found: the point, and the passages to compare."""
        by_id = {candidate.candidate_id: candidate for candidate in self.candidates}
        found = self.run.contradictions if self.run else []
        pairs = [(each, [by_id[key] for key in each["candidate_ids"] if key in by_id]) for each in found]
        is_said_by_quotes = self.is_extractive or self.is_absent
        return [
            Disagreement(
                name_of_point(each),
                point_of(each),
                self._passages(sides),
                is_open=is_said_by_quotes or any(side.role == "primary" for side in sides),
            )
            for each, sides in pairs
            if len(sides) > 1
        ]

    @cached_property
    def foreign(self) -> str:
        """That the question is in another language than the documents, and what to do; "" where it is not."""
        return foreign_told(self.run) if self.run else ""

    @cached_property
    def looked_at(self) -> str:
        """The search in one line: pages with text, sections, passages."""
        coverage: StoredCoverage = self.run.coverage if self.run else {}
        pages = count_in_words(coverage.get("pages", 0), "page")
        parts = [
            ngettext("%(some)s of %(pages)s has text", "%(some)s of %(pages)s have text", coverage.get("pages", 0))
            % {"some": coverage.get("pages_with_text", 0), "pages": pages}
        ]
        if coverage.get("documents", 0) > 1:
            parts.insert(0, describe_scope(coverage) or count_in_words(coverage["documents"], "document"))
        if coverage.get("sections"):
            parts.append(count_in_words(coverage["sections"], "section"))
        primary = sum(candidate.role == "primary" for candidate in self.candidates)
        is_none = self.candidates and not primary and not self.is_unjudged
        none = ", " + ngettext("it does not answer", "none of them answers", len(self.candidates)) if is_none else ""
        return " · ".join([*parts, count_in_words(len(self.candidates), "passage") + none])

    @property
    def coverage(self) -> StoredCoverage:
        """What was looked at; {} before there is a run. Older ones that asked back tell of a search there was not."""
        if self.run is None or (self.run.status == "clarify" and "alone" not in self.run.coverage):
            return {}
        found: StoredCoverage = self.run.coverage
        return found

    @cached_property
    def scope_table(self) -> ScopeTable | None:
        """What was done with each document of the scope; None where the only one was read, or no run lists them."""
        coverage = self.coverage
        if coverage.get("documents", 0) < 2 or "read" not in coverage:
            return None
        return scope_table_of(coverage, getattr(self.run, "scope_rows", ()))

    @cached_property
    def replaced(self) -> list[tuple[uuid.UUID, str]]:
        """The documents it cites, or without a citation those of its scope, that a newer version has replaced since."""
        cited = self.answer.citations.all() if self.answer else ()
        seen = [(each, each.candidate.document_id, each.candidate.document_title) for each in cited]
        seen = seen or [(row, row.document_id, row.title) for row in getattr(self.run, "scope_rows", ())]
        return list({pk: (pk, title) for row, pk, title in seen if getattr(row, "is_replaced", False)}.values())

    @property
    def documents_counted(self) -> int:
        """How many documents an ended question only counted words in, which a full search would read."""
        return 0 if self.is_running else int(self.coverage.get("counted", 0))

    @cached_property
    def unreadable(self) -> str:
        """The pages that could not be read, the first of many."""
        names: list[str] = self.run.coverage.get("unreadable", []) if self.run else []
        more = len(names) - UNREADABLE_SHOWN
        said = ", ".join(names[:UNREADABLE_SHOWN])
        return gettext("%(names)s and %(count)s more") % {"names": said, "count": more} if more > 0 else said

    @cached_property
    def doubts(self) -> list[str]:
        """The problems the checks found in sentences of a written answer, and what no page says of a doubtful one."""
        checks = list(self.answer.checks) if self.answer else []
        sentences = [check for check in checks if "names" in check]
        if self.answer and self.answer.ended != "complete" and sentences and "no_citation" in sentences[-1]["problems"]:
            checks.remove(sentences[-1])  # an unfinished sentence could not cite yet
        shown = [check for check in checks if check.get("problems") and not check.get("left_out")]
        told = [f"{mark_each([check['sentence']])} {problems_of(check)}." for check in shown]
        return [*told, *say_unmentioned(self.run, self.sureness)]


def length_words(typed: TypedValue) -> str:
    """How long a list is, and whether that is all of it; "" for other values."""
    if typed["type"] != "list":
        return ""
    count, stated = len(typed["items"]), typed.get("stated", 0)
    if not count:
        return gettext(
            "%(stated)s are stated and no list of as many was found; there may be more than is quoted at"
        ) % {"stated": stated}
    if count < stated:
        return gettext("%(count)s of %(stated)s found, as listed at") % {"count": count, "stated": stated}
    if typed.get("is_cut"):
        return gettext("%(count)s items, and there are more, as listed at") % {"count": count}
    if typed.get("counted"):
        return gettext("%(count)s, counted in the list at") % {"count": count}
    return ngettext("%(count)s item, as listed at", "%(count)s items, as listed at", count) % {"count": count}


def read_words(typed: TypedValue) -> str:
    """How a value was read if it is printed differently: ISO date, currency, whole number."""
    value, currency, unit = (str(typed.get(name, "")) for name in ("value", "currency", "unit"))
    if value in ("", typed.get("printed")):
        return ""
    number = group_thousands(Decimal(value)) if currency else value
    as_printed = {number, f"{Decimal(value):,}"} if currency and not unit else set()
    if currency in typed["printed"] and any(form in typed["printed"] for form in as_printed):
        return ""
    return " ".join(filter(None, (currency, number, f"/ {unit}" if currency and unit else unit)))


def problems_of(check: AnswerCheck) -> str:
    words = [str(PROBLEM_WORDS[problem]) for problem in check["problems"] if problem in PROBLEM_WORDS]
    figures = [*check.get("numbers", []), *check.get("names", [])]
    missing = [figure["text"] for figure in figures if not figure["found"]]
    return gettext(" and ").join(words) + (f" ({', '.join(missing)})" if missing else "")


def attach_objections(turns: Sequence[ShownTurn]) -> None:
    """Give each turn of one reader what a reviewer holds against its answer."""
    found = find_objections([each.turn.pk for each in turns], turns[0].reader) if turns else {}
    for each in turns:
        each.objection = found.get(each.turn.pk)


# ---- rows


def turns_of(conversation: Conversation) -> list[Turn]:
    """The turns of a conversation with all data for their templates, in a fixed number of queries."""
    return list(with_rows(Turn.objects.filter(conversation=conversation)))


def with_rows(turns: Any) -> Any:
    light = RunCandidate.objects.defer(*HEAVY_OF_CANDIDATE)
    return (
        turns.select_related("conversation__base", "run", "answer__page_notice", "rewriting", "again_of")
        .defer(*HEAVY_OF_RUN)
        .prefetch_related(
            "feedback",
            "asked_again",
            Prefetch("run__candidates", queryset=light),
            Prefetch(
                "run__documents",
                queryset=rows_in_order(RunDocument.objects.all())[:CARD_ROWS_MAX],
                to_attr="scope_rows",
            ),
            Prefetch("answer__citations", queryset=citations_in_order()),
            Prefetch("answer__citations__candidate", queryset=light),
        )
    )


def citations_in_order() -> "QuerySet[Citation]":
    """Citations by marker, each with what is weak about its source, and whether its document was replaced."""
    replaced = Document.objects.filter(pk=OuterRef("candidate__document_id"), trashed_at=None).exclude(replaced_at=None)
    return with_weaknesses(Citation.objects.annotate(is_replaced=Exists(replaced))).order_by("marker")


@dataclass(frozen=True)
class ListedConversation:
    conversation: Conversation
    is_current: bool
    frame: str  # how many questions, and {outcome} for that of the last: a page that sees one end fills it in anew
    outcome: str

    @property
    def words(self) -> str:
        return self.frame.format(outcome=self.outcome)


def conversation_groups(
    user: User, current: Conversation | None = None, find: str = ""
) -> list[tuple[str, list[ListedConversation]]]:
    """A person's conversations by day of last use, newest first; with `find`, those that contain its words."""
    last = Turn.objects.filter(conversation=OuterRef("pk")).order_by("-number")
    counted_rows = (
        Conversation.objects.visible_to(user)
        .holding(find)
        .annotate(
            turn_count=Count("turns"),
            last_turn=Subquery(last.values("pk")[:1]),
        )
    )
    # The model's default order is dropped where rows are counted.
    rows: list[Any] = list(counted_rows.order_by("-active_at")[:CONVERSATIONS_SHOWN])
    turns = Turn.objects.select_related("run", "answer").only(*OF_OUTCOME)
    last_turns = [row.last_turn for row in rows if row.last_turn]
    outcomes = {turn.pk: outcome_of_turn(turn) for turn in turns.filter(pk__in=last_turns)}
    outcomes |= {pk: objection.code for pk, objection in find_objections(last_turns, user).items()}
    groups: dict[str, list[ListedConversation]] = {}
    today = timezone.localdate()
    for row in rows:
        outcome = outcome_named(outcomes.get(row.last_turn, "empty")).words
        ended = "{outcome}"
        if row.turn_count > 1:  # the list names a conversation by its first question
            ended = gettext("last: %(outcome)s") % {"outcome": ended}
        frame = f"{count_in_words(row.turn_count, 'question')} · {ended}"
        listed = ListedConversation(row, current is not None and row.pk == current.pk, frame, str(outcome))
        groups.setdefault(day_words(timezone.localdate(row.active_at), today), []).append(listed)
    return list(groups.items())


def day_words(day: date, today: date) -> str:
    if day >= today:
        return gettext("Today")
    if day == today - timedelta(days=1):
        return gettext("Yesterday")
    is_this_month = (day.year, day.month) == (today.year, today.month)
    return gettext("This month") if is_this_month else date_format(day, "YEAR_MONTH_FORMAT")
