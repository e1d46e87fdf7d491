"""The dispatcher with a model of embeddings: cosines of the request and of what tools say of themselves."""

import dataclasses
from collections.abc import Sequence
from typing import Protocol

import anyio

from pytest_mcpbench.core.errors import ModelError
from pytest_mcpbench.core.tool import ToolSpec

_BATCH = 32
"""Texts of one request: what small servers of embeddings take at once."""
_LONGEST_TEXT = 2000
"""Characters of a text: models of embeddings read a few hundred words."""


class Embedder(Protocol):
    """A model that makes vectors of texts."""

    async def embed(self, texts: Sequence[str]) -> list[list[float]]: ...


class EmbeddingDispatcher:
    """Asks for each tool's vector once, and for that of each request."""

    def __init__(self, name: str, model: Embedder) -> None:
        self.name = name
        self._model = model
        self._vectors: dict[str, list[float]] = {}
        self._lock = anyio.Lock()
        self._unreachable: ModelError | None = None
        """Why nobody else needs to ask: the model's address, which never has answered, is nobody's."""

    async def scores(self, request: str, tools: Sequence[ToolSpec]) -> Sequence[float]:
        """From -1 to 1."""
        texts = [_text(tool) for tool in tools]
        async with self._lock:  # attempts that begin together ask for the same tools
            await self._embed_tools_once([text for text in dict.fromkeys(texts) if text not in self._vectors])
        (request_vector,) = await self._model.embed([request[:_LONGEST_TEXT]])
        return _cosines(request_vector, [self._vectors[text] for text in texts])

    async def _embed_tools_once(self, texts: Sequence[str]) -> None:
        """Fail as the first did where nothing listens, without trying again: attempts wait for each other here."""
        if self._unreachable is not None:
            raise dataclasses.replace(self._unreachable)
        try:
            await self._embed_tools(texts)
        except ModelError as error:
            if error.is_unreachable and not self._vectors:
                self._unreachable = dataclasses.replace(error)
            raise

    async def _embed_tools(self, texts: Sequence[str]) -> None:
        for start in range(0, len(texts), _BATCH):
            batch = texts[start : start + _BATCH]
            self._vectors.update(zip(batch, await self._model.embed(batch), strict=True))


def _text(tool: ToolSpec) -> str:
    return f"{tool.server} {tool.tool}: {tool.description}"[:_LONGEST_TEXT]


def _cosines(request_vector: Sequence[float], vectors: Sequence[Sequence[float]]) -> list[float]:
    import numpy as np

    if not vectors:
        return []
    query, matrix = np.asarray(request_vector), np.asarray(vectors)
    lengths = np.linalg.norm(matrix, axis=1) * np.linalg.norm(query)
    cosines: list[float] = (matrix @ query / np.where(lengths == 0, 1.0, lengths)).tolist()
    return cosines
