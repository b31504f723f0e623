"""The expert dictionary of a base, as values (R18)."""

from documents.models import KnowledgeBase
from retrieval.models import Concept
from retrieval.types import ConceptTerm, ConceptTerms


def dictionary_of(base: KnowledgeBase) -> tuple[ConceptTerms, ...]:
    """Every concept of a base with its terms, by name."""
    concepts = Concept.objects.filter(base=base).prefetch_related("terms").order_by("name")
    return tuple(
        ConceptTerms(
            concept.name,
            tuple(
                ConceptTerm(
                    term.text, term.language, "secondary" if term.priority == "secondary" else "primary", term.weight
                )
                for term in concept.terms.all()
            ),
        )
        for concept in concepts
    )
