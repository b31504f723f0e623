"""From a stored run to an answer: not found, extractive, or written by the model; its note says which and why.

It uses the stored rows, not the result of retrieval, so that an answer can be composed again after a crash.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from django.conf import settings
from django.utils.translation import gettext_noop

from chat.checks import AnswerCheck
from chat.drafts import AnswerDraft, Quoted
from chat.figures import across
from chat.figures.answer import NOTE as FIGURE_NOTE
from chat.figures.answer import figures_for
from chat.figures.options import without_unchosen
from chat.figures.requested import RequestedFigures, resolve_request
from chat.figures.shown import ComputedFigures
from chat.figures.typed import contents_of, headlines_of, in_force, typed_of_sentences, typed_rows
from chat.models import Answer
from chat.turns.choosing import assumption_of
from chat.turns.gating import GatedDraft, WriterReply, left_out, pass_gate, with_requested, write_figures
from chat.turns.items import is_lacking, items_of
from chat.turns.reading import Material, prepare_material, tier_of
from chat.writing import writer
from chat.writing.excerpt_rows import excerpts_of
from chat.writing.extractive import by_weight, choose_quotes, citations_max, quoted_text
from chat.writing.headline import drop_repeated_quotes, move_cited_first, prose_before_tables, with_headlines
from chat.writing.phrases import sentence
from chat.writing.shaped import form_of, note_of, shaped_quotes, shaped_text
from chat.writing.writer import StreamedReply
from documents.base_settings import BaseSettings
from llm import client
from llm.errors import LLMError
from llm.fence import fence_text
from llm.prompts import Guidance
from llm.recordings.recorded import current_recording
from retrieval.arbiter.clear_hits import FLAG as CLEAR_HIT_FLAG
from retrieval.arbiter.order import STATEMENT
from retrieval.dispatch import has_flag
from retrieval.models import RetrievalRun, RunCandidate
from retrieval.record.reading_back import parts_of
from retrieval.types import KEPT_ROLES, UNANSWERED

Kind = Answer.Kind

SHAPED_NO_MODEL = gettext_noop("No model is configured: what follows is quoted from the document.")
RECORDED = gettext_noop(
    "The replies of a large language model behind this answer were recorded beforehand: no model was asked now."
)
NO_MODEL = gettext_noop("No model is configured: this answer is quoted from the document, chosen by rules.")
QUOTED = gettext_noop("This answer is quoted from the document.")
CLEAR_HIT = gettext_noop(
    "One place is clearly ahead of all others, so the rules chose it and no model was asked, as this base allows."
)
NO_ARBITER = "Nobody judged these passages, so they are in the order of fixed rules. {failure}"
UNJUDGED = gettext_noop(
    "Ranking is switched off for this base: nobody judged these passages, they are in the order of the search."
)
RERANKED = gettext_noop("The passages were ordered by a reranker; nobody judged whether they answer the question.")
NO_LITERAL_QUOTE = (
    gettext_noop("What was to be quoted does not stand in the document word for word, so it is not shown.")
    + " "
    + gettext_noop("These are the lines where the search matched in the passages it kept.")
)
NOT_WRITTEN = "The model wrote no answer ({failure}), so the document is quoted instead."
UNCITED = gettext_noop("What the model wrote cites no passage, so it is not shown; the document is quoted instead.")
BROKEN_OFF = "The answer broke off: {failure} What had arrived is shown."
STOPPED = gettext_noop("You stopped this answer before it was complete.")
TOO_LONG = f"The answer was cut off at {writer.ANSWER_CHARACTERS_MAX:,} characters."
MARKERS_REMOVED = "{count} citation{s} of passages that were not given to the model {was} removed."
PARTIAL = gettext_noop("Only a part of the question is answered.")
MISSING = "What is missing: {missing}"
NO_PRIMARY = gettext_noop("No passage answers the question, so no answer was written.")
NOT_LOOKED_AT = "But not everything was looked at:"
NOT_BACKED = gettext_noop(
    "What the model wrote is not what its quotes say, so it is not shown; the document is quoted instead."
)
REFUSED_BY_WRITER = gettext_noop(
    "Passages were found, but on reading them the model says that they do not hold the answer."
)

AMENDED = gettext_noop(
    "A clause that is quoted was amended: its versions stand together, first those in force today or at the time asked."
)
AMENDED_IF = gettext_noop("A clause that is quoted may be changed by an amendment: its versions stand together.")
PICTURE_NOT_READ = gettext_noop(
    "A picture belongs to what is cited; it was not read, so nothing here is taken from it."
)
SIGN_NOT_READ = gettext_noop(
    "A sign beside a number of a quote could not be read: the number may be negative. Compare the page."
)


@dataclass(frozen=True)
class WriterContext:
    """What composing needs from the turn: its mode, the base's settings, where text goes, and whether to stop."""

    mode: str
    settings: BaseSettings
    on_text: Callable[[str], None]
    should_stop: Callable[[], bool]
    guidance: Mapping[str, Guidance] = field(default_factory=dict)  # what the base adds, by the name of the prompt
    is_quoted: bool = False  # nobody writes: the value of a field is what is printed

    def in_silence(self) -> "WriterContext":
        """The same for a second draft, which is shown when it has been checked."""
        return replace(self, on_text=lambda text: None)


