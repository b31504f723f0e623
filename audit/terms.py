"""The words an auditor meets on a trail, each explained in a sentence or two."""

from django.utils.translation import gettext_lazy as _

TERMS = {
    "against all detectors": _(
        "Kept although no detector alone has it among its best, or refused although every one of them has."
    ),
    "against RRF": _("Decided otherwise than rank fusion would have: it keeps as many, from the top of its own list."),
    "anchor": _("The narrow lines where a search found its match, or the words of the passage the arbiter quoted."),
    "arbiter": _("The one judgement over all candidates together: by a language model, by fixed rules, or by nobody."),
    "blind review": _(
        "A second review by somebody who has not seen what others said, so that agreement means something."
    ),
    "brief": _("What the arbiter read about one candidate: where it stands, which words matched, a few lines of text."),
    "candidate": _("A place in a document that at least one detector proposed. Every one is kept, refused ones too."),
    "checks": _(
        "What the program tested of each sentence of the answer: does it cite, and do words and numbers agree?"
    ),
    "confidence": _("How strong the kind of evidence is, by rule, from 0 to 1. It is not a probability."),
    "context": _("The wider lines around the anchor that are handed on for writing the answer."),
    "contract": _(
        "What the arbiter must keep to: judge every candidate it was given once, with a reason, and invent none."
    ),
    "coverage": _("Which pages could be searched at all. Pages without readable text can hide an answer."),
    "detector": _(
        "A search of one kind: section titles (T), keywords (K), patterns such as amounts (P), or vectors, that is, "
        "meaning (V)."
    ),
    "gate": _("A rule that can decide “not found”. Each says on what evidence it did or did not."),
    "heatmap": _("Every line of the page shaded by how near it lies to the question in meaning. It decided nothing."),
    "hit": _("One match of one detector. Hits at the same place are merged into a candidate."),
    "ledger": _(
        "A chain of hashes: each entry covers this record and the entry before, so a later change shows. “Verified” means "
        "the record still has the hash it was stored with."
    ),
    "parse": _("One reading of a file, kept as it was. Reading the file again makes a new parse and leaves this one."),
    "plan": _("Which detectors ran for this question, each with the reason why it did or did not."),
    "prompt": _("The instructions the model got, numbered by version so that a change of wording can be told."),
    "repair": _(
        "What became of the arbiter’s quote: it must stand literally on the page, so it is kept, shortened or rejected."
    ),
    "role": _(
        "The arbiter’s verdict: primary carries the answer, supporting is needed to understand it, tangential is about "
        "the topic only, discarded is refused."
    ),
    "RRF": _(
        "Reciprocal rank fusion, a common way to merge search results by rank alone. Logged for comparison; it never "
        "decides."
    ),
    "SHA-256": _("A fingerprint of bytes: the same bytes always give the same one, other bytes never do."),
    "tokens": _("The pieces a model reads and writes text in, and is paid by; an English word is one or two."),
    "verdict": _("What a reviewer says of the answer as a whole: agreed, wrong, incomplete, or not supported."),
}
