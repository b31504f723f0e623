import django.db.models.deletion
from django.db import migrations, models

# As documents.storage.words has it at this migration.
INDEX_WORDS = """
INSERT INTO documents_word (parse_id, word, passages, places)
SELECT %(parse)s, word, count(DISTINCT index),
    string_agg(int4send(index << 14 | position), ''::bytea ORDER BY index, position)
FROM documents_passage, unnest(search) AS found(word, positions, weights), unnest(positions) AS position
WHERE parse_id = %(parse)s GROUP BY word
"""


def index_words(apps, schema_editor):
    """The words of every parse there is, from its search text: no file is read again."""
    for parse_id in apps.get_model("documents", "Parse").objects.values_list("pk", flat=True):
        with schema_editor.connection.cursor() as cursor:
            cursor.execute(INDEX_WORDS, {"parse": parse_id})


class Migration(migrations.Migration):
    dependencies = [
        ("documents", "0014_last_turns"),
    ]

    operations = [
        migrations.CreateModel(
            name="Word",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "parse", "word", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("word", models.TextField()),
                ("passages", models.PositiveIntegerField()),
                ("places", models.BinaryField()),
                (
                    "parse",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="words",
                        to="documents.parse",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["word", "parse"], include=("passages",), name="documents_word_counts")
                ],
            },
        ),
        migrations.AddIndex(
            model_name="page",
            index=models.Index(
                condition=models.Q(("text_layer", "none")), fields=["parse"], name="documents_page_without_text"
            ),
        ),
        migrations.RunPython(index_words, migrations.RunPython.noop),
    ]
