"""A scripted OpenAI-compatible server on a real socket: the only thing in the tests that stands in for a model.

In a test: `with ScriptedLLM("wrong-quote") as server:` and point OPENAI_BASE_URL at `server.base_url`. By hand:
`python -m tests.scripted_llm --port 8123 --behaviour good`. A request whose model is the name of a behaviour gets
that behaviour, any other request the server's own; given a list, the server takes the next one for each request.
"""

import argparse
import html
import json
import re
import select
import socket
import threading
import time
import unicodedata
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar, Self

Json = dict[str, Any]

REST_OF_TAG = r"(?:[^>\"]|\"[^\"]*\")*>"  # an attribute may hold a ">"
CANDIDATE = re.compile(rf"<candidate\b[^>]*?\bid=\"([^\"]*)\"{REST_OF_TAG}(.*?)</candidate>", re.DOTALL)
SNIPPET = re.compile(
    r"<(?:snippet|lines|text)\b[^>]*>(.*?)</(?:snippet|lines|text)>|^(?:text|one sentence):\n(.*)",
    re.DOTALL | re.MULTILINE,
)
EXCERPT = re.compile(rf"<excerpt\b[^>]*?\bnumber=\"(\d+)\"{REST_OF_TAG}(.*?)</excerpt>", re.DOTALL)
PASSAGE = re.compile(r"<passage>\n(.*?)\n</passage>", re.DOTALL)
FIELD = re.compile(r"<field id=\"([^\"]*)\">(.*?)</field>", re.DOTALL)
QUESTION = re.compile(r"<question>(.*?)</question>", re.DOTALL)
LINE_NUMBER = re.compile(r"^\s*(?:\[?L?\d+(?:-\d+)?\]?\s*[:|]\s?)?")
FACT = re.compile(r"^\s*[A-Za-z][A-Za-z _-]{2,30}:\s")  # "methods: keywords, titles" is about the candidate
COMMON = set(
    re.findall(r"\w+", "the and for was what which how does did with from that this are were has have its use used")
)
HEADING_ROW = re.compile(r"^\[(\d+)\] p\. \d+, ([-\d]+): (.*)$", re.MULTILINE)
URL = "https://collector.example/?stolen="
SECOND_LOOK = "were added because you asked"
SENTENCE = re.compile(r"<sentence number=\\?\"(\d+)\\?\"[^>]*>(.*?)</sentence>")


# ---- what the model of the script thinks


def words_of(text: str) -> set[str]:
    """The words that carry meaning, roughly."""
    return {word for word in re.findall(r"\w+", text.lower()) if len(word) > 2} - COMMON


def lines_of(candidate: str) -> list[str]:
    """The document's own lines in one candidate's block, without the facts about the candidate."""
    snippet = SNIPPET.search(candidate)
    lines = (snippet.group(1) or snippet.group(2) if snippet else candidate).splitlines()
    lines = [line for line in lines if snippet or not FACT.match(line)]
    return [text for line in lines if (text := LINE_NUMBER.sub("", html.unescape(line)).strip())]


@dataclass(frozen=True)
class Prompt:
    """What a request asks, as far as the script understands it."""

    question: str
    candidates: list[tuple[str, list[str]]]
    excerpts: list[tuple[int, str]]
    passage: str
    headings: list[tuple[str, str, str]]
    schema: Json | None
    verdicts_key: str
    characters: int
    fields: list[tuple[str, str]]

    @classmethod
    def read(cls, body: Json) -> "Prompt":
        """Out of the body of either API."""
        parts = [body.get("instructions"), body.get("input"), *(m.get("content") for m in body.get("messages", []))]
        text = "\n".join(part if isinstance(part, str) else json.dumps(part) for part in parts if part)
        formats = (body.get("text", {}).get("format"), body.get("response_format", {}).get("json_schema"))
        return cls(
            question=html.unescape(" ".join(QUESTION.findall(text)[-1:])).strip(),
            candidates=[(html.unescape(id_), lines_of(block)) for id_, block in CANDIDATE.findall(text)],
            excerpts=[(int(number), html.unescape(block).strip()) for number, block in EXCERPT.findall(text)],
            passage=html.unescape("".join(PASSAGE.findall(text)[-1:])),
            headings=HEADING_ROW.findall("".join(re.findall(r"<lines>\n(.*?)\n</lines>", text, re.DOTALL)[-1:])),
            schema=next((form["schema"] for form in formats if form and "schema" in form), None),
            verdicts_key="rankings" if '"rankings"' in text + json.dumps(formats) else "verdicts",
            characters=len(text),
            fields=FIELD.findall(text),
        )

    def of_field(self, block: str) -> "Prompt":
        """What one of several fields asks."""
        return replace(
            self,
            question=html.unescape(" ".join(QUESTION.findall(block)[-1:])).strip(),
            candidates=[(html.unescape(id_), lines_of(each)) for id_, each in CANDIDATE.findall(block)],
        )


def judge(prompt: Prompt) -> Json:
    """Verdicts by the number of the question's words in a snippet: the best is primary, close ones support it."""
    asked = words_of(prompt.question)
    scores = [len(asked & words_of(" ".join(lines))) for _, lines in prompt.candidates]
    best = max(scores, default=0)
    verdicts: list[Json] = []
    for (candidate_id, lines), score in zip(prompt.candidates, scores, strict=True):
        is_first = score == best and all(verdict["role"] != "primary" for verdict in verdicts)
        role = "primary" if is_first else "supporting" if score >= 0.75 * best else "tangential"
        role = role if score else "discarded"
        anchor = max(lines, key=lambda line: len(asked & words_of(line)), default="")
        verdicts.append(
            {
                "candidate_id": candidate_id,
                "role": role,
                "reason": f"{score} of {len(asked)} words of the question stand here.",
                "content_anchor": anchor if role in ("primary", "supporting") else "",
            }
        )
    reason = "The words of the question stand in the document." if best else "No candidate speaks of the question."
    return {"answerable": best > 0, "answerable_reason": reason, prompt.verdicts_key: verdicts, "contradictions": []}


