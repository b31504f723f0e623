"""The reasons of a plan: recorded in English with the facts they are made of, and said in the reader's language."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, TypedDict

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, override, pgettext

from retrieval.told.clauses import Clause, recorded_facts

Facts = Mapping[str, Any]
READ_AROUND = {
    "line": gettext_lazy("the line"),
    "paragraph": gettext_lazy("the paragraph"),
    "section": gettext_lazy("the section"),
    "chapter": gettext_lazy("the chapter"),
    "page": gettext_lazy("the page"),
    "auto": gettext_lazy("as the kind of question asks"),
}
INTENTS = {
    "field_extraction": gettext_lazy("a value"),
    "section_retrieval": gettext_lazy("a section"),
    "conditional_lookup": gettext_lazy("an answer for a certain case"),
    "listing": gettext_lazy("a list"),
    "open_scoped": gettext_lazy("an explanation"),
    "open_corpus_wide": gettext_lazy("an explanation over all documents"),
    "outline": gettext_lazy("an outline"),
    "compare": gettext_lazy("a comparison"),
}
TYPE_WORDS = {
    "text": gettext_lazy("text"),
    "address": gettext_lazy("postal address"),
    "amount": gettext_lazy("amount"),
    "boolean": gettext_lazy("yes or no"),
    "date": gettext_lazy("date"),
    "definition": gettext_lazy("definition"),
    "duration": gettext_lazy("duration"),
    "email": gettext_lazy("e-mail"),
    "explanation": gettext_lazy("explanation"),
    "frequency": gettext_lazy("frequency"),
    "iban": gettext_lazy("IBAN"),
    "number": gettext_lazy("number"),
    "party": gettext_lazy("party"),
    "percentage": gettext_lazy("percentage"),
    "person": gettext_lazy("person"),
    "phone": gettext_lazy("phone"),
    "postcode": gettext_lazy("postcode"),
    "rate": gettext_lazy("rate"),
    "role": gettext_lazy("role"),
    "url": gettext_lazy("web address"),
}
MODES = {
    "fast": gettext_lazy("fast"),
    "balanced": gettext_lazy("balanced"),
    "thorough": gettext_lazy("thorough"),
}
THINGS = {
    "figure": gettext_lazy("figure"),
    "table": gettext_lazy("table"),
    "equation": gettext_lazy("equation"),
    "appendix": gettext_lazy("appendix"),
    "exhibit": gettext_lazy("exhibit"),
    "schedule": gettext_lazy("schedule"),
    "note": gettext_lazy("note"),
    "section": gettext_lazy("section"),
}


def give_reason(code: str, **facts: Any) -> Clause:
    """A reason by its code, in the English words that are recorded. Reasons among the facts are `recorded_facts`."""
    with override(None):
        return Clause(SAID[code](facts), code, **facts)


def join_reasons(*reasons: str, joining: str = "; ") -> Clause:
    """Several reasons one after the other, without empty ones."""
    return give_reason("joined", parts=[recorded_facts(each) for each in reasons if each], joining=joining)


class ThingFacts(TypedDict):
    """A thing that a text points to, and the page it is on, or is named on."""

    code: str
    kind: str
    label: str
    row: str
    page: int | str


def thing_of(kind: str, label: str = "", row: str = "", page: int | str = "") -> ThingFacts:
    return {"code": "thing on page" if page else "thing", "kind": kind, "label": label, "row": row, "page": page}


def say_planned(facts: Facts) -> str:
    """A reason of a plan; "" where no facts are recorded, or of a kind that this program does not know."""
    if "text" in facts:
        return str(facts["text"])
    said = SAID.get(facts.get("code", ""))
    return said(facts) if said else ""


# ---- what reasons are made of


def name_thing(facts: Facts) -> str:
    """A thing that a text points to, by its kind, its label and a row of it: "Table 3 row (E)"."""
    kind = str(THINGS.get(facts["kind"], facts["kind"]))
    row = _("row %(row)s") % {"row": facts["row"].upper()} if facts.get("row") else ""
    return " ".join(filter(None, [kind[:1].upper() + kind[1:], facts.get("label", "").upper(), row]))


def name_type(facts: Facts) -> str:
    return str(TYPE_WORDS.get(facts["type"], facts["type"]))


def name_all(things: Iterable[Facts]) -> str:
    return ", ".join(map(say_planned, things))


def name_few(facts: Facts) -> str:
    names = name_all(facts["things"])
    return _("%(names)s and %(count)s more") % {"names": names, "count": facts["more"]} if facts["more"] else names


def mark_each(words: Iterable[str]) -> str:
    return ", ".join(_("“%(word)s”") % {"word": word} for word in words)


def count_pages(count: int) -> str:
    return ngettext("%(count)s page", "%(count)s pages", count) % {"count": count}


def count_lines(count: int) -> str:
    return ngettext("%(count)s line", "%(count)s lines", count) % {"count": count}


# ---- reasons


def say_titles(facts: Facts) -> str:
    titles = ngettext("%(count)s title", "%(count)s titles", facts["entries"]) % {"count": facts["entries"]}
    tables = ngettext("%(count)s table of contents", "%(count)s tables of contents", facts["tables"])
    return _("%(titles)s in %(tables)s") % {"titles": titles, "tables": tables % {"count": facts["tables"]}}


def say_headed(facts: Facts) -> str:
    return ngettext(
        "no table of contents, but %(count)s page headed as a statement",
        "no table of contents, but %(count)s pages headed as a statement",
        facts["pages"],
    ) % {"count": facts["pages"]}


def say_formless(facts: Facts) -> str:
    if facts["type"] == "boolean":
        return _("a yes or no has no form to look for")
    if facts["type"] == "text":
        return _("an answer in words has no form to look for")
    return _("a value of the type %(type)s has no form to look for") % {"type": name_type(facts)}


def say_only_page(facts: Facts) -> str:
    only = _("only page %(page)s, kept even without a word of the question") % facts
    if not facts["without"]:
        return only
    without = _("not searched, for want of pages: %(titles)s") % {"titles": facts["without"]}
    return f"{only}; {without}"


def say_searched(facts: Facts) -> str:
    told = {"pages": count_pages(facts["pages"]), "lines": count_lines(facts["lines"])}
    return _("searched: it has %(pages)s of %(lines)s") % told


def say_around(facts: Facts) -> str:
    asked = _("%(size)s is asked for") % {"size": READ_AROUND.get(facts["size"], facts["size"])}
    elsewhere = _("the page in %(titles)s") % {"titles": facts["without"]} if facts["without"] else ""
    return "; ".join(filter(None, [asked, elsewhere]))


def say_pointed(facts: Facts) -> str:
    """Which of the things that a question points to are there, each with its page."""
    there = [
        _("%(thing)s, named in the question (p. %(page)s)") % {**each, "thing": name_thing(each)}
        for each in facts["found"]
    ]
    lost = [
        _("no %(thing)s is there") % each if each["label"] else _("no %(thing)s holds a word of the question") % each
        for each in with_names(facts["lost"])
    ]
    return "; ".join([*there, *lost, *([] if there else [_("searched as without it")])])


def with_names(things: Sequence[Facts]) -> list[Facts]:
    """The facts of things and what each is called; any of a kind by that kind."""
    kinds = {each["kind"]: THINGS.get(each["kind"], each["kind"]) for each in things}
    return [{**each, "thing": name_thing(each) if each["label"] else kinds[each["kind"]]} for each in things]


def say_followed(facts: Facts) -> str:
    followed = "; ".join(
        _("%(thing)s, named on p. %(page)s") % {**each, "thing": name_thing(each)} for each in facts["followed"]
    )
    found = _("followed: %(what)s") % {"what": followed} if followed else ""
    nowhere = _("led nowhere: %(what)s") % {"what": name_all(facts["lost"])} if facts["lost"] else ""
    return "; ".join(filter(None, [found, nowhere])) or _("the best passages point nowhere else")


def say_listed(facts: Facts) -> str:
    """How many things the text says there are, and how many the places that were found list."""
    if not facts["count"]:
        return _("the places found do not say how many %(listed)s there are") % facts
    if facts["found"] == facts["count"]:
        return _("%(count)s %(listed)s are stated, and the places found list them") % facts
    found = facts["found"] or pgettext("list", "none")
    return _("%(count)s %(listed)s are stated, and the places found list %(found)s") % {**facts, "found": found}


def say_wanted(facts: Facts) -> str:
    sections = _("sections %(names)s") % {"names": ", ".join(facts["sections"])} if facts["sections"] else ""
    wanted = filter(None, [sections, mark_each(facts["words"])])
    return _("the model asked for %(what)s") % {"what": _(" and ").join(wanted)}


def say_requested(facts: Facts) -> str:
    """What became of each wish of a model."""
    told = []
    for kind, name, count in facts["found"]:
        places = ngettext("%(count)s place", "%(count)s places", count) % {"count": count}
        told.append(f"{WISHES[kind] % {'name': name}}: {places}")
    return "; ".join(told)


def say_window(facts: Facts) -> str:
    said = _("%(tokens)s tokens: at most %(places)s places in %(chars)s characters") % facts
    return _("%(said)s, and a short reply") % {"said": said} if facts["small"] else said


def say_narrowed(facts: Facts) -> str:
    """What the request narrows the search to."""
    section = _("section “%(name)s”") % {"name": facts["section"]} if facts["section"] else ""
    pages = _("page %(pages)s") % {"pages": facts["pages"]} if facts["pages"] else ""
    place = _("%(section)s in %(pages)s") % {"section": section, "pages": pages} if section and pages else ""
    place = place or section or pages
    only = _("only %(place)s") % {"place": place} if place else ""
    judged = _("at most %(count)s places judged") % {"count": facts["places"]} if facts["places"] else ""
    near = _("nearness in meaning of at least %(nearness)s") % facts if facts["nearness"] else ""
    return "; ".join(filter(None, [only, judged, near]))


def say_fixed(said: Any, facts: Facts) -> str:
    """A reason without facts, in the reader's language."""
    return str(said)


