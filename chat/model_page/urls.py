"""The addresses of the page of a base's model."""

from django.urls import path

from chat.model_page import views

app_name = "chat_model"

urlpatterns = [
    path("bases/<uuid:pk>/model/", views.model, name="model"),
    path("bases/<uuid:pk>/model/choose/", views.change_model, name="choose"),
    path("bases/<uuid:pk>/model/test/", views.start_test, name="test"),
]
