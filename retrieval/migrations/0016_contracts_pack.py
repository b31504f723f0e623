"""The rows about contracts leave the pack of insurance for one of their own, with what each base had decided."""

from django.db import migrations

WAS, IS = "insurance_hr", "contracts"
CONCEPTS = (
    "notice period",
    "termination",
    "early termination charge",
    "late payment",
    "payment terms",
    "confidentiality",
    "personal data",
    "governing law",
    "force majeure",
)


def move(apps, old: str, new: str) -> None:
    concepts = apps.get_model("retrieval", "Concept").objects.filter(name__in=CONCEPTS)
    apps.get_model("retrieval", "Term").objects.filter(concept__in=concepts, pack=old).update(pack=new)
    concepts.filter(pack=old).update(pack=new)


def divide(apps, schema_editor) -> None:
    move(apps, WAS, IS)
    # Where the old pack is used the new one has no row yet, so its German rows are loaded with the next question.
    packs = apps.get_model("retrieval", "Pack").objects
    off = packs.filter(name=WAS, is_on=False).values_list("base_id", flat=True)
    packs.bulk_create([packs.model(base_id=base, name=IS, is_on=False) for base in off])


def join(apps, schema_editor) -> None:
    move(apps, IS, WAS)
    apps.get_model("retrieval", "Pack").objects.filter(name=IS).delete()


class Migration(migrations.Migration):
    dependencies = [
        ("retrieval", "0015_reason_facts"),
    ]

    operations = [migrations.RunPython(divide, join)]
