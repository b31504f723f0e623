"""People in the admin."""

from django.contrib import admin

from accounts.models import User


@admin.register(User)
class UserAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # Django itself cannot subscript it
    list_display = ("email", "name", "is_active", "is_superuser", "last_login")
    search_fields = ("email", "name")
    fields = ("email", "name", "is_active", "is_staff", "is_superuser")
