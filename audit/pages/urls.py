"""URLs of the audit."""

from django.urls import path

from audit.pages import (
    export_views,
    figure_views,
    golden_views,
    keeping_views,
    replay_views,
    review_views,
    sign_views,
    views,
)

app_name = "audit"

urlpatterns = [
    path("", views.run_list, name="list"),
    path("export.csv", export_views.runs_csv, name="csv"),
    path("export.jsonl", export_views.runs_jsonl, name="jsonl"),
    path("export.html", export_views.runs_html, name="html"),
    path("figures/", figure_views.figures, name="figures"),
    path("coverage/<uuid:document_id>/", figure_views.coverage, name="coverage"),
    path("queue/", review_views.queue, name="queue"),
    path("queue/draw/", review_views.draw_sample, name="draw"),
    path("queue/<uuid:sample_id>/", review_views.sample, name="sample"),
    path("signoffs/", sign_views.sign_offs, name="sign_offs"),
    path("signoffs/period/", sign_views.sign_period, name="sign_period"),
    path("signoffs/sample/<uuid:sample_id>/", sign_views.sign_sample, name="sign_sample"),
    path("signoffs/<uuid:sign_off_id>/second/", sign_views.sign_second, name="sign_second"),
    path("golden/", golden_views.golden, name="golden"),
    path("golden/questions.jsonl", golden_views.questions, name="golden_questions"),
    path("golden/check/", golden_views.check_golden_runs, name="golden_check"),
    path("changes/", keeping_views.change_list, name="changes"),
    path("keeping/<uuid:base_id>/", keeping_views.keeping, name="keeping"),
    path("keeping/<uuid:base_id>/days/", keeping_views.keep_for, name="keep_for"),
    path("keeping/<uuid:base_id>/hold/", keeping_views.place_hold, name="place_hold"),
    path("keeping/<uuid:base_id>/release/", keeping_views.release_hold, name="release_hold"),
    path("keeping/<uuid:base_id>/erase/", keeping_views.erase, name="erase"),
    path("runs/<uuid:run_id>/", views.run_trail, name="trail"),
    path("runs/<uuid:run_id>/evidence/", export_views.evidence, name="evidence"),
    path("runs/<uuid:run_id>/documents.csv", export_views.documents_csv, name="documents"),
    path("runs/<uuid:run_id>/replay/", replay_views.replay, name="replay"),
    path("rejudgements/<uuid:rejudgement_id>/", replay_views.rejudgement, name="rejudgement"),
    path("runs/<uuid:run_id>/reviews/", review_views.save_review, name="review"),
    path("runs/<uuid:run_id>/calls/<uuid:call_id>/request/", views.call_request, name="request"),
    path("runs/<uuid:run_id>/calls/<uuid:call_id>/reply/", views.call_reply, name="reply"),
]
