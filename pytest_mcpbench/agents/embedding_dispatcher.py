"""Dispatcher with an embedding model: cosine similarity of the request and the descriptions of tools."""

from collections.abc import Sequence
from typing import Protocol

import anyio

from pytest_mcpbench.core.tool import ToolSpec

_BATCH = 32
"""Texts per request; small embedding servers accept no more."""
_LONGEST_TEXT = 2000
"""Characters per text; embedding models read only a few hundred words."""


class Embedder(Protocol):
    """Model that converts texts to vectors."""

    async def embed(self, texts: Sequence[str]) -> list[list[float]]: ...


class EmbeddingDispatcher:
    """Ranking by embeddings; the vector of each tool is requested once."""

    def __init__(self, name: str, model: Embedder) -> None:
        self.name = name
        self._model = model
        self._vectors: dict[str, list[float]] = {}
        self._lock = anyio.Lock()

    async def scores(self, request: str, tools: Sequence[ToolSpec]) -> Sequence[float]:
        """Return a cosine from -1 to 1 for each tool."""
        texts = [f"{tool.server} {tool.tool}: {tool.description}"[:_LONGEST_TEXT] for tool in tools]
        async with self._lock:  # attempts that start together need the vectors of the same tools
            await self._embed_tools([text for text in dict.fromkeys(texts) if text not in self._vectors])
        (request_vector,) = await self._model.embed([request[:_LONGEST_TEXT]])
        return _cosines(request_vector, [self._vectors[text] for text in texts])

    async def _embed_tools(self, texts: Sequence[str]) -> None:
        for start in range(0, len(texts), _BATCH):
            batch = texts[start : start + _BATCH]
            self._vectors.update(zip(batch, await self._model.embed(batch), strict=True))


def _cosines(request_vector: Sequence[float], vectors: Sequence[Sequence[float]]) -> list[float]:
    import numpy as np

    if not vectors:
        return []
    query, matrix = np.asarray(request_vector), np.asarray(vectors)
    lengths = np.linalg.norm(matrix, axis=1) * np.linalg.norm(query)
    cosines: list[float] = (matrix @ query / np.where(lengths == 0, 1.0, lengths)).tolist()
    return cosines
