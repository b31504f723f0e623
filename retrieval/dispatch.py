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
from retrieval.told.planned import give_reason, thing_of
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
NOT_EMBEDDED = "the question could not be embedded"  # begins the recorded reason
OBSTACLES = {
    providers.MISSING_BUNDLED: "no bundled model",
    providers.MISSING_OPENAI: "no embedding server",
    providers.MISSING_VOYAGE: "no key for Voyage",
}


class Asked(NamedTuple):
    """The inputs of every rule."""

    question: Question
    contents: Sequence[DocumentContent]
    settings: BaseSettings
    mode: str


Rule = Callable[[Asked], Flag]


def plan(question: Question, contents: Sequence[DocumentContent], settings: BaseSettings, mode: str) -> Plan:
    """The flag of each rule, on or off, in the order the steps run. Later steps add theirs, or switch one."""
    return Plan(tuple(rule(Asked(question, contents, settings, mode)) for rule in RULES))


def drop_vectors_if_clear(plan: Plan, question: Question, hits: Sequence[Hit]) -> Plan:
    """Switch vectors off if words alone have found the place (R33)."""
    reason = clean_signal(question, hits)
    if not plan.is_on("vectors") or question.intent in OPEN_INTENTS or not reason:
        return plan
    return switch_off(plan, "vectors", reason)


def note_reason(plan: Plan, name: str, reason: str) -> Plan:
    """The plan with a step's outcome as the reason of its flag."""
    return Plan(tuple(replace(flag, reason=reason) if flag.name == name else flag for flag in plan.flags))


def switch_off(plan: Plan, name: str, reason: str) -> Plan:
    """The plan without a step that was on, with the reason."""
    flags = (Flag(name, False, reason) if flag.name == name and flag.on else flag for flag in plan.flags)
    return Plan(tuple(flags))


def switch_on(plan: Plan, name: str, reason: str) -> Plan:
    """The plan with a step that was taken, with the reason."""
    return Plan(tuple(Flag(name, True, reason) if flag.name == name else flag for flag in plan.flags))


def clean_signal(question: Question, hits: Sequence[Hit]) -> str:
    """Why words alone suffice, or ""."""
    primary = {keyword.text for keyword in question.keywords if keyword.priority == "primary"}
    exact = [hit for hit in hits if hit.exact_title and primary <= set(hit.matched_keywords)]
    if exact:
        return give_reason("title asked for", title=exact[0].detail)
    scores = sorted((hit.line_score for hit in hits if hit.method == "keywords"), reverse=True)
    if scores and scores[0] >= CLEAN_SCORE and scores[0] - (scores[1] if len(scores) > 1 else 0) >= CLEAN_LEAD:
        return give_reason("line leads", points=f"{scores[0] - (scores[1] if len(scores) > 1 else 0):g}")
    return ""


def has_flag(plan: StoredPlan, name: str) -> bool:
    return any(flag["name"] == name and flag["on"] for flag in plan.get("flags", ()))


def tier_in(plan: StoredPlan) -> ChosenTier:
    """The tier of the model that judges and writes by a stored plan, with the reason the plan has."""
    reasons = {flag["name"]: flag["reason"] for flag in plan.get("flags", ())}
    if has_flag(plan, SMALL_MODEL):
        return ChosenTier("small", reasons[SMALL_MODEL])
    return ChosenTier("hard" if has_flag(plan, HARD_MODEL) else "normal", reasons.get(HARD_MODEL, ""))


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
    reasons = [(f"{CONCEPT_KEY}{name}", give_reason("for concept", name=name)) for name in concepts]
    asked = [(known[key.casefold()], reason) for key, reason in reasons if key.casefold() in known]
    asked.sort(key=lambda pair: BY_STRENGTH.index(cast(Tier, pair[0])))
    of_type = f"{TYPE_KEY}{question.answer_type}", give_reason("for type", type=question.answer_type)
    every = EVERY_KEY, give_reason("every question")
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
    reason = None
    if question.parts:
        reason = give_reason("several asked")
    elif question.intent in OPEN_INTENTS:
        reason = give_reason("explained")
    elif question.intent == "listing" and len(contents) > 1:
        reason = give_reason("list of documents", count=len(contents))
    return Plan((*plan.flags, Flag(HARD_MODEL, bool(reason), reason or give_reason("single"))))


def rule_titles(asked: Asked) -> Flag:
    usable = [content for content in asked.contents if content.has_usable_toc]
    entries = sum(entry.origin != "front" for content in usable for entry in content.toc)
    if usable:
        return Flag("titles", True, give_reason("titles", entries=entries, tables=len(usable)))
    headed = sum(len(statement_pages(content)) for content in asked.contents)
    if headed:
        return Flag("titles", True, give_reason("headed", pages=headed))
    return Flag("titles", False, give_reason("no titles", count=USABLE_TOC_ENTRIES))


def rule_keywords(asked: Asked) -> Flag:
    return Flag("keywords", True, give_reason("always on"))


