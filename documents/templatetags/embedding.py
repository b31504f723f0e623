"""The part of a base's settings that shows its vectors."""

from typing import Any

from django import template

from documents.ingestion import reembedding
from documents.models import KnowledgeBase

register = template.Library()


@register.inclusion_tag("documents/_embedding.html", takes_context=True)
def embedding_progress(context: dict[str, Any], base: KnowledgeBase, may_own: bool) -> dict[str, Any]:
    """The base's progress towards its embedding model, and the button that starts it."""
    return {"base": base, "may_own": may_own, "embedding": reembedding.progress(base), "request": context["request"]}
