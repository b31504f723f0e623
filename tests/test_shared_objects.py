"""What the threads of a process share, each with the reason why it is safe.

The asking worker and the web server work in threads. Whatever a module keeps, a library's object, a register or a
cache, is used by several of them at once. This test finds every such thing and asks for its reason here.
"""

import functools
import sys
from collections import deque
from collections.abc import Iterator
from dataclasses import is_dataclass
from itertools import count
from types import ModuleType
from typing import Any

from tests.product import modules

# Their objects are safe between threads: translations and querysets, tasks, API descriptions, locks, pools, patterns.
TRUSTED_LIBRARIES = {"builtins", "django", "celery", "drf_spectacular", *sys.stdlib_module_names}
VALUE = "a value that nobody changes, computed from its arguments alone; two threads at worst compute it twice"
BY_PROCESS = "read and filled under a lock, one entry a process"
REDIS = "the client takes a connection of its own out of a locked pool for each command"

REGISTERS = (dict, list, set, deque, count)  # with those made of them, such as Counter
# Attributes of classes that a framework reads and nobody changes.
OPTIONS = {"scopes", "renderer_classes", "parser_classes", "default_validators"}
GUARDED = "filled while modules are imported, read afterwards"
REASONS = {
    # Objects of libraries
    "docintel_site.asgi.application": "each request has its own state; readiness is kept on the event loop alone",
    "reading.language.identifier": "classify reads the model's tables and writes to nothing but its own variables",
    "llm.prices.PRICES": "pydantic validates without state",
    "retrieval.words.at_scale.TIMES_WEIGHT": "read-only, so that writing to it raises",
    "retrieval.words.lexicon.NO_LINES": "read-only, so that writing to it raises",
    "retrieval.words.tokens.STEMMERS": "a stemmer keeps the word it works on, so each thread has its own",
    # Registers
    "retrieval.detectors.vectors._asking": "locks, made at the start",
    "chat.stream._shared": f"made under a lock, never replaced; {REDIS}",
    "chat.stream._untold": "a name is added or taken out in one step; at worst a turn is told of twice",
    "chat.stream._clients": "used on the event loop alone, which is one thread",
    "docintel_site.cache.outage": "its one flag is changed under a lock, and a stale look at worst writes a line later",
    "docintel_site.http.header_limit._waiting": "used on the event loop alone, which is one thread",
    "documents.storage.content._cache": "a lock around each look and each change; contents never change",
    "reading.matching.FOLDS": "filled with the fold of one character at a time, which is always the same",
    "jobs.silence._silence": "what is owed and who asks change under a lock; its one flag is replaced whole",
    "llm.call._lacks": "read and replaced under a lock, its values never change",
    "llm.embeddings.bundled._kept": "looked at and changed under _keeping; the vectors are only read",
    "llm.embeddings.cross_encoder._loaded": f"{BY_PROCESS}; session and tokenizer may be called from several threads",
    "llm.embeddings.encoder._encoders": f"{BY_PROCESS}; session and tokenizer may be called from several threads",
    "llm.window._told": "read and replaced under a lock, its values never change",
    "llm.wire._wires": f"{BY_PROCESS}; its clients are used on its own event loop alone",
    "audit.review.proposed.golden_counters": GUARDED,
    "chat.page.citing.citing_answers": GUARDED,
    "chat.prompts.guidance.GUIDANCE_CHANGES": GUARDED,
    "documents.access.SETTINGS": GUARDED,
    "retrieval.dictionary.editing.DICTIONARY": GUARDED,
    "retrieval.reading_rules.editing.RULES": GUARDED,
    "reading.pdf.EVERYWHERE": "a rectangle that nobody changes",
    "reading.processes.starting._starter": "its server is started, used and let go under a lock",
    "retrieval.corpus._covers": "each question reads what it needs into a dict of its own",
    # Caches
    "retrieval.question.documents_named.called_of": VALUE,
    "audit.trail.heat.cosines_of": VALUE,
    "reading.boxes.text_width": VALUE,
    "documents.pages.search.searched_lines": VALUE,
    "reading.language.detect_language": VALUE,
    "embedded.identity.identity": VALUE,
    "llm.embeddings.encoder.hash_file": VALUE,
    "llm.reply.strict_schema": VALUE,
    "llm.fence.is_shown": VALUE,
    "reading.pages.profile.classes": f"{VALUE}; a file of the program",
    "retrieval.arbiter.evidence.read_fit": f"{VALUE}; a file of the program",
    "retrieval.candidates.calibration.line_letters": VALUE,
    "retrieval.words.concepts.index_names": VALUE,
    "retrieval.words.concepts.searched_terms": VALUE,
    "retrieval.detectors.vectors.query_vector": f"{VALUE}; the array is read-only",
    "retrieval.dictionary.load.concepts_at": f"{VALUE}; asked for by what the rows hold",
    "retrieval.dictionary.load.pack_concepts": VALUE,
    "retrieval.question.forms.form_rules": f"{VALUE}; files of the program",
    "retrieval.dictionary.load.phrase_of": VALUE,
    "retrieval.dictionary.packs.pack_rows": VALUE,
    "retrieval.dictionary.packs.pack_terms": VALUE,
    "retrieval.words.terms.weigh_searched": VALUE,
    "retrieval.words.terms.weigh_terms": VALUE,
    "retrieval.version.program_version": VALUE,
    "retrieval.words.tokens.base_forms": VALUE,
    "retrieval.words.tokens.generic_stems": VALUE,
    "retrieval.words.tokens.irregular_forms": VALUE,
    "retrieval.words.tokens.map_asked": f"{VALUE}; what it gives is only read",
    "retrieval.words.tokens.words_kept": VALUE,
    "retrieval.words.tokens.shared_words": VALUE,
    "retrieval.words.tokens.stem": VALUE,
    # Data files, read once
    "docintel_site.requirements.find_test_citations": f"{VALUE}; files of the program",
    "documents.cards.asking.legal_forms": VALUE,
    "documents.cards.signs.card_signs": VALUE,
    "documents.cards.signs.field_signs": VALUE,
    "chat.figures.computing.statement_lines": VALUE,
    "chat.figures.names.before_firm": VALUE,
    "chat.figures.names.map_form": VALUE,
    "chat.figures.names.name_words": VALUE,
    "chat.figures.names.patterns_of": f"{VALUE}; RE2 may search with one pattern in several threads",
    "chat.figures.names.places_named": VALUE,
    "chat.figures.personal.person_named": VALUE,
    "chat.figures.personal.personal_in": VALUE,
    "retrieval.words.periods.period_words": VALUE,
    "chat.figures.year_parts.part_words": VALUE,
    "chat.figures.yes_no.yes_no_words": VALUE,
    "retrieval.headlines.polarity.polar_words": VALUE,
    "retrieval.headlines.undecided.undecided_words": VALUE,
    "retrieval.question.across.everyday_ideas": VALUE,
    "retrieval.question.bands.band_words": VALUE,
    "reading.values.units.unit_names": VALUE,
    "chat.followup.gaps.gaps": VALUE,
    "chat.figures.formulas.known_metrics": VALUE,
    "chat.figures.formulas.ways_of_asking": VALUE,
    "retrieval.amendments.among.makes_changes": f"{VALUE}; a reading never changes",
    "retrieval.amendments.among.speaks_of_amending": VALUE,
    "retrieval.amendments.naming.naming_words": VALUE,
    "retrieval.amendments.sentences.amending_words": VALUE,
    "retrieval.candidates.aggregation.rarities": f"{VALUE}; the mapping is only read",
    "retrieval.candidates.noise.noise_signs": VALUE,
    "retrieval.candidates.rows_asked.day_asked": VALUE,
    "retrieval.candidates.rows_asked.stems_asked": VALUE,
    "retrieval.headlines.fitting.values_given": VALUE,
    "retrieval.headlines.siblings.is_preposition": VALUE,
    "reading.tables.read_cells": VALUE,
    "reading.layout.amounts.amount_words": VALUE,
    "reading.layout.amounts.words_in": VALUE,
    "reading.pages.stated_units.unit_wordings": VALUE,
    "reading.values.nothing.nothing_words": VALUE,
    "reading.values.pounds.pound_words": VALUE,
    "retrieval.question.kinds.answer_rules": VALUE,
    "retrieval.question.kinds.shipped_keys": VALUE,
    "retrieval.question.kinds.shipped_rows": VALUE,
    "retrieval.question.kinds.vague_words": VALUE,
    "retrieval.question.linear.compile_linear": f"{VALUE}; RE2 may search with one pattern in several threads",
    "retrieval.question.vague.speeches": VALUE,
    "retrieval.question.values.value_wordings": VALUE,
    "chat.turns.repeats.digest_of_dictionary": VALUE,
    "chat.figures.shares.share_words": f"{VALUE}; files of the program",
    "retrieval.question.phrasing.phrasing_rules": VALUE,
    "retrieval.words.counts.counting_words": VALUE,
    "retrieval.words.counts.total_patterns": VALUE,
    "retrieval.candidates.lists.series_start": VALUE,
    "retrieval.candidates.lists.series_joint": VALUE,
    "retrieval.words.statements.statement_patterns": VALUE,
    "retrieval.words.statements.statement_terms": VALUE,
    "retrieval.words.unspaced.function_words": VALUE,
    "retrieval.words.tokens.telling_stems": VALUE,
    "retrieval.words.tokens.word_lists": VALUE,
    "reading.layout.symbols.signs_by_font": f"{VALUE}; a file of the program",
    "retrieval.arbiter.named.saying_words": VALUE,
    "retrieval.words.tokens.words_anywhere": VALUE,
}


