"""Recorded reasons said as sentences in the reader's language: of a passage, of a rule that refuses, of no answer.

Reasons of before facts were recorded, and those a model wrote, are shown as they were recorded.
"""

from collections.abc import Callable, Sequence
from datetime import date
from typing import Any

from django.conf.locale import LANG_INFO
from django.utils.formats import date_format
from django.utils.translation import get_language_info, gettext_lazy, gettext_noop, ngettext, override
from django.utils.translation import gettext as _

from documents.pages.phrasing import group_thousands
from reading.values.sentences import RECORDED_SENTENCE
from retrieval.models import RetrievalRun, RunCandidate
from retrieval.told.clauses import Clause
from retrieval.told.columns import StoredContradiction, StoredFlag, StoredGate
from retrieval.told.planned import Facts, mark_each, name_type, say_planned
from retrieval.told.recorded import say_recorded

READS = 0.85  # how far a passage reads as an answer before it is said; tables and forms often read less
STATEMENTS = {
    "balance sheet": gettext_lazy("balance sheet"),
    "income statement": gettext_lazy("income statement"),
    "cash flow statement": gettext_lazy("cash flow statement"),
}
LANGUAGES = {
    "en": gettext_lazy("English"),
    "fr": gettext_lazy("French"),
    "de": gettext_lazy("German"),
    "es": gettext_lazy("Spanish"),
    "ar": gettext_lazy("Arabic"),
    "bo": gettext_lazy("Tibetan"),
    "he": gettext_lazy("Hebrew"),
    "ja": gettext_lazy("Japanese"),
    "km": gettext_lazy("Khmer"),
    "lo": gettext_lazy("Lao"),
    "my": gettext_lazy("Burmese"),
    "th": gettext_lazy("Thai"),
    "zh": gettext_lazy("Chinese"),
}
WORDLESS_NOUNS = {  # of `WORDLESS`
    "vectors": gettext_lazy("nearness in meaning"),
    "titles": gettext_lazy("a title"),
    "pinned": gettext_lazy("the page named"),
}


def passage_reason(candidate: RunCandidate) -> str:
    said = say_passage(candidate.reason_facts) or candidate.reason
    return " ".join(filter(None, (said, say_reads(candidate.reason_facts))))


def absence_of(run: RetrievalRun, *, is_outside: bool = False) -> str:
    """Why nothing was found, as a clause; for somebody outside without the names of what was not asked."""
    facts = told_of(run).get("reason", {})
    return say_clause(without_names(facts) if is_outside else facts) or run.not_found_reason


def without_names(facts: Facts) -> Facts:
    """The facts of a reason without the documents that it names and nobody asked."""
    parts = {"parts": [*map(without_names, facts["parts"])]} if "parts" in facts else {}
    return {**facts, **parts, **({"names": ()} if facts.get("code") == "amended" else {})}


def name_of_point(contradiction: StoredContradiction) -> str:
    """What passages that are told side by side are."""
    return _("Versions of a clause") if contradiction.get("clause") else _("Passages disagree")


def point_of(contradiction: StoredContradiction) -> str:
    """What passages that disagree say differently, or that they are versions of a clause."""
    if contradiction.get("clause"):
        clause = str(contradiction["clause"])
        said = _("Clause %(clause)s was amended. The newest version is shown first, or those of the time asked about.")
        part = _("%(part)s was amended. The newest version is shown first, or those of the time asked about.")
        if contradiction.get("is_conditional"):
            said = _("Clause %(clause)s may be changed: whether, or how far, depends on the words beside it.")
            part = _("%(part)s may be changed: whether, or how far, depends on the words beside it.")
        named = {"clause": clause, "part": f"{clause[:1].upper()}{clause[1:]}"}
        return (said if clause[:1].isdigit() else part) % named
    values = contradiction.get("values")
    return (
        _("The same words with another value: %(values)s.") % {"values": " / ".join(values)}
        if values
        else str(contradiction["point"])
    )


