"""Selection of the tools that an agent sees, and their names."""

from typing import Any

import pytest

from pytest_mcpbench.core.errors import TaskError
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.core.task import Expected, ExpectedCall, SimilarTool, Source, Task
from pytest_mcpbench.core.tool import ToolSpec
from pytest_mcpbench.loaders.recorded_servers import FACTORY
from pytest_mcpbench.servers.exposure import Exposure, expose, servers_needed
from tests.builders import a_task, a_tool, expected_call
from tests.servers.subjects import a_suite

MAIL = ServerRef(name="mail", transport="in_process", factory="mail:server")
NEWS = ServerRef(name="news", transport="in_process", factory="news:server")
NEWS_ARCHIVE = ServerRef(name="news_archive", transport="in_process", factory="news:archive")

OFFERED = (
    a_tool("send", server="mail"),
    a_tool("search", server="mail"),
    a_tool("search", server="news"),
    a_tool("read", server="news"),
)


def names(exposure: Exposure) -> list[str]:
    return [tool.name for tool in exposure.tools]


def test_a_plain_name_is_the_servers_own_and_one_that_two_servers_offer_gets_a_prefix() -> None:
    exposure = expose(a_task(), a_suite(MAIL, NEWS), OFFERED)
    assert names(exposure) == ["send", "mail_search", "news_search", "read"]
    assert exposure.notes == ("several servers offer 'search': exposed as mail_search, news_search",)
    assert [(tool.server, tool.tool) for tool in exposure.tools] == [(tool.server, tool.tool) for tool in OFFERED]


def test_a_suite_can_give_every_name_a_prefix() -> None:
    exposure = expose(a_task(), a_suite(MAIL, NEWS, tool_names="prefixed"), OFFERED)
    assert names(exposure) == ["mail_send", "mail_search", "news_search", "news_read"]
    assert exposure.notes == ()


@pytest.mark.parametrize(
    ("listed", "seen", "unavailable"),
    [
        pytest.param(("send",), ["send"], (), id="by exposed name"),
        pytest.param(("mail_search", "read"), ["mail_search", "read"], (), id="in the suite's order, not the task's"),
        pytest.param(("read", "send"), ["send", "read"], (), id="in the servers' order"),
        pytest.param(("search",), ["mail_search", "news_search"], (), id="by plain name of two servers"),
        pytest.param(("mail_send",), ["send"], (), id="by server and plain name"),
        pytest.param(("send", "fax", "telex", "fax"), ["send"], ("fax", "telex"), id="some that nobody offers"),
    ],
)
@pytest.mark.parametrize("exposure", ["selected", "listed"])
def test_a_task_that_lists_tools_sees_only_these(
    listed: tuple[str, ...], seen: list[str], unavailable: tuple[str, ...], exposure: str
) -> None:
    suite = a_suite(MAIL, NEWS, exposure=exposure)
    found = expose(a_task(tools=listed), suite, OFFERED)
    assert (names(found), found.unavailable) == (seen, unavailable)


def test_tools_of_which_none_is_offered_are_an_error_of_the_task() -> None:
    task = a_task(tools=("sent",), source=Source(place="tasks.yaml:7"))
    with pytest.raises(TaskError) as caught:
        expose(task, a_suite(MAIL, NEWS), OFFERED)
    assert str(caught.value) == (
        "tasks.yaml:7: tools: no server offers any of the tools sent; "
        "there are: send, mail_search, news_search, read. Did you mean 'send'?"
    )


def test_a_suite_that_exposes_listed_tools_needs_a_list() -> None:
    with pytest.raises(TaskError) as caught:
        expose(a_task(), a_suite(MAIL, NEWS, exposure="listed"), OFFERED)
    assert str(caught.value) == (
        "suite::a-task: tools: the suite exposes only the tools that a task lists, and this one lists none. "
        'Add `tools`, or choose exposure "selected" (suite.toml or --mcpbench-exposure).'
    )


def test_all_tools_are_exposed_whatever_a_task_lists() -> None:
    found = expose(a_task(servers=("mail",), tools=("send", "fax")), a_suite(MAIL, NEWS, exposure="all"), OFFERED)
    assert (names(found), found.unavailable) == (["send", "mail_search", "news_search", "read"], ("fax",))


def test_exposure_none_shows_no_tool_whatever_a_task_lists_and_has_no_distractors() -> None:
    suite = a_suite(MAIL, NEWS, exposure="none", distractors=3)
    for task in (a_task(), a_task((expected_call("send"),), tools=("send",)), a_task(servers=("mail",))):
        assert names(expose(task, suite, OFFERED)) == []


def test_needed_tools_are_those_of_the_reference_calls() -> None:
    groups = (expected_call("search", server="news"),), (expected_call("send"),)
    task = a_task(*groups, tools=("send", "search", "fax"))
    found = expose(task, a_suite(MAIL, NEWS, exposure="needed"), OFFERED)
    assert (names(found), found.unavailable) == (["send", "news_search"], ("fax",))


