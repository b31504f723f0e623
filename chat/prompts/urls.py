"""The addresses of the prompts of a base."""

from django.urls import path

from chat.prompts import views

app_name = "chat_prompts"

urlpatterns = [
    path("bases/<uuid:pk>/prompts/", views.prompts, name="prompts"),
    path("bases/<uuid:pk>/prompts/<str:name>/", views.prompt, name="prompt"),
]
