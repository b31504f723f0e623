"""Every URL of the API, version 1."""

from django.urls import include, path
from drf_spectacular.views import SpectacularAPIView

from accounts.api import MeView
from docintel_site.openapi import SwaggerView

app_name = "api"

urlpatterns = [
    path("me", MeView.as_view(), name="me"),
    path("", include("documents.api_urls")),
    path("", include("retrieval.api_urls")),
    path("", include("chat.api_urls")),
    path("", include("audit.api_urls")),
    path("schema/", SpectacularAPIView.as_view(), name="schema"),
    path("docs/", SwaggerView.as_view(url_name="api:schema"), name="docs"),
]
