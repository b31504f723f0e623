"""What the writer is given to read: the passages whole where they fit, else what was copied out of them batch by batch.

Nothing is cut in silence: what a model did not read is said in the answer's note (R81).

Excerpts that do not fit 70 % of the window, or 64,000 characters, are read batch by batch: each call copies out
sentences and rows, code looks the copies up letter by letter, and one last call writes from the rows found and the
quotes. There are at most eight batches, within the time for an answer; a single fact ends at the batch that answers
it, unless passages are known to disagree. Where batches stayed unread and the writer finds nothing it is “cannot
tell”.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from django.conf import settings
from django.utils.translation import gettext_noop

from chat.turns.gating import exchanges
from chat.writing.excerpts import Excerpt, ExcerptRow, excerpt_blocks, only_rows, sentences_with
from chat.writing.fragments import choose_fragments, is_single_fact
from chat.writing.passages import INSTRUCTIONS, ROW_SIGNS, BatchRead, read_batch, split_into_batches
from chat.writing.writer import PROMPT, build_instructions
from llm.exchange import Exchange
from llm.prompts import Guidance, Instructions, instruct
from llm.tiers import ChosenTier
from llm.window import CHARACTERS_PER_TOKEN, Window, read_window
from retrieval.candidates.plain import one_line
from retrieval.dispatch import tier_in
from retrieval.models import RetrievalRun
from retrieval.told.columns import StoredPlan, StoredQuestion

ONE_CALL_MAX = 64_000  # characters, about 16,000 tokens: inside 70 % of any window that is not small (R111)
BATCHES_MAX = 8  # of one answer; twelve passages of the longest kind in a window of 8,000 tokens
# Characters of a small window kept for what comes to excerpts and question: the schema of a reply, the findings of a
# first draft, the answer that is checked.
KEPT_FREE = 2_500
ROOM_MIN = 1_500  # a window that has not even this has room for no answer, and its server will say so

IN_PARTS = gettext_noop(
    "The passages are longer than the model reads at once: it read them part by part, and the answer is written from "
    "the sentences and rows it copied out of them."
)
ENOUGH = gettext_noop("One part answered the question, so the parts after it were not read.")
NOT_READ = "Of these passages only the quotes and what is next to them were read: {places}."
FAILED = "A part of the passages could not be read: {failure}"
NOT_LITERAL = "{count} sentence{s} the model copied from the passages {occur} nowhere and {was} not used."
SHORTENED = "What is quoted of these passages is too long for the model, which was given less of it: {places}."


@dataclass(frozen=True)
class Material:
    """What the writer reads, and what it is told of the question. `notes` say what was not read, and why.

    `unread` names the passages of which only the quotes were read, and what is next to them where there was room.
    """

    excerpts: list[Excerpt]
    told: Instructions
    fragments: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    exchanges: tuple[Exchange, ...] = ()

    @property
    def instructions(self) -> Instructions:
        return self.told._replace(text=build_instructions(self.fragments, self.told.text))


@dataclass(frozen=True)
class Rooms:
    """The characters that excerpts may have in the writer's call, and in one that reads a batch."""

    whole: int
    batch: int


def prepare_material(
    run: RetrievalRun, excerpts: Sequence[Excerpt], should_stop: Callable[[], bool], guidance: Guidance | None = None
) -> Material:
    """The excerpts whole where they fit one call, else what is copied out of them batch by batch."""
    fragments, window = fragments_for(run, excerpts), read_window()
    told = instruct(PROMPT, guidance, is_small=window.is_small)
    rooms = rooms_in(window, run.question, build_instructions(fragments, told.text))
    if characters_of(excerpts) <= rooms.whole:
        return Material(list(excerpts), told, fragments)
    fragments = fragments_for(run, excerpts, is_copied=True)
    batches = split_into_batches(excerpts, rooms.batch)
    reads = list(read_batches(run, batches, should_stop))
    room = rooms_in(window, run.question, build_instructions(fragments, told.text)).whole
    chosen, shortened = choose_rows(excerpts, reads, room)
    failed = [batch for batch, read in zip(batches, reads, strict=False) if read.failure]
    left = [each for batch in (*failed, *batches[len(reads) :]) for each in batch]
    if not is_enough(reads):
        chosen = add_neighbours(chosen, left, excerpts, room - characters_of(chosen))
    unread = places_of(left)
    notes = [IN_PARTS, *notes_on_reading(reads, unread)]
    if shortened:
        notes.append(SHORTENED.format(places="; ".join(places_of(shortened))))
    return Material(chosen, told, fragments, tuple(notes), unread, exchanges(*(each.exchange for each in reads)))


def fragments_for(run: RetrievalRun, excerpts: Sequence[Excerpt], *, is_copied: bool = False) -> tuple[str, ...]:
    return choose_fragments(
        run.parsed or StoredQuestion(),
        mode=run.mode,
        documents=len({each.document for each in excerpts}),
        has_conflict=bool(run.contradictions),
        is_copied=is_copied,
    )


def rooms_in(window: Window, question: str, instructions: str) -> Rooms:
    """What a window has room for; where nobody says how wide it is, what any has that is not small."""
    if window.tokens is None:
        return Rooms(ONE_CALL_MAX, ONE_CALL_MAX)
    request = window.request_tokens * CHARACTERS_PER_TOKEN - len(question) - KEPT_FREE
    whole, batch = request - len(instructions), request - len(INSTRUCTIONS)
    return Rooms(*(min(max(room, ROOM_MIN), ONE_CALL_MAX) for room in (whole, batch)))