def state_of_version(state: Facts) -> str:
    """From when a version of a clause holds and what became of it, or may have: "replaced from May"; "" if unknown."""
    words, change = state.get("condition"), state["change"]
    perhaps = "perhaps " if words else ""
    held = ("in force" if change else f"{perhaps}in force", state["begins"])
    told = [(STATES.get(code, ("", "")), stored) for code, stored in (held, (f"{perhaps}{change}", state["ends"]))]
    said = [str(dated) % {"date": day(stored)} if dated and stored else str(plain) for (dated, plain), stored in told]
    whole = ", ".join(filter(None, said))
    return _("%(state)s: “%(words)s”") % {"state": whole, "words": words} if words else whole


def day(stored: str) -> str:
    return date_format(date.fromisoformat(stored))


STATES = {
    "in force": (gettext_lazy("in force from %(date)s"), ""),
    "perhaps in force": (gettext_lazy("may be in force from %(date)s"), gettext_lazy("may be in force")),
    "replaced": (gettext_lazy("replaced from %(date)s"), gettext_lazy("replaced by an amendment")),
    "deleted": (gettext_lazy("deleted from %(date)s"), gettext_lazy("deleted by an amendment")),
    "added": (gettext_lazy("amended from %(date)s"), gettext_lazy("amended")),
    "perhaps added": (gettext_lazy("may be amended from %(date)s"), gettext_lazy("may be amended")),
}


def gate_of(run: RetrievalRun, gate: StoredGate) -> str:
    """On what evidence a gate fired or did not."""
    return say_clause(told_of(run).get("gates", {}).get(gate["code"], {})) or str(gate["evidence"])


def planned_of(run: RetrievalRun, flag: StoredFlag) -> str:
    """Why a step of the plan runs or does not."""
    return say_planned(told_of(run).get("plan", {}).get(flag["name"], {})) or flag["reason"]


def left_out_of(run: RetrievalRun, reason: str) -> str:
    """Why a place that was found was not judged."""
    return say_planned(told_of(run).get("left_out", {}).get(reason, {})) or reason


def missing_of(run: RetrievalRun) -> str:
    """What the arbiter says an answer lacks."""
    return say_clause(told_of(run).get("answerable", {})) or run.answerable_reason


def in_words(stored: str) -> str:
    """Stored sentences in the reader's language if they are fixed ones of ours, else as they were stored."""
    return " ".join(_(each) for each in RECORDED_SENTENCE.split(stored) if each)


def told_of(run: RetrievalRun) -> dict[str, Any]:
    """The facts of a run's reasons; {} of one from before they were recorded."""
    told: dict[str, Any] = (run.plan or {}).get("told", {})
    return told


def give_clause(code: str, **facts: Any) -> Clause:
    """A clause by its code, in the English words that are recorded."""
    with override("en"):
        return Clause(CLAUSES[code](facts), code, **facts)


def give_passage_reason(rule: str, **facts: Any) -> Clause:
    """Why a rule kept or refused a passage, and by what figures, in the English words that are recorded."""
    with override("en"):
        share = say_share(facts.get("weight", {}))
        said = say_passage({"code": rule, **facts})
        return Clause(f"{said} {share}." if share else said, rule, **facts)


def say_clause(facts: Facts) -> str:
    """A clause; "" where there are no facts, or of a kind that this program does not know."""
    if "text" in facts:
        return str(facts["text"])
    clause = CLAUSES.get(facts.get("code", ""))
    return clause(facts) if clause else ""


def mark_words(words: Sequence[str], last: str = "") -> str:
    """Words in quotation marks as a list: “a”, “b” and “c”."""
    printed = _("“%(word)s”")
    return join_marked([printed % {"word": word} for word in words], last)


def join_marked(marked: Sequence[str], last: str = "") -> str:
    if len(marked) < 2:
        return "".join(marked)
    joining = last or _("and")
    return f"{', '.join(marked[:-1])} {joining} {marked[-1]}"


def tell_names(facts: Facts) -> str:
    """What is told by name, and how many more there are."""
    names = ", ".join(facts["names"])
    return _("%(names)s and %(count)s more") % {"names": names, "count": facts["more"]} if facts.get("more") else names