def count_fields(facts: Facts) -> Facts:
    fields = ngettext("%(count)s other field", "%(count)s other fields", facts["count"]) % {"count": facts["count"]}
    return {**facts, "fields": fields}


def say_compared(facts: Facts) -> str:
    names = [_("“%(word)s”") % {"word": name} for name in facts["names"]]
    together = _("%(names)s and %(last)s") % {"names": ", ".join(names[:-1]), "last": names[-1]}
    return _("%(count)s things are compared, each is searched by itself: %(names)s") % {
        "count": len(names),
        "names": together if len(names) > 1 else "".join(names),
    }


NOISE = {
    "a block of signatures": gettext_lazy("a block of signatures"),
    "a list of exhibits": gettext_lazy("a list of exhibits"),
    "a bibliography": gettext_lazy("a bibliography"),
    "the definition of the parties": gettext_lazy("the definition of the parties"),
}
WISHES = {
    "section": gettext_lazy("section “%(name)s”"),
    "unknown": gettext_lazy("section %(name)s, which does not exist"),
    "word": gettext_lazy("“%(name)s”"),
}
FIXED = {
    "always on": gettext_lazy("always on"),
    "no embeddings": gettext_lazy("embeddings are off in this base"),
    "not embedded yet": gettext_lazy("the passages have no embeddings yet"),
    "no bundled model": gettext_lazy("The embedding model is not installed"),
    "no embedding server": gettext_lazy(
        "No embedding server is configured: set OPENAI_API_KEY, OPENAI_BASE_URL or DOCINTEL_EMBEDDING_BASE_URL"
    ),
    "no key for Voyage": gettext_lazy("No key for Voyage is configured: set VOYAGE_API_KEY"),
    "words added": gettext_lazy("dictionary words were added, so meaning is asked too"),
    "no other words": gettext_lazy("the dictionary knows no other words for it, so meaning is asked too"),
    "by section": gettext_lazy("hits are grouped by section and page"),
    "no page named": gettext_lazy("the question names no page"),
    "one question": gettext_lazy("one question"),
    "list": gettext_lazy("a list is asked for: whole sections are handed on"),
    "no list": gettext_lazy("no list is asked for"),
    "nothing to list": gettext_lazy("nothing is to be listed or counted"),
    "no thing named": gettext_lazy("the question points to no figure, table or appendix"),
    "place named": gettext_lazy("the question says where to look: what is named there is followed"),
    "points nowhere": gettext_lazy("the question points nowhere"),
    "asks where": gettext_lazy("the question asks where something stands, or for how things hang together"),
    "reranker": gettext_lazy("a reranker orders passages, and looks at no places"),
    "no other place": gettext_lazy("no other place does"),
    "nothing wanted": gettext_lazy("the model asked for nothing more"),
    "look off": gettext_lazy("which is switched off in this base"),
    "several asked": gettext_lazy("several things are asked"),
    "explained": gettext_lazy("something is to be explained or compared"),
    "single": gettext_lazy("a single thing is asked"),
    "every question": gettext_lazy("the base names it for every question it says nothing else of"),
    "no clear lead": gettext_lazy("no title or line leads clearly"),
    "one place": gettext_lazy("one place does not answer a question for a list or a concept"),
    "certain case": gettext_lazy("an answer is wanted in a certain case"),
    "rules unsure": gettext_lazy("the rules are not sure that it answers"),
    "in several documents": gettext_lazy("the rules find it in several documents"),
    "rules judge": gettext_lazy("the rules judge, no model is asked"),
    "model judges": gettext_lazy("the model judges"),
    "outline": gettext_lazy(
        "an outline is asked for: nothing is searched, the main parts of the document are taken in their order"
    ),
}
SAID: dict[str, Callable[[Facts], str]] = {
    **{code: partial(say_fixed, said) for code, said in FIXED.items()},
    "joined": lambda facts: facts["joining"].join(map(say_planned, facts["parts"])),
    "thing": name_thing,
    "titles": say_titles,
    "headed": say_headed,
    "no titles": lambda facts: _("no table of contents with %(count)s entries; hits are grouped by page") % facts,
    "identifiers": lambda facts: _("the question names %(names)s") % facts,
    "formless": say_formless,
    "form": lambda facts: _("answers of type %(type)s have a form") % {"type": name_type(facts)},
    "not embedded": lambda facts: _("the question could not be embedded: %(errors)s") % facts,
    "no embedder": lambda facts: _("nobody here can embed a question as %(models)s does") % facts,
    "conceptual": lambda facts: (
        _("the question is conceptual (%(intent)s)") % {"intent": INTENTS.get(facts["intent"], facts["intent"])}
    ),
    "title asked for": lambda facts: _("the title “%(title)s” is what is asked for") % facts,
    "line leads": lambda facts: _("one line leads by %(points)s points") % facts,
    "by page": lambda facts: _("grouped by page in %(titles)s") % facts,
    "page without pages": lambda facts: _("page %(page)s is named, but the text has no pages of its own") % facts,
    "page of short": lambda facts: _("page %(page)s is named; a document this short is read whole") % facts,
    "only page": say_only_page,
    "searched": say_searched,
    "whole": lambda facts: (
        _("%(pages)s: every passage is judged, with or without a hit") % {"pages": count_pages(facts["pages"])}
    ),
    "parts": lambda facts: _("%(count)s questions in one, each searched by itself") % facts,
    "count asked": lambda facts: _("%(count)s %(listed)s are asked for") % facts,
    "count unknown": lambda facts: _("the text may say how many %(listed)s there are") % facts,
    "things named": lambda facts: _("the question points to %(things)s") % {"things": name_all(facts["things"])},
    "pointed": say_pointed,
    "lines around": lambda facts: (
        _("%(lines)s before and %(after)s after are asked for")
        % {"lines": count_lines(facts["before"]), "after": facts["after"]}
    ),
    "as kind asks": lambda facts: (
        _("as the kind of question asks (%(intent)s)") % {"intent": INTENTS.get(facts["intent"], facts["intent"])}
    ),
    "around": say_around,
    "around requested": lambda facts: (
        _("the request says so: %(size)s") % {"size": READ_AROUND.get(facts["size"], facts["size"])}
    ),
    "mode": lambda facts: (
        _("mode is %(mode)s: references are not followed") % {"mode": MODES.get(facts["mode"], facts["mode"])}
    ),
    "followed": say_followed,
    "kept points to": lambda facts: _("what was kept points to %(names)s") % {"names": name_few(facts)},
    "kept names": lambda facts: _("what was kept names %(names)s, which is nowhere") % {"names": name_few(facts)},
    "thing on page": lambda facts: _("%(thing)s (p. %(page)s)") % {**facts, "thing": name_thing(facts)},
    "listed": say_listed,
    "looked again": lambda facts: _("looked again, and added the places that do on page %(pages)s") % facts,
    "wanted": say_wanted,
    "requested": say_requested,
    "found": lambda facts: _("found %(what)s") % {"what": say_planned(facts["what"])},
    "added": lambda facts: _("added and judged again: %(what)s") % {"what": say_planned(facts["what"])},
    "not judged": lambda facts: _("they were looked up, but could not be judged: %(failure)s") % facts,
    "for concept": lambda facts: _("the base names it for the concept “%(name)s”") % facts,
    "for type": lambda facts: _("the base names it for answers of type %(type)s") % {"type": name_type(facts)},
    "list of documents": lambda facts: _("a list is asked for of %(count)s documents") % facts,
    "but": lambda facts: (
        _("%(said)s, but %(doubt)s") % {"said": say_planned(facts["said"]), "doubt": say_planned(facts["doubt"])}
    ),
    "window": say_window,
    "narrowed": say_narrowed,
    "compared": say_compared,
    "together": lambda facts: (
        _("judged in one request with %(fields)s of the same documents, at most %(places)s places of each")
        % count_fields(facts)
    ),
    "apart": lambda facts: _("%(failure)s Asked in one request with %(fields)s; then by itself") % count_fields(facts),
    # ---- of places that were found and not judged
    "pool full": lambda facts: _("the %(count)s places judged rank higher, or are the first of their page") % facts,
    "noise": lambda facts: _("%(what)s, which is not asked for") % {"what": NOISE.get(facts["what"], facts["what"])},
    "no room": lambda facts: _("the request to the model holds %(count)s places") % facts,
}
