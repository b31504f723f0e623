"""A read-only Django admin.

People, bases and dictionaries are changed on their own pages, which check permissions, keep a record, and ensure that
there is always an administrator.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib import admin
from django.contrib.admin.apps import AdminConfig
from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied
from django.db.models import Model
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect

READING = ("GET", "HEAD", "OPTIONS")
# What people asked and what they were answered: whoever looks at it here leaves an event.
RECORDS = frozenset(
    {
        *("retrieval.retrievalrun", "retrieval.runcandidate", "chat.turn", "chat.answer", "chat.citation"),
        "llm.llmcall",
    }
)
View = Callable[..., HttpResponseBase]


class ReadOnly:
    """The options of every registered model: no buttons, no forms, no actions."""

    show_full_result_count = False
    actions = None

    def refuse(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    has_add_permission = has_change_permission = has_delete_permission = refuse


class ReadOnlySite(admin.AdminSite):
    """The admin of all registered models, ours and libraries'; it refuses every request that could write."""

    site_header = site_title = "DocIntel administration"

    def register(
        self, model_or_iterable: Any, admin_class: "type[admin.ModelAdmin[Any]] | None" = None, **options: Any
    ) -> None:
        shown = admin_class or admin.ModelAdmin
        super().register(model_or_iterable, type(shown.__name__, (ReadOnly, shown), {}), **options)

    def admin_view(self, view: Any, cacheable: bool = False) -> Any:
        """Every page of the admin comes through here, those of a model as methods of its options."""
        of_model = getattr(view, "__self__", None)
        if isinstance(of_model, admin.ModelAdmin) and of_model.opts.label_lower in RECORDS:
            view = looked_on_record(view, of_model.opts.label_lower)
        return super().admin_view(view if view == self.logout else looking_only(view), cacheable)

    def password_change(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        """The site's own page, which keeps a record."""
        return redirect("account_change_password")


def looking_only(view: View) -> View:
    @wraps(view)
    def looked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if request.method not in READING:
            raise PermissionDenied
        return view(request, *args, **kwargs)

    return looked


def looked_on_record(view: View, label: str) -> View:
    """Record who looks at rows of a model before they are shown; if that fails, they are not."""
    from accounts.requests import user_of  # the site is made before models are loaded
    from audit.access_log import record_event
    from documents.access import ids_in

    @wraps(view)
    def looked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        shown = unquote(str(kwargs.get("object_id") or next(iter(args), "")))
        run = next(iter(ids_in(shown)), None) if label == "retrieval.retrievalrun" else None
        record_event(user_of(request), "admin", run, model=label, **({"object": shown} if shown else {}))
        return view(request, *args, **kwargs)

    return looked


class AdministrationConfig(AdminConfig):
    default_site = "docintel_site.administration.ReadOnlySite"
