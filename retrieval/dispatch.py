"""Decide which steps run for a question, each with its reason, by flat rules without a model (R33, R36, R39, R75)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, cast

from django.conf import settings

from documents.base_settings import CONCEPT_KEY, EVERY_KEY, TYPE_KEY, BaseSettings
from documents.storage.content import USABLE_TOC_ENTRIES, DocumentContent
from llm.embeddings import providers
from llm.tiers import ChosenTier, Tier
from retrieval.question.pages import has_pages
from retrieval.question.phrasing import asks_where
from retrieval.question.values import has_form
from retrieval.told.columns import StoredPlan
from retrieval.types import ConceptTerms, Flag, Hit, Plan, Question
from retrieval.words.concepts import concepts_named
from retrieval.words.statements import statement_pages

OPEN_INTENTS = ("open_scoped", "open_corpus_wide")
SMALL_PAGES = 2  # R36: nothing is filtered in a document this short
SMALL_LINES = 240  # two pages, densely printed: a text without pages of its own counts as one, however long it is
CLEAN_SCORE, CLEAN_LEAD = 4, 3  # R39: a line this good, this far ahead, needs no second opinion
SECOND_PASS_MODE = "thorough"
HARD_MODEL, SMALL_MODEL, SMALL_WINDOW, TOGETHER = "hard_model", "small_model", "small_window", "together"
BY_STRENGTH: tuple[Tier, ...] = ("hard", "normal", "small")
NOT_EMBEDDED = "the question could not be embedded"


class Asked(NamedTuple):
    """The inputs of every rule."""

    question: Question
    contents: Sequence[DocumentContent]
    settings: BaseSettings
    mode: str


Rule = Callable[[Asked], Flag]


def plan(question: Question, contents: Sequence[DocumentContent], settings: BaseSettings, mode: str) -> Plan:
    """Every flag, on or off, in the order the steps run. `drop_vectors_if_clear` may still switch vectors off."""
    return Plan(tuple(rule(Asked(question, contents, settings, mode)) for rule in RULES))


def drop_vectors_if_clear(plan: Plan, question: Question, hits: Sequence[Hit]) -> Plan:
    """Switch vectors off if words alone have found the place (R33)."""
    reason = clean_signal(question, hits)
    if not plan.is_on("vectors") or question.intent in OPEN_INTENTS or not reason:
        return plan
    return without_vectors(plan, reason)


def without_vectors(plan: Plan, reason: str) -> Plan:
    """The plan with vectors switched off, and the reason."""
    return switch_off(plan, "vectors", reason)


def note_reason(plan: Plan, name: str, reason: str) -> Plan:
    """The plan with a step's outcome as the reason of its flag."""
    return Plan(tuple(replace(flag, reason=reason) if flag.name == name else flag for flag in plan.flags))


def switch_off(plan: Plan, name: str, reason: str) -> Plan:
    """The plan without a step that was on, with the reason."""
    flags = (Flag(name, False, reason) if flag.name == name and flag.on else flag for flag in plan.flags)
    return Plan(tuple(flags))


def clean_signal(question: Question, hits: Sequence[Hit]) -> str:
    """Why words alone suffice, or ""."""
    primary = {keyword.text for keyword in question.keywords if keyword.priority == "primary"}
    exact = [hit for hit in hits if hit.exact_title and primary <= set(hit.matched_keywords)]
    if exact:
        return f"the title “{exact[0].detail}” is what is asked for"
    scores = sorted((hit.line_score for hit in hits if hit.method == "keywords"), reverse=True)
    if scores and scores[0] >= CLEAN_SCORE and scores[0] - (scores[1] if len(scores) > 1 else 0) >= CLEAN_LEAD:
        return f"one line leads by {scores[0] - (scores[1] if len(scores) > 1 else 0):g} points"
    return ""


def has_flag(plan: StoredPlan, name: str) -> bool:
    """Whether a flag of a stored plan is on."""
    return any(flag["name"] == name and flag["on"] for flag in plan.get("flags", ()))


def tier_in(plan: StoredPlan) -> ChosenTier:
    """The tier of the model that judges and writes by a stored plan, with the reason the plan has."""
    reasons = {flag["name"]: flag["reason"] for flag in plan.get("flags", ())}
    if has_flag(plan, SMALL_MODEL):
        return ChosenTier("small", reasons[SMALL_MODEL])
    return ChosenTier("hard" if has_flag(plan, HARD_MODEL) else "normal", reasons.get(HARD_MODEL, ""))


