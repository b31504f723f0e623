"""API URLs of the dictionary and the rules of reading."""

from django.urls import path

from retrieval import api
from retrieval.dictionary import tier_api
from retrieval.reading_rules import api as reading_rules

urlpatterns = [
    path("bases/<uuid:base_id>/dictionary", api.DictionaryView.as_view(), name="dictionary"),
    path("bases/<uuid:base_id>/tiers", tier_api.TiersView.as_view(), name="tiers"),
    path("bases/<uuid:base_id>/dictionary/<int:concept_id>", api.ConceptView.as_view(), name="concept"),
    path("bases/<uuid:base_id>/reading-rules", reading_rules.ReadingRulesView.as_view(), name="reading_rules"),
    path("bases/<uuid:base_id>/reading-rules/reset", reading_rules.LearnedResetView.as_view(), name="reset_learned"),
]
