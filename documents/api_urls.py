"""API URLs of bases and documents."""

from django.urls import path

from documents import api
from documents.cards.api import CardView
from documents.metadata import api as metadata_api
from documents.pages.api import SearchView

urlpatterns = [
    path("bases", api.BaseListView.as_view(), name="bases"),
    path("bases/<uuid:base_id>", api.BaseView.as_view(), name="base"),
    path("bases/<uuid:base_id>/documents", api.DocumentListView.as_view(), name="documents"),
    path("bases/<uuid:base_id>/fields", metadata_api.MetadataFieldsView.as_view(), name="fields"),
    path("bases/<uuid:base_id>/fields/<int:field_id>", metadata_api.MetadataFieldView.as_view(), name="field"),
    path("bases/<uuid:base_id>/filters", metadata_api.SavedFiltersView.as_view(), name="filters"),
    path("bases/<uuid:base_id>/filters/<int:filter_id>", metadata_api.SavedFilterView.as_view(), name="filter"),
    path("bases/<uuid:base_id>/search", SearchView.as_view(), name="search"),
    path("documents/<uuid:document_id>", api.DocumentView.as_view(), name="document"),
    path("documents/<uuid:document_id>/card", CardView.as_view(), name="card"),
    path("documents/<uuid:document_id>/unlock", api.UnlockView.as_view(), name="unlock"),
    path("documents/<uuid:document_id>/original", api.OriginalView.as_view(), name="original"),
    path("documents/<uuid:document_id>/lines", api.LinesView.as_view(), name="lines"),
    path("documents/<uuid:document_id>/toc", api.TocView.as_view(), name="toc"),
    path("documents/<uuid:document_id>/passages", api.PassagesView.as_view(), name="passages"),
    path("documents/<uuid:document_id>/pages", api.PagesView.as_view(), name="pages"),
    path("documents/<uuid:document_id>/images", api.ImagesView.as_view(), name="images"),
    path("documents/<uuid:document_id>/objects", api.NamedObjectsView.as_view(), name="objects"),
    path("documents/<uuid:document_id>/references", api.CrossReferencesView.as_view(), name="references"),
]