def consider_tier(
    plan: Plan, question: Question, contents: Sequence[DocumentContent], named: ChosenTier | None
) -> Plan:
    """The plan with the model that judges and writes: the one the base names for the question, else by the question."""
    return note_tier(plan, named) if named else consider_hard_model(plan, question, contents)


def find_named_tier(
    question: Question, tiers: Mapping[str, str], dictionary: Sequence[ConceptTerms]
) -> ChosenTier | None:
    """The tier a base names for a question (R25): for a concept it names, else for the type of its answer, else for
    every question. Of several concepts the strongest counts.
    """
    if not tiers:
        return None
    known = {key.casefold(): tier for key, tier in tiers.items()}
    concepts = [each.concept.name for each in concepts_named(question.topic, dictionary)]
    reasons = [(f"{CONCEPT_KEY}{name}", f"the base names it for the concept “{name}”") for name in concepts]
    asked = [(known[key.casefold()], reason) for key, reason in reasons if key.casefold() in known]
    asked.sort(key=lambda pair: BY_STRENGTH.index(cast(Tier, pair[0])))
    of_type = f"{TYPE_KEY}{question.answer_type}", f"the base names it for answers of type {question.answer_type}"
    every = EVERY_KEY, "the base names it for every question it says nothing else of"
    asked += [(known[key], reason) for key, reason in (of_type, every) if key in known]
    return ChosenTier(cast(Tier, asked[0][0]), asked[0][1]) if asked else None


def note_tier(plan: Plan, chosen: ChosenTier) -> Plan:
    """The plan with the flag of a tier that the base names."""
    name = SMALL_MODEL if chosen.tier == "small" else HARD_MODEL
    return Plan((*plan.flags, Flag(name, chosen.tier != "normal", chosen.why)))


def consider_hard_model(plan: Plan, question: Question, contents: Sequence[DocumentContent]) -> Plan:
    """The plan with the decision whether the model for hard questions is asked; as it was where there is none."""
    if not settings.LLM_MODEL_HARD:
        return plan
    reason = ""
    if question.parts:
        reason = "several things are asked"
    elif question.intent in OPEN_INTENTS:
        reason = "something is to be explained or compared"
    elif question.intent == "listing" and len(contents) > 1:
        reason = f"a list is asked for of {len(contents)} documents"
    return Plan((*plan.flags, Flag(HARD_MODEL, bool(reason), reason or "a single thing is asked")))


def rule_titles(asked: Asked) -> Flag:
    usable = [content for content in asked.contents if content.has_usable_toc]
    entries = sum(entry.origin != "front" for content in usable for entry in content.toc)
    if usable:
        return Flag("titles", True, f"{entries} titles in {pluralise(len(usable), 'table')} of contents")
    headed = sum(len(statement_pages(content)) for content in asked.contents)
    if headed:
        return Flag("titles", True, f"no table of contents, but {pluralise(headed, 'page')} headed as a statement")
    return Flag("titles", False, f"no table of contents with {USABLE_TOC_ENTRIES} entries; hits are grouped by page")


def rule_keywords(asked: Asked) -> Flag:
    return Flag("keywords", True, "always on")


def rule_patterns(asked: Asked) -> Flag:
    identifiers = [keyword.text for keyword in asked.question.keywords if keyword.source == "identifier"]
    if identifiers:
        return Flag("patterns", True, f"the question names {', '.join(identifiers)}")
    if not has_form(asked.question):
        kind = asked.question.answer_type
        wanted = {"boolean": "a yes or no", "text": "an answer in words"}.get(kind, f"a value of the type {kind}")
        return Flag("patterns", False, f"{wanted} has no form to look for")
    return Flag("patterns", True, f"answers of type {asked.question.answer_type} have a form")


def rule_vectors(asked: Asked) -> Flag:
    if asked.settings.embeddings == "none":
        return Flag("vectors", False, "embeddings are off in this base")
    made_by = {content.vectors.model_key for content in asked.contents if content.vectors is not None}
    if not made_by:
        reason = providers.find_provider_obstacle(asked.settings.embeddings)
        return Flag("vectors", False, reason or "the passages have no embeddings yet")
    if not any(providers.embedder_for(key) for key in made_by):
        return Flag("vectors", False, f"nobody here can embed a question as {', '.join(sorted(made_by))} does")
    if asked.question.intent in OPEN_INTENTS:
        return Flag("vectors", True, f"the question is conceptual ({asked.question.intent})")
    if any(keyword.source == "dictionary" for keyword in asked.question.keywords):
        return Flag("vectors", True, "dictionary words were added, so meaning is asked too")
    return Flag("vectors", True, "the dictionary knows no other words for it, so meaning is asked too")


