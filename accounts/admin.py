"""People in the admin: the place where an administrator adds a person and gives the first password."""

from typing import ClassVar

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin as StockUserAdmin
from django.contrib.auth.forms import BaseUserCreationForm

from accounts.models import User


class AddUserForm(BaseUserCreationForm):  # type: ignore[type-arg]  # Django itself cannot subscript it
    class Meta:
        model = User
        fields = ("email", "name")
        field_classes: ClassVar[dict[str, type]] = {}  # the stock form means a user name

    def clean_email(self) -> str:
        return str(self.cleaned_data["email"]).lower()


@admin.register(User)
class UserAdmin(StockUserAdmin):  # type: ignore[type-arg]  # Django itself cannot subscript it
    add_form = AddUserForm
    list_display = ("email", "name", "is_active", "is_superuser", "last_login")
    list_filter = ("is_active", "is_superuser")
    search_fields = ("email", "name")
    ordering = ("email",)
    filter_horizontal = ()
    fieldsets = ((None, {"fields": ("email", "name", "password", "is_active", "is_staff", "is_superuser")}),)
    add_fieldsets = ((None, {"fields": ("email", "name", "password1", "password2")}),)