def rule_patterns(asked: Asked) -> Flag:
    identifiers = [keyword.text for keyword in asked.question.keywords if keyword.source == "identifier"]
    if identifiers:
        return Flag("patterns", True, give_reason("identifiers", names=", ".join(identifiers)))
    if not has_form(asked.question):
        return Flag("patterns", False, give_reason("formless", type=asked.question.answer_type))
    return Flag("patterns", True, give_reason("form", type=asked.question.answer_type))


def rule_vectors(asked: Asked) -> Flag:
    if asked.settings.embeddings == "none":
        return Flag("vectors", False, give_reason("no embeddings"))
    made_by = {content.vectors.model_key for content in asked.contents if content.vectors is not None}
    if not made_by:
        obstacle = providers.find_provider_obstacle(asked.settings.embeddings)
        told = give_reason(OBSTACLES.get(obstacle, "not embedded yet"))
        return Flag("vectors", False, obstacle if obstacle and obstacle not in OBSTACLES else told)
    if not any(providers.embedder_for(key) for key in made_by):
        return Flag("vectors", False, give_reason("no embedder", models=", ".join(sorted(made_by))))
    if asked.question.intent in OPEN_INTENTS:
        return Flag("vectors", True, give_reason("conceptual", intent=asked.question.intent))
    if any(keyword.source in ("dictionary", "everyday") for keyword in asked.question.keywords):
        return Flag("vectors", True, give_reason("words added"))
    return Flag("vectors", True, give_reason("no other words"))


def rule_sections(asked: Asked) -> Flag:
    without = [content.title for content in asked.contents if not content.has_usable_toc]
    if without:
        titles = ", ".join(without)[:200]
        return Flag("sections", len(without) < len(asked.contents), give_reason("by page", titles=titles))
    return Flag("sections", True, give_reason("by section"))


def rule_pages(asked: Asked) -> Flag:
    if not asked.question.hints.names_page:
        return Flag("page_hints", False, give_reason("no page named"))
    named = asked.question.hints.written_pages
    paged = [content for content in asked.contents if has_pages(content)]
    if not paged:
        return Flag("page_hints", False, give_reason("page without pages", page=named))
    if all(len(content.pages) <= SMALL_PAGES for content in paged):
        return Flag("page_hints", False, give_reason("page of short", page=named))
    without = ", ".join(content.title for content in asked.contents if not has_pages(content))[:200]
    return Flag("page_hints", True, give_reason("only page", page=named, without=without))


def rule_whole(asked: Asked) -> Flag:
    pages = sum(len(content.pages) for content in asked.contents)
    lines = sum(len(content.lines) for content in asked.contents)
    if not lines or pages > SMALL_PAGES or lines > SMALL_LINES:
        return Flag("whole_document", False, give_reason("searched", pages=pages, lines=lines))
    return Flag("whole_document", True, give_reason("whole", pages=pages))


def rule_parts(asked: Asked) -> Flag:
    count = len(asked.question.parts)
    return Flag("parts", bool(count), give_reason("parts", count=count) if count else give_reason("one question"))


def rule_listing(asked: Asked) -> Flag:
    is_list = asked.question.intent == "listing"
    return Flag("listing", is_list, give_reason("list" if is_list else "no list"))


def rule_list_pass(asked: Asked) -> Flag:
    listed, count = asked.question.listed, asked.question.listed_count
    if not listed:
        return Flag("list_pass", False, give_reason("nothing to list"))
    code = "count asked" if count else "count unknown"
    return Flag("list_pass", True, give_reason(code, count=count, listed=listed))


def rule_layout(asked: Asked) -> Flag:
    objects = asked.question.hints.objects
    if not objects:
        return Flag("layout_hints", False, give_reason("no thing named"))
    return Flag("layout_hints", True, give_reason("things named", things=[thing_of(*each) for each in objects]))


def rule_around(asked: Asked) -> Flag:
    hints = asked.question.hints
    around = hints.around
    if hints.lines_before or hints.lines_after:
        told = give_reason("lines around", before=hints.lines_before, after=hints.lines_after)
        return Flag("read_around", True, told)
    if not around:
        return Flag("read_around", False, give_reason("as kind asks", intent=asked.question.intent))
    without = [each.title for each in asked.contents if not each.has_usable_toc and around in ("section", "chapter")]
    return Flag("read_around", True, give_reason("around", size=around, without=", ".join(without)[:200]))


def rule_references(asked: Asked) -> Flag:
    hints = asked.question.hints
    if hints.section or hints.objects:
        return Flag("cross_references", True, give_reason("place named"))
    pointed = hints.layout or asks_where(asked.question.topic)
    if not pointed and asked.question.intent not in ("section_retrieval", "open_scoped"):
        return Flag("cross_references", False, give_reason("points nowhere"))
    if asked.mode != SECOND_PASS_MODE:
        return Flag("cross_references", False, give_reason("mode", mode=asked.mode))
    return Flag("cross_references", True, give_reason("asks where"))


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
