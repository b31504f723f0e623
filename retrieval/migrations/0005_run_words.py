"""Indexes for the audit: runs by words and by document, candidates by the words of their reason and by text that
instructs a model. Nothing of a row changes."""

from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVector
from django.db import migrations, models

INSTRUCTING = (
    r"(ignore|disregard|forget|override|bypass)[ \n]+((all|any|the|of|your|these|those|every)[ \n]+)*"
    r"(previous|prior|above|earlier|preceding|former|system|existing)[ \n]+([a-z]+[ \n]+)?"
    r"(instruction|prompt|rule|guideline|direction|command)"
    r"|you[ \n]+are[ \n]+(now[ \n]+)?(an?[ \n]+)?(ai|language model|chatbot|assistant|dan)([ \n.,;:]|$)"
    r"|(reveal|print|repeat|output|show)[ \n]+(me[ \n]+)?(your([ \n]+system)?|the[ \n]+system)[ \n]+(prompt|instructions)"
    r"|(new|updated)[ \n]+(system[ \n]+)?(instructions|prompt)[ \n]*:"
    r"|(note|message|instruction|attention)s?[ \n]+(to|for)[ \n]+(the[ \n]+)?"
    r"(ai|model|language model|llm|assistant|arbiter|chatbot)([ \n.,;:]|$)"
    r"|(mark|rank|rate|judge|classify|treat)[ \n]+(this|it|every|all)[a-z \n]{0,40}as[ \n]+(primary|relevant)"
    r"|do[ \n]+not[ \n]+(tell|inform|mention[a-z ]*to)[ \n]+the[ \n]+(user|reader|auditor)"
    r"|<[|]?/?[ ]?(im_start|im_end|system|candidates|candidate|question|toc|excerpt|instructions)[ >|]"
    r"|\[/?(inst|system)\]"
    r"|ignore[zr]?[ \n]+(toutes[ \n]+)?(les|vos|ces)[ \n]+(instructions|consignes|règles)"
    r"|oublie[zr]?[ \n]+(toutes[ \n]+)?(les|vos|ces)[ \n]+(instructions|consignes)"
    r"|ignorier[a-z]*[ \n]+(sie[ \n]+)?(alle[ \n]+)?(bisherigen|vorherigen|vorigen|obigen)[ \n]+(anweisung|regel)"
)


class Migration(migrations.Migration):
    dependencies = [
        ("retrieval", "0004_erasable"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="retrievalrun",
            index=GinIndex(SearchVector("question", config="simple"), name="retrieval_run_words"),
        ),
        migrations.AddIndex(
            model_name="retrievalrun",
            index=GinIndex(fields=["scope"], name="retrieval_run_scope", opclasses=["jsonb_path_ops"]),
        ),
        migrations.AddIndex(
            model_name="runcandidate",
            index=models.Index(
                fields=["run"],
                condition=models.Q(context_text__iregex=INSTRUCTING) | models.Q(section_title__iregex=INSTRUCTING),
                name="retrieval_candidate_instructs",
            ),
        ),
        migrations.AddIndex(
            model_name="runcandidate",
            index=GinIndex(SearchVector("reason", config="simple"), name="retrieval_candidate_words"),
        ),
    ]
