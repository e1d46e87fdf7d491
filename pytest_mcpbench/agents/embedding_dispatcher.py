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
        import numpy as np

        texts = [f"{tool.server} {tool.tool}: {tool.description}"[:_LONGEST_TEXT] for tool in tools]
        async with self._lock:  # attempts that start together need the vectors of the same tools
            missing = [text for text in dict.fromkeys(texts) if text not in self._vectors]
            for start in range(0, len(missing), _BATCH):
                batch = missing[start : start + _BATCH]
                self._vectors.update(zip(batch, await self._model.embed(batch), strict=True))
        (request_vector,) = await self._model.embed([request[:_LONGEST_TEXT]])
        if not texts:
            return []
        query, matrix = np.asarray(request_vector), np.asarray([self._vectors[text] for text in texts])
        lengths = np.linalg.norm(matrix, axis=1) * np.linalg.norm(query)
        cosines: list[float] = (matrix @ query / np.where(lengths == 0, 1.0, lengths)).tolist()
        return cosines
