"""The addresses of the audit."""

from django.urls import path

from audit import views

app_name = "audit"

urlpatterns = [
    path("", views.run_list, name="list"),
    path("runs/<uuid:run_id>/", views.run_trail, name="trail"),
    path("runs/<uuid:run_id>/calls/<uuid:call_id>/request/", views.call_request, name="request"),
    path("runs/<uuid:run_id>/calls/<uuid:call_id>/reply/", views.call_reply, name="reply"),
]
