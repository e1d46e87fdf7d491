"""Models that agents and judges of this process call."""

import functools
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_mcpbench.options.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_mcpbench.core.speed import Speed
    from pytest_mcpbench.models.factory import Models
    from pytest_mcpbench.servers.secret_filter import SecretFilter


class SessionModels:
    """Models of this process or, in a worker, proxies of those in the provider process that all workers share.

    Agents and judges that use the same model share its rate limiter.
    """

    def __init__(
        self, settings: Settings, *, provider_address: str | None, secrets: "Callable[[], SecretFilter]", cache: Path
    ) -> None:
        self.cache = cache
        """Directory of what is remembered of models."""
        self._aliases = settings.aliases
        self._provider_address = provider_address
        self._secrets = secrets

    @functools.cached_property
    def models(self) -> "Models":
        # Imported on first use: these modules bring the HTTP client and pydantic.
        if self._provider_address is not None:
            from pytest_mcpbench.attempt.provider.shared_models import SharedModels

            return SharedModels(self._aliases, Path(self._provider_address), self._secrets())
        from pytest_mcpbench.models.factory import Models

        return Models(self._aliases, cache=self.cache)

    @property
    def speeds(self) -> "Mapping[str, Speed]":
        """Speeds of the models of this process that tell it, by name."""
        return dict(self.models.ledger.speeds) if "models" in self.__dict__ else {}

    def cost_usd(self, finished: float | None) -> float | None:
        """Return the cost of all calls of models of this process; ``finished`` if there were none."""
        ledger = self.models.ledger if "models" in self.__dict__ else None
        return ledger.usage.cost_usd if ledger is not None and ledger.replies else finished
