"""URLs of the chat, below /ask/."""

from django.urls import path

from chat import views

app_name = "chat"

urlpatterns = [
    path("", views.home, name="home"),
    path("<uuid:conversation_id>/", views.conversation, name="conversation"),
    path("<uuid:conversation_id>/rename", views.rename, name="rename"),
    path("<uuid:conversation_id>/delete", views.delete, name="delete"),
    path("<uuid:conversation_id>/restore", views.restore_conversation, name="restore"),
    path("<uuid:conversation_id>/export.<str:form>", views.export, name="export"),
    path("trash/", views.trash, name="trash"),
    path("turns/<uuid:turn_id>/", views.turn, name="turn"),
    path("turns/<uuid:turn_id>/events", views.events, name="events"),
    path("turns/<uuid:turn_id>/page/<int:marker>", views.page, name="page"),
    path("turns/<uuid:turn_id>/near/<int:position>", views.refused_passage, name="near"),
    path("turns/<uuid:turn_id>/stop", views.stop_turn, name="stop"),
    path("turns/<uuid:turn_id>/feedback", views.feedback, name="feedback"),
    path("turns/<uuid:turn_id>/retry", views.retry, name="retry"),
    path("turns/<uuid:turn_id>/search-rest", views.search_rest, name="search_rest"),
]
