"""What the versions of a clause do to what was judged (R50): what is in force comes before what was."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import combinations
from typing import NamedTuple

from django.utils.timezone import localdate

from documents.storage.content import DocumentContent
from retrieval.amendments.asked import days_asked
from retrieval.amendments.versions import Version, Versions, name_clause
from retrieval.candidates.sentences import QUOTE_CHARS
from retrieval.told.clauses import Clause
from retrieval.told.reasons import give_passage_reason
from retrieval.types import (
    KEPT_ROLES,
    ROLE_ORDER,
    Briefed,
    Candidate,
    ClauseState,
    Contradiction,
    Question,
    Ranking,
    Role,
    Verdict,
)


class VersionGroup(NamedTuple):
    """The candidates that hold versions of one clause, one for each version, in the order they are shown."""

    versions: Versions
    members: tuple[tuple[Candidate, Version], ...]


# ---- what was judged


def put_in_force_first(
    ranking: Ranking,
    question: Question,
    candidates: Sequence[Briefed],
    contents: Sequence[DocumentContent],
    versions: Sequence[Versions],
) -> Ranking:
    """The ranking with the versions of each clause that is kept together, the newest first, or those asked about.

    What has been replaced is at most supporting. The groups are told as what the documents say differently.
    """
    if ranking.status != "ran":
        return ranking
    asked = days_asked(question)
    for found in versions:
        group = group_versions(found, ranking, candidates, asked)
        if len(group.members) > 1:
            ranking = with_group(ranking, group, candidates, contents, asked)
    return ranking


def group_versions(
    versions: Versions, ranking: Ranking, candidates: Sequence[Candidate], asked: tuple[str, str] | None
) -> VersionGroup:
    """One candidate for each version that has one, the best judged; none where nothing of the clause was kept."""
    by_id = {each.candidate_id: each for each in candidates}
    first: dict[Version, Candidate] = {}
    is_kept = False
    for verdict in ranking.verdicts:
        candidate = by_id[verdict.candidate_id]
        if version := versions.at(candidate.document_id, candidate.anchor):
            first.setdefault(version, candidate)
            is_kept = is_kept or verdict.role in KEPT_ROLES
    members = [(first[each], each) for each in versions.each if each in first]
    if versions.is_dated:
        members.sort(key=lambda member: not member[1].in_force.holds_between(*(asked or today())))
    return VersionGroup(versions, tuple(members) if is_kept else ())


def with_group(
    ranking: Ranking,
    group: VersionGroup,
    candidates: Sequence[Briefed],
    contents: Sequence[DocumentContent],
    asked: tuple[str, str] | None,
) -> Ranking:
    content_of = {content.document_id: content for content in contents}
    verdict_of = {each.candidate_id: each for each in ranking.verdicts}
    best = min((verdict_of[each.candidate_id].role for each, _ in group.members), key=ROLE_ORDER.__getitem__)
    held = {version: is_answering(version, group, asked) for _, version in group.members}
    told = [
        judge_version(verdict_of[one.candidate_id], one, version, best if held[version] else "supporting", content_of)
        for one, version in group.members
    ]
    own = {each.candidate_id for each in told}
    past = {
        each.candidate_id
        for each in candidates
        if each.candidate_id not in own
        and (version := group.versions.at(each.document_id, each.anchor))
        and not held.get(version, True)
    }
    verdicts: list[Verdict] = []
    for verdict in ranking.verdicts:
        if verdict.candidate_id in own:
            verdicts += told
            told = []
        elif verdict.candidate_id in past and verdict.role == "primary":
            verdicts.append(with_role(verdict, "supporting"))
        else:
            verdicts.append(verdict)
    verdicts.sort(key=lambda verdict: ROLE_ORDER[verdict.role])
    return replace(
        ranking, verdicts=tuple(verdicts), contradictions=(*ranking.contradictions, contradiction_of_group(group))
    )


def is_answering(version: Version, group: VersionGroup, asked: tuple[str, str] | None) -> bool:
    """Whether a version is what is asked for: in force at the time, else today, else not replaced by what is known.

    Of a time each may be where an amendment does not say from when it holds.
    """
    if asked and not group.versions.is_dated:
        return True
    picked = [each for _, each in group.members if each.in_force.holds_between(*(asked or today()))]
    return version in picked if picked else not version.in_force.is_past


def today() -> tuple[str, str]:
    """The first and the last day a question asks about that names none."""
    return localdate().isoformat(), localdate().isoformat()


def judge_version(
    verdict: Verdict, candidate: Candidate, version: Version, role: Role, content_of: dict[str, DocumentContent]
) -> Verdict:
    """The verdict on a version; of an amendment the sentence is quoted with the text it announces."""
    quote = verdict.raw_content_anchor
    if version.amends:
        own = content_of[version.document_id].text_between(*version.lines, searched_only=True)
        quote = own if len(own) <= QUOTE_CHARS else quote or candidate.own_text
    return replace(with_role(verdict, role), raw_content_anchor=quote or candidate.own_text)


def with_role(verdict: Verdict, role: Role) -> Verdict:
    """The verdict in this role; where fixed rules had weighed it for another one, the reason says what decided."""
    if role == verdict.role or not isinstance(verdict.reason, Clause):
        return replace(verdict, role=role)
    facts = verdict.reason.facts | {"weight": {"code": "version"}}
    return replace(verdict, role=role, reason=give_passage_reason(verdict.reason.code, **facts))


def contradiction_of_group(group: VersionGroup) -> Contradiction:
    states = tuple(version.in_force for _, version in group.members)
    return Contradiction(
        tuple(each.candidate_id for each, _ in group.members),
        f"{name_clause(group.versions.clause)} was amended: {'; '.join(map(say_state, states))}",
        clause=group.versions.clause,
        in_force=states,
        is_conditional=group.versions.is_conditional,
    )


def say_state(state: ClauseState) -> str:
    """ "in force from 2021-10-01, replaced from 2024-03-01", as it is recorded."""
    begun = f"in force from {state.begins}" if state.begins else ""
    changed = " from ".join(filter(None, (state.change, state.ends))) if state.change else ""
    condition = f"“{state.condition}”" if state.condition else ""
    return ", ".join(filter(None, (begun, changed, condition))) or "as agreed"


def pairs_told(found: Iterable[Contradiction]) -> set[frozenset[str]]:
    """The pairs of candidates that are versions of one clause, of which it is known why they differ."""
    return {frozenset(pair) for each in found if each.clause for pair in combinations(each.candidate_ids, 2)}