# ---- a passage


def say_passage(facts: Facts) -> str:
    """What speaks for a passage and why that was enough or not; "" where no facts are recorded."""
    evidence = PASSAGES.get(facts.get("code", ""))
    if evidence is None:
        return ""
    said = [evidence(facts)]
    if facts.get("running"):
        said.append(_("It is a heading repeated on many pages."))
    said.append(say_weight(facts.get("weight", {})))
    return " ".join(filter(None, said))


def say_reads(facts: Facts) -> str:
    """That a passage reads as an answer to the cross-encoder; "" where it was not read, or that is not clear."""
    if "first_reads" in facts:
        return _("One of its sentences reads as an answer and may be said first.")
    return _("It reads as an answer.") if facts.get("reads", 0) >= READS and not facts.get("unvalued") else ""


def end_sentence(facts: Facts, sentence: str) -> str:
    return sentence + (_(", with a value of the kind asked for.") if facts.get("value") else ".")


def say_words(facts: Facts) -> str:
    """The words of a passage as they stand there, each with what was asked if that is another."""
    printed, stands_for = _("“%(word)s”"), _("“%(form)s” for “%(asked)s”")
    marked = []
    for word in facts["words"]:
        form, asked = facts.get("form", {}).get(word, word), facts.get("asked", {}).get(word, word)
        marked.append((printed if form == asked else stands_for) % {"form": form, "asked": asked, "word": form})
    return join_marked(marked)


def say_named_page(facts: Facts) -> str:
    if facts["words"]:
        return _("The question names this page, and it has %(words)s.") % {"words": say_words(facts)}
    return _("The question names this page.")


def say_words_together(facts: Facts) -> str:
    if not facts["words"]:
        return ""
    said, is_one = _("It has %(words)s"), len(facts["words"]) == 1
    if not facts.get("one_printed") and facts.get("stand", facts["code"]) in ("together", "words together"):
        said = _("It has %(words)s beside other words of the question") if is_one else _("It has %(words)s together")
    return end_sentence(facts, said % {"words": say_words(facts)})


def say_words_apart(facts: Facts) -> str:
    if not facts["words"]:
        return _("Only the title of its section has words of the question.")
    told = {"words": say_words(facts)}
    if len(facts["words"]) == 1:
        return _("It has only %(words)s.") % told
    is_apart = facts.get("stand", "apart") == "apart"  # told since it is looked up in the text
    return _("It has %(words)s, but apart.") % told if is_apart else say_words_together(facts)


def say_referred(facts: Facts) -> str:
    by_question = _("The question points to this place: %(what)s.")
    by_passage = _("Another passage points to this place: %(what)s.")
    return (by_question if facts["in_question"] else by_passage) % {"what": say_recorded(facts["what"])}


PASSAGES: dict[str, Callable[[Facts], str]] = {
    gettext_noop("page named"): say_named_page,
    gettext_noop("statement asked for"): lambda facts: (
        _("It is the %(statement)s, where the question has its figures: %(words)s.")
        % {"statement": STATEMENTS.get(facts["statement"], facts["statement"]), "words": say_words(facts)}
    ),
    gettext_noop("exact title"): lambda facts: end_sentence(
        facts, _("Its section is named “%(section)s”, as in the question") % {"section": facts["section"]}
    ),
    gettext_noop("whole list"): lambda facts: (
        _("It says how many there are, or lists them all: %(words)s.") % {"words": say_words(facts)}
    ),
    gettext_noop("words together"): say_words_together,
    gettext_noop("value of the type"): say_words_together,
    gettext_noop("referred to"): say_referred,
    gettext_noop("words apart"): say_words_apart,
    gettext_noop("meaning only"): lambda facts: _(
        "It is near in meaning only and has no word that was searched: no evidence alone."
    ),
    gettext_noop("no signal"): lambda facts: _("It has no word that was searched and is not near in meaning."),
}


def name_rule(rule: str) -> str:
    """A rule of the rules arbiter in the reader's language; others by the name they are recorded under."""
    return _(rule) if rule in PASSAGES else rule


