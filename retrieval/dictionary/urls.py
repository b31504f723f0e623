"""The addresses of a base's dictionary."""

from django.urls import path

from retrieval.dictionary import learned_views, tier_views, views

app_name = "retrieval"

urlpatterns = [
    path("bases/<uuid:pk>/dictionary/", views.dictionary, name="dictionary"),
    path("bases/<uuid:pk>/dictionary/packs/", views.packs, name="packs"),
    path("bases/<uuid:pk>/dictionary/models/", tier_views.tiers, name="tiers"),
    path("bases/<uuid:pk>/dictionary/learned/<int:word_pk>/", learned_views.learned_word, name="learned_word"),
    path("bases/<uuid:pk>/dictionary/import/", views.take_file, name="import"),
    path("bases/<uuid:pk>/dictionary/dictionary.csv", views.give_file, name="export"),
    path("bases/<uuid:pk>/dictionary/<int:concept_pk>/", views.concept, name="concept"),
    path("bases/<uuid:pk>/dictionary/<int:concept_pk>/delete/", views.delete_concept, name="delete_concept"),
    path("bases/<uuid:pk>/dictionary/<int:concept_pk>/terms/", views.terms, name="terms"),
    path("bases/<uuid:pk>/dictionary/<int:concept_pk>/terms/<int:term_pk>/", views.term, name="term"),
]
