"""Model servers on this machine: noticed for administrators where no model is set up, and never used unasked."""

import asyncio
import json
from typing import Any, NamedTuple

import httpx2
from django.conf import settings

from llm.call import GRACE_S
from llm.exchange import clean_text
from llm.wire import wire

HOST = "127.0.0.1"
USUAL_PORTS = {11434: "Ollama", 1234: "LM Studio", 8000: "vLLM", 8080: "llama.cpp"}
ASK_S = 0.3 * settings.PATIENCE
LIST_MAX_BYTES = 100_000
MODELS_SHOWN, NAME_MAX = 5, 100


class NearbyServer(NamedTuple):
    """A server that lists models: the program that usually has its port, its address, and the first models."""

    program: str
    url: str
    models: tuple[str, ...]

    @property
    def settings(self) -> str:
        """The settings to start with, as they are written; of several models one is to be chosen."""
        return "\n".join([f"OPENAI_BASE_URL={self.url}", *(f"DOCINTEL_MODEL={name}" for name in self.models)])


def find_nearby() -> tuple[NearbyServer, ...]:
    """The servers at the usual ports of this machine that list their models within 0.3 s; nothing else is asked."""
    try:
        return wire().submit(ask_every_port()).result(ASK_S + GRACE_S)
    except TimeoutError:
        return ()


async def ask_every_port() -> tuple[NearbyServer, ...]:
    # Without the proxies of the environment: another machine would answer.
    async with httpx2.AsyncClient(trust_env=False, timeout=ASK_S, follow_redirects=False) as client:
        found = await asyncio.gather(*(ask_port(client, port, name) for port, name in USUAL_PORTS.items()))
    return tuple(server for server in found if server)


async def ask_port(client: httpx2.AsyncClient, port: int, program: str) -> NearbyServer | None:
    url = f"http://{HOST}:{port}/v1"
    try:
        async with asyncio.timeout(ASK_S):
            models = models_listed(await read_list(client, f"{url}/models"))
    except (httpx2.HTTPError, TimeoutError, ValueError, RecursionError):
        return None
    return NearbyServer(program, url, models) if models else None


async def read_list(client: httpx2.AsyncClient, address: str) -> Any:
    """What an address answers, as JSON. Raises ValueError where it is something else, or long."""
    async with client.stream("GET", address, headers={"Accept-Encoding": "identity"}) as response:
        if response.status_code != 200:
            raise ValueError("no list of models")
        body = b""
        async for piece in response.aiter_raw():
            body += piece
            if len(body) > LIST_MAX_BYTES:
                raise ValueError("too long for a list of models")
    return json.loads(body)


def models_listed(listed: Any) -> tuple[str, ...]:
    """The names of the first models of a list; () of what is none."""
    rows = listed.get("data") if isinstance(listed, dict) else None
    names = [row.get("id") for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    return tuple(" ".join(clean_text(name).split())[:NAME_MAX] for name in names if isinstance(name, str) and name)[
        :MODELS_SHOWN
    ]