def answer(prompt: Prompt) -> str:
    """A sentence for each of the first two excerpts, each with its marker."""
    asked = words_of(prompt.question)
    sentences = []
    for number, text in prompt.excerpts[:2]:
        line = max(text.splitlines() or [""], key=lambda line: len(asked & words_of(line)))
        sentences.append(f"The document says: {LINE_NUMBER.sub('', line).strip()} [{number}].")
    return " ".join(sentences) or "The scripted model was given no excerpts."


def copies_of(prompt: Prompt) -> Json:
    """The line of each excerpt with most of the question's words, as it was shown; [] of one without any."""
    asked = words_of(prompt.question)
    copies = []
    for number, text in prompt.excerpts:
        line = max(text.splitlines() or [""], key=lambda line: len(asked & words_of(line)))
        if asked & words_of(line):
            copies.append({"excerpt": number, "quote": LINE_NUMBER.sub("", line).strip()})
    return {"copies": copies, "answered": False}


def reading_of(question: str) -> Json:
    """A question as a well-behaved model reads it: as it stands, with a synonym for one word it knows."""
    rewrites = [{"of": "rent", "words": ["lease payment"]}] if "rent" in question.lower() else []
    kind = {"intent": "field_extraction", "shape": "single", "answer_type": "text"}
    return {"corrected": question, **kind, "rewrites": rewrites, "parts": []}


def headings_of(prompt: Prompt) -> Json:
    """The entries as they are, each line that begins with a number besides, and one that is printed nowhere."""
    entries = [
        {"line": int(line), "level": 2 if level == "-" else int(level), "title": html.unescape(text)}
        for line, level, text in prompt.headings
        if level != "-" or text[:1].isdigit()
    ]
    invented = [{"line": int(line), "level": 1, "title": "Of what stands nowhere"} for line, *_ in prompt.headings[:1]]
    return {"entries": [*invented, *entries]}


def least_instance(schema: Json, root: Json) -> Any:
    """The smallest value that follows a JSON schema, for prompts the script does not know."""
    if "$ref" in schema:
        return least_instance(root["$defs"][schema["$ref"].rsplit("/", 1)[-1]], root)
    if "enum" in schema:
        return schema["enum"][0]
    if "anyOf" in schema:
        return least_instance(schema["anyOf"][-1], root)
    if schema.get("type") == "object":
        return {name: least_instance(part, root) for name, part in schema.get("properties", {}).items()}
    return {"array": [], "string": "", "integer": 0, "number": 0, "boolean": False}.get(schema.get("type", ""))


def good_text(prompt: Prompt) -> str:
    """What a well-behaved model replies to this prompt."""
    if prompt.fields:
        judged = [{"field": id_, **judge(prompt.of_field(block))} for id_, block in prompt.fields]
        return json.dumps({"fields": judged}, ensure_ascii=False)
    if prompt.candidates:
        return json.dumps(judge(prompt), ensure_ascii=False)
    if "copies" in (prompt.schema or {}).get("properties", {}):
        return json.dumps(copies_of(prompt), ensure_ascii=False)
    if prompt.excerpts or prompt.schema is None:
        return answer(prompt)
    if "context" in prompt.schema.get("properties", {}):
        return json.dumps({"context": f"Of the part {prompt.passage.splitlines()[0]}, as a model would situate it."})
    if "entries" in prompt.schema.get("properties", {}):
        return json.dumps(headings_of(prompt), ensure_ascii=False)
    if "stands_alone" in prompt.schema.get("properties", {}):
        return json.dumps({"stands_alone": True, "question": prompt.question})
    if "rewrites" in prompt.schema.get("properties", {}):
        return json.dumps(reading_of(prompt.question))
    if "claims" in prompt.schema.get("properties", {}):
        return json.dumps({"claims": []})
    return json.dumps(least_instance(prompt.schema, prompt.schema))


# ---- replies that are wrong in one way each: a change of the verdicts, or of the text


def with_unknown_ids(reply: Json, verdicts: list[Json]) -> None:
    invented = {"role": "primary", "reason": "Invented.", "content_anchor": "This stands nowhere."}
    verdicts += [{"candidate_id": "zz-999", **invented}, {"candidate_id": "", **invented}]


def with_missing_ids(reply: Json, verdicts: list[Json]) -> None:
    del verdicts[1::2]


def with_duplicate_ids(reply: Json, verdicts: list[Json]) -> None:
    first = verdicts[0]
    verdicts.append(first | {"role": "discarded", "reason": "Second thoughts."})


def with_altered_ids(reply: Json, verdicts: list[Json]) -> None:
    for verdict in verdicts:
        verdict["candidate_id"] = f"[ {verdict['candidate_id'].upper()} ]"


def with_unknown_role(reply: Json, verdicts: list[Json]) -> None:
    verdicts[0]["role"] = "crucial"


def with_nulls(reply: Json, verdicts: list[Json]) -> None:
    """Null for what is empty, and entries that are none."""
    for verdict in verdicts:
        verdict["content_anchor"] = verdict["content_anchor"] or None
    verdicts[-1]["reason"] = None
    verdicts += json.loads('[null, {"candidate_id": null, "role": "primary"}]')
    contradictions = [None, {"candidate_ids": None, "point": None}, {"candidate_ids": [None], "point": "x"}]
    reply |= {"contradictions": contradictions, "wanted_words": [None], "wanted_sections": None}
    reply["answerable_reason"] = None


def with_withheld_judgement(reply: Json, verdicts: list[Json]) -> None:
    reply["answerable"] = None


def with_translated_roles(reply: Json, verdicts: list[Json]) -> None:
    for verdict in verdicts:
        verdict["role"] = f"{verdict['role'].removesuffix('y')}aire"


def with_long_reasons(reply: Json, verdicts: list[Json]) -> None:
    for verdict in verdicts:
        verdict["reason"] = "<b>because</b> " * 700


def with_empty_ranking(reply: Json, verdicts: list[Json]) -> None:
    verdicts.clear()