def say_weight(facts: Facts) -> str:
    """Why the evidence earned the passage its role; without figures, which are for those who open it."""
    code = facts.get("code", "")
    if code == "missing":
        return _("An answer needs more: %(missing)s.") % {"missing": say_clause(facts["missing"])}
    if code == "others":
        return ngettext(
            "%(count)s passage that comes earlier in the order of the rules supports the answer already.",
            "%(count)s passages that come earlier in the order of the rules support the answer already.",
            facts["count"],
        ) % {"count": facts["count"]}
    return str(WEIGHTS.get(code, ""))


WEIGHTS = {
    "best": gettext_lazy("No passage says more of what was asked."),
    "little": gettext_lazy("That is too little of the question for an answer."),
    "first of part": gettext_lazy("It comes first for its part of the question."),
    "equal": gettext_lazy("It says nearly as much as the best passage."),
    "supports": gettext_lazy("It says enough to support the answer."),
    "less": gettext_lazy("Another passage says clearly more."),
    "far less": gettext_lazy("Other passages say far more."),
    "faint": gettext_lazy("It has too little of what is asked of this side."),
    "version": gettext_lazy("It is a version of a clause that was found; those in force come first."),
}


def say_share(weight: Facts) -> str:
    """How strong the evidence was beside the strongest and beside the limit; "" where that decided nothing."""
    if "percent" not in weight:
        return ""
    share = _("%(percent)s%% of the strongest") % {"percent": weight["percent"]}
    limits = {
        "supports": _("%(limit)s%% is enough for a supporting passage"),
        "less": _("%(limit)s%% is needed"),
        "far less": _("below %(limit)s%% is discarded"),
    }
    limit = limits.get(weight["code"])
    return f"{share}; {limit % {'limit': weight['limit']}}" if limit else share


# ---- clauses of what is missing, of gates and of no answer


def say_zero_hits(facts: Facts) -> str:
    if also := facts.get("also"):  # earlier answers have them among the words
        said = say_zero_hits({**facts, "also": []})
        return _("%(reason)s; looked for too, and found nowhere: %(words)s") % {
            "reason": said,
            "words": mark_each(also),
        }
    if facts.get("is_foreign"):  # few forms were looked for; earlier answers do not tell
        return _("no page that was read mentions %(words)s") % {"words": mark_words(facts["words"], _("or"))}
    if len(facts["words"]) > 1:
        words = mark_each(facts["words"])
        return _("none of %(words)s stands anywhere in what was searched, in any form") % {"words": words}
    return _("%(words)s stands nowhere in what was searched, in any form") % {"words": mark_words(facts["words"])}


def say_words_occur(facts: Facts) -> str:
    said = _("%(some)s of %(all)s words occur, on %(lines)s lines, a line counted once for each of its words") % {
        "some": facts["some"],
        "all": facts["all"],
        "lines": group_thousands(facts["lines"]),
    }
    missing = facts.get("missing")
    if not missing:
        return said
    nowhere = _("nowhere: %(words)s") % {"words": mark_words(missing)}
    return f"{said}; {nowhere}"


def say_none_carries(facts: Facts) -> str:
    said = ngettext(
        "the one passage that was judged does not carry the answer",
        "none of the %(count)s passages that were judged carries the answer",
        facts["count"],
    ) % {"count": facts["count"]}
    why = say_clause(facts.get("why", {}))
    return f"{said}: {why}" if why else said


def say_doubt(facts: Facts) -> str:
    said = []
    if struck := facts.get("struck"):  # told since it is known
        said.append(_("%(words)s stands only where the words are struck through") % {"words": mark_words(struck)})
    if nowhere := facts["nowhere"]:
        said.append(_("no page that was read mentions %(words)s") % {"words": mark_words(nowhere, _("or"))})
    if elsewhere := facts["elsewhere"]:
        said.append(_("the best passage does not have %(words)s") % {"words": mark_words(elsewhere, _("or"))})
    return _(", and ").join(said)


