"""API URLs of bases and documents."""

from django.urls import path

from documents import api

urlpatterns = [
    path("bases", api.BaseListView.as_view(), name="bases"),
    path("bases/<uuid:base_id>", api.BaseView.as_view(), name="base"),
    path("bases/<uuid:base_id>/documents", api.DocumentListView.as_view(), name="documents"),
    path("documents/<uuid:document_id>", api.DocumentView.as_view(), name="document"),
    path("documents/<uuid:document_id>/original", api.OriginalView.as_view(), name="original"),
    path("documents/<uuid:document_id>/lines", api.LinesView.as_view(), name="lines"),
    path("documents/<uuid:document_id>/toc", api.TocView.as_view(), name="toc"),
    path("documents/<uuid:document_id>/passages", api.PassagesView.as_view(), name="passages"),
]
