"""URLs of the chat: below /ask/, and at the root those of prompts, of a base's model and for people outside."""

from django.urls import path

from chat import views
from chat.fields import views as fields
from chat.model_page import views as models
from chat.prompts import views as prompts
from chat.sharing import views as sharing

app_name = "chat"

urlpatterns = [
    path("", views.home, name="home"),
    path("<uuid:conversation_id>/", views.conversation, name="conversation"),
    path("<uuid:conversation_id>/rename", views.rename, name="rename"),
    path("<uuid:conversation_id>/delete", views.delete, name="delete"),
    path("<uuid:conversation_id>/restore", views.restore_conversation, name="restore"),
    path("<uuid:conversation_id>/export.<str:form>", views.export, name="export"),
    path("<uuid:conversation_id>/share/", sharing.share, name="share"),
    path("links/", sharing.list_links, name="links"),
    path("links/<uuid:share_id>/", sharing.inside, name="shared"),
    path("links/<uuid:share_id>/revoke/", sharing.close_link, name="revoke"),
    path("fields/", fields.ask_fields, name="ask_fields"),
    path("fields/<uuid:extraction_id>/", fields.show_fields, name="fields"),
    path("fields/<uuid:extraction_id>/stop", fields.stop_fields, name="stop_fields"),
    path("fields/<uuid:extraction_id>/export.<str:form>", fields.export_fields, name="export_fields"),
    path("fields/grids/<uuid:grid_id>/", fields.show_grid, name="grid"),
    path("fields/grids/<uuid:grid_id>/stop", fields.stop_grid, name="stop_grid"),
    path("fields/grids/<uuid:grid_id>/export.<str:form>", fields.export_grid, name="export_grid"),
    path("trash/", views.trash, name="trash"),
    path("turns/<uuid:turn_id>/", views.turn, name="turn"),
    path("turns/<uuid:turn_id>/events", views.events, name="events"),
    path("turns/<uuid:turn_id>/page/<int:marker>", views.page, name="page"),
    path("turns/<uuid:turn_id>/near/<int:position>", views.refused_passage, name="near"),
    path("documents/<uuid:document_id>/suggested", views.offer_questions, name="suggested"),
    path("turns/<uuid:turn_id>/stop", views.stop_turn, name="stop"),
    path("turns/<uuid:turn_id>/feedback", views.feedback, name="feedback"),
    path("turns/<uuid:turn_id>/meaning", views.meaning, name="meaning"),
    path("turns/<uuid:turn_id>/retry", views.retry, name="retry"),
    path("turns/<uuid:turn_id>/read-again", views.noticed_pages, name="read_again"),
    path("turns/<uuid:turn_id>/search-rest", views.search_rest, name="search_rest"),
]

PROMPTS = [
    path("bases/<uuid:pk>/prompts/", prompts.prompts, name="prompts"),
    path("bases/<uuid:pk>/prompts/<str:name>/", prompts.prompt, name="prompt"),
]
MODEL = [
    path("bases/<uuid:pk>/model/", models.model, name="model"),
    path("bases/<uuid:pk>/model/choose/", models.change_model, name="choose"),
    path("bases/<uuid:pk>/model/test/", models.start_test, name="test"),
]
OUTSIDE = [
    path("shared/<str:token>/", sharing.outside, name="outside"),
    path("shared/<str:token>/<uuid:document_id>/<int:number>/", sharing.outside_image, name="image"),
]
