"""What a vague word was taken to mean in an answer, and the silence that accepts it (R23)."""

from chat.models import Conversation, Turn
from retrieval.models import RetrievalRun
from retrieval.question.pages import describe_pages
from retrieval.question.vague import describe_assumption
from retrieval.reading_rules.votes import vote_for_silence
from retrieval.record.reading_back import hints_from, vague_from
from retrieval.types import VagueWord


def vague_of(run: RetrievalRun | None) -> VagueWord:
    """The vague word of a run's question, with what it can mean; an empty one where there is none."""
    return vague_from(run.parsed.get("vague", {})) if run and run.parsed else VagueWord()


def assumption_of(run: RetrievalRun) -> str:
    """What an answer says of the meaning its question was read with, and of the pages that it names, in the language of
    the question; "".
    """
    vague = vague_of(run)
    meaning = describe_assumption(vague, run.parsed["language"]) if vague.assumed else ""
    taken = hints_from(run.parsed.get("hints", {})).taken
    pages = describe_pages(taken, run.parsed["language"]) if taken else ""
    return " ".join(filter(None, [meaning, pages]))


def reading_json(run: RetrievalRun | None) -> dict[str, object] | None:
    """The vague word of a question and what it can mean, for programs; None where there is no choice."""
    vague = vague_of(run)
    if len(vague.meanings) < 2:
        return None
    return {
        "word": vague.word,
        "meanings": [each.text for each in vague.meanings],
        "proposed": vague.proposed or None,
        "assumed": vague.assumed or None,
        "confidence": vague.confidence,
        "why": vague.why,
    }


def accept_in_silence(conversation: Conversation) -> None:
    """Count the last answer's reading of a vague word as accepted: its asker goes on to something else."""
    last = conversation.turns.filter(state=Turn.State.DONE).select_related("run").order_by("-number").first()
    vague = vague_of(last.run) if last else VagueWord()
    if last and last.run and vague.assumed:
        vote_for_silence(last.run, vague)