def test_a_reference_call_that_nobody_offers_is_an_error_of_the_task() -> None:
    task = a_task((expected_call("sned"),), source=Source(place="tasks.yaml:7"))
    with pytest.raises(TaskError) as caught:
        expose(task, a_suite(MAIL, NEWS), OFFERED)
    assert str(caught.value) == (
        "tasks.yaml:7: calls: the reference calls 'sned', which no server of the task offers. Did you mean 'send'?"
    )


@pytest.mark.parametrize(
    ("calls", "named"),
    [
        pytest.param((expected_call("fax"), expected_call("send")), "'fax'", id="one of two"),
        pytest.param((expected_call("fax"), expected_call("telex")), "'fax', 'telex'", id="both"),
        pytest.param((expected_call("read", server="mail"),), "'mail_read'", id="another server offers that name"),
    ],
)
def test_required_tools_that_nobody_offers_are_an_error_even_if_the_task_lists_them(
    calls: tuple[ExpectedCall, ...], named: str
) -> None:
    task = a_task(calls, tools=("fax", "telex", "send", "read"))
    with pytest.raises(TaskError, match=f"the reference calls {named}, which no server of the task offers"):
        expose(task, a_suite(MAIL, NEWS), OFFERED)


def test_a_distractor_that_nobody_offers_is_noted_and_left_out() -> None:
    found = expose(a_task((expected_call("send"),), tools=("send", "fax", "telex")), a_suite(MAIL), OFFERED[:2])
    assert (names(found), found.unavailable) == (["send"], ("fax", "telex"))
    assert found.notes == ("offered by no server, so left out: fax, telex",)


@pytest.mark.parametrize(
    ("task", "suite"),
    [
        pytest.param(
            a_task((expected_call("fax", similar_tools=(SimilarTool(tool="send"),)),)),
            {},
            id="a similar one is offered",
        ),
        pytest.param(a_task((expected_call("fax"),)), {"recorded": True}, id="the servers are records"),
    ],
)
def test_a_reference_call_may_have_a_substitute_or_be_recorded(task: Task, suite: dict[str, Any]) -> None:
    assert "send" in names(expose(task, a_suite(MAIL, NEWS, **suite), OFFERED))


REPLAYED = ServerRef(name="mail", transport="in_process", factory=FACTORY)


@pytest.mark.parametrize("exposure", ["listed", "all"])
@pytest.mark.parametrize(
    ("calls", "started"),
    [
        pytest.param((("news", "read"),), ["news"], id="all real"),
        pytest.param((("news", "read"), ("mail", "send")), ["mail", "news"], id="one replayed"),
        pytest.param((), ["mail", "news"], id="no reference"),
    ],
)
def test_a_task_whose_required_servers_are_real_does_without_the_replayed_ones(
    calls: tuple[tuple[str, str], ...], started: list[str], exposure: str
) -> None:
    listed = ("mail_send", "mail_search", "news_search", "news_read")
    task = a_task(tuple(expected_call(tool, server=server) for server, tool in calls), tools=listed)
    suite = a_suite(REPLAYED, NEWS, recorded=True, tool_names="prefixed", exposure=exposure)
    assert [server.name for server in servers_needed(task, suite)] == started


def test_a_required_tool_that_a_real_server_lacks_is_an_error_even_if_other_servers_are_replayed() -> None:
    task = a_task((expected_call("fax", server="news"), expected_call("telex", server="mail")), tools=("mail_send",))
    suite = a_suite(REPLAYED, NEWS, recorded=True, tool_names="prefixed", exposure="listed")
    with pytest.raises(TaskError, match="the reference calls 'news_fax', which no server of the task offers"):
        expose(task, suite, OFFERED)


def test_a_task_without_reference_calls_needs_no_tool_that_could_be_exposed() -> None:
    with pytest.raises(TaskError) as caught:
        expose(a_task(), a_suite(MAIL, NEWS, exposure="needed"), OFFERED)
    assert str(caught.value) == (
        "suite::a-task: calls: the suite exposes only the tools that a task needs by its reference calls, and this one "
        'has none. Add `calls`, or choose exposure "selected" (suite.toml or --mcpbench-exposure).'
    )


MANY = tuple(a_tool(f"tool-{number:02}", server="mail" if number < 10 else "news") for number in range(20))


def drawn_for(task: Task, **conditions: Any) -> list[str]:
    """Return the names of the tools that are exposed in addition to the task's only tool."""
    suite = a_suite(MAIL, NEWS, **conditions)
    return [name for name in names(expose(task, suite, MANY)) if name != "tool-03"]


