"""The addresses of links for people outside."""

from django.urls import path

from chat.sharing import views

app_name = "shared"

urlpatterns = [
    path("shared/<str:token>/", views.outside, name="outside"),
    path("shared/<str:token>/<uuid:document_id>/<int:number>/", views.outside_image, name="image"),
]
