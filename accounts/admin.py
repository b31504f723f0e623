"""People in the admin."""

from django.contrib import admin

from accounts.models import User

admin.site.register(
    User,
    list_display=("email", "name", "is_active", "is_superuser", "last_login", "disabled_at"),
    list_filter=("is_active", "is_superuser"),
    search_fields=("email", "name"),
    ordering=("email",),
    fields=("email", "name", "is_active", "is_superuser", "date_joined", "last_login", "disabled_at", "enabled_at"),
)
