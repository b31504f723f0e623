"""Every prompt of the program, in the order in which a question meets them (R110)."""

from chat.followup import rewriting
from chat.writing import claims, passages, writer
from documents.cards import by_model as card
from documents.ingestion import annotation, contents
from llm.prompts import Prompt
from retrieval.arbiter import model, rerank, together
from retrieval.question import by_model

CATALOGUE: tuple[Prompt, ...] = (
    rewriting.PROMPT,
    by_model.PROMPT,
    model.PROMPT,
    model.SMALL_PROMPT,
    together.PROMPT,
    rerank.PROMPT,
    passages.PROMPT,
    writer.PROMPT,
    claims.PROMPT,
    card.PROMPT,
    annotation.PROMPT,
    contents.PROMPT,
)
BY_NAME = {prompt.name: prompt for prompt in CATALOGUE}
GUIDED = tuple(prompt.name for prompt in CATALOGUE if prompt.topics and not prompt.guided_as)
