"""Factory of dispatchers by name."""

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.runtime.dispatcher import Dispatcher
from pytest_mcpbench.runtime.models.factory import Models

BM25 = "bm25"


class Dispatchers:
    """Dispatchers of one process; equal names share one dispatcher and its cached vectors."""

    def __init__(self, models: Models | None = None) -> None:
        self._models = models or Models({})
        self._owns_models = models is None
        self._dispatchers: dict[str, Dispatcher] = {}

    def get(self, name: str) -> Dispatcher:
        """Return the dispatcher with that name: ``bm25``, or an embedding model.

        Raises:
            UsageError: the name is neither.
        """
        if name not in self._dispatchers:
            self._dispatchers[name] = self._create(name)
        return self._dispatchers[name]

    async def aclose(self) -> None:
        """Close the connections of models that no other owner closes."""
        if self._owns_models:
            await self._models.aclose()

    def _create(self, name: str) -> Dispatcher:
        if name == BM25:
            from pytest_mcpbench.runtime.dispatchers.bm25 import Bm25Dispatcher

            return Bm25Dispatcher()
        from pytest_mcpbench.runtime.dispatchers.embeddings import EmbeddingDispatcher

        try:
            model = self._models.embedder(name)
        except UsageError as error:
            raise UsageError(f"the dispatcher {name!r} is neither {BM25} nor a model: {error}") from None
        return EmbeddingDispatcher(model.name, model)
