"""URLs of bases and documents."""

from django.urls import path

from documents import member_views, views
from documents.cards import views as card_views
from documents.metadata import views as metadata_views
from documents.pages import views as page_views

app_name = "documents"

urlpatterns = [
    path("bases/", views.bases, name="bases"),
    path("bases/<uuid:pk>/", views.base, name="base"),
    path("bases/<uuid:pk>/upload/", views.upload, name="upload"),
    path("bases/<uuid:pk>/documents/", views.bulk_action, name="bulk"),
    path("bases/<uuid:pk>/search/", page_views.search_base, name="search"),
    path("bases/<uuid:pk>/members/", member_views.members, name="members"),
    path("bases/<uuid:pk>/members/<int:user_pk>/", member_views.member, name="member"),
    path("bases/<uuid:pk>/members/<int:user_pk>/link/", member_views.new_link, name="member_link"),
    path("bases/<uuid:pk>/settings/", views.base_settings, name="settings"),
    path("bases/<uuid:pk>/take-over/", views.take_over_base, name="take_over"),
    path("bases/<uuid:pk>/read-again/", views.read_outdated, name="read_outdated"),
    path("bases/<uuid:pk>/embed-again/", views.embed_again, name="embed_again"),
    path("bases/<uuid:pk>/delete/", views.delete_named_base, name="delete_base"),
    path("bases/<uuid:pk>/fields/", metadata_views.fields, name="fields"),
    path("bases/<uuid:pk>/fields/<int:field_pk>/name/", metadata_views.name_field, name="name_field"),
    path("bases/<uuid:pk>/fields/<int:field_pk>/delete/", metadata_views.delete_field, name="delete_field"),
    path("bases/<uuid:pk>/filters/", metadata_views.keep_filter, name="keep_filter"),
    path("bases/<uuid:pk>/filters/<int:filter_pk>/delete/", metadata_views.delete_filter, name="delete_filter"),
    path("bases/<uuid:pk>/trash/", views.list_trash, name="trashed"),
    path("documents/<uuid:pk>/", views.document, name="document"),
    path("documents/<uuid:pk>/newest/", page_views.newest_version, name="newest"),
    path("documents/<uuid:pk>/row/", views.row, name="row"),
    path("documents/<uuid:pk>/pages/<int:number>/", views.sheet, name="sheet"),
    path("documents/<uuid:pk>/pages/<int:number>/image/", views.page_image, name="page_image"),
    path("documents/<uuid:pk>/thumbnail/", views.thumbnail, name="thumbnail"),
    path("documents/<uuid:pk>/original/", views.original, name="original"),
    path("documents/<uuid:pk>/rename/", views.rename, name="rename"),
    path("documents/<uuid:pk>/describe/", views.describe, name="describe"),
    path("documents/<uuid:pk>/card/", card_views.edit, name="card"),
    path("documents/<uuid:pk>/card/undo/", card_views.undo, name="undo_card"),
    path("documents/<uuid:pk>/contents/", views.choose_contents, name="contents"),
    path("documents/<uuid:pk>/replace/", views.replace_file, name="replace"),
    path("documents/<uuid:pk>/attachments/", page_views.take_attachments, name="attachments"),
    path("documents/<uuid:pk>/read-again/", views.read_again, name="read_again"),
    path("documents/<uuid:pk>/unlock/", views.unlock_document, name="unlock"),
    path("documents/<uuid:pk>/improve/", views.improve, name="improve"),
    path("documents/<uuid:pk>/stop/", views.stop_document, name="stop"),
    path("documents/<uuid:pk>/trash/", views.trash, name="trash"),
    path("documents/<uuid:pk>/restore/", views.restore_from_trash, name="restore"),
    path("documents/<uuid:pk>/purge/", views.purge, name="purge"),
]