@dataclass(frozen=True)
class WrittenDraft:
    """What the model wrote, on its way through the checks, each of which returns it anew, or the answer that ends it.

    The reader has seen the words by then; the page shows what is stored in their place.
    """

    run: RetrievalRun
    quotes: list[Quoted]
    material: Material
    writing: WriterContext
    gated: GatedDraft
    figures: ComputedFigures | None  # that the program computes for the question by itself
    is_stopped: bool  # the reader had enough

    @property
    def markers(self) -> set[int]:
        return {int(number) for number in writer.MARKER.findall(self.gated.text)}


def compose(run: RetrievalRun, writing: WriterContext) -> AnswerDraft:
    """The answer to a run item by item, with what is missing where only a part of it was found."""
    draft = compose_found(run, writing)
    draft = compare_values(replace(draft, items=items_of(run, draft)))
    items = draft.items
    unread = PICTURE_NOT_READ if any(each.has_unread_picture for each in draft.quoted) else ""
    unsigned = SIGN_NOT_READ if any(each.has_unread_sign for each in draft.quoted) else ""
    has_replies = draft.exchange is not None or (run.llm_call_id is not None and run.arbiter_status == "ran")
    recorded = RECORDED if has_replies and current_recording() is not None else ""
    amended = notes_of_versions(run) if draft.quoted else []
    notes = [recorded, assumption_of(run), draft.note, *amended, unread, unsigned]
    draft = replace(draft, note=" ".join(filter(None, notes)))
    if draft.kind in UNANSWERED or not (run.is_partial or is_lacking(items)):
        return draft
    missing = MISSING.format(missing=sentence(run.missing)) if run.missing else ""
    return replace(draft, note=" ".join(filter(None, [PARTIAL, missing, draft.note])))


def notes_of_versions(run: RetrievalRun) -> list[str]:
    """What is told of clauses that are quoted in several versions, each kind once."""
    clauses = [each for each in run.contradictions or () if each.get("clause")]
    return list(dict.fromkeys(AMENDED_IF if each.get("is_conditional") else AMENDED for each in clauses))


def compare_values(draft: AnswerDraft) -> AnswerDraft:
    """The draft with what does not agree among its values; sentences that a model wrote were looked at before."""
    quotes = draft.quoted if draft.kind == Kind.EXTRACTIVE else ()
    contents = contents_of(draft.quoted)
    in_quotes = across.conflicts_in_quotes(quotes, contents, draft.checks)
    compared = across.with_doubts(draft, [*in_quotes, *across.conflicts_in_items(draft.items, draft.quoted)])
    return replace(compared, checks=[*compared.checks, *across.notes_on_shares(draft.quoted, contents)])


