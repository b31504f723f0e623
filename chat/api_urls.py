"""API URLs for asking questions."""

from django.urls import path

from chat import api
from chat.prompts import api as prompts

urlpatterns = [
    path("retrieve", api.RetrieveView.as_view(), name="retrieve"),
    path("retrievals/<uuid:retrieval_id>", api.RetrievalView.as_view(), name="retrieval"),
    path("chat", api.ChatView.as_view(), name="chat"),
    path("bases/<uuid:base_id>/prompts", prompts.PromptsView.as_view(), name="prompts"),
    path("bases/<uuid:base_id>/prompts/<str:name>", prompts.PromptView.as_view(), name="prompt"),
    path("turns/<uuid:turn_id>", api.TurnView.as_view(), name="turn"),
    path("turns/<uuid:turn_id>/events", api.TurnEventsView.as_view(), name="turn_events"),
    path("turns/<uuid:turn_id>/search-rest", api.SearchRestView.as_view(), name="search_rest"),
    path("turns/<uuid:turn_id>/stop", api.StopView.as_view(), name="stop"),
    path("turns/<uuid:turn_id>/feedback", api.FeedbackView.as_view(), name="feedback"),
]