def test_distractors_are_drawn_from_all_servers_by_the_id_of_the_task_and_the_seed() -> None:
    one, other = a_task(id="one", tools=("tool-03",)), a_task(id="other", tools=("tool-03",))
    assert drawn_for(one, distractors=5) == drawn_for(one, distractors=5)
    assert len(drawn_for(one, distractors=5)) == 5
    assert drawn_for(one, distractors=5) != drawn_for(other, distractors=5)
    assert drawn_for(one, distractors=5) != drawn_for(one, distractors=5, seed=1)
    assert {name > "tool-09" for name in drawn_for(one, distractors=12)} == {True, False}


def test_fewer_distractors_are_among_more_and_all_stand_in_the_order_of_the_servers() -> None:
    task = a_task(tools=("tool-03",))
    few, many = drawn_for(task, distractors=4), drawn_for(task, distractors=9)
    assert set(few) < set(many)
    assert many == sorted(many)


def test_a_suite_with_too_few_tools_exposes_all_and_notes_it() -> None:
    found = expose(a_task(servers=("mail",)), a_suite(MAIL, NEWS, distractors=5), OFFERED)
    assert names(found) == ["send", "mail_search", "news_search", "read"]
    assert found.notes[-1] == "distractors: 2 of 5; there are no more tools"


@pytest.mark.parametrize(
    ("tool", "name"),
    [
        pytest.param("files.read", "files_read", id="dot"),
        pytest.param("résumé/read", "r_sum__read", id="letters of other alphabets, slash"),
        pytest.param("x" * 64, "x" * 64, id="64 characters"),
        pytest.param("x" * 65, "x" * 55 + "_9537c5fd", id="65 characters"),
    ],
)
def test_a_name_that_providers_refuse_is_changed_for_the_agent_only(tool: str, name: str) -> None:
    (seen,) = expose(a_task(), a_suite(MAIL), [a_tool(tool, server="mail")]).tools
    assert (seen.name, seen.tool) == (name, tool)


def test_no_two_tools_have_one_name() -> None:
    offered = [a_tool("a.b", server="mail"), a_tool("a/b", server="mail"), a_tool("a_b", server="mail")]
    assert names(expose(a_task(), a_suite(MAIL), offered)) == ["a_b", "a_b_2", "a_b_3"]


def test_without_tools_nothing_is_exposed() -> None:
    no_tools: list[ToolSpec] = []
    assert expose(a_task(), a_suite(), no_tools) == Exposure(())


@pytest.mark.parametrize(
    ("task", "settings", "needed"),
    [
        pytest.param(a_task(), {"exposure": "all"}, ["mail", "news", "news_archive"], id="all"),
        pytest.param(
            a_task(servers=("news",)),
            {"exposure": "all"},
            ["mail", "news", "news_archive"],
            id="all, whatever is selected",
        ),
        pytest.param(a_task(servers=("news", "mail")), {"exposure": "selected"}, ["mail", "news"], id="selected"),
        pytest.param(
            a_task(servers=("news",)), {"distractors": 1}, ["mail", "news", "news_archive"], id="distractors of any"
        ),
        pytest.param(a_task(), {"exposure": "selected"}, ["mail", "news", "news_archive"], id="selected: none named"),
        pytest.param(
            a_task(tools=("send",)), {"exposure": "listed"}, ["mail", "news", "news_archive"], id="plain names"
        ),
        pytest.param(
            a_task(tools=("news_archive_find", "fax_send")),
            {"exposure": "listed", "tool_names": "prefixed"},
            ["news_archive"],
            id="known from the longest prefix",
        ),
        pytest.param(
            a_task(tools=("mail_send",), servers=("mail", "news")),
            {"exposure": "listed", "tool_names": "prefixed"},
            ["mail", "news"],
            id="the task's servers over the prefixes",
        ),
    ],
)
def test_only_servers_that_are_needed_are_connected(task: Task, settings: dict[str, Any], needed: list[str]) -> None:
    suite = a_suite(MAIL, NEWS, NEWS_ARCHIVE, **settings)
    assert [server.name for server in servers_needed(task, suite)] == needed


def test_an_unknown_server_is_an_error_of_the_task_that_lists_those_there_are() -> None:
    task = a_task(servers=("gmial",), source=Source(file="suites/mail/tasks.jsonl"))
    with pytest.raises(TaskError) as caught:
        servers_needed(task, a_suite(NEWS, ServerRef(name="gmail", transport="in_process", factory="mail:server")))
    assert str(caught.value) == (
        "suites/mail/tasks.jsonl: servers: no server is called 'gmial'; there are: news, gmail. Did you mean 'gmail'?"
    )


def test_a_forbidden_tool_that_does_not_exist_is_an_error_of_the_task() -> None:
    task = a_task(expected=Expected(forbidden_tools=("serch",)))
    with pytest.raises(TaskError, match=r"never: no server of the task offers the forbidden tool 'serch'.*'search'"):
        expose(task, a_suite(), [a_tool("search")])
