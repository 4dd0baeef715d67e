"""Optional: a conversation made into a draft by the chat service that the user has set (``summarize_memory``, S0).

Part of the service, with a thread of its own, for an answer may take a minute. Off unless a service is set; nothing
else asks a chat model. Must not store anything: whoever asked looks at the draft and remembers it.
"""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import datetime

from engine.clock import Clock, local_day
from engine.config import Settings
from engine.errors import Closed
from engine.ingest import summarize
from engine.llm import ChatClient
from engine.types import Draft

Secret = Callable[[str], str | None]


class Summaries:
    """``secret``("chat.key") gives the key, asked anew for each question."""

    def __init__(self, settings: Settings, secret: Secret, clock: Clock) -> None:
        self._settings = settings
        self._secret = secret
        self._clock = clock
        self._guard = threading.Lock()
        self._closed = False
        self._client: ChatClient | None = None
        self._pool = ThreadPoolExecutor(1, "hupo-chat")

    @property
    def available(self) -> bool:
        """Whether a service is set."""
        return bool(self._settings["chat.url"] and self._settings["chat.model"])

    def draft(self, text: str, held_at: datetime | None = None) -> Future[Draft]:
        """Summary, topics, facts and people of a conversation ``held_at`` (default: now), its text in ``source_text``.

        Errors: ``ChatUnavailable``, ``InvalidArgument`` (field "content"), ``Closed``.
        """
        with self._guard:
            if self._closed:
                raise Closed()
            return self._pool.submit(self._draft, text, held_at)

    def close(self) -> None:
        """End a question that is under way, and take no more."""
        with self._guard:
            self._closed = True
            if self._client is not None:
                self._client.close()
        self._pool.shutdown(cancel_futures=True)

    def _draft(self, text: str, held_at: datetime | None) -> Draft:
        asked = summarize.messages(text, "auto", held_on=local_day(held_at or self._clock.now(), self._clock))
        values = self._settings.current
        client = ChatClient(
            values["chat.url"], values["chat.model"], lambda: self._secret("chat.key"), values["chat.timeout"]
        )
        with self._guard:
            if self._closed:
                raise Closed()
            self._client = client
        try:
            return dataclasses.replace(summarize.draft_from(client.complete(asked), text), event_time=held_at)
        finally:
            client.close()