def compose_found(run: RetrievalRun, writing: WriterContext) -> AnswerDraft:
    """The first of these endings that holds; the model writes only if a passage is primary."""
    candidates = list(run.candidates.all())
    kept = [candidate for candidate in candidates if candidate.role in KEPT_ROLES]
    if run.status == "clarify":
        return AnswerDraft(Kind.CLARIFICATION, run.parsed["clarification"])
    if run.status in UNANSWERED:
        return AnswerDraft(Kind(run.status), sentence(run.not_found_reason) or NO_PRIMARY)
    if run.arbiter_status == "not_run":
        return compose_from_quotes(run, candidates, writing, NO_ARBITER.format(failure=run.arbiter_failure).strip())
    if run.arbiter == "none":
        return compose_from_quotes(run, candidates, writing, UNJUDGED)
    if not any(candidate.role == "primary" for candidate in kept):
        return draft_absence(run, NO_PRIMARY)
    if has_flag(run.plan, CLEAR_HIT_FLAG):
        return compose_from_quotes(run, kept, writing, CLEAR_HIT, is_judged=True)
    if writing.is_quoted or not client.is_configured():
        without = QUOTED if writing.is_quoted else SHAPED_NO_MODEL if form_of(run) else NO_MODEL
        is_judged = run.arbiter != "rerank"
        return compose_from_quotes(run, kept, writing, without if is_judged else RERANKED, is_judged=is_judged)
    quotes = shaped_quotes(run, kept) if form_of(run) else choose_quotes(kept, writing.mode, writing.settings)
    if not quotes:
        return compose_from_quotes(run, kept, writing, QUOTED)
    return compose_by_model(run, quotes, writing)


def compose_from_quotes(
    run: RetrievalRun, candidates: Sequence[RunCandidate], writing: WriterContext, note: str, *, is_judged: bool = False
) -> AnswerDraft:
    """The extractive answer. It has a headline only where somebody judged the passages, and no writer refused them."""
    if form_of(run) and (shaped := shaped_quotes(run, candidates)):
        text = shaped_text(run, candidates, shaped)
        note = " ".join(filter(None, [note, note_of(run, candidates)]))
        return AnswerDraft(Kind.EXTRACTIVE, text, note, quoted=tuple(shaped))
    nobody_quoted = all(candidate.role == "unjudged" for candidate in candidates)
    quotes = choose_quotes(candidates, writing.mode, writing.settings, with_lines=nobody_quoted)
    if not quotes:
        quotes = choose_quotes(candidates, writing.mode, writing.settings, with_lines=True)
        note, is_judged = f"{NO_LITERAL_QUOTE} {note}", False
    figures = figures_for(run, candidates, first_marker=len(quotes) + 1)
    if figures is None:
        return compose_with_headline(run, by_weight(candidates) if is_judged else [], quotes, writing, note)
    return AnswerDraft(
        Kind.EXTRACTIVE,
        f"{figures.text}\n\n{quoted_text(quotes)}",
        f"{note} {FIGURE_NOTE}",
        quoted=(*quotes, *figures.quoted),
        checks=figures.checks,
    )


def compose_with_headline(
    run: RetrievalRun, kept: Sequence[RunCandidate], quotes: list[Quoted], writing: WriterContext, note: str
) -> AnswerDraft:
    """The cell of a table that was asked for, else the list or table, else the best sentence; then the quotes.

    The headline is one of as many citations as mode and base allow.
    """
    contents = contents_of(quotes)
    limit = citations_max(writing.mode, writing.settings)
    headlines = headlines_of(run, kept, contents)[:limit]
    is_cell = any(check["typed"]["type"] == "cell" for each in headlines for check in each.checks)
    is_option = any(each.is_option for each in headlines)
    if not is_cell and not is_option and (rows := typed_rows(run, in_force(run, quotes), contents)):
        quotes = move_cited_first(quotes, rows[0]["markers"][0])
        rows = [row | {"markers": [1]} for row in rows]
        return AnswerDraft(Kind.EXTRACTIVE, quoted_text(quotes), note, quoted=tuple(quotes), checks=rows)
    others = (
        [each for each in quotes if each.candidate.rule != STATEMENT.name]
        if is_cell
        else prose_before_tables(quotes, contents)
    )
    if is_option:
        others = without_unchosen(others, contents)
    quoted = with_headlines([each.quoted for each in headlines], others)[:limit]
    first = [f"{each.text} [{marker}]" for marker, each in enumerate(headlines, start=1)]
    return AnswerDraft(
        Kind.EXTRACTIVE,
        "\n\n".join(
            filter(None, [*first, quoted_text(drop_repeated_quotes(quoted, [each.quoted for each in headlines]))])
        ),
        note,
        quoted=tuple(quoted),
        checks=[check for each in headlines for check in each.checks],
    )


