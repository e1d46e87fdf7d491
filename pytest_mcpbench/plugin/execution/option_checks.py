"""Checks of the options of a run against its tasks, models and suites."""

import warnings
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pytest_mcpbench.agents.dispatchers import LEXICAL, Dispatchers
from pytest_mcpbench.core.conditions import NO_DISPATCHER, PROVIDER
from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.model_names import (
    AGENTS_WITHOUT_MODEL,
    CONTROLS,
    JUDGES_WITHOUT_MODEL,
    NO_USER,
    NOOP,
    REPLAY,
    external_agent,
    is_in_process,
    panel_members,
    reads_local_file,
)
from pytest_mcpbench.core.planning import FIRST_CALLS, ROUTE
from pytest_mcpbench.core.secret_sources import public_name
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.models.factory import UnknownModelError
from pytest_mcpbench.options.reading import CLIENTS
from pytest_mcpbench.options.settings import LOCAL, SETTINGS, SHARED
from pytest_mcpbench.options.workers import is_further_worker
from pytest_mcpbench.plugin.collection import jobs as jobs_of_items
from pytest_mcpbench.plugin.collection.catalogue import catalogue_of
from pytest_mcpbench.plugin.collection.file_names import LOCK_ENDING
from pytest_mcpbench.plugin.collection.item_fixtures import uses_default_agent
from pytest_mcpbench.plugin.collection.item_state import SUITES
from pytest_mcpbench.plugin.collection.jobs import Job
from pytest_mcpbench.plugin.execution.access import WITHOUT_KEY, require_key
from pytest_mcpbench.plugin.execution.participants import model_plays_user
from pytest_mcpbench.plugin.execution.session import Session
from pytest_mcpbench.plugin.execution.session_door import SessionDoor
from pytest_mcpbench.reporting.tables.breakdown import metrics_of_measures
from pytest_mcpbench.runs.records import require_known_version
from pytest_mcpbench.servers.isolation import make_isolation