def is_shared_state(name: str, value: Any) -> bool:
    """A cache, a register (a container that is no constant), or an object that may change or of a library not known."""
    if isinstance(value, functools._lru_cache_wrapper):
        return True
    kind = type(value)
    is_trusted = kind.__module__.split(".")[0] in TRUSTED_LIBRARIES and kind.__name__ != "WeakKeyDictionary"
    if is_trusted and isinstance(value, REGISTERS):
        return not name.isupper() and name != "urlpatterns"
    if isinstance(value, type | ModuleType | tuple):
        return False
    if is_dataclass(value):
        return not vars(kind)["__dataclass_params__"].frozen
    return not is_trusted


def kept_in(module: ModuleType) -> Iterator[tuple[str, str, Any]]:
    """What a module keeps, and what each class that it defines does: its full name, its name, itself."""
    for name, value in vars(module).items():
        yield f"{module.__name__}.{name}", name, value
        is_own = isinstance(value, type) and value.__module__ == module.__name__
        if is_own and type(value) is type and not is_dataclass(value) and not issubclass(value, tuple):
            for held in vars(value).keys() - OPTIONS:
                yield f"{module.__name__}.{name}.{held}", held, vars(value)[held]


def test_everything_that_threads_share_has_its_reason() -> None:
    """A cache is named by the module that defines it, an object by the first that holds it."""
    found: dict[int, str] = {}
    for module in modules():
        if module.__name__ == "docintel_site.settings":
            continue  # read once, at the start
        for full_name, name, value in kept_in(module):
            is_imported = isinstance(value, functools._lru_cache_wrapper) and value.__module__ != module.__name__
            if not name.startswith("__") and not is_imported and is_shared_state(name, value):
                found.setdefault(id(value), full_name)
    assert sorted(found.values()) == sorted(REASONS)
