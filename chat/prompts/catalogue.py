"""Every prompt of the program, in the order in which a question meets them (R110)."""

from chat.followup import rewriting
from chat.writing import claims, passages, writer
from documents.ingestion import annotation
from llm.prompts import Prompt
from retrieval.arbiter import model, toc
from retrieval.question import by_model

CATALOGUE: tuple[Prompt, ...] = (
    rewriting.PROMPT,
    by_model.PROMPT,
    model.PROMPT,
    model.SMALL_PROMPT,
    passages.PROMPT,
    writer.PROMPT,
    claims.PROMPT,
    annotation.PROMPT,
    toc.PROMPT,
)
BY_NAME = {prompt.name: prompt for prompt in CATALOGUE}
GUIDED = tuple(prompt.name for prompt in CATALOGUE if prompt.topics and not prompt.guided_as)