class OptionChecks:
    """The checks, in the order in which their errors are shown."""

    def __init__(self, config: pytest.Config, door: SessionDoor, prepare: Sequence[Callable[[], None]]) -> None:
        self._config = config
        self._settings = config.stash[SETTINGS]
        self._door = door
        self._prepare = prepare

    def problem(self, items: Sequence[pytest.Item]) -> str | None:
        """Return the first error, ``None`` if there is none."""
        jobs: dict[pytest.Item, Job] = {}
        if SUITES in self._config.stash:
            jobs = {item: job for item in items if (job := jobs_of_items.job_of_item(item)) is not None}
        models = dict.fromkeys(job.written_model for item, job in jobs.items() if uses_default_agent(item))
        checks: Sequence[Callable[[], object]] = (
            self._check_metrics,
            self._prepare_reports,
            self._check_earlier_run,
            self._check_data,
            lambda: make_isolation(self._settings.isolation) if self._settings.isolation != "none" else None,
            lambda: _check_locks(items),
            lambda: self._check_findability(items),
            lambda: self._check_floors_of_route([*jobs.values()]),
            lambda: self._check_top_k([*jobs.values()]),
            lambda: self._check_presentation([*jobs.values()], models),
            lambda: self._check_client([*jobs.values()], models),
            lambda: self._check_agents(models),
            lambda: self._check_access(models, [*jobs.values()]),
            lambda: self._warn_of_temperature(models),
            lambda: self._check_prices(models, [*jobs.values()]),
            lambda: self._check_suites({id(job.suite): job for job in jobs.values()}.values()),
            lambda: self._check_comparisons(jobs),
            lambda: self._prepare_attempts([*jobs]),
        )
        try:
            for check in checks:
                check()
        except Exception as error:
            if _is_usage_error(error):
                return str(error)
            raise
        return None

    @property
    def _session(self) -> Session:
        return self._door.session

    def _check_metrics(self) -> None:
        settings = self._settings
        if not settings.metrics and not settings.floors and not settings.by_metrics:
            return

        catalogue = catalogue_of(self._config)
        catalogue.check_metric_names("--mcpbench-metric", settings.metrics)
        catalogue.check_metric_names("--mcpbench-floor", settings.floors)
        if settings.by_metrics:
            catalogue.check_metric_names("--mcpbench-by-metric", metrics_of_measures(settings.by_metrics))

    def _prepare_reports(self) -> None:
        """Make the directories of the reports and try to write there: an error at the end would cost a report."""
        settings = self._settings
        for option, file in (("markdown", settings.markdown), ("json", settings.json), ("page", settings.page)):
            if file is not None:
                _require_writable(f"--mcpbench-{option}", file)

    def _check_comparisons(self, jobs: dict[pytest.Item, Job]) -> None:
        if self._settings.compares_arms and self._session.comparisons is not None:
            self._session.comparisons.check(jobs)

    def _prepare_attempts(self, items: Sequence[pytest.Item]) -> None:
        """Prepare what attempts need, such as a directory for their records, before a model is asked."""
        if items and not self._config.option.collectonly and not self._settings.runs_nothing:
            for prepare in self._prepare:
                prepare()

    def _check_earlier_run(self) -> None:
        if self._settings.resume is not None:
            require_known_version(self._settings.resume)

    def _check_data(self) -> None:
        """Check that a suite reads ``--mcpbench-data``; the ini file may set it for other runs than this one."""
        data = self._settings.data
        if data is None or self._config.getoption("mcpbench_data") is None:
            return
        suites: Iterable[SuiteManifest] = self._config.stash.get(SUITES, {}).values()
        if not any(Path(suite.directory) == data.resolve() for suite in suites):
            raise pytest.UsageError(
                "--mcpbench-data: no suite of this run reads it; name one, such as --suite=toolbench"
            )

    def _check_findability(self, items: Sequence[pytest.Item]) -> None:
        """Check that a lock says whose tools are measured; the ini file may set the option for other runs than this."""
        if self._is_on_command_line("findability") and not _locks_of(items):
            remedy = "name one, such as tools.lock.json, which `mcpbench lock` writes"
            raise pytest.UsageError(f"--mcpbench-findability: no lock file in this run; {remedy}")

    def _check_floors_of_route(self, jobs: Sequence[Job]) -> None:
        """Check that route mode has the metrics of ``--mcpbench-floor``; the ini file may set it for other runs."""
        others = [name for name in self._settings.floors if name not in (FIRST_CALLS, ROUTE)]
        if others and self._is_on_command_line("floor") and any(job.suite.route for job in jobs):
            problem = "route mode judges the first message alone, and its metrics are first_calls and route"
            raise pytest.UsageError(f"--mcpbench-floor: {others[0]} cannot be measured: {problem}")

    def _check_top_k(self, jobs: Sequence[Job]) -> None:
        """Check that a dispatcher uses ``--mcpbench-top-k``; the ini file may set it for other runs than this one."""
        if not jobs or self._config.getoption("mcpbench_top_k") is None:
            return

        if all(job.suite.dispatcher == NO_DISPATCHER for job in jobs):
            remedy = "name a dispatcher too, such as --mcpbench-dispatcher=bm25"
            raise pytest.UsageError(f"--mcpbench-top-k: nothing picks tools in this run; {remedy}")

    def _check_client(self, jobs: Sequence[Job], models: Iterable[str]) -> None:
        """Check that somebody sees servers as the client shows them; warn of a profile that may be out of date.

        A program is a client itself. For a run of ``noop`` alone the option is useless, but the ini file may set it for
        other runs.
        """
        for job in jobs:
            if job.suite.client is not None and external_agent(job.written_model, self._settings.aliases) is not None:
                problem = f"{public_name(job.written_model)} is a client itself, which shows servers in its own way"
                raise pytest.UsageError(f"--mcpbench-client={job.suite.client}: {problem}; leave the option out for it")
        if [*models] == [NOOP] and self._is_on_command_line("client"):
            problem = "noop looks at no server, however a client shows it; name another agent too, such as oracle"
            raise pytest.UsageError(f"--mcpbench-client: {problem}")
        for name, profile in self._config.stash.get(CLIENTS, {}).items():
            if warning := profile.age_warning(datetime.now(UTC).date()):
                self._warn("client", f"client {name}: {warning}")

    def _check_presentation(self, jobs: Sequence[Job], models: Iterable[str]) -> None:
        """Check that somebody searches for tools if an option says how; the ini file may be for other runs."""
        options = ("presentation", "search-from", "tool-search", "search-results")
        named = [name for name in options if self._is_on_command_line(name)]
        searching = [job for job in jobs if job.suite.presentation == "search"]
        if any(job.suite.route for job in searching):
            problem = "the first message of a model that searches for tools is a search, which route mode does not make"
            raise pytest.UsageError(f"--mcpbench-route: {problem}; choose --mcpbench-presentation=listed")
        for job in jobs:
            self._check_presentation_of_program(job)
        if not jobs or not named:
            return
        if not searching and named != ["presentation"]:
            remedy = "add --mcpbench-presentation=search"
            raise pytest.UsageError(f"--mcpbench-{named[-1]}: no model searches for tools in this run; {remedy}")
        if models and all(model in CONTROLS or model.startswith(REPLAY) for model in models):
            problem = f"{', '.join(models)} searches for no tools; name a model with --model, or lexical"
            raise pytest.UsageError(f"--mcpbench-{named[0]}: {problem}")

    def _check_presentation_of_program(self, job: Job) -> None:
        """Check that a program can be told what the conditions say of the presentation of tools."""
        chosen = job.suite.presentation
        is_program = external_agent(job.written_model, self._settings.aliases) is not None
        # A profile of a client also sets the presentation; it has an error of its own.
        if chosen is None or not is_program or job.suite.client is not None:
            return
        # Here, because it brings mcp and the web server of the proxies.
        from pytest_mcpbench.agents.programs.external_agent import ExternalAgent

        agent = self._session.agents.agent(job.written_model)
        if isinstance(agent, ExternalAgent) and not agent.program.has_presentations:
            problem = (
                f"{public_name(job.written_model)} cannot be told how to show tools to its model; leave the option out"
            )
            raise pytest.UsageError(f"--mcpbench-presentation={chosen}: {problem}")

    def _is_on_command_line(self, name: str) -> bool:
        return self._config.getoption(f"mcpbench_{name.replace('-', '_')}") is not None

    def _check_agents(self, models: Iterable[str]) -> None:
        for model in models:
            if model in AGENTS_WITHOUT_MODEL:
                continue
            try:
                self._session.agents.agent(model)
            except Exception as error:
                # Any other error, such as a missing API key, occurs again when an item needs the agent.
                if _is_usage_error(error):
                    raise

    def _warn_of_temperature(self, models: Iterable[str]) -> None:
        """Warn of models that do not have what ``--mcpbench-temperature`` or a sweep sets."""
        swept = [variant.settings.get("temperature") for variant in self._settings.variants]
        is_stated = any(value is not None for value in (self._settings.temperature, *swept))
        if not is_stated or self._settings.replay is not None:
            return

        for model in filter(self._asks_model, models):
            if self._session.models.models.drops_temperature(model):
                problem = f"{public_name(model)} has no temperature, so that its requests are sent without one"
                self._warn("temperature", problem)

    def _warn(self, option: str, problem: str) -> None:
        """Warn once of the value of an option, at the option: pytest would show a line of the plugin."""
        if not is_further_worker(self._config):
            warnings.warn_explicit(pytest.PytestConfigWarning(problem), None, f"--mcpbench-{option}", 0)

    def _check_prices(self, models: Iterable[str], jobs: Sequence[Job]) -> None:
        """Check that ``--mcpbench-max-cost`` can count what the models and judges of the run cost."""
        if self._settings.max_cost is None or self._settings.replay is not None:
            return

        for name in self._asked_models(models, jobs):
            if not reads_local_file(name, self._settings.aliases) and self._session.models.models.price(name) is None:
                raise pytest.UsageError(
                    f"--mcpbench-max-cost: the price of {public_name(name)} is unknown; give it an alias in "
                    "[tool.mcpbench.models] with input_price and output_price, in USD per million tokens (0 if it is "
                    "free)"
                )

    def _check_access(self, models: Iterable[str], jobs: Sequence[Job]) -> None:
        """Check the variables with keys and those in headers; a remote engine reads those of its own environment."""
        if self._settings.asks_nobody(self._config) or self._settings.engine not in (LOCAL, SHARED):
            return
        asked = self._asked_models(models, jobs)
        # A model that has several parts is asked in any case if one of its parts is.
        for name, remedy in {**asked, **self._helping_models(jobs), **asked}.items():
            self._session.models.models.check_headers(name)
            # A resumed run may have all of its attempts already.
            if self._settings.resume is not None:
                continue
            try:
                require_key(self._session.models.models, name, remedy)
            except pytest.UsageError as error:
                # Runs of agents without a model check suites where there are no keys; few servers ask for a message.
                if remedy != WITHOUT_KEY["sampling"] or not models or not set(models).issubset(AGENTS_WITHOUT_MODEL):
                    raise
                self._warn("sampling", str(error))

    def _asked_models(self, models: Iterable[str], jobs: Sequence[Job]) -> dict[str, str]:
        """Return the models that the plugin asks as agents, users and judges, with what needs no key in their place."""
        if not jobs:
            return {}
        made = self._session.made_by_hooks
        users = {job.user for job in jobs if model_plays_user(job) and made.user(job.user) is None}
        judges = {name for job in jobs for name in panel_members(job.judge) if made.judge(name) is None}
        return {
            **dict.fromkeys(sorted(judges.difference(JUDGES_WITHOUT_MODEL)), WITHOUT_KEY["judge"]),
            **dict.fromkeys(sorted(users), WITHOUT_KEY["user"]),
            **dict.fromkeys((model for model in models if self._asks_model(model)), WITHOUT_KEY["agent"]),
        }

    def _helping_models(self, jobs: Sequence[Job]) -> dict[str, str]:
        """Return the models that rank tools or answer servers, whose cost is none of the attempts'."""
        suites = list({id(job.suite): job.suite for job in jobs}.values())
        made = self._session.made_by_hooks
        ranking = {name for suite in suites for name in _ranking_models(suite) if made.dispatcher(name) is None}
        sampling = {suite.sampling for suite in suites if suite.sampling is not None}
        return {
            **dict.fromkeys(sorted(sampling), WITHOUT_KEY["sampling"]),
            **dict.fromkeys(sorted(ranking), WITHOUT_KEY["ranking"]),
        }

    def _asks_model(self, name: str) -> bool:
        """Return whether the agent of that name asks a model of the plugin; other agents say what they cost."""
        if is_in_process(name, self._settings.aliases):
            return False
        try:
            return self._session.agents.is_built_in(self._session.agents.agent(name))
        except Exception:
            return False

    def _check_suites(self, one_job_per_suite: Iterable[Job]) -> None:
        for job in one_job_per_suite:
            if job.judge not in JUDGES_WITHOUT_MODEL:
                self._session.judges.judge(job)
            user, sampling = job.user, job.suite.sampling
            try:
                if user != NO_USER and self._session.made_by_hooks.user(user) is None:
                    self._session.models.models.get(user)
            except UnknownModelError as error:
                raise pytest.UsageError(f"--mcpbench-user={user}: {error.with_names(NO_USER)}") from None
            for name in _ranking_models(job.suite):
                Dispatchers(self._session.models.models, self._session.made_by_hooks.dispatcher).get(name)
            try:
                if sampling is not None:
                    self._session.models.models.get(sampling)
            except UnknownModelError as error:
                raise pytest.UsageError(f"sampling={sampling}: {error}") from None


