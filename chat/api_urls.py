"""API URLs for asking questions."""

from django.urls import path

from chat import api
from chat.fields import api as fields
from chat.prompts import api as prompts

urlpatterns = [
    path("retrieve", api.RetrieveView.as_view(), name="retrieve"),
    path("retrievals/<uuid:retrieval_id>", api.RetrievalView.as_view(), name="retrieval"),
    path("extract", fields.ExtractView.as_view(), name="extract"),
    path("extractions/<uuid:extraction_id>", fields.ExtractionView.as_view(), name="extraction"),
    path("extractions/<uuid:extraction_id>/stop", fields.StopExtractionView.as_view(), name="stop_extraction"),
    path("grids", fields.AskGridView.as_view(), name="ask_grid"),
    path("grids/<uuid:grid_id>", fields.GridView.as_view(), name="grid"),
    path("grids/<uuid:grid_id>/stop", fields.StopGridView.as_view(), name="stop_grid"),
    path("chat", api.ChatView.as_view(), name="chat"),
    path("bases/<uuid:base_id>/prompts", prompts.PromptsView.as_view(), name="prompts"),
    path("bases/<uuid:base_id>/prompts/<str:name>", prompts.PromptView.as_view(), name="prompt"),
    path("turns/<uuid:turn_id>", api.TurnView.as_view(), name="turn"),
    path("turns/<uuid:turn_id>/events", api.TurnEventsView.as_view(), name="turn_events"),
    path("turns/<uuid:turn_id>/search-rest", api.SearchRestView.as_view(), name="search_rest"),
    path("turns/<uuid:turn_id>/read-again", api.ReadAgainView.as_view(), name="read_again"),
    path("turns/<uuid:turn_id>/meaning", api.MeaningView.as_view(), name="choose_meaning"),
    path("turns/<uuid:turn_id>/stop", api.StopView.as_view(), name="stop"),
    path("turns/<uuid:turn_id>/feedback", api.FeedbackView.as_view(), name="feedback"),
]