def compose_by_model(run: RetrievalRun, quotes: list[Quoted], writing: WriterContext) -> AnswerDraft:
    """The model's answer, or the extractive one if the model's cannot be shown."""
    guidance = writing.guidance.get(writer.PROMPT.name)
    material = prepare_material(run, excerpts_of(quotes, contents_of(quotes)), writing.should_stop, guidance)
    draft = compose_from_material(run, quotes, material, writing)
    is_written = draft.kind == Kind.GENERATED
    notes = [draft.note, *material.notes] if is_written else [*material.notes, draft.note]
    return replace(draft, note=" ".join(filter(None, notes)), others=(*material.exchanges, *draft.others))


def compose_from_material(
    run: RetrievalRun, quotes: list[Quoted], material: Material, writing: WriterContext
) -> AnswerDraft:
    """The answer written from what the model was given to read, if it passes every check."""
    draft = write_draft(run, quotes, material, writing)
    for check in CHECKS:
        checked = check(draft)
        if isinstance(checked, AnswerDraft):
            return checked
        draft = checked
    return finish_draft(draft)


def write_draft(run: RetrievalRun, quotes: list[Quoted], material: Material, writing: WriterContext) -> WrittenDraft:
    """What the model writes, with the figures it asks for; none of it has been checked."""
    resolve, rewrite = partial(resolve_figures, run, quotes), partial(receive, run, material, writing.in_silence())
    written, others = write_figures(receive(run, material, writing), resolve, rewrite)
    figures = figures_for(run, [each.candidate for each in quotes], first_marker=len(quotes) + 1)
    exchange, reply = written.exchange, written.reply
    is_stopped = exchange is not None and exchange.outcome == "stopped" and not reply.is_too_long
    return WrittenDraft(run, quotes, material, writing, GatedDraft(written, "", [], others=others), figures, is_stopped)


def end_not_found(draft: WrittenDraft) -> WrittenDraft | AnswerDraft:
    """Where the model says that what it read holds no answer, nothing is written; a computed figure is one."""
    written, others = draft.gated.written, draft.gated.others
    if not written.reply.is_not_found:
        return draft
    if draft.figures:
        candidates = [each.candidate for each in draft.quotes]
        answer = compose_from_quotes(draft.run, candidates, draft.writing, REFUSED_BY_WRITER)
    else:
        answer = draft_absence(draft.run, written.reply.caveat or NO_PRIMARY, draft.material.unread)
        answer = replace(answer, note=REFUSED_BY_WRITER)
    return replace(answer, exchange=written.exchange, others=others)


def end_uncited(draft: WrittenDraft) -> WrittenDraft | AnswerDraft:
    """Where nothing was written, or nothing of it cites a passage, the document is quoted."""
    written = draft.gated.written
    if written.reply.used or written.figures or draft.is_stopped:
        return draft
    return draft_instead(draft, NOT_WRITTEN.format(failure=written.failure.rstrip(".")) if written.failure else UNCITED)


def hold_against_quotes(draft: WrittenDraft) -> WrittenDraft:
    """Each sentence against what it cites; by the claim gate where the base has one, which may have it written anew."""
    written, excerpts, others = draft.gated.written, draft.material.excerpts, draft.gated.others
    find_conflicts = partial(across.conflicts_in_sentences, quotes=draft.quotes, contents=contents_of(draft.quotes))
    sentences = writer.check_sentences(written.text, written.sources(excerpts))
    gated = GatedDraft(written, written.text, across.with_conflicts(sentences, find_conflicts(sentences)))
    if draft.writing.settings.claim_check == "on" and not draft.is_stopped:
        resolve = partial(resolve_figures, draft.run, draft.quotes)
        rewrite = partial(receive, draft.run, draft.material, draft.writing.in_silence())
        gated = pass_gate(written, excerpts, lambda said: with_requested(rewrite(said), resolve), find_conflicts)
    return replace(draft, gated=replace(gated, others=(*others, *gated.others)))


def end_unbacked(draft: WrittenDraft) -> WrittenDraft | AnswerDraft:
    """Where the gate left no sentence that cites anything, the document is quoted."""
    if draft.markers or draft.gated.written.figures or draft.is_stopped:
        return draft
    return draft_instead(draft, NOT_BACKED)


CHECKS: tuple[Callable[[WrittenDraft], WrittenDraft | AnswerDraft], ...] = (
    end_not_found,
    end_uncited,
    hold_against_quotes,
    end_unbacked,
)


