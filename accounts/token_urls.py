"""URLs of a person's tokens."""

from django.urls import path

from accounts import token_views

urlpatterns = [
    path("", token_views.tokens, name="tokens"),
    path("<uuid:pk>/revoke/", token_views.revoke, name="revoke_token"),
]
