"""The terms of an audit trail, each explained in a sentence or two."""

from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

TERMS = {
    "against all detectors": _(
        "Kept although no detector alone has it among its best, or refused although every one of them has."
    ),
    "against RRF": _(
        "Kept or refused otherwise than RRF would have: it keeps as many, from the top of its own list. A candidate "
        "that changes its place and stays kept does not count."
    ),
    "anchor": _("The narrow lines where a search found its match, or the words of the passage the arbiter quoted."),
    "arbiter": _(
        "Who gave every candidate its role and reason, all in one judgement: a language model, fixed rules, or nobody."
    ),
    "blind review": _(
        "A second review by somebody who has not seen what others said, so that agreement means something."
    ),
    "brief": _("What the arbiter read about one candidate: where it stands, which words matched, a few lines of text."),
    "candidate": _(
        "A place in a document that a detector found and that was put before the arbiter. Every one stays in the "
        "record, refused ones too."
    ),
    "checks": _(
        "What the program tested of each sentence of the answer: does it cite, and do words and numbers agree?"
    ),
    "confidence": _(
        "Where fixed rules judged: how often evidence of this kind held an answer, in the questions the program is "
        "measured with. Where a language model judged: how strong the kind of evidence is, by rule, 0.9 or more for a "
        "section named as asked, 0.8 for words that stand together, 0.55 for a word alone. Where a reranking model "
        "judged it is at most 0.6, and 0.3 where nobody did. It does not say that this answer is right."
    ),
    "context": _("The wider lines around the anchor that are handed on for writing the answer."),
    "contract": _(
        "What the arbiter must keep to: judge every candidate it was given once, with a reason, and invent none."
    ),
    "coverage": _(
        "Which documents and pages could be searched at all. What nobody looked at can hide an answer, so it is named, "
        "and then “not found” is not said."
    ),
    "detector": _(
        "A search of one kind: words in titles of sections, keywords in the text, patterns such as an amount or a "
        "date, or vectors, that is, nearness in meaning."
    ),
    "evidence pack": _(
        "A zip with this page as a report, the records, images of the pages, and a program that checks that none was "
        "changed."
    ),
    "gate": _("A rule that can decide “not found”. Each says on what evidence it did or did not."),
    "heatmap": _("Every line of the page shaded by how near it lies to the question in meaning. It decided nothing."),
    "hit": _(
        "One match of one detector. Hits at the same place are merged into a candidate, unless all are near in meaning "
        "only and no word searched stands anywhere."
    ),
    "ledger": _(
        "A chain of fingerprints: each entry covers a record and the entry before, so that a later change shows. "
        "“Record unchanged” means that this record is what was stored. "
        "It says nothing about whether the answer is right."
    ),
    "mode": _(
        "How much work a question gets: fast asks no model to judge, balanced does, thorough also lets it read the "
        "question and follows references."
    ),
    "parse": _("One reading of a file, kept as it was. Reading the file again makes a new parse and leaves this one."),
    "plan": _("Which detectors ran for this question, each with the reason why it did or did not."),
    "prompt": _("The instructions the model got, numbered by version so that a change of wording can be told."),
    "quote": _(
        "The words the arbiter took from a passage. The program looks for them in the text of the page: literal if "
        "they stand there word for word, shortened to the part that does, rejected if none does. "
        "Only kept passages are quoted."
    ),
    "review": _(
        "What a person says of one candidate: that its role is right, or which role it should have had, and why."
    ),
    "role": _(
        "What the arbiter decided. Kept for the answer: primary carries it, supporting helps to understand it. "
        "Refused: tangential is about the topic only, discarded is not."
    ),
    "RRF": _(
        "Reciprocal rank fusion, a common way to merge search results by rank alone. Logged for comparison; it never "
        "decides."
    ),
    "SHA-256": _("A fingerprint of bytes: the same bytes always give the same one, other bytes never do."),
    "strength": _(
        "How much of the question a place carries, by fixed weights: its words, of which the asker’s own and the rare "
        "ones count more, words in the title, nearness in meaning, and a value of the form asked for."
    ),
    "tokens": _("The pieces a model reads and writes text in, and is paid by; an English word is one or two."),
    "verdict": _("What a reviewer says of the answer as a whole: agreed, wrong, incomplete, or not supported."),
}

# The names, as pages write them in the language of the reader.
NAMES = {
    "against all detectors": pgettext_lazy("term", "against all detectors"),
    "against RRF": pgettext_lazy("term", "against RRF"),
    "anchor": pgettext_lazy("term", "anchor"),
    "arbiter": pgettext_lazy("term", "arbiter"),
    "blind review": pgettext_lazy("term", "blind review"),
    "brief": pgettext_lazy("term", "brief"),
    "candidate": pgettext_lazy("term", "candidate"),
    "checks": pgettext_lazy("term", "checks"),
    "confidence": pgettext_lazy("term", "confidence"),
    "context": pgettext_lazy("term", "context"),
    "contract": pgettext_lazy("term", "contract"),
    "coverage": pgettext_lazy("term", "coverage"),
    "detector": pgettext_lazy("term", "detector"),
    "evidence pack": pgettext_lazy("term", "evidence pack"),
    "gate": pgettext_lazy("term", "gate"),
    "heatmap": pgettext_lazy("term", "heatmap"),
    "hit": pgettext_lazy("term", "hit"),
    "ledger": pgettext_lazy("term", "ledger"),
    "mode": pgettext_lazy("term", "mode"),
    "parse": pgettext_lazy("term", "parse"),
    "plan": pgettext_lazy("term", "plan"),
    "prompt": pgettext_lazy("term", "prompt"),
    "quote": pgettext_lazy("term", "quote"),
    "review": pgettext_lazy("term", "review"),
    "role": pgettext_lazy("term", "role"),
    "RRF": pgettext_lazy("term", "RRF"),
    "SHA-256": pgettext_lazy("term", "SHA-256"),
    "strength": pgettext_lazy("term", "strength"),
    "tokens": pgettext_lazy("term", "tokens"),
    "verdict": pgettext_lazy("term", "verdict"),
}


class ShownTerm(NamedTuple):
    """A term with its name and explanation in the language of the reader; `key` is its English name."""

    key: str
    name: str
    meaning: Promise


def terms_in_order(*keys: str) -> list[ShownTerm]:
    """The terms of these English names, or all, by their names in the language of the reader."""
    found = [ShownTerm(key, str(NAMES[key]), TERMS[key]) for key in keys or TERMS]
    return sorted(found, key=lambda term: term.name.casefold())
