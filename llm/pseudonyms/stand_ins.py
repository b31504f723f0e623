"""Stand-ins for what tells who somebody is: "[Person 3]" leaves for a model, and the name is put back in its reply.

Inside `hiding`, every request to a server goes through here, whatever it is for (llm.call, llm.posting). What is found
is decided by DOCINTEL's own recognisers, which `settings.PERSONAL_DATA_FINDER` names; what they do not find goes out.

A request is written again from its text and its stand-ins alone, so that a stored one can be rebuilt.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple, cast

from django.conf import settings
from django.utils.module_loading import import_string

from jobs.block import with_value
from llm.dialect import Ask, Body

# What a model reads of each kind.
LABELS = {
    "person": "Person",
    "email": "E-mail",
    "phone": "Phone",
    "account": "Account",
    "card": "Card",
    "id": "ID",
    "address": "Address",
}
KIND_OF = {label: kind for kind, label in LABELS.items()}
STAND_IN = re.compile(rf"\[({'|'.join(LABELS.values())}) (\d+)[a-z]*\]")
SPELLINGS = "bcdefghijklmnopqrstuvwxy"  # of one somebody: [Person 1], [Person 1b]
GUIDANCE = re.compile(r"<guidance>\n.*?\n</guidance>", re.DOTALL)


class Personal(NamedTuple):
    """Something found that tells who somebody is: as it is written in full, then parts of it that tell it too.

    The parts of what is not `is_sure` are words as well: "Will" is hidden, and "will" is not.
    """

    kind: str
    names: tuple[str, ...]
    is_sure: bool = True


# A text, and names that are known already, some of which may be nobody's.
Finder = Callable[[str, Sequence[str]], Iterable[Personal]]

_known: ContextVar[tuple[str, ...] | None] = ContextVar("names_hidden", default=None)


def hiding(known: Sequence[str] | None) -> AbstractContextManager[None]:
    """Send stand-ins in the block in place of what tells who somebody is, wherever it is: found, or `known`.

    None: send everything as it is.
    """
    return with_value(_known, None if known is None else tuple(known))


def is_hiding() -> bool:
    return _known.get() is not None


@dataclass(frozen=True)
class StandIns:
    """What each stand-in of one request stands for."""

    originals: Mapping[str, str] = field(default_factory=dict)

    def hide(self, text: str) -> str:
        return self._written.sub(lambda found: self._by_original[found[0]], text) if self.originals else text

    def hide_ask(self, ask: Ask) -> Ask:
        """The request with the stand-ins; of its instructions only the guidance, the rest is the program's."""
        told = GUIDANCE.sub(lambda found: self.hide(found[0]), ask.instructions)
        return replace(ask, instructions=told, prompt=self.hide(ask.prompt))

    def put_back(self, text: str) -> str:
        """The text with what the stand-ins stand for; one that was never given is left as it is."""
        return STAND_IN.sub(lambda found: self.originals.get(found[0], found[0]), text) if self.originals else text

    @property
    def counts(self) -> dict[str, int]:
        """How many of each kind, two spellings of one counted once."""
        given = {found.groups() for name in self.originals if (found := STAND_IN.fullmatch(name))}
        return dict(Counter(KIND_OF[label] for label, _ in sorted(given)))

    @cached_property
    def _by_original(self) -> dict[str, str]:
        return {original: stand_in for stand_in, original in self.originals.items()}

    @cached_property
    def _written(self) -> re.Pattern[str]:
        return any_of(re.escape(each) for each in sorted(self._by_original, key=lambda each: (-len(each), each)))


class StreamedPutBack:
    """Puts back in pieces of text: what may be the beginning of a stand-in waits for the rest of it."""

    def __init__(self, stand_ins: StandIns) -> None:
        self._stand_ins, self._held = stand_ins, ""

    def feed(self, piece: str) -> str:
        """The text that may be shown after this piece."""
        text = self._held + piece
        start = text.rfind("[")
        is_begun = start >= 0 and any(
            name.startswith(text[start:]) and name != text[start:] for name in self._stand_ins.originals
        )
        cut = start if is_begun else len(text)
        self._held = text[cut:]
        return self._stand_ins.put_back(text[:cut])

    def rest(self) -> str:
        """What was held back, once nothing follows."""
        held, self._held = self._held, ""
        return held