def with_wrong_quotes(reply: Json, verdicts: list[Json]) -> None:
    for verdict in verdicts:
        words = verdict["content_anchor"].split(" ")
        if len(words) > 1:
            verdict["content_anchor"] = " ".join(
                [*words[: -(-len(words) * 2 // 3)], "as was later restated by management"]
            )


def with_invented_quotes(reply: Json, verdicts: list[Json]) -> None:
    for verdict in verdicts:
        if verdict["content_anchor"]:
            verdict["content_anchor"] = "Management expects the contrary of all of this to hold."


def with_empty_reasons(reply: Json, verdicts: list[Json]) -> None:
    for verdict in verdicts:
        verdict["reason"] = " \n\t"


def change_quotes(verdicts: list[Json], change: Callable[[str], str]) -> None:
    for verdict in verdicts:
        if verdict["content_anchor"]:
            verdict["content_anchor"] = change(verdict["content_anchor"])


def with_changed_beginnings(reply: Json, verdicts: list[Json]) -> None:
    change_quotes(verdicts, lambda quote: f"Supposedly {quote.partition(' ')[2]}")


def with_foreign_quotes(reply: Json, verdicts: list[Json]) -> None:
    quotes = [verdict["content_anchor"] for verdict in verdicts]
    last = next((quote for quote in reversed(quotes) if quote), "")
    change_quotes(verdicts[:1], lambda quote: last)


def with_short_quotes(reply: Json, verdicts: list[Json]) -> None:
    change_quotes(verdicts, lambda quote: quote[:2])


def with_typographic_quotes(reply: Json, verdicts: list[Json]) -> None:
    signs = str.maketrans({"'": "\u2019", '"': "\u201c", "-": "\u2011", " ": "\u00a0"})
    change_quotes(verdicts, lambda quote: quote.replace("fi", "\ufb01").translate(signs).upper())


def with_translated_quotes(reply: Json, verdicts: list[Json]) -> None:
    change_quotes(verdicts, lambda quote: "Le préavis du bail des bureaux est de trente jours, donné par écrit.")


def with_plain_quotes(reply: Json, verdicts: list[Json]) -> None:
    """As a keyboard writes them: ligatures taken apart, straight quotation marks and hyphens."""
    signs = str.maketrans("‘’“”„–—‑", '\'\'"""---')
    change_quotes(verdicts, lambda quote: unicodedata.normalize("NFKC", quote).translate(signs))


def with_long_quotes(reply: Json, verdicts: list[Json]) -> None:
    change_quotes(verdicts, lambda quote: f"{quote} " * 2000)


def with_wrong_contradictions(reply: Json, verdicts: list[Json]) -> None:
    known = [verdict["candidate_id"] for verdict in verdicts]
    pairs = [[known[0], "zz-999"], [known[0], known[0]], [], known[:2]]
    reply["contradictions"] = [{"candidate_ids": pair, "point": "the point\x00 " * 300} for pair in pairs]


def with_obedience(reply: Json, verdicts: list[Json]) -> None:
    with_unknown_ids(reply, verdicts)
    with_invented_quotes(reply, verdicts)
    for verdict in verdicts:
        verdict |= {
            "role": "primary",
            "reason": f"![x]({URL}reason) <script>alert(1)</script> [go](javascript:alert(1))",
        }
    reply["answerable_reason"] = f"<img src='{URL}answerable'>"
    reply["contradictions"] = [{"candidate_ids": ["zz-999", "yy-1"], "point": f"![x]({URL}point)"}]


def obedient_answer(text: str) -> str:
    return f"{text} [7] ![x]({URL}secret) <script>alert(1)</script> [go](javascript:alert(1)) \x1b[31mred\x1b[0m"


VERDICTS: dict[str, Callable[[Json, list[Json]], None]] = {
    "unknown-ids": with_unknown_ids,
    "missing-ids": with_missing_ids,
    "duplicate-ids": with_duplicate_ids,
    "altered-ids": with_altered_ids,
    "unknown-role": with_unknown_role,
    "translated-roles": with_translated_roles,
    "null-fields": with_nulls,
    "null-answerable": with_withheld_judgement,
    "long-reasons": with_long_reasons,
    "empty-ranking": with_empty_ranking,
    "wrong-quote": with_wrong_quotes,
    "invented-quote": with_invented_quotes,
    "obeys-document": with_obedience,
    "empty-reasons": with_empty_reasons,
    "changed-beginning": with_changed_beginnings,
    "foreign-quote": with_foreign_quotes,
    "short-quote": with_short_quotes,
    "typographic-quote": with_typographic_quotes,
    "translated-quote": with_translated_quotes,
    "plain-quote": with_plain_quotes,
    "long-quote": with_long_quotes,
    "wrong-contradictions": with_wrong_contradictions,
}


def quote_over_lines(prompt: Prompt, verdicts: list[Json]) -> None:
    """Each quote goes on into the next line of its candidate, a word split at the line's end put together."""
    lines_of_id = dict(prompt.candidates)
    for verdict in verdicts:
        lines = lines_of_id[verdict["candidate_id"]]
        place = lines.index(verdict["content_anchor"]) if verdict["content_anchor"] else len(lines)
        if place + 1 < len(lines):
            verdict["content_anchor"] = re.sub(r"(?<=[a-z])- (?=[a-z])", "", f"{lines[place]} {lines[place + 1]}")


def repeated_quote(prompt: Prompt, verdicts: list[Json]) -> None:
    """A candidate that has one line twice quotes that line."""
    lines_of_id = dict(prompt.candidates)
    for verdict in verdicts:
        lines = lines_of_id[verdict["candidate_id"]]
        twice = next((line for line in lines if lines.count(line) > 1), "")
        if twice:
            verdict["content_anchor"] = twice


QUOTES: dict[str, Callable[[Prompt, list[Json]], None]] = {
    "quote-over-lines": quote_over_lines,
    "repeated-quote": repeated_quote,
}


def weaken_json(text: str) -> str:
    """As small models write it: commas before closing brackets, and what seems needless left out."""
    if not text.startswith("{"):
        return text
    reply = json.loads(text)
    reply.pop("answerable", None)
    reply.pop("answerable_reason", None)
    for verdict in reply.get("rankings", ()):
        if verdict["role"] in ("tangential", "discarded"):
            verdict.pop("content_anchor")
            verdict.pop("reason")
    return re.sub(r"(?<=[}\]\"])(?=\s*[}\]])", ",", json.dumps(reply, ensure_ascii=False, indent=1))


TEXTS: dict[str, Callable[[str], str]] = {
    "malformed": lambda text: text.replace('"', "'").replace(":", " =", 1),
    "cut": lambda text: text[: len(text) // 2],
    "fenced": lambda text: f"Here is the reply:\n```json\n{text}\n```\nI hope this helps.",
    "weak-json": lambda text: f"Sure!\n```json\n{weaken_json(text)}\n```",
    "reasoning": lambda text: f"<think>\nLet me look at {{this}} first.\n</think>\n\n{text}",
    "two-objects": lambda text: f'{text}\n{{"answerable": false}}',
    "wrong-schema": lambda text: '{"colour": "blue", "verdicts": "all fine"}',
    "prose": lambda text: "I am sorry, but I would rather talk about the weather.",
    "nul": lambda text: re.sub(r"(?<=\w) (?=\w)", " \x00", text),
    "bad-markers": lambda text: re.sub(r"\[\d+\]", "[99]", text),
    "no-markers": lambda text: re.sub(r" ?\[\d+\]", "", text),
    "empty": lambda text: "",
}


def text_for(behaviour: str, prompt: Prompt) -> str:
    """The model's text under a behaviour."""
    text = good_text(prompt)
    if behaviour in VERDICTS and prompt.fields:
        reply = json.loads(text)
        for entry in reply["fields"]:
            VERDICTS[behaviour](entry, entry[prompt.verdicts_key])
        return json.dumps(reply, ensure_ascii=False)
    if behaviour in VERDICTS and prompt.candidates:
        reply = json.loads(text)
        VERDICTS[behaviour](reply, reply[prompt.verdicts_key])
        return json.dumps(reply, ensure_ascii=False)
    if behaviour in QUOTES and prompt.candidates:
        reply = json.loads(text)
        QUOTES[behaviour](prompt, reply[prompt.verdicts_key])
        return json.dumps(reply, ensure_ascii=False)
    if behaviour == "answers-not-found" and prompt.excerpts:
        return "NOT FOUND: the excerpts speak of something else."
    if behaviour == "contradicts-quotes" and prompt.excerpts:
        return "Mr. Nobody receives 987,654 dollars on 31 December 1999 [1]."
    if behaviour == "obeys-document":
        return obedient_answer(text)
    return TEXTS[behaviour](text) if behaviour in TEXTS else text


# ---- the two APIs


@dataclass(frozen=True)
class Said:
    """What the model says and how it ends."""

    text: str
    finish: str = "stop"  # stop, length, content_filter
    refusal: str = ""
    tokens_in: int = 1200

    @classmethod
    def under(cls, behaviour: str, prompt: Prompt) -> "Said":
        """By the name of a behaviour."""
        if behaviour == "refusing":
            return cls("", refusal="I cannot help with that.")
        finish = {"cut": "length", "content-filter": "content_filter"}.get(behaviour, "stop")
        tokens_in = 1200 if behaviour == "cuts-prompts" else max(1200, prompt.characters // 4)
        return cls(text_for(behaviour, prompt), finish, tokens_in=tokens_in)

    def pieces(self) -> list[str]:
        """The text as tokens come, roughly a word each."""
        return re.findall(r"\s*\S+|\s+$", self.text)


def response_of(said: Said, model: str, *, status: str = "") -> Json:
    """The body of POST /v1/responses."""
    incomplete = {"length": "max_output_tokens", "content_filter": "content_filter"}.get(said.finish)
    content: Json = {"type": "output_text", "text": said.text, "annotations": []}
    if said.refusal:
        content = {"type": "refusal", "refusal": said.refusal}
    message = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [content]}
    reasoning = {"type": "reasoning", "id": "rs_1", "summary": []}
    return {
        "id": "resp_scripted",
        "object": "response",
        "created_at": 1_790_000_000,
        "status": status or ("incomplete" if incomplete else "completed"),
        "incomplete_details": {"reason": incomplete} if incomplete else None,
        "error": None,
        "model": f"{model}-2026-11-01",
        "output": [] if status == "in_progress" else [reasoning, message],
        "usage": None if status == "in_progress" else response_usage(said),
    }


def response_usage(said: Said) -> Json:
    count = len(said.pieces())
    return {
        "input_tokens": said.tokens_in,
        "input_tokens_details": {"cached_tokens": 1024},
        "output_tokens": count,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": said.tokens_in + count,
    }


def response_events(said: Said, model: str) -> Iterator[Json]:
    """The events of a streamed response, in the order the real server sends them."""
    place = {"item_id": "msg_1", "output_index": 1, "content_index": 0}
    done = response_of(said, model)
    yield {"type": "response.created", "response": response_of(said, model, status="in_progress")}
    yield {"type": "response.in_progress", "response": response_of(said, model, status="in_progress")}
    yield {"type": "response.output_item.added", "output_index": 1, "item": {"type": "message", "id": "msg_1"}}
    yield {"type": "response.content_part.added", **place, "part": {"type": "output_text", "text": ""}}
    for piece in said.pieces():
        yield {"type": "response.output_text.delta", **place, "delta": piece}
    if said.refusal:
        yield {"type": "response.refusal.delta", **place, "delta": said.refusal}
        yield {"type": "response.refusal.done", **place, "refusal": said.refusal}
    yield {"type": "response.output_text.done", **place, "text": said.text}
    yield {"type": "response.content_part.done", **place, "part": done["output"][1]["content"][0]}
    yield {"type": "response.output_item.done", "output_index": 1, "item": done["output"][1]}
    yield {"type": f"response.{done['status']}", "response": done}


def completion_of(said: Said, model: str) -> Json:
    """The body of POST /v1/chat/completions."""
    message = {"role": "assistant", "content": None if said.refusal else said.text, "refusal": said.refusal or None}
    return {
        "id": "chatcmpl-scripted",
        "object": "chat.completion",
        "created": 1_790_000_000,
        "model": f"{model}-2026-11-01",
        "choices": [{"index": 0, "message": message, "finish_reason": said.finish, "logprobs": None}],
        "usage": chat_usage(said),
    }


def chat_usage(said: Said) -> Json:
    count = len(said.pieces())
    return {
        "prompt_tokens": said.tokens_in,
        "completion_tokens": count,
        "total_tokens": said.tokens_in + count,
        "prompt_tokens_details": {"cached_tokens": 1024},
    }


def without_text(value: Any) -> Any:
    """The reply with null wherever the model's text would stand."""
    if isinstance(value, list):
        return [without_text(part) for part in value]
    if not isinstance(value, dict):
        return value
    return {
        key: None if key in ("text", "content") and isinstance(part, str) else without_text(part)
        for key, part in value.items()
    }


def completion_events(said: Said, model: str, with_usage: bool) -> Iterator[Json]:
    """The chunks of a streamed completion; the usage comes last, in a chunk without choices."""
    base = {"id": "chatcmpl-scripted", "object": "chat.completion.chunk", "model": f"{model}-2026-11-01"}
    yield base | {"choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}, "finish_reason": None}]}
    for piece in said.pieces():
        yield base | {"choices": [{"index": 0, "delta": {"content": piece}, "finish_reason": None}]}
    if said.refusal:
        yield base | {"choices": [{"index": 0, "delta": {"refusal": said.refusal}, "finish_reason": None}]}
    yield base | {"choices": [{"index": 0, "delta": {}, "finish_reason": said.finish}]}
    if with_usage:
        yield base | {"choices": [], "usage": chat_usage(said)}


# ---- embeddings and reranking


def vector_of(text: str, kind: str, dimensions: int) -> list[float]:
    """A bag of words: texts that share words are near each other, and a question is not embedded as a document is."""
    vector = [0.0] * dimensions
    for word in sorted(words_of(text)) or ["nothing"]:
        vector[zlib.crc32(word.encode()) % dimensions] += 1.0
    vector[0] += 0.25 if kind == "query" else 0.0
    return vector


def embeddings_of(body: Json, behaviour: str) -> Json:
    """The body of POST /embeddings, OpenAI's and Voyage's; both count from 0 and may come in any order."""
    dimensions = body.get("output_dimension") or body.get("dimensions") or 256
    vectors = [vector_of(text, body.get("input_type") or "", dimensions) for text in body["input"]]
    rows = [{"object": "embedding", "index": index, "embedding": vector} for index, vector in enumerate(vectors)]
    if behaviour == "too-few-vectors":
        rows = rows[1:]
    if behaviour == "no-numbers":
        rows[0] |= {"embedding": [None] * dimensions}
    if behaviour == "short-vectors":
        rows = [row | {"embedding": vector[: dimensions // 2]} for row, vector in zip(rows, vectors, strict=True)]
    tokens = sum(len(text) for text in body["input"]) // 4
    usage = {"total_tokens": tokens} if "input_type" in body else {"prompt_tokens": tokens, "total_tokens": tokens}
    return {"object": "list", "data": rows[::-1], "model": body["model"], "usage": usage}


def reranked(body: Json, behaviour: str) -> Json:
    """The body of POST /rerank: Voyage's when asked with top_k, else the common one."""
    asked = words_of(body["query"])
    scores = [len(asked & words_of(text)) / max(len(asked), 1) for text in body["documents"]]
    order = sorted(range(len(scores)), key=lambda index: (-scores[index], index))
    rows = [{"index": index, "relevance_score": scores[index]} for index in order[: body.get("top_k") or body["top_n"]]]
    if behaviour == "unknown-ids":
        rows[0]["index"] = len(scores)
    if behaviour == "duplicate-ids":
        rows.append(rows[0])
    usage = {"total_tokens": sum(len(text) for text in body["documents"]) // 4}
    if "top_k" in body:
        return {"object": "list", "data": rows, "model": body["model"], "usage": usage}
    return {"id": "rr-scripted", "model": body["model"], "results": rows, "usage": usage}


# ---- servers that lack something: the error a real one gives, or None


def error_body(message: str, param: str | None = None, code: str | None = None) -> Json:
    return {"error": {"message": message, "type": "invalid_request_error", "param": param, "code": code}}


def refusal_of(behaviour: str, path: str, body: Json) -> tuple[int, Json] | None:
    """The error with which a limited server meets this request."""
    form = body.get("response_format", {}).get("type")
    if behaviour in KINDS:
        return KINDS[behaviour](path, body, form)
    limited = ("no-responses-api", "chat-json-mode-only", "text-only", "no-stream-options")
    if behaviour in limited and path == "/v1/responses":
        return 404, {"detail": "Not Found"}
    if behaviour == "responses-without-schema" and path == "/v1/responses" and "text" in body:
        return 400, error_body("Unsupported parameter: 'text.format'.", "text.format")
    if behaviour == "chat-json-mode-only" and form == "json_schema":
        return 400, error_body(
            "Invalid value: 'json_schema'. Supported values are: 'text' and 'json_object'.", "response_format.type"
        )
    if behaviour == "text-only" and form:
        return 400, error_body("response_format is not supported by this server.", "response_format")
    if behaviour == "no-temperature" and "temperature" in body:
        return 400, error_body("Unsupported parameter: 'temperature' is not supported with this model.", "temperature")
    if behaviour == "no-store" and "store" in body:
        return 422, error_body("body.store: Extra inputs are not permitted")
    if behaviour == "no-stream-options" and "stream_options" in body:
        return 400, error_body("Unknown parameter: 'stream_options'.", "stream_options")
    return ERRORS.get(behaviour)


# ---- kinds of servers, by their documented behaviour


def refusal_of_azure(path: str, body: Json, form: str | None) -> tuple[int, Json] | None:
    """Azure's older form: deployments, chat only; the address and key are checked by the handler."""
    if "/chat/completions" not in path:
        return 404, {"error": {"code": "404", "message": "Resource not found"}}
    if form == "json_schema":
        told = "response_format value as json_schema is enabled only for api versions 2024-08-01-preview and later"
        return 400, {"error": {"message": told, "type": "invalid_request_error", "param": None, "code": "BadRequest"}}
    if "store" in body:
        return 400, {"error": {"message": "Unrecognized request argument supplied: store", "code": None}}
    return None


def refusal_of_ollama(path: str, body: Json, form: str | None) -> tuple[int, Json] | None:
    """Ollama before it had the Responses API: plain text for unknown paths, everything else is taken."""
    return (404, {"": "404 page not found"}) if path.endswith("/responses") else None


def refusal_of_vllm(path: str, body: Json, form: str | None) -> tuple[int, Json] | None:
    """vLLM: its errors lie flat in the body with a number as code; a schema its grammar cannot hold is refused."""
    if path.endswith("/responses"):
        return 404, {"detail": "Not Found"}
    if form == "json_schema":
        told = "The provided JSON schema contains features not supported by xgrammar."
        return 400, {"object": "error", "message": told, "type": "BadRequestError", "param": None, "code": 400}
    return None


def refusal_of_llamacpp(path: str, body: Json, form: str | None) -> tuple[int, Json] | None:
    """llama.cpp's server: chat with a grammar made from the schema, and its own words for unknown paths."""
    if path.endswith("/responses"):
        return 404, {"error": {"code": 404, "message": "File Not Found", "type": "not_found_error"}}
    return None


Refusing = Callable[[str, Json, "str | None"], "tuple[int, Json] | None"]
KINDS: dict[str, Refusing] = {
    "azure": refusal_of_azure,
    "ollama": refusal_of_ollama,
    "vllm": refusal_of_vllm,
    "llamacpp": refusal_of_llamacpp,
}


ERRORS: dict[str, tuple[int, Json]] = {
    "error-500": (500, error_body("The server had an error while processing your request.")),
    "overloaded": (503, error_body("The engine is currently overloaded.")),
    "rate-limited": (429, error_body("Rate limit reached for requests.", code="rate_limit_exceeded")),
    "rate-limited-long": (429, error_body("Rate limit reached for requests.", code="rate_limit_exceeded")),
    "no-quota": (429, error_body("You exceeded your current quota.", code="insufficient_quota")),
    "unauthorized": (401, error_body("Incorrect API key provided: sk-te**-key.", code="invalid_api_key")),
    "no-such-model": (404, error_body("The model does not exist.", code="model_not_found")),
    "bad-request": (400, error_body("Invalid 'input': it is not to our liking.", "input")),
    "too-long": (
        400,
        error_body("This model's maximum context length is 8192 tokens.", code="context_length_exceeded"),
    ),
    "llamacpp-loading": (503, {"error": {"code": 503, "message": "Loading model", "type": "unavailable_error"}}),
    "llamacpp-too-long": (
        400,
        {
            "error": {
                "code": 400,
                "message": "the request exceeds the available context size, try increasing it",
                "type": "exceed_context_size_error",
                "n_prompt_tokens": 9000,
                "n_ctx": 4096,
            }
        },
    ),
    "vllm-too-long": (
        400,
        {
            "object": "error",
            "message": "This model's maximum context length is 4096 tokens. However, you requested 9000 tokens.",
            "type": "BadRequestError",
            "param": None,
            "code": 400,
        },
    ),
    "ollama-no-model": (
        404,
        {"error": {"message": 'model "x" not found, try pulling it first', "type": "api_error", "code": None}},
    ),
    "azure-filter": (
        400,
        {
            "error": {
                "message": "The response was filtered due to the prompt triggering the content management policy.",
                "code": "content_filter",
                "status": 400,
                "innererror": {"code": "ResponsibleAIPolicyViolation"},
            }
        },
    ),
    "no-embeddings": (
        501,
        {"error": {"code": 501, "message": "This server does not support embeddings.", "type": "not_supported_error"}},
    ),
    "redirect": (307, {}),
}
RETRY_AFTER_S = {"rate-limited": "1", "rate-limited-long": "600"}
ON_THE_WIRE = (
    "good",
    "slow",
    "drip",
    "drip-headers",
    "hang",
    "stream-cut",
    "body-cut",
    "stream-error",
    "html",
    "huge",
    "garbage",
    "compressed",
)
SAID = (
    "answers-not-found",
    "contradicts-quotes",
    "refusing",
    "content-filter",
    "failed-response",
    "echoes-key",
    "null",
)
LIMITED = (
    "no-responses-api",
    "responses-without-schema",
    "chat-json-mode-only",
    "text-only",
    "no-temperature",
    "no-store",
    "no-stream-options",
)
VECTORS = ("too-few-vectors", "no-numbers", "short-vectors")
BEHAVIOURS = tuple(
    dict.fromkeys(
        (*ON_THE_WIRE, *SAID, *LIMITED, *KINDS, *ERRORS, *VERDICTS, *QUOTES, *TEXTS, *VECTORS, "cuts-prompts")
    )
)


# ---- the server


@dataclass(frozen=True)
class Recorded:
    """One request as it came in."""

    path: str
    headers: dict[str, str]
    body: Json
    behaviour: str


HELD_AFTER, HELD_AT_MOST_S = 8, 240  # pieces of a stream; seconds, more than a browser or a worker is waited for


class ScriptedLLM:
    """The server, in a thread; `requests` holds what it was sent. Change `behaviour` at any time."""

    def __init__(self, behaviour: str | Sequence[str] = "good", *, port: int = 0, pace_s: float = 0.0) -> None:
        self._script = [behaviour] if isinstance(behaviour, str) else list(behaviour)
        unknown = set(self._script) - set(BEHAVIOURS)
        if unknown:
            raise ValueError(f"Unknown behaviour {sorted(unknown)}; there are: {', '.join(BEHAVIOURS)}")
        self.hold: threading.Event | None = None  # a stream stops in the middle until this is set
        self.pace_s = pace_s  # between the pieces of a stream; "slow" and "drip" bring their own
        self.requests: list[Recorded] = []
        self.models_status = 200
        self.told: Json = {}  # what its list says of its model beside the name, such as its window
        self.lists = 0  # how often the list was asked for
        self.follow_up: Json | None = None  # what it makes of the next question of a conversation
        self.reading: Json | None = None  # how it reads a question in thorough mode
        self.card: Json | None = None  # what it says of a document when that is read
        self.wanted: Json | None = None  # what it asks to see more of when it judges for the first time
        self.refused: dict[str, str] = {}  # words of a sentence that its check finds fault with, and what it says of it
        self.written: list[str] = []  # what it writes of the excerpts, one draft after the other; the last is repeated
        self.copied: list[Json] = []  # what it copies out of passages, part after part; then what good_text says
        self.favours = ""  # words that make a passage the answer, whatever is asked, wherever they are shown
        self.discards: set[str] = set()  # candidates of no use, where it finds something missing
        self.forgotten: set[str] = set()  # fields it leaves out of its verdicts on several
        self.missing = ""  # what it says is missing, whenever it judges
        self.was_left = threading.Event()  # somebody who met "hang" closed the connection
        self.ended = threading.Event()
        self._lock = threading.Lock()
        handler = type("ScriptedHandler", (_Handler,), {"script": self})
        self._server = _listen(port, handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    @property
    def azure_url(self) -> str:
        """The same server in the older form of Azure's addresses."""
        return self.base_url.replace("/v1", "/openai/deployments/scripted?api-version=2024-06-01")

    @property
    def behaviour(self) -> str:
        """What the next request meets."""
        return self._script[0]

    @behaviour.setter
    def behaviour(self, behaviour: str) -> None:
        self._script = [behaviour]

    @property
    def paths(self) -> list[str]:
        """The paths asked for, in order."""
        return [request.path for request in self.requests]

    def take(self, path: str, headers: dict[str, str], body: Json) -> str:
        """Record a request and say which behaviour it meets."""
        with self._lock:
            scripted = self._script.pop(0) if len(self._script) > 1 else self._script[0]
            behaviour = body["model"] if body.get("model") in BEHAVIOURS else scripted
            self.requests.append(Recorded(path, headers, body, behaviour))
            return behaviour

    def doubt(self, text: str, prompt: str) -> str:
        """A judgement that says what is missing, and at the first look asks for it, if the script has either."""
        text = self.favour(text, prompt)
        wanted = {} if SECOND_LOOK in prompt else self.wanted or {}
        if not wanted and not self.missing:
            return text
        missing = self.missing or "The passage that would say it."
        reply = json.loads(text) | {"answerable": False, "answerable_reason": missing} | wanted
        for verdict in reply.get("rankings", ()):
            if verdict["candidate_id"] in self.discards:
                verdict |= {"role": "discarded", "content_anchor": ""}
        return json.dumps(reply)

    def favour(self, text: str, prompt: str) -> str:
        """A judgement in which only the passage with certain words is primary, where one is shown."""
        shown = Prompt.read(json.loads(prompt)).candidates if self.favours else []
        best = [id_ for id_, lines in shown if self.favours in " ".join(lines)]
        if not best:
            return text
        reply = json.loads(text)
        for verdict in reply.get("rankings", ()):
            is_best = verdict["candidate_id"] in best
            verdict |= {"role": "primary" if is_best else "tangential", "content_anchor": self.favours * is_best}
        return json.dumps(reply | {"answerable": True, "answerable_reason": ""})

    def check(self, prompt: str) -> Json:
        """The verdict on each sentence: supported, unless the script finds fault with it."""
        claims = []
        for number, sentence in SENTENCE.findall(prompt):
            fault = next((said for words, said in self.refused.items() if words in sentence), "")
            verdict = "contradicted" if fault else "supported"
            claims.append({"number": int(number), "verdict": verdict, "finding": fault})
        return {"claims": claims}

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self.ended.set()
        self._server.shutdown()
        self._server.server_close()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


_had: set[int] = set()  # the ports of this process's servers


def _listen(port: int, handler: type[BaseHTTPRequestHandler]) -> "_Server":
    """A server at that port; for 0 at one that none before it had, since the product remembers servers by address."""
    while True:
        server = _Server(("127.0.0.1", port), handler)
        if port or server.server_port not in _had:
            _had.add(server.server_port)
            return server
        server.server_close()


class _Server(ThreadingHTTPServer):
    """One that ends its connections too: clients keep them, and each has a thread and two descriptors."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._connections: set[socket.socket] = set()

    def process_request(self, request: Any, client_address: Any) -> None:
        self._connections.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self._connections.discard(request)
        super().shutdown_request(request)

    def server_close(self) -> None:
        super().server_close()
        for connection in [*self._connections]:
            with suppress(OSError):  # it has ended by itself meanwhile
                connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that go away are part of the script."""


class _Handler(BaseHTTPRequestHandler):
    script: ClassVar[ScriptedLLM]
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def do_GET(self) -> None:
        if self.path != "/v1/models":
            return self._send_json(404, error_body("Unknown request URL."))
        self.script.lists += 1
        model = {"id": "good", "object": "model", "created": 1_790_000_000, "owned_by": "script"} | self.script.told
        if self.script.behaviour == "hang":
            return self.act_hang()
        self._send_json(self.script.models_status, {"object": "list", "data": [model]})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))))
        behaviour = self.script.take(self.path, {key.lower(): value for key, value in self.headers.items()}, body)
        self.path, _, query = self.path.partition("?")
        if behaviour == "azure" and (self.headers.get("api-key") is None or "api-version=" not in query):
            told = "Access denied due to invalid subscription key or wrong API endpoint."
            return self._send_json(401, {"error": {"code": "401", "message": told}})
        self.path = self.path.replace("/openai/deployments/scripted", "/v1")
        if self.path not in ("/v1/responses", "/v1/chat/completions", "/v1/embeddings", "/v1/rerank"):
            return self._send_json(404, error_body("Unknown request URL."))
        if refusal := refusal_of(behaviour, self.path, body):
            return self._send_json(*refusal, behaviour=behaviour)
        wrong = getattr(self, f"act_{behaviour.replace('-', '_')}", None)
        if wrong is not None:
            return wrong()  # type: ignore[no-any-return]
        if self.path in ("/v1/embeddings", "/v1/rerank"):
            reply = embeddings_of(body, behaviour) if self.path == "/v1/embeddings" else reranked(body, behaviour)
            return self._send_body(behaviour, json.dumps(reply).encode())
        prompt = Prompt.read(body)
        said = Said.under(behaviour, prompt)
        if self.script.follow_up and "stands_alone" in (prompt.schema or {}).get("properties", {}):
            said = Said(json.dumps(self.script.follow_up))
        if self.script.card and "parties" in (prompt.schema or {}).get("properties", {}):
            said = replace(said, text=json.dumps(self.script.card))
        if self.script.reading and "rewrites" in (prompt.schema or {}).get("properties", {}):
            said = Said(json.dumps(self.script.reading))
        if prompt.fields and behaviour == "good":
            judged = [each for each in json.loads(said.text)["fields"] if each["field"] not in self.script.forgotten]
            said = replace(said, text=json.dumps({"fields": judged}, ensure_ascii=False))
        elif prompt.candidates and behaviour == "good":
            said = replace(said, text=self.script.doubt(said.text, json.dumps(body)))
        if "claims" in (prompt.schema or {}).get("properties", {}) and behaviour == "good":
            said = replace(said, text=json.dumps(self.script.check(json.dumps(body))))
        if self.script.written and prompt.excerpts and prompt.schema is None and behaviour == "good":
            drafts = self.script.written
            said = replace(said, text=drafts.pop(0) if len(drafts) > 1 else drafts[0])
        if self.script.copied and "copies" in (prompt.schema or {}).get("properties", {}):
            said = replace(said, text=json.dumps(self.script.copied.pop(0)))
        if behaviour == "echoes-key":
            said = Said(f'{{"note": "{self.headers["authorization"]}"')
        if body.get("stream"):
            return self._stream(behaviour, said, body)
        reply = response_of(said, body["model"]) if self.path == "/v1/responses" else completion_of(said, body["model"])
        if behaviour == "null":
            reply = without_text(reply)
        if behaviour == "failed-response":
            reply |= {"status": "failed", "output": [], "error": {"code": "server_error", "message": "It broke."}}
        self._send_body(behaviour, json.dumps(reply).encode())

    # ---- sending

    def _send_json(self, status: int, body: Json, behaviour: str = "") -> None:
        if "" in body:  # a server that says it in plain text
            return self._send(status, str(body[""]).encode(), {"Content-Type": "text/plain"})
        extra = {"Retry-After": RETRY_AFTER_S[behaviour]} if behaviour in RETRY_AFTER_S else {}
        if behaviour == "redirect":
            extra = {"Location": f"{self.script.base_url}/elsewhere"}
        self._send(status, json.dumps(body).encode(), extra)

    def _send(self, status: int, body: bytes, extra: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {
            "Content-Type": "application/json",
            "Content-Length": str(len(body)),
            **(extra or {}),
        }.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def _send_body(self, behaviour: str, body: bytes) -> None:
        if behaviour == "slow":
            self._wait(self.script.pace_s or 1.0)
        if behaviour == "body-cut":
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body[: len(body) // 2])
            return self._cut()
        if behaviour != "drip":
            return self._send(200, body)
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self._drip(body)

    def _stream(self, behaviour: str, said: Said, body: Json) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for index, event in enumerate(self._events(said, body)):
            if behaviour == "stream-cut" and index == 8:
                return self._cut()
            if behaviour == "stream-error" and index == 8:
                event = {"error": {"message": "The model crashed.", "code": "server_error"}}
            if behaviour == "failed-response" and index == 8:
                event = {"type": "response.failed", "response": {"status": "failed", "error": {"message": "It broke."}}}
            self._send_event(event, behaviour)
            if index == HELD_AFTER and self.script.hold:
                self.script.hold.wait(HELD_AT_MOST_S)
            self._wait(self.script.pace_s or (0.2 if behaviour == "slow" else 0.0))
        if self.path == "/v1/chat/completions":
            self._chunk(b"data: [DONE]\n\n")
        self._chunk(b"")

    def _events(self, said: Said, body: Json) -> Iterator[Json]:
        if self.path == "/v1/responses":
            events = response_events(said, body["model"])
            return (event | {"sequence_number": number} for number, event in enumerate(events))
        return completion_events(said, body["model"], bool(body.get("stream_options", {}).get("include_usage")))

    def _send_event(self, event: Json, behaviour: str) -> None:
        name = f"event: {event['type']}\n" if "type" in event else ""
        text = f"{name}data: {json.dumps(event)}\n\n".encode()
        if behaviour != "drip":
            return self._chunk(text)
        for offset in range(len(text)):
            self._chunk(text[offset : offset + 1])
            self._wait(self.script.pace_s or 0.1)

    def _chunk(self, piece: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))

    def _drip(self, body: bytes) -> None:
        for offset in range(len(body)):
            self.wfile.write(body[offset : offset + 1])
            self._wait(self.script.pace_s or 0.1)

    def _wait(self, seconds: float) -> None:
        if seconds and self.script.ended.wait(seconds):
            raise ConnectionAbortedError

    def _cut(self) -> None:
        self.connection.shutdown(socket.SHUT_RDWR)
        self.close_connection = True

    # ---- servers that do not speak the protocol, by the name of their behaviour

    def act_hang(self) -> None:
        connection = select.poll()  # select.select knows no descriptor above 1023
        connection.register(self.connection, select.POLLIN)
        while not self.script.ended.is_set():
            if connection.poll(50):  # nothing more is sent: it was closed
                self.close_connection = True
                return self.script.was_left.set()

    def act_drip_headers(self) -> None:
        self._drip(b"HTTP/1.1 200 OK\r\n" + b"".join(b"X-%d: yes\r\n" % number for number in range(1000)))

    def act_html(self) -> None:
        self._send(200, b"<html><body>Please log in to the network first.</body></html>", {"Content-Type": "text/html"})

    def act_garbage(self) -> None:
        self._send(200, b'{"output": 5, "choices": [' + b"[" * 100_000)

    def act_compressed(self) -> None:
        self._send(200, b"\x1f\x8b" + b"0" * 100, {"Content-Encoding": "gzip"})

    def act_huge(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(10**9))
        self.end_headers()
        for _ in range(10**9 // 2**20):
            self.wfile.write(b" " * 2**20)


def main() -> None:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(description="A scripted OpenAI-compatible model server.")
    parser.add_argument("--port", type=int, default=8123)
    parser.add_argument("--behaviour", default="good", choices=BEHAVIOURS)
    parser.add_argument("--pace", type=float, default=0.0, help="seconds between the pieces of a stream")
    options = parser.parse_args()
    with ScriptedLLM(options.behaviour, port=options.port, pace_s=options.pace) as server:
        print(f"{server.base_url} behaves: {options.behaviour}", flush=True)
        try:
            while True:
                time.sleep(3600)
        except KeyboardInterrupt:
            pass


if __name__ == "__main__":
    main()
