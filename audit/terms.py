"""The words an auditor meets on a trail, each explained in a sentence or two."""

TERMS = {
    "anchor": "The narrow lines where a search found its match, or the words of the passage the arbiter quoted.",
    "arbiter": "The one judgement over all candidates together: by a language model, by fixed rules, or by nobody.",
    "brief": "What the arbiter read about one candidate: where it stands, which words matched, a few lines of text.",
    "candidate": "A place in a document that at least one detector proposed. Every one is kept, refused ones too.",
    "confidence": "How strong the kind of evidence is, by rule, from 0 to 1. It is not a probability.",
    "context": "The wider lines around the anchor that are handed on for writing the answer.",
    "coverage": "Which pages could be searched at all. Pages without readable text can hide an answer.",
    "detector": "A search of one kind: section titles, keywords, patterns (such as amounts), or vectors (meaning).",
    "gate": "A rule that can decide “not found”. Each says on what evidence it did or did not.",
    "hit": "One match of one detector. Hits at the same place are merged into a candidate.",
    "ledger": "A chain of hashes: each entry covers this record and the entry before, so a later change shows.",
    "parse": "One reading of a file, kept as it was. Reading the file again makes a new parse and leaves this one.",
    "plan": "Which detectors ran for this question, each with the reason why it did or did not.",
    "repair": "What became of the arbiter’s quote: it must stand literally on the page, so it is kept, shortened or rejected.",
    "role": "The arbiter’s verdict: primary carries the answer, supporting is needed to understand it, "
    "tangential is about the topic only, discarded is refused.",
    "RRF": "Reciprocal rank fusion, a common way to merge search results by rank alone. Logged for comparison; "
    "it never decides.",
}
