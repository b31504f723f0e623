"""API URLs of the dictionary."""

from django.urls import path

from retrieval import api

urlpatterns = [
    path("bases/<uuid:base_id>/dictionary", api.DictionaryView.as_view(), name="dictionary"),
    path("bases/<uuid:base_id>/dictionary/<int:concept_id>", api.ConceptView.as_view(), name="concept"),
]
