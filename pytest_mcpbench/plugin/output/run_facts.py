"""Facts of a run for ``run.json``: its settings, conditions, limits and the versions of packages."""

import functools
import importlib.metadata
import platform
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

import pytest

from pytest_mcpbench import __version__
from pytest_mcpbench.core.model_identity import same_family_facts
from pytest_mcpbench.core.model_names import external_agent, is_url, panel_members
from pytest_mcpbench.core.planning import planned_limits, planned_trials
from pytest_mcpbench.core.run_settings import stored_settings
from pytest_mcpbench.core.secret_sources import public_name, public_program, public_url
from pytest_mcpbench.core.suite import SuiteManifest, distinct_names
from pytest_mcpbench.core.variant import NO_SWEEP
from pytest_mcpbench.options.reading import CLIENTS
from pytest_mcpbench.options.settings import Settings
from pytest_mcpbench.plugin.collection.item_state import SAMPLES, SELECTED, SUITES
from pytest_mcpbench.plugin.execution.local_models import LOCAL_MODELS


def run_facts(config: pytest.Config, settings: Settings) -> dict[str, Any]:
    """Return the facts of ``run.json`` that follow from the configuration."""
    from pytest_mcpbench.core.model_identity import stated_settings

    suites = config.stash.get(SUITES, {})
    judges = [judge for suite in suites.values() if (judge := settings.judge or suite.judge) is not None]
    models = dict.fromkeys((*settings.models, *(panel_members(settings.judge) if settings.judge else ())))
    isolation = "none"
    if settings.isolation != "none":
        from pytest_mcpbench.servers.isolation import make_isolation

        isolation = make_isolation(settings.isolation).description
    return {
        "version": __version__,
        "arguments": [*_public_arguments(config, settings)],
        "settings": stored_settings(settings.stored),
        "models": {public_name(name): stated_settings(name, settings.aliases) for name in models},
        "suites": facts_of_suites(config, settings),
        "python": platform.python_version(),
        "platform": platform.platform(),
        "selected": config.stash.get(SELECTED, None),
        "isolation": isolation,
        **same_family_facts(judges, settings.models, settings.aliases),
        **_external_agents(settings),
        **({"local_models": dict(local_models)} if (local_models := config.stash[LOCAL_MODELS].facts) else {}),
        "packages": {
            name: _installed_versions(name) for name in ("pytest", "pytest-xdist", "mcp", "litellm", "pydantic")
        },
    }


def facts_of_suites(config: pytest.Config, settings: Settings) -> dict[str, Any]:
    """Return the facts of each suite by its name."""
    suites = config.stash.get(SUITES, {})
    names = distinct_names(suites)
    samples = config.stash.get(SAMPLES, {})
    return {
        names[suite_id]: _facts_of_suite(config, suite, settings, [*samples[suite_id]])
        for suite_id, suite in suites.items()
    }


def client_differences(config: pytest.Config, settings: Settings, conditions: Mapping[str, Any]) -> list[str]:
    """Return those of the conditions that count over the profile of the run's only client, each with its value."""
    profile = config.stash.get(CLIENTS, {}).get(conditions.get("client") or "")
    variants = settings.variants or (NO_SWEEP,)
    found = (profile.differences({**conditions, **each.conditions}) for each in variants) if profile else ()
    return list(dict.fromkeys(chain.from_iterable(found)))


def _facts_of_suite(
    config: pytest.Config, suite: SuiteManifest, settings: Settings, samples: list[str]
) -> dict[str, Any]:
    """Return conditions, limits and trials of a suite's attempts, and what reports need of the suite itself."""
    conditions = suite.conditions.model_dump(mode="json")
    differences = client_differences(config, settings, suite.conditions.model_dump())
    rankings = {name: public_name(conditions[name]) for name in ("dispatcher", "tool_search")}
    return {
        "conditions": {**conditions, **rankings},
        "limits": planned_limits(suite, None, settings.overrides).model_dump(mode="json"),
        "trials": planned_trials(suite, settings.overrides),
        **({"client_differences": differences} if differences else {}),
        **({"sample": " and ".join(samples)} if all(samples) else {}),
        **({"pass_rates": suite.pass_rates} if suite.pass_rates else {}),
        **({"published": [each.model_dump() for each in suite.published]} if suite.published else {}),
        **({"categories": suite.categories} if suite.categories else {}),
        "servers": [*_real_servers(suite)],
    }


def _real_servers(suite: SuiteManifest) -> Iterator[str]:
    """Yield each server that is a program or at a URL, with the packages and versions of its command or its address."""
    for name, server in suite.servers.items():
        if server.url is not None:
            yield f"{name}: {public_url(server.url)}"
        elif server.command is not None:
            yield f"{name}: {public_program(server.command, server.arguments)}"


def _external_agents(settings: Settings) -> dict[str, Any]:
    """Return the version of each program that is an agent, and what it can do besides calling servers."""
    programs = {}
    for model in settings.models:
        name = external_agent(model, settings.aliases)
        if name is not None:
            from pytest_mcpbench.agents.programs.factory import make_external_agent

            agent = make_external_agent(name, settings.agents)
            programs[model] = {"version": agent.version or None, "own_tools": agent.program.own_tools}
    return {"agents": programs} if programs else {}


def _public_arguments(config: pytest.Config, settings: Settings) -> Iterator[str]:
    """Yield the command line with the public form of each model's URL."""
    urls = [
        name for name in (*settings.models, *panel_members(settings.judge or ""), settings.user or "") if is_url(name)
    ]
    for argument in map(str, config.invocation_params.args):
        yield functools.reduce(lambda text, url: text.replace(url, public_url(url)), urls, argument)


def _installed_versions(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None