def say_proposed(facts: Facts) -> str:
    said = _("only %(what)s proposed something, which is no evidence without a word") % {
        "what": _(" and ").join(str(WORDLESS_NOUNS.get(name, name)) for name in facts["proposed"])
    }
    all_the_same = _("it was judged to answer all the same")
    return f"{said}; {all_the_same}" if facts["is_primary"] else said


def say_unread_documents(facts: Facts) -> str:
    said = ngettext(
        "%(lost)s of %(count)s document could not be read",
        "%(lost)s of %(count)s documents could not be read",
        facts["count"],
    ) % {"lost": facts["lost"], "count": group_thousands(facts["count"])}
    return f"{said}: {tell_names(facts)}"


def say_unsearched(facts: Facts) -> str:
    said = ngettext("%(count)s document was not searched", "%(count)s documents were not searched", facts["count"])
    return f"{said % {'count': group_thousands(facts['count'])}}: {tell_names(facts)}"


def say_attached(facts: Facts) -> str:
    said = ngettext("%(count)s attached file was not read", "%(count)s attached files were not read", facts["count"])
    return f"{said % {'count': group_thousands(facts['count'])}}: {tell_names(facts)}"


def say_amended(facts: Facts) -> str:
    if not facts["names"]:
        return _("another document amends “%(title)s” and was not read") % {"title": facts["title"]}
    said = ngettext(
        "%(names)s amends “%(title)s” and was not read: ask them together to see what is in force",
        "%(names)s amend “%(title)s” and were not read: ask them together to see what is in force",
        facts["count"],
    )
    marked = [mark_words([name]) for name in facts["names"]]
    return said % {"names": tell_names({**facts, "names": marked}), "title": facts["title"]}


def say_pages(facts: Facts) -> str:
    said = ngettext("%(some)s of %(all)s page has text", "%(some)s of %(all)s pages have text", facts["all"]) % {
        "some": group_thousands(facts["some"]),
        "all": group_thousands(facts["all"]),
    }
    if not facts.get("names"):
        return said
    unreadable = _("not readable: %(names)s") % {"names": tell_names(facts)}
    return f"{said}; {unreadable}"


def say_counted(facts: Facts) -> str:
    said = ngettext(
        "%(count)s document was searched for words only",
        "%(count)s documents were searched for words only",
        facts["count"],
    ) % {"count": group_thousands(facts["count"])}
    if not facts["words"]:
        return _("%(said)s, and the question has no word that could be searched") % {"said": said}
    held = ngettext("%(count)s of them holds %(words)s", "%(count)s of them hold %(words)s", facts["holding"])
    words = mark_words(facts["words"], _("or"))
    return f"{said}; {held % {'count': facts['holding'], 'words': words}}"


def say_scope(facts: Facts) -> str:
    parts = (
        ("read", _("%(count)s read line by line")),
        ("counted", _("%(count)s searched for words only")),
        ("unreadable", _("%(count)s could not be read")),
        ("unsearched", _("%(count)s not searched")),
    )
    is_unread = facts["documents"] == facts["unreadable"]
    shown = [name for name, _words in parts if facts[name] or (name == "read" and is_unread)]
    told = ", ".join(words % {"count": facts[name]} for name, words in parts if name in shown)
    said = ngettext("%(count)s document", "%(count)s documents", facts["documents"])
    return f"{said % {'count': group_thousands(facts['documents'])}}: {told}"


def say_foreign(facts: Facts) -> str:
    texts = _(" and ").join(str(LANGUAGES.get(each, each)) for each in facts["texts"])
    asked = str(LANGUAGES.get(facts["asked"], facts["asked"]))
    said = (
        _("but the question is in %(asked)s and some of the text in %(texts)s")
        if facts.get("is_partly")  # earlier answers do not tell
        else _("but the question is in %(asked)s and the text in %(texts)s")
    )
    return said % {"asked": asked, "texts": texts}


