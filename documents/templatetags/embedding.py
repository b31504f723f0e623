"""The part of a base's settings that tells of its vectors."""

from typing import Any

from django import template

from documents.ingestion import reembedding
from documents.models import KnowledgeBase

register = template.Library()


@register.inclusion_tag("documents/_embedding.html", takes_context=True)
def embedding_progress(context: dict[str, Any], base: KnowledgeBase, may_own: bool) -> dict[str, Any]:
    """How far the base is with the embedding model it wants, and the button that begins it."""
    return {"base": base, "may_own": may_own, "embedding": reembedding.progress(base), "request": context["request"]}