def any_of(patterns: Iterable[str], flags: re.RegexFlag = re.NOFLAG) -> re.Pattern[str]:
    """An expression for whole words."""
    return re.compile(rf"(?<![^\W_])(?:{'|'.join(patterns)})(?![^\W_])", flags)


def stand_ins_for(ask: Ask) -> StandIns:
    return make_stand_ins([*GUIDANCE.findall(ask.instructions), ask.prompt])


def make_stand_ins(texts: Sequence[str]) -> StandIns:
    """Stand-ins for what is found in texts that are sent together; none outside `hiding`.

    They depend on the texts, and on what is known. None of them occurs in the texts.
    """
    known = _known.get()
    if known is None:
        return StandIns()
    said = "\n".join(texts)
    personal = list(cast(Finder, import_string(settings.PERSONAL_DATA_FINDER))(said, known))
    owners = number_found(personal, said)
    if not owners:
        return StandIns()
    names = sorted({name for each in personal for name in each.names}, key=lambda name: (-len(name), name))
    written = any_of((r"[^\S\n]+".join(map(re.escape, name.split())) for name in names), re.IGNORECASE)
    originals: dict[str, str] = {}
    seen: set[str] = set()
    spellings: Counter[str] = Counter()
    for found in written.finditer(said):
        stem, is_sure = owners[fold_name(found[0])]
        if found[0] in seen or not is_sure and found[0].islower():
            continue
        seen.add(found[0])
        originals[f"[{stem}{spelling_at(spellings[stem])}]"] = found[0]
        spellings[stem] += 1
    return StandIns(originals)


def spelling_at(number: int) -> str:
    """What tells apart the spellings of one somebody, from 0: "", "b" to "y", "zb" and so on."""
    rounds, place = divmod(number - 1, len(SPELLINGS))
    return "z" * rounds + SPELLINGS[place] if number else ""


def number_found(found: Iterable[Personal], said: str) -> dict[str, tuple[str, bool]]:
    """By name, what its stand-ins begin with ("Person 3"), and whether the name is sure to be one."""
    owners: dict[str, tuple[str, bool]] = {}
    taken = {f"{label} {number}" for label, number in STAND_IN.findall(said)}
    numbers: Counter[str] = Counter()
    for each in found:
        stem, _ = owners.get(fold_name(each.names[0]), ("", True))
        label = LABELS[each.kind]
        while not stem:
            numbers[label] += 1
            stem = f"{label} {numbers[label]}" if f"{label} {numbers[label]}" not in taken else ""
        for name in each.names:
            owners.setdefault(fold_name(name), (stem, each.is_sure))
    return owners


def fold_name(name: str) -> str:
    """Equal for whatever `re.IGNORECASE` takes for equal."""
    return "".join(sign.upper().lower()[:1] for sign in " ".join(name.split()))


def hide_body(body: Body) -> tuple[Body, StandIns, Counter[str]]:
    """A body of texts with stand-ins, these, and how many of each kind.

    Texts to embed get the bare kind ("[Person]"), each by itself, so that equal texts have equal vectors, in which
    nothing has to be put back.
    """
    if not is_hiding():
        return body, StandIns(), Counter()
    counts: Counter[str] = Counter()
    if "input" in body:
        hidden = []
        for text in body["input"]:
            stand_ins = make_stand_ins([text])
            counts.update(stand_ins.counts)
            hidden.append(STAND_IN.sub(r"[\1]", stand_ins.hide(text)))
        return body | {"input": hidden}, StandIns(), counts
    stand_ins = make_stand_ins([body["query"], *body["documents"]])
    sent = {"query": stand_ins.hide(body["query"]), "documents": [stand_ins.hide(each) for each in body["documents"]]}
    return body | sent, stand_ins, Counter(stand_ins.counts)
