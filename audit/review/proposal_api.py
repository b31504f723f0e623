"""A proposed change for programs: what it changes, what its check says, and how it ended."""

from functools import partial
from typing import Any, ClassVar
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from audit.access_log import record_list
from audit.review.proposed import FATES, STANDINGS, basis_of, find_proposal_check, standing_of_proposal
from documents.access import AUDIT, get_base, get_or_404
from documents.guarding.guard import KINDS
from documents.models import ProposalEnd, ProposedChange


class CheckedQuestionSerializer(serializers.Serializer[Any]):
    run_id = serializers.UUIDField()
    fate = serializers.ChoiceField(FATES)
    why = serializers.CharField()


class ProposalSerializer(serializers.Serializer[ProposedChange]):
    """A change that waits for a golden check, or waited for one."""

    id = serializers.UUIDField()
    kind = serializers.CharField()
    changed = serializers.DictField(help_text="By name what was and what would be, when it was proposed.")
    proposed_by = serializers.CharField(source="by_name")
    created_at = serializers.DateTimeField()
    check = serializers.ChoiceField(
        STANDINGS,
        allow_blank=True,
        help_text="What the last golden check allows; `stale` has to be run again. Empty once it has ended.",
    )
    questions = CheckedQuestionSerializer(many=True)
    ended = serializers.ChoiceField(ProposalEnd.How.choices, allow_blank=True)


class ProposalView(GenericAPIView[ProposedChange]):
    scopes: ClassVar = {"GET": "audit"}
    serializer_class = ProposalSerializer

    @extend_schema(operation_id="read_proposal")
    def get(self, request: Request, base_id: UUID, proposal_id: UUID) -> Response:
        """What it changes, what its golden check says, and how it ended; for auditors and owners.

        Owners put it into effect on the page of proposed changes.
        """
        base = get_base(request.user, base_id, *AUDIT)
        proposals = ProposedChange.objects.select_related("end").filter(base=base, kind__in=KINDS)
        proposal = get_or_404(proposals, proposal_id)
        record_list(request.user, "proposals", base=str(base.pk))
        check, end = find_proposal_check(proposal), getattr(proposal, "end", None)
        found = check.result if check and check.result else {"questions": []}
        return Response(
            {
                "id": str(proposal.pk),
                "kind": proposal.kind,
                "changed": proposal.changed,
                "proposed_by": proposal.by_name,
                "created_at": proposal.created_at,
                "check": "" if end else standing_of_proposal(check, partial(basis_of, base)),
                "questions": [{name: each[name] for name in ("run_id", "fate", "why")} for each in found["questions"]],
                "ended": end.how if end else "",
            }
        )
