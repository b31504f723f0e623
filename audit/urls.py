"""The addresses of the audit."""

from django.urls import path

from audit import export_views, figure_views, replay_views, review_views, views

app_name = "audit"

urlpatterns = [
    path("", views.run_list, name="list"),
    path("export.csv", export_views.runs_csv, name="csv"),
    path("export.jsonl", export_views.runs_jsonl, name="jsonl"),
    path("figures/", figure_views.figures, name="figures"),
    path("coverage/<uuid:document_id>/", figure_views.coverage, name="coverage"),
    path("queue/", review_views.queue, name="queue"),
    path("queue/draw/", review_views.draw_sample, name="draw"),
    path("queue/<uuid:sample_id>/", review_views.sample, name="sample"),
    path("runs/<uuid:run_id>/", views.run_trail, name="trail"),
    path("runs/<uuid:run_id>/evidence/", export_views.evidence, name="evidence"),
    path("runs/<uuid:run_id>/replay/", replay_views.replay, name="replay"),
    path("runs/<uuid:run_id>/reviews/", review_views.save_review, name="review"),
    path("runs/<uuid:run_id>/calls/<uuid:call_id>/request/", views.call_request, name="request"),
    path("runs/<uuid:run_id>/calls/<uuid:call_id>/reply/", views.call_reply, name="reply"),
]
