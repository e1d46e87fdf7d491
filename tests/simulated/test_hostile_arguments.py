"""Arguments at the edges of what a tool accepts: a result or a failure that the agent reads, in bounded time."""

import json
import time
from pathlib import Path
from random import Random
from typing import Any

import pytest

from pytest_mcpbench.core.sandbox import Sandbox
from pytest_mcpbench.simulated.catalogue import SERVERS
from pytest_mcpbench.simulated.engine import Simulation, ToolFailure
from pytest_mcpbench.simulated.serve import build_server
from tests.simulated.hostile_arguments import HostileArguments, nested

SECONDS = 5.0
"""Processor time of one call, on a busy machine."""
HUGE = 10**400
MENDED: list[tuple[str, str, dict[str, Any]]] = [
    ("calendar", "list_events", {"start_date": "0001-01-01", "end_date": "9999-12-31T23:59:59-14:00"}),
    ("gmail", "search_emails", {"query": "newer_than:999999999d"}),
    ("mail", "search_emails", {"query": "older_than:99999999999y"}),
    ("wealth-accounts", "AnalyzeCashFlow", {"monthlyIncome": 1e-320, "monthlyExpense": 366, "monthlyDebt": 0.5}),
    ("wealth-accounts", "SimulateRegularInvestment", {"monthlyAmount": 1e308, "months": 32, "annualReturnRate": 0}),
    ("gmail", "search_emails", {"query": "a", "maxResults": -HUGE}),
    ("gmail", "search_emails", {"query": "(" * 2_000}),
    ("gmail", "search_emails", {"query": "a " * 50_000}),
    ("gmail", "send_email", {"to": ["a@b.example"], "subject": "x", "body": "x", "attachments": ["9" * 400]}),
    ("instagram", "get_user_info", {"ig_user_id": "\ud800"}),
    ("lark_mcp", "im_v1_chat_list", {"params": {"page_size": float("nan")}}),
    ("mcp-monitor", "get_process_info", {"pid": HUGE}),
    ("notion", "notion_list_all_users", {"page_size": HUGE}),
    ("obsidian", "obsidian_simple_search", {"query": "a " * 50_000, "context_length": HUGE}),
    ("paypal", "list_products", {"page_size": -1}),
    ("playwright", "playwright_navigate", {"url": "http://[::1"}),
    ("reddit", "retrieve_reddit_post", {"subreddit": nested(300)}),
    ("slack", "list_files_with_filters_in_slack", {"count": "9" * 5_000}),
    ("discord", "read_messages", {"channelId": "1", "count": "--5"}),
    ("terminal", "kill_process", {"pid": HUGE}),
    ("terminal", "start_process", {"command": "echo a | cut -c 1-99999999999999", "timeout_ms": 1000}),
    ("terminal", "start_process", {"command": "exit " + "9" * 5_000, "timeout_ms": 1000}),
    ("universal_email", "get_recent_emails", {"limit": HUGE}),
    ("wealth-accounts", "PlanSavingGoal", {"targetAmount": 1, "months": 1, "annualReturnRate": 1e-320}),
    ("wecom", "upload_file", {"file_path": "a\x00"}),
    ("wecom", "upload_file", {"file_path": "(" * 400}),
    ("xiaohongshu", "user_profile", {"user_id": "\ud800", "xsec_token": "x"}),
]


def simulation_of(name: str, sandbox: Sandbox) -> tuple[Simulation, Any]:
    """A simulation with the state of a fresh attempt."""
    handler: Any = build_server(name, sandbox.world("app")).get_request_handler("tools/call")
    session = getattr(handler, "handler", handler).__self__
    return session._simulation, session._state


def call(simulation: Simulation, state: Any, tool: str, arguments: dict[str, Any]) -> None:
    """Call a tool: anything but a result in JSON or a failure of the tool fails the test, and so does a long call."""
    start = time.process_time()
    try:
        json.dumps(simulation.call(state, tool, arguments), allow_nan=False, default=str)
    except ToolFailure:
        pass
    except Exception as error:
        raise AssertionError(f"{simulation.name}.{tool}({str(arguments)[:300]!r}) raised {error!r}") from error
    assert time.process_time() - start < SECONDS, (tool, str(arguments)[:300])


@pytest.mark.parametrize(("server", "tool", "arguments"), MENDED)
def test_a_call_at_the_edge_is_answered(server: str, tool: str, arguments: dict[str, Any], tmp_path: Path) -> None:
    simulation, state = simulation_of(server, Sandbox(path=tmp_path, identity="a-task"))
    assert tool in simulation.table
    call(simulation, state, tool, arguments)


@pytest.mark.extra
@pytest.mark.parametrize("server", sorted(set(SERVERS) - {"feishu", "wecome"}))
def test_no_tool_fails_with_arguments_drawn_at_random(server: str, tmp_path: Path) -> None:
    sandbox = Sandbox(path=tmp_path, identity="a-task")
    simulation, state = simulation_of(server, sandbox)
    tree = sandbox.world("app").after
    known = sorted(_short_texts(tree.to_json())) if tree is not None else []
    arguments = HostileArguments(Random(server), known)
    for _ in range(20):
        for tool in simulation.table.values():
            call(simulation, state, tool.name, arguments.of(tool.input_schema))
    sandbox.diff()


def _short_texts(value: Any) -> set[str]:
    if isinstance(value, str):
        return {value} if 0 < len(value) < 100 else set()
    parts = [*value, *value.values()] if isinstance(value, dict) else value if isinstance(value, list) else ()
    return {text for part in parts for text in _short_texts(part)}
