"""API URLs of the audit."""

from django.urls import path

from audit import api
from audit.proof.witness_api import WitnessedHeadsView
from audit.review.proposal_api import ProposalView

urlpatterns = [
    path("bases/<uuid:base_id>/proposals/<uuid:proposal_id>", ProposalView.as_view(), name="proposal"),
    path("runs", api.RunListView.as_view(), name="runs"),
    path("runs/<uuid:run_id>", api.RunView.as_view(), name="run"),
    path("runs/<uuid:run_id>/candidates", api.CandidatesView.as_view(), name="candidates"),
    path("runs/<uuid:run_id>/documents", api.ScopeDocumentsView.as_view(), name="scope"),
    path("runs/<uuid:run_id>/reviews", api.ReviewListView.as_view(), name="reviews"),
    path("runs/<uuid:run_id>/evidence", api.EvidenceView.as_view(), name="evidence"),
    path("witness/heads", WitnessedHeadsView.as_view(), name="witnessed_heads"),
]
