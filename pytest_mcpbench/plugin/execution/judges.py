"""Registry of the judges of this process."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_mcpbench.options.settings import Settings

if TYPE_CHECKING:
    from pytest_mcpbench.core.judgement import Judge
    from pytest_mcpbench.plugin.collection.jobs import Job
    from pytest_mcpbench.plugin.execution.models import SessionModels
    from pytest_mcpbench.servers.secret_filter import SecretFilter


class JudgeRegistry:
    """Judges by name, one for the process each, with a common cache of verdicts."""

    def __init__(
        self, settings: Settings, models: "SessionModels", *, cache: Path, secrets: "Callable[[], SecretFilter]"
    ) -> None:
        self._settings = settings
        self._models = models
        self._cache = cache
        self._secrets = secrets
        self._judges: dict[str, Judge | None] = {}

    def judge(self, job: "Job") -> "Judge | None":
        """Return the judge of the job's questions."""
        from pytest_mcpbench.judges.cache import VerdictCache
        from pytest_mcpbench.judges.factory import make_judge

        name = job.judge
        if name not in self._judges:
            cache = VerdictCache(self._cache, self._secrets())
            self._judges[name] = make_judge(name, self._models.models, cache=cache)
        return self._judges[name]
