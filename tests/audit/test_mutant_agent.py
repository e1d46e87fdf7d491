"""Tools that an agent sees of a mutant, and the names under which its calls are recorded."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from pytest_mcpbench.agents.context_reader import ContextReader
from pytest_mcpbench.agents.tool_search import ToolSearcher
from pytest_mcpbench.agents.users.dialogue import User
from pytest_mcpbench.agents.users.respondent import Respondent
from pytest_mcpbench.audit.descriptions.trials import MutatedArena
from pytest_mcpbench.core.conditions import Presentation
from pytest_mcpbench.core.evidence import ServerFacts
from pytest_mcpbench.core.prompt import WHOLE, ResultView
from pytest_mcpbench.core.tool import Call, CallRecord, ToolSpec
from pytest_mcpbench.definitions.canonical import ServerDefinition, ToolDefinition, tool_definitions
from pytest_mcpbench.definitions.mutation import DefinitionMutant, mutants_of
from pytest_mcpbench.models.model import Model

pytestmark = pytest.mark.anyio
WORD = {"type": "object", "properties": {"word": {"type": "string"}, "p2": {}}, "required": ["word"]}
FILES = ServerDefinition(
    "files",
    tool_definitions(
        [
            {"name": "search", "description": "Search files.", "inputSchema": WORD},
            {"name": "list", "description": "List a folder.", "inputSchema": {"type": "object"}},
        ]
    ),
)
OTHER = ToolSpec(name="search_mail", server="mail", tool="search")


@dataclass(frozen=True)
class Recorder:
    """An arena that returns each call as it receives it."""

    tools: tuple[ToolSpec, ...]
    servers: tuple[ServerFacts, ...] = ()
    trial: int = 1
    lacks_results: bool = True
    user: User | None = None
    searcher: ToolSearcher | None = None
    reader: ContextReader | None = None
    presentation: Presentation | None = None
    result_view: ResultView = WHOLE
    respondent: Respondent | None = None

    directory: Path = Path()

    def taped(self, model: Model) -> Model:
        return model

    async def call(self, call: Call) -> CallRecord:
        tool = next(tool for tool in self.tools if tool.name == call.name)
        return CallRecord(**call.model_dump(), tool=tool.tool, server=tool.server)


def shown(mutant: str, *, is_prefixed: bool = False, exposed: tuple[str, ...] = ("search", "list")) -> MutatedArena:
    own = (tool.spec("files") for tool in FILES.tools if tool.name in exposed)
    named = (tool.model_copy(update={"name": f"files_{tool.tool}"}) if is_prefixed else tool for tool in own)
    return MutatedArena(Recorder((*named, OTHER)), by_id()[mutant])


def by_id() -> dict[str, DefinitionMutant]:
    return {mutant.id: mutant for mutant in mutants_of(FILES, seed=1)}


def names(arena: MutatedArena) -> list[str]:
    return [tool.name for tool in arena.tools]


def test_a_mutant_names_the_directory_of_the_attempt() -> None:
    tool = ToolDefinition({"name": "list", "description": "List {sandbox}."})
    mutant = replace(by_id()[next(iter(by_id()))], definition=ServerDefinition("files", (tool,)), tool_names={})
    arena = MutatedArena(Recorder((tool.spec("files"),), directory=Path("/tmp/a")), mutant)
    assert [tool.description for tool in arena.tools] == ["List /tmp/a."]


def test_the_tools_of_other_servers_and_the_order_stay() -> None:
    arena = shown("search/drop-description")
    assert names(arena) == ["search", "list", "search_mail"]
    assert [tool.description for tool in arena.tools] == ["", "List a folder.", ""]


@pytest.mark.parametrize(
    ("mutant", "is_prefixed", "expected"),
    [
        ("search/opaque-name", False, ["tool_1", "list", "search_mail"]),
        ("search/opaque-name", True, ["files_tool_1", "files_list", "search_mail"]),
        ("search/add-distractor", True, ["files_search", "files_search_v2", "files_list", "search_mail"]),
        ("search/drop-tool", False, ["list", "search_mail"]),
    ],
)
def test_new_names_are_those_that_the_server_would_give(mutant: str, is_prefixed: bool, expected: list[str]) -> None:
    assert names(shown(mutant, is_prefixed=is_prefixed)) == expected


def test_a_task_that_does_not_expose_a_tool_does_not_see_its_duplicate() -> None:
    assert names(shown("search/add-distractor", exposed=("list",))) == ["list", "search_mail"]


@pytest.mark.parametrize(
    ("mutant", "call", "recorded"),
    [
        ("search/opaque-name", ("tool_1", {"word": "a"}), ("search", "search", {"word": "a"})),
        ("search/opaque-name", ("search", {"word": "a"}), ("search (not offered)", None, {"word": "a"})),
        ("search/drop-tool", ("search", {"word": "a"}), ("search (not offered)", None, {"word": "a"})),
        (
            "search/opaque-parameter[word]",
            ("search", {"p1": "a", "p2": 1}),
            ("search", "search", {"word": "a", "p2": 1}),
        ),
        (
            "search/opaque-parameter[word]",
            ("search", {"word": "a"}),
            ("search", "search", {"word (not offered)": "a"}),
        ),
        ("search/opaque-parameter[word]", ("search_mail", {"word": "a"}), ("search_mail", "search", {"word": "a"})),
        ("search/add-distractor", ("search_v2", {"word": "a"}), ("search_v2", "search_v2", {"word": "a"})),
    ],
    ids=[
        "a renamed tool",
        "a tool by the name that it no longer has",
        "a tool that is gone",
        "a renamed parameter",
        "a parameter by the name that it no longer has",
        "a tool of another server",
        "a tool that the mutant adds",
    ],
)
async def test_a_call_is_recorded_under_the_names_of_the_unchanged_server(
    mutant: str, call: tuple[str, dict[str, Any]], recorded: tuple[str, str | None, dict[str, Any]]
) -> None:
    made = await shown(mutant).call(Call(id="1", name=call[0], arguments=call[1]))
    assert (made.name, made.tool, made.arguments) == recorded
    assert (made.problem == "unknown_tool") == (made.tool is None)


async def test_malformed_arguments_of_an_added_tool_are_no_call() -> None:
    made = await shown("search/add-distractor").call(Call(id="1", name="search_v2", raw_arguments="{"))
    assert (made.tool, made.problem) == ("search_v2", "malformed_arguments")
