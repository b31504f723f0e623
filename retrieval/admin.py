"""The dictionary in the admin."""

from django.contrib import admin

from retrieval.models import Concept, Term


class TermInline(admin.TabularInline):  # type: ignore[type-arg]
    model = Term


@admin.register(Concept)
class ConceptAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    list_display = ("name", "base")
    list_filter = ("base",)
    search_fields = ("name", "terms__text")
    inlines = (TermInline,)
