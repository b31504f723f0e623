"""The addresses of a base's rules of reading."""

from django.urls import path

from retrieval.reading_rules import views

app_name = "reading_rules"

urlpatterns = [
    path("bases/<uuid:pk>/reading-rules/", views.reading_rules, name="rules"),
    path("bases/<uuid:pk>/reading-rules/switch/", views.switch_row, name="switch"),
    path("bases/<uuid:pk>/reading-rules/again/", views.take_again, name="again"),
    path("bases/<uuid:pk>/reading-rules/import/", views.take_rules, name="import"),
    path("bases/<uuid:pk>/reading-rules/reading-rules.csv", views.give_rules, name="export"),
    path("bases/<uuid:pk>/reading-rules/reset/", views.reset, name="reset"),
]