def rule_sections(asked: Asked) -> Flag:
    without = [content.title for content in asked.contents if not content.has_usable_toc]
    if without:
        return Flag("sections", len(without) < len(asked.contents), f"grouped by page in {', '.join(without)[:200]}")
    return Flag("sections", True, "hits are grouped by section and page")


def rule_pages(asked: Asked) -> Flag:
    if not asked.question.hints.names_page:
        return Flag("page_hints", False, "the question names no page")
    named = asked.question.hints.written_pages
    paged = [content for content in asked.contents if has_pages(content)]
    if not paged:
        return Flag("page_hints", False, f"page {named} is named, but the text has no pages of its own")
    if all(len(content.pages) <= SMALL_PAGES for content in paged):
        return Flag("page_hints", False, f"page {named} is named; a document this short is read whole")
    only = f"only page {named}, kept even without a word of the question"
    without = ", ".join(content.title for content in asked.contents if not has_pages(content))[:200]
    return Flag("page_hints", True, f"{only}; not searched, for want of pages: {without}" if without else only)


def rule_whole(asked: Asked) -> Flag:
    pages = sum(len(content.pages) for content in asked.contents)
    lines = sum(len(content.lines) for content in asked.contents)
    if not lines or pages > SMALL_PAGES or lines > SMALL_LINES:
        return Flag(
            "whole_document", False, f"searched: it has {pluralise(pages, 'page')} of {pluralise(lines, 'line')}"
        )
    return Flag("whole_document", True, f"{pluralise(pages, 'page')}: every passage is judged, with or without a hit")


def rule_parts(asked: Asked) -> Flag:
    count = len(asked.question.parts)
    return Flag("parts", bool(count), f"{count} questions in one, each searched by itself" if count else "one question")


def rule_listing(asked: Asked) -> Flag:
    is_list = asked.question.intent == "listing"
    return Flag(
        "listing", is_list, "a list is asked for: whole sections are handed on" if is_list else "no list is asked for"
    )


def rule_list_pass(asked: Asked) -> Flag:
    listed, count = asked.question.listed, asked.question.listed_count
    if not listed:
        return Flag("list_pass", False, "nothing is to be listed or counted")
    said = f"{count} {listed} are asked for" if count else f"the text may say how many {listed} there are"
    return Flag("list_pass", True, said)


def rule_layout(asked: Asked) -> Flag:
    objects = asked.question.hints.objects
    if not objects:
        return Flag("layout_hints", False, "the question points to no figure, table or appendix")
    return Flag("layout_hints", True, f"the question points to {', '.join(map(str, objects))}")


def rule_around(asked: Asked) -> Flag:
    hints = asked.question.hints
    around = hints.around
    if hints.lines_before or hints.lines_after:
        said = f"{pluralise(hints.lines_before, 'line')} before and {hints.lines_after} after are asked for"
        return Flag("read_around", True, said)
    if not around:
        return Flag("read_around", False, f"as the kind of question asks ({asked.question.intent})")
    without = [each.title for each in asked.contents if not each.has_usable_toc]
    if around in ("section", "chapter") and without:
        return Flag("read_around", True, f"the {around} is asked for; the page in {', '.join(without)[:200]}")
    return Flag("read_around", True, f"the {around} is asked for")


def rule_references(asked: Asked) -> Flag:
    hints = asked.question.hints
    if hints.section or hints.objects:
        return Flag("cross_references", True, "the question says where to look: what is named there is followed")
    pointed = hints.layout or asks_where(asked.question.topic)
    if not pointed and asked.question.intent not in ("section_retrieval", "open_scoped"):
        return Flag("cross_references", False, "the question points nowhere")
    if asked.mode != SECOND_PASS_MODE:
        return Flag("cross_references", False, f"mode is {asked.mode}: references are not followed")
    return Flag("cross_references", True, "the question asks where something stands, or for how things hang together")


RULES: tuple[Rule, ...] = (
    rule_titles,
    rule_keywords,
    rule_patterns,
    rule_vectors,
    rule_sections,
    rule_pages,
    rule_whole,
    rule_parts,
    rule_listing,
    rule_list_pass,
    rule_layout,
    rule_around,
    rule_references,
)


def pluralise(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
