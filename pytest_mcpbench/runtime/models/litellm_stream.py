"""Assembly of a reply that litellm streams into an ordinary response."""

import time
from typing import Any


class StreamedChunks:
    """One request with ``stream``, whose chunks are joined to an ordinary response."""

    def __init__(self, litellm: Any) -> None:
        self._litellm = litellm
        self._first_token: float | None = None

    async def complete(self, **request: Any) -> Any:
        """Return the response like ``litellm.acompletion`` without ``stream``."""
        options = {"stream": True, "stream_options": {"include_usage": True}}
        chunks = []
        async for chunk in await self._litellm.acompletion(**request, **options):
            if self._first_token is None and _has_token(chunk):
                self._first_token = time.perf_counter()
            chunks.append(chunk)
        return self._litellm.stream_chunk_builder(chunks, messages=request["messages"])

    def first_token_seconds(self, started: float) -> float | None:
        """Return the time from ``started`` to the first token; ``None`` if there was none."""
        return None if self._first_token is None else self._first_token - started


def _has_token(chunk: Any) -> bool:
    deltas = [choice.delta for choice in chunk.choices]
    return any(getattr(each, "content", None) or getattr(each, "tool_calls", None) for each in deltas) or any(
        getattr(each, "reasoning_content", None) for each in deltas
    )