def say_differing(facts: Facts) -> str:
    sides = [
        f"{value} ({', '.join(filter(None, (title, _('p. %(page)s') % {'page': page})))})"
        for value, title, page in facts["sides"]
    ]
    return _("these passages differ: %(values)s") % {"values": ", ".join(sides)}


def say_untold(facts: Facts) -> str:
    languages = _(" and ").join(str(LANGUAGES.get(each, each)) for each in facts["languages"])
    return _("the words of a text in %(languages)s cannot be told apart") % {"languages": languages}


def say_as_written(facts: Facts) -> str:
    code = facts["language"]
    language = get_language_info(code)["name_translated"] if "name" in LANG_INFO.get(code, {}) else code
    return _("words in %(language)s may not be found in every form") % {"language": language}


CLAUSES: dict[str, Callable[[Facts], str]] = {
    "several": lambda facts: "; ".join(filter(None, map(say_clause, facts["parts"]))),
    "amended": say_amended,
    "amends too": lambda facts: (
        _("“%(amending)s” amends “%(title)s” and changes something about this that could not be placed")
        % {"amending": facts["amending"], "title": facts["title"]}
    ),
    "zero hits": say_zero_hits,
    "words occur": say_words_occur,
    "words there": lambda facts: _("the passages have words of the question"),
    "nothing proposed": lambda facts: _("nothing was proposed without words either"),
    "proposed": say_proposed,
    "no candidate": lambda facts: _("no passage was found"),
    "not judged": lambda facts: (
        ngettext("%(count)s passage, not judged", "%(count)s passages, not judged", facts["count"])
        % {"count": facts["count"]}
    ),
    "primary": lambda facts: (
        ngettext(
            "%(some)s of %(all)s passage answers",
            "%(some)s of %(all)s passages answer",
            facts["all"],
        )
        % {"some": facts["some"], "all": facts["all"]}
    ),
    "none carries": say_none_carries,
    "too little": lambda facts: _("no passage carries enough of the question"),
    "doubt": say_doubt,
    "only named": lambda facts: _("the lines found only name it: they do not say whether it is so"),
    "no value": lambda facts: (
        _("no value of the kind asked for (%(type)s) stands beside the words of the question")
        % {"type": name_type(facts)}
    ),
    "no number": lambda facts: (
        _("no number that was found is said of %(words)s") % {"words": mark_words(facts["words"])}
    ),
    "no row": lambda facts: _("a table is about this, but not which of its rows is asked for"),
    "not said": lambda facts: (
        _("the sentence that comes nearest does not say %(words)s") % {"words": mark_words(facts["words"])}
    ),
    "other kind": lambda facts: (
        _("what was found speaks of “%(other)s”, not of “%(asked)s”")
        % {"other": facts["other"], "asked": facts["asked"]}
    ),
    "other question": lambda facts: (
        _("what was found answers another question: “%(asked)s”") % {"asked": facts["asked"]}
    ),
    "left open": lambda facts: _("the sentence that comes nearest leaves open what is asked"),
    "no cell": lambda facts: _("the cells of the row that was found cannot be told apart"),
    "nowhere": lambda facts: _("%(words)s occurs nowhere") % {"words": mark_words(facts["words"])},
    "not together": lambda facts: _("%(words)s stand on no page together") % {"words": mark_words(facts["words"])},
    "unread documents": say_unread_documents,
    "unsearched": say_unsearched,
    "attached": say_attached,
    "unread boxes": lambda facts: _("whether boxes are ticked could not be read") + f": {tell_names(facts)}",
    "pages": say_pages,
    "counted": say_counted,
    "scope": say_scope,
    "foreign": say_foreign,
    "everyday": lambda facts: (
        _("only the list of everyday words had something for %(words)s: nobody checked that this is what was meant")
        % {"words": mark_words(facts["words"])}
    ),
    "differ": say_differing,
    "untold": say_untold,
    "as written": say_as_written,
    "struck": lambda facts: _("the words that were found are struck through"),
    "only there": lambda facts: _("only %(place)s was searched") % {"place": facts["place"]},
    "no such place": lambda facts: _("nothing was searched: there is no %(place)s") % {"place": facts["place"]},
}
