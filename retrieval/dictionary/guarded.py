"""What a golden check can be required for of a base's dictionary and learned words, see documents.guarding."""

from django.utils.translation import gettext_lazy as _

from documents.guarding.guard import Guarded
from documents.models import KnowledgeBase
from retrieval.dictionary.csv_format import WordRow
from retrieval.dictionary.learned import standings_of_words
from retrieval.dictionary.load import read_word_rows
from retrieval.dictionary.packs import packs_on
from retrieval.models import Concept


def dictionary_state(base: KnowledgeBase) -> dict[str, object]:
    """Packs, concepts, their terms with priority and weight, and which learned words are off."""
    packs = packs_on(base)  # loads those nobody has decided about
    state: dict[str, object] = {f"pack: {name}": "on" for name in packs}
    state |= {name: "concept" for name in Concept.objects.filter(base=base).values_list("name", flat=True)}
    for row in read_word_rows(base):
        state[f"{row.concept}: {row.term} ({row.language or '*'})"] = f"{row.priority}, {row.weight:g}"
    words = standings_of_words(base)
    return state | {f"learned word: {word.row.word} ({word.row.pk})": "off" for word in words if not word.is_on}


DICTIONARY = Guarded("dictionary", _("dictionary"), dictionary_state, (WordRow,))