def finish_draft(draft: WrittenDraft) -> AnswerDraft:
    gated, written = draft.gated, draft.gated.written
    reranked = [RERANKED] if draft.run.arbiter == "rerank" else []
    answer = AnswerDraft(
        Kind.GENERATED,
        gated.text,
        note=" ".join([*reranked, *gated.notes, *notes_on(written.reply, written.failure, draft.is_stopped)]),
        ended="stopped" if draft.is_stopped else "failed" if written.failure else "complete",
        quoted=tuple(each for each in draft.quotes if each.marker in draft.markers),
        checks=[*gated.checks, *typed_of_sentences(draft.run, draft.quotes, gated.text, gated.checks)],
        exchange=written.exchange,
        others=gated.others,
        refused=tuple(written.reply.refused),
    )
    if written.requested:
        requested = written.requested
        answer = with_figures(answer, requested.figures, requested.notes, requested.checks)
    if draft.figures is None or draft.is_stopped or written.figures is not None:
        return answer
    return with_figures(answer, draft.figures, [FIGURE_NOTE], draft.figures.checks)


def resolve_figures(run: RetrievalRun, quotes: Sequence[Quoted], reply: StreamedReply) -> RequestedFigures:
    return resolve_request(reply, run.question, quotes, contents_of(quotes), first_marker=len(quotes) + 1)


def draft_instead(draft: WrittenDraft, note: str) -> AnswerDraft:
    """The document is quoted, where nothing of what the model wrote can be shown; why is in the note and the checks."""
    gated, requested = draft.gated, draft.gated.written.requested
    note = " ".join(requested.notes) if requested and requested.notes else note
    answer = compose_from_quotes(draft.run, [each.candidate for each in draft.quotes], draft.writing, note)
    checks = [*answer.checks, *map(left_out, gated.checks), *(requested.checks if requested else [])]
    return replace(answer, checks=checks, exchange=gated.written.exchange, others=gated.others)


def draft_absence(run: RetrievalRun, reason: str, unread: Sequence[str] = ()) -> AnswerDraft:
    """That what was read does not answer: "not found" where everything was looked at, else what was not (R57)."""
    gaps = [*run.coverage.get("gaps", ()), *unread]
    if not gaps:
        return AnswerDraft(Kind.NOT_FOUND, reason)
    return AnswerDraft(Kind.CANNOT_TELL, f"{sentence(reason)} {NOT_LOOKED_AT} {'; '.join(gaps)}.")


def with_figures(
    draft: AnswerDraft, figures: ComputedFigures | None, notes: Sequence[str], checks: Sequence[AnswerCheck]
) -> AnswerDraft:
    """Append what was computed to a written answer, since the writer is told not to calculate; and say what was not."""
    return replace(
        draft,
        text="\n\n".join(filter(None, [draft.text, figures.text if figures else ""])),
        note=" ".join(filter(None, [draft.note, *notes])),
        quoted=(*draft.quoted, *(figures.quoted if figures else ())),
        checks=[*draft.checks, *checks],
    )


def receive(run: RetrievalRun, material: Material, writing: WriterContext, findings: str = "") -> WriterReply:
    """The model's reply, streamed on to the reader; `findings` are what a first draft was refused for."""
    reply = StreamedReply(excerpt.number for excerpt in material.excerpts)
    prompt = writer.build_writer_prompt(run.question, material.excerpts, [part["text"] for part in parts_of(run)])
    stream = client.stream(
        instructions=material.instructions,
        prompt=f"{prompt}\n\n{fence_text(findings)}" if findings else prompt,
        purpose="answer",
        fragments=material.fragments,
        deadline_s=settings.ANSWER_DEADLINE_S,
        should_stop=lambda: writing.should_stop() or reply.is_too_long,
        tier=tier_of(run).tier,
        why=tier_of(run).why,
    )
    failure = ""
    try:
        for piece in stream:
            writing.on_text(reply.feed(piece))
    except LLMError as error:
        failure = error.message
    writing.on_text(reply.finish())
    return WriterReply(reply, stream.exchange, failure)


def notes_on(reply: StreamedReply, failure: str, is_stopped: bool) -> list[str]:
    notes = []
    if is_stopped:
        notes.append(STOPPED)
    elif failure:
        notes.append(BROKEN_OFF.format(failure=failure))
    elif reply.is_too_long:
        notes.append(TOO_LONG)
    if count := len(reply.unknown):
        is_one = count == 1
        notes.append(MARKERS_REMOVED.format(count=count, s="" if is_one else "s", was="was" if is_one else "were"))
    return notes
