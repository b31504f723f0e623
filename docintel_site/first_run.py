"""The first visit: a one-time link creates the owner, who gets what was read before; then the way in for everybody."""

from datetime import timedelta

from allauth.account.utils import perform_login
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.db import transaction
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from accounts.forms import FirstOwnerForm
from accounts.models import OwnerLink, User
from accounts.people import LinkUsed, make_first_owner
from accounts.requests import user_of
from accounts.views import closed_link
from chat.handing_over import FILES_NAME, hand_over_all
from chat.models import Turn
from chat.turns import tasks
from chat.turns.demo import BASE_NAME, QUESTION, SAMPLES, demo_base, take_samples
from documents.access import create_base
from documents.models import Document, KnowledgeBase, Membership, Role
from documents.views import upload

LOADING_FOR = timedelta(minutes=10)  # since the last sample came: later something broke, and they can be brought again


@login_not_required
def first_owner(request: HttpRequest, token: str) -> HttpResponseBase:
    """The form that creates the first owner; a used or expired link says so."""
    if not OwnerLink.open_for(token).exists():
        return closed_link(request)
    form = FirstOwnerForm(request.POST or None, label_suffix="")
    if request.method == "POST" and form.is_valid():
        try:
            owner = make_first_owner(token, **form.cleaned_data)
        except LinkUsed:
            return closed_link(request)
        hand_over_all(owner)
        arrived: HttpResponseBase = perform_login(request, owner, redirect_url=reverse("home"))
        return arrived
    return render(request, "accounts/first_owner.html", {"form": form}, status=400 if form.errors else 200)


@login_not_required
def home(request: HttpRequest) -> HttpResponse:
    """Where a person begins: an auditor with what waits for review, a new owner with the first steps, all others with
    their bases; before there is an owner, how to become it.
    """
    if request.user.is_authenticated:
        return begin(request, user_of(request))
    if not User.objects.filter(is_superuser=True).exists():
        return render(request, "accounts/no_owner.html")
    return redirect("account_login")


def begin(request: HttpRequest, user: User) -> HttpResponse:
    roles = set(Membership.objects.filter(user=user, base__deleted_at=None).values_list("role", flat=True))
    if roles == {Role.AUDITOR}:
        return redirect("audit:queue")
    is_followed = "HX-Request" in request.headers  # by its open page, which may still be sending files
    samples = Q(base__name=BASE_NAME, file_name__in=SAMPLES)  # read for an owner who was quicker
    if user.is_superuser and (is_followed or not Document.objects.filter(~samples, created_by=user).exists()):
        shown = {
            "bases": bases_to_fill(user),
            "answer": Turn.objects.filter(
                conversation__user=user,
                conversation__deleted_at=None,
                conversation__base__name=BASE_NAME,
                question=QUESTION,
                state="done",
            ).first(),
            "loading": base_being_loaded(user),
            "upload_url": reverse("first_files"),
            "then_url": reverse("first_files"),
            "limit_mb": settings.UPLOAD_MAX_BYTES // 1_000_000,
        }
        return render(request, "first_steps.html", shown)
    return redirect("documents:bases")


@require_http_methods(["GET", "HEAD", "POST"])
def first_files(request: HttpRequest) -> HttpResponse:
    """Take the files of a new owner into their first base, which is made for them; then the way to that base."""
    user = user_of(request)
    if not user.is_superuser:
        raise Http404
    if request.method == "POST":
        return upload(request, base_for_files(user).pk)
    bases = bases_to_fill(user)
    return redirect("documents:base", bases[0].pk) if bases else redirect("home")


def base_for_files(user: User) -> KnowledgeBase:
    """The first base of a person; one is made where there is none, and one only, however many files come at once."""
    with transaction.atomic():
        User.objects.select_for_update().get(pk=user.pk)
        bases = bases_to_fill(user)
        return bases[0] if bases else create_base(user, _("My documents"))


@require_POST
def bring_demo(request: HttpRequest) -> HttpResponse:
    """Have the samples read and asked by a worker; asked twice, nothing is there twice."""
    user = user_of(request)
    if not user.is_superuser:
        raise Http404
    base = demo_base(user)
    take_samples(base, user)
    tasks.start_demo(user)
    messages.success(request, _("The samples are being read. Their answers are under “Ask” as soon as they are there."))
    return redirect("documents:base", base.pk)


def base_being_loaded(user: User) -> KnowledgeBase | None:
    """The base of the samples, if the start or a worker seems to be loading them."""
    since = timezone.now() - LOADING_FOR
    recent = Q(created_at__gte=since) | Q(documents__created_at__gte=since)
    return KnowledgeBase.objects.with_role(user, Role.OWNER).filter(recent, name=BASE_NAME).first()


def bases_to_fill(user: User) -> list[KnowledgeBase]:
    """The person's own bases but the demonstration and the one that the shell keeps its files in."""
    return list(KnowledgeBase.objects.with_role(user, Role.OWNER).exclude(name__in=(BASE_NAME, FILES_NAME)))
