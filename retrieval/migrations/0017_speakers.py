"""Candidates with text that instructs a model are found by who is said to speak as well: the index is made anew."""

from django.db import migrations, models

PATTERN = (
    r"(ignore|disregard|forget|override|bypass)[ \n]+((all|any|the|of|your|these|those|every)[ \n"
    r"]+)*(previous|prior|above|earlier|preceding|former|system|existing)[ \n]+([a-z]+[ \n"
    r"]+)?(instruction|prompt|rule|guideline|direction|command)|you[ \n]+are[ \n]+(now[ \n]+)?(an?[ \n"
    r"]+)?(ai|language model|chatbot|assistant|dan)([ \n.,;:]|$)|(reveal|print|repeat|output|show)[ \n"
    r"]+(me[ \n]+)?(your([ \n]+system)?|the[ \n]+system)[ \n]+(prompt|instructions)|(new|updated)[ \n"
    r"]+(system[ \n]+)?(instructions|prompt)[ \n]*:|(note|message|instruction|attention)s?[ \n]+(to"
    r"|for)[ \n]+(the[ \n]+)?(ai|model|language model|llm|assistant|arbiter|chatbot)([ \n.,;:]|$)|(mark"
    r"|rank|rate|judge|classify|treat)[ \n]+(this|it|every|all)[a-z \n]{0,40}as[ \n]+(primary|relevant)"
    r"|do[ \n]+not[ \n]+(tell|inform|mention[a-z ]*to)[ \n]+the[ \n]+(user|reader|auditor)|<[|]?/?[ "
    r"]?(im_start|im_end|system|candidates|candidate|question|toc|excerpt|instructions)[ >|]|\[/?(inst"
    r"|system)\]|(^|[\n.!?*>\"(\[][ ]?)(system|developer)[ \n]+(prompt|override)[ ]*:|ignore[zr]?[ \n]+(toutes[ \n]+)?(les|vos|ces)[ \n]+(instructions|consignes|règles)"
    r"|oublie[zr]?[ \n]+(toutes[ \n]+)?(les|vos|ces)[ \n]+(instructions|consignes)|ignorier[a-z]*[ \n"
    r"]+(sie[ \n]+)?(alle[ \n]+)?(bisherigen|vorherigen|vorigen|obigen)[ \n]+(anweisung|regel)"
)
SPEAKERS = r"(^|[\n.!?*>\"(\[][ ]?)SYSTEM[ ]*:|###[ ]*(System|Instruction|Human|Assistant)[ ]*:"


class Migration(migrations.Migration):
    dependencies = [
        ("retrieval", "0016_contracts_pack"),
    ]

    operations = [
        migrations.RemoveIndex(model_name="runcandidate", name="retrieval_candidate_instructs"),
        migrations.AddIndex(
            model_name="runcandidate",
            index=models.Index(
                fields=["run"],
                condition=models.Q(context_text__iregex=PATTERN)
                | models.Q(section_title__iregex=PATTERN)
                | models.Q(context_text__regex=SPEAKERS)
                | models.Q(section_title__regex=SPEAKERS),
                name="retrieval_candidate_instructs",
            ),
        ),
    ]