def _ranking_models(suite: SuiteManifest) -> tuple[str, ...]:
    """Return the embedding models that choose or search tools, and dispatchers of hooks."""
    searches = (suite.tool_search,) if suite.presentation == "search" else ()
    return tuple(name for name in (suite.dispatcher, *searches) if name not in (NO_DISPATCHER, PROVIDER, *LEXICAL))


def _check_locks(items: Iterable[pytest.Item]) -> None:
    """Check that there is a server for each lock that this run looks at."""
    locks = _locks_of(items)
    if not locks:
        return

    # Imported here: only runs with locks need it.
    from pytest_mcpbench.plugin.execution.lock_items import unknown_server

    problem = unknown_server(locks)
    if problem is not None:
        raise pytest.UsageError(problem)


def _locks_of(items: Iterable[pytest.Item]) -> list[pytest.Item]:
    return [item for item in items if item.nodeid.partition("::")[0].endswith(LOCK_ENDING)]


def _require_writable(option: str, file: Path) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        problem = f"the directory {file.parent} cannot be made: {error.strerror}"
        raise pytest.UsageError(f"{option}: {problem}") from None
    if file.is_dir():
        raise pytest.UsageError(f"{option}: {file} is a directory; name a file")
    is_new = not file.exists()
    try:
        file.open("ab").close()
        # Now and not at the end, when a program that fails would leave an empty report.
        file.unlink() if is_new else None
    except OSError as error:
        raise pytest.UsageError(f"{option}: {file} cannot be written: {error.strerror}") from None


def _is_usage_error(error: Exception) -> bool:
    return isinstance(error, UsageError | pytest.UsageError)