def characters_of(excerpts: Sequence[Excerpt]) -> int:
    return sum(len(block) + 2 for block in excerpt_blocks(excerpts))


def tier_of(run: RetrievalRun) -> ChosenTier:
    """The model that writes, which reads for itself, and why."""
    return tier_in(run.plan or StoredPlan())


# ---- batch by batch


def read_batches(
    run: RetrievalRun, batches: Sequence[Sequence[Excerpt]], should_stop: Callable[[], bool]
) -> Iterator[BatchRead]:
    """One batch after the other; for a single fact only until one answers it, unless passages are known to disagree."""
    may_end = is_single_fact(run.parsed or StoredQuestion()) and not run.contradictions
    until = time.monotonic() + settings.ANSWER_DEADLINE_S
    for number, batch in enumerate(batches[:BATCHES_MAX], 1):
        left_s = until - time.monotonic()
        if left_s <= 0 or should_stop():
            return
        place = f"part {number} of {len(batches)}"
        read = read_batch(run.question, batch, place, deadline_s=left_s, chosen=tier_of(run))
        yield read
        if may_end and read.is_answer:
            return


def is_enough(reads: Sequence[BatchRead]) -> bool:
    """Whether the last batch answered, so that no other needs to be read."""
    return bool(reads) and reads[-1].is_answer and not any(read.failure for read in reads)


def notes_on_reading(reads: Sequence[BatchRead], unread: Sequence[str]) -> Iterator[str]:
    """What was not read and why, and what could not be used, in plain words."""
    if failure := next((read.failure for read in reads if read.failure), ""):
        yield FAILED.format(failure=failure)
    if unread:
        yield ENOUGH if is_enough(reads) else NOT_READ.format(places="; ".join(unread))
    if count := sum(read.unknown for read in reads):
        s, occur, was = ("", "occurs", "was") if count == 1 else ("s", "occur", "were")
        yield NOT_LITERAL.format(count=count, s=s, occur=occur, was=was)


def places_of(excerpts: Iterable[Excerpt]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(f"[{each.number}] {each.document}, p. {each.pages}" for each in excerpts))


# ---- what the writer gets


def choose_rows(
    excerpts: Sequence[Excerpt], reads: Sequence[BatchRead], room: int
) -> tuple[list[Excerpt], list[Excerpt]]:
    """The excerpts with their quotes and what was copied out of them, and those of which not even that fits."""
    copied: dict[int, list[ExcerptRow]] = {}
    for read in reads:
        for number, found in read.rows.items():
            copied.setdefault(number, []).extend(found)
    chosen, shortened = [], []
    for excerpt in sorted(excerpts, key=lambda each: each.number not in copied):
        rows = rows_to_write_from(excerpt, copied.get(excerpt.number, ()))
        kept = list(rows)
        while kept and characters_of([only_rows(excerpt, kept)]) > room:
            kept.pop()
        if len(kept) < len(rows):
            shortened.append(excerpt)
        if kept:
            chosen.append(only_rows(excerpt, kept))
            room -= characters_of(chosen[-1:])
    return sorted(chosen, key=lambda each: each.number), shortened


def rows_to_write_from(excerpt: Excerpt, copied: Sequence[ExcerptRow]) -> list[ExcerptRow]:
    """What was copied and the quote for which the passage was kept, in the order of the document."""
    found = {(row.at, row.text): row for row in copied}
    places = {row.at for row in copied}
    for row in excerpt.all_rows:
        if row.is_quote and row.at not in places:
            own = sentences_with(excerpt.quote, row)
            found[own.at, own.text] = own
    if not found:
        return [ExcerptRow(excerpt.quote, one_line(excerpt.quote))]
    order = {row.at: row.shown for row in excerpt.all_rows}
    return sorted(found.values(), key=lambda row: (row.at, order.get(row.at, "").find(row.shown)))


def add_neighbours(
    chosen: Sequence[Excerpt], unread: Sequence[Excerpt], excerpts: Sequence[Excerpt], room: int
) -> list[Excerpt]:
    """The excerpts, those that no batch was read of with the rows next to their quotes, in equal shares of the room."""
    numbers = {each.number for each in unread}
    whole = {each.number: each for each in excerpts}
    share = room // max(len(numbers), 1)
    return [grow_rows(each, whole[each.number], share) if each.number in numbers else each for each in chosen]


def grow_rows(excerpt: Excerpt, whole: Excerpt, room: int) -> Excerpt:
    """An excerpt with more rows of its passage, the nearest first."""
    own, heads = {row.at for row in excerpt.all_rows}, {row.head for row in excerpt.all_rows}
    kept = list(excerpt.all_rows)
    others = [row for row in whole.all_rows if row.at not in own]
    for row in sorted(others, key=lambda row: min(abs(row.at - at) for at in own)):
        room -= len(row.shown) + 2 * ROW_SIGNS + (0 if row.head in heads else len(row.head))
        if room < 0:
            break
        kept.append(row)
        heads.add(row.head)
    return only_rows(whole, sorted(kept, key=lambda row: row.at))
