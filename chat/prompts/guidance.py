"""What a base adds to the prompts: read for a question, checked, and changed by its owners (R110).

A change is a new row that the ledger vouches for, with who made it, when and why; the rows before it stay.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from uuid import UUID

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.models import User
from chat.models import PromptGuidance
from chat.prompts.catalogue import BY_NAME, GUIDED
from documents.access import actor_of
from documents.guarding.guard import Guarded
from documents.models import KnowledgeBase
from documents.pages.phrasing import group_thousands
from ledger.events import record
from ledger.payload import Payload
from llm.fence import is_shown
from llm.prompts import GUIDANCE_MAX, Guidance, digest_of_guidance, split_version
from reading.characters import clean_name
from retrieval.injection import LIFTING

GUIDANCE = Payload.of_columns(
    "guidance", "chat_promptguidance", "id base_id prompt number text why again_of by_id by_name created_at"
)
WHY_MAX = 300
SHOWN_MAX = 40  # characters of a text that is refused, in the message
# A word in angle brackets, as the blocks of a prompt begin and end, and marks of models' own formats.
BLOCK_MARK = re.compile(r"<[ ]?[/|!?]?[ ]?[^\W\d]|\|>")
PLACEHOLDER = re.compile(r"\{[^{}\n]{0,40}\}")


class GuidanceRefused(ValueError):
    """A text that may not be added to a prompt; the message is for people."""


class GuidanceChanged(GuidanceRefused):
    """Somebody changed it after the form was opened; nothing was stored."""

    def __init__(self) -> None:
        super().__init__(_("Somebody has changed this since you opened it. Nothing was stored; compare the two texts."))


def guidance_of(base: KnowledgeBase) -> Mapping[str, Guidance]:
    """What a base adds now, by the name of the prompt; an arbiter asked in a simpler form takes that of the usual."""
    return {row.prompt: Guidance(row.number, row.text) for row in newest_of(base) if row.text}


def newest_of(base: KnowledgeBase) -> list[PromptGuidance]:
    """The row that counts of each prompt a base has changed."""
    rows = PromptGuidance.objects.filter(base=base, prompt__in=GUIDED)
    return list(rows.order_by("prompt", "-number").distinct("prompt"))


def history_of(base: KnowledgeBase, prompt: str) -> list[PromptGuidance]:
    """Every text a base ever had for a prompt, the newest first."""
    return list(PromptGuidance.objects.filter(base=base, prompt=prompt).order_by("-number"))


def digests_of(guidance: Mapping[str, Guidance]) -> dict[str, str]:
    """What decides on an answer: the texts, not their numbers."""
    return {name: each.digest for name, each in sorted(guidance.items())}


def find_guidance(base_id: UUID, prompt: str, version: str) -> PromptGuidance | None:
    """The row that a recorded version of a prompt names; None if it names none, or its text is another."""
    _fixed, number, digest = split_version(version)
    prompt = BY_NAME[prompt].guided_as or prompt if prompt in BY_NAME else prompt
    row = PromptGuidance.objects.filter(base_id=base_id, prompt=prompt, number=number).first() if number else None
    return row if row and digest_of_guidance(row.text) == digest else None


GUIDANCE_CHANGES = Guarded(
    "guidance",
    gettext_lazy("guidance for the model"),
    lambda base: {name: each.text for name, each in guidance_of(base).items()},
)


@GUIDANCE_CHANGES.change
def change_guidance(
    base: KnowledgeBase, prompt: str, text: str, why: str, by: User | None, *, seen: int, again_of: int | None = None
) -> PromptGuidance | None:
    """Store a new text; None if it is the one that counts already. `seen` is the number its author saw, 0 for none.

    With `again_of` an earlier text is taken again. Raises GuidanceRefused, GuidanceChanged.
    """
    if prompt not in GUIDED:
        raise GuidanceRefused(_("Nothing may be added to this prompt."))
    with transaction.atomic():
        KnowledgeBase.objects.select_for_update().get(pk=base.pk)
        rows = history_of(base, prompt)
        last = rows[0] if rows else None
        if (last.number if last else 0) != seen:
            raise GuidanceChanged
        if again_of is not None:
            text = text_of(rows, again_of)
        text, why = check_text(text), check_why(why)
        if text == (last.text if last else ""):
            return None
        row = PromptGuidance.objects.create(
            base=base,
            prompt=prompt,
            number=seen + 1,
            text=text,
            why=why,
            again_of=again_of,
            by=by,
            by_name=actor_of(by)[:254],
            created_at=timezone.now(),
        )
        GUIDANCE.vouch(row.pk)
        numbers = [seen or "", row.number]
        details = {"prompt": prompt, "number": numbers, "sha256": digest_of_guidance(text), "why": why}
        record("guidance_changed", actor_of(by), f"base:{base.pk}", details)
    return row


def text_of(rows: Sequence[PromptGuidance], number: int) -> str:
    for row in rows:
        if row.number == number:
            return row.text
    raise GuidanceRefused(_("There is no earlier text with the number %(number)s.") % {"number": number})


def check_text(text: str) -> str:
    """The text as stored. Raises GuidanceRefused for what could break out of its block or would not be filled in."""
    text = unicodedata.normalize("NFC", text.replace("\r\n", "\n").replace("\r", "\n")).strip()
    if len(text) > GUIDANCE_MAX:
        told = {"count": group_thousands(len(text)), "most": group_thousands(GUIDANCE_MAX)}
        raise GuidanceRefused(_("The text has %(count)s characters; at most %(most)s are sent to the model.") % told)
    if not all(map(is_shown, text)):
        raise GuidanceRefused(_("The text holds characters nobody can see. Paste it as plain text, or write it anew."))
    if found := BLOCK_MARK.search(text):
        told = {"words": text[found.start() : found.start() + SHOWN_MAX].split("\n")[0]}
        words = _("“%(words)s” looks like a mark of the prompt itself. Write it without the angle bracket.")
        raise GuidanceRefused(words % told)
    if found := PLACEHOLDER.search(text):
        words = _(
            "Nothing is filled in for “%(words)s”: question and passages have their places in the fixed part. Write it "
            "without the braces."
        )
        raise GuidanceRefused(words % {"words": found.group()})
    if found := LIFTING.search(" ".join(text.split())):
        words = _("“%(words)s …”: the fixed part always applies, and no text of a base can take it away.")
        raise GuidanceRefused(words % {"words": found.group()[:SHOWN_MAX]})
    return text


def check_why(why: str) -> str:
    """The reason on one line. Raises GuidanceRefused without one."""
    why = clean_name(why)
    if not why:
        raise GuidanceRefused(_("Say why, in a few words: it is kept with the change."))
    if len(why) > WHY_MAX:
        raise GuidanceRefused(_("The reason is longer than %(most)s characters.") % {"most": WHY_MAX})
    return why
