"""A read-only Django admin.

People, bases and dictionaries are changed on their own pages, which check permissions, keep a record, and ensure that
there is always an administrator.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib import admin
from django.contrib.admin.apps import AdminConfig
from django.core.exceptions import PermissionDenied
from django.db.models import Model
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect

READING = ("GET", "HEAD", "OPTIONS")
View = Callable[..., HttpResponseBase]


class ReadOnly:
    """The options of every registered model: no buttons, no forms, no actions."""

    show_full_result_count = False

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        return {}


class ReadOnlySite(admin.AdminSite):
    """The admin of all registered models, ours and libraries'; it refuses every request that could write."""

    site_header = site_title = "DocIntel administration"

    def register(
        self, model_or_iterable: Any, admin_class: "type[admin.ModelAdmin[Any]] | None" = None, **options: Any
    ) -> None:
        shown = admin_class or admin.ModelAdmin
        super().register(model_or_iterable, type(shown.__name__, (ReadOnly, shown), {}), **options)

    def admin_view(self, view: Any, cacheable: bool = False) -> Any:
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


class AdministrationConfig(AdminConfig):
    default_site = "docintel_site.administration.ReadOnlySite"
