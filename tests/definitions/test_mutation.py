"""Parts of a definition that each mutator takes away and leaves."""

import dataclasses

import pytest

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.definitions.canonical import ServerDefinition, tool_definitions
from pytest_mcpbench.definitions.mutation import ASSERTIVE, MUTATORS, distinct_mutants, mutants_of

SEARCH = {
    "name": "search",
    "description": "Search files by name. For example, `*.md` finds notes. For folders, use list instead. Never guess.",
    "inputSchema": {
        "type": "object",
        "properties": {
            "pattern": {"type": "string", "description": "Glob to match.", "examples": ["*.md"]},
            "order": {"enum": ["name", "date"]},
        },
        "required": ["pattern"],
    },
}
LIST = {"name": "list", "description": "List a folder.", "inputSchema": {"type": "object", "properties": {}}}
FILES = ServerDefinition("files", tool_definitions([SEARCH, LIST]))
_REST = {name: value for name, value in SEARCH.items() if name != "description"}


@pytest.mark.parametrize(
    ("mutant", "description"),
    [
        ("search/drop-description", ""),
        ("search/drop-sentence[1]", "For example, `*.md` finds notes. For folders, use list instead. Never guess."),
        ("search/drop-examples[2]", "Search files by name. For folders, use list instead. Never guess."),
        ("search/drop-cross-reference[3]", "Search files by name. For example, `*.md` finds notes. Never guess."),
        (
            "search/drop-warning[4]",
            "Search files by name. For example, `*.md` finds notes. For folders, use list instead.",
        ),
        ("search/first-sentence-only", "Search files by name."),
        ("search/assertive", f"{ASSERTIVE} {SEARCH['description']}"),
    ],
)
def test_a_mutant_of_a_description_differs_in_nothing_else(mutant: str, description: str) -> None:
    changed = {each.id: each for each in mutants_of(FILES)}[mutant]
    search, other = changed.definition.tools
    assert search.description == description
    assert {name: value for name, value in search.canonical.items() if name != "description"} == _REST
    assert other == FILES.tools[1]


@pytest.mark.parametrize(
    ("mutant", "properties", "required"),
    [
        ("drop-parameter-description[pattern]", {"pattern": {"type": "string", "examples": ["*.md"]}}, "pattern"),
        ("drop-examples[schema]", {"pattern": {"type": "string", "description": "Glob to match."}}, "pattern"),
        ("drop-enum[order]", {"order": {}}, "pattern"),
        ("opaque-parameter[pattern]", {"p1": SEARCH["inputSchema"]["properties"]["pattern"]}, "p1"),  # type: ignore[index]  # values of a literal
    ],
)
def test_a_mutant_of_a_parameter_leaves_the_others(mutant: str, properties: dict[str, object], required: str) -> None:
    tool = {each.id: each for each in mutants_of(FILES)}[f"search/{mutant}"].definition.tools[0]
    changed = {
        name: schema for name, schema in tool.properties.items() if schema != FILES.tools[0].properties.get(name)
    }
    assert changed == properties
    assert tool.input_schema["required"] == [required]
    assert tool.description == SEARCH["description"]


def test_renamed_parts_say_what_they_were_called() -> None:
    mutants = {each.id: each for each in mutants_of(FILES)}
    assert mutants["search/opaque-name"].tool_names == {"tool_1": "search"}
    assert mutants["search/opaque-parameter[order]"].parameter_names == {"search": {"p2": "order"}}


def test_mutants_of_the_listing_change_names_descriptions_or_order_of_several_tools() -> None:
    mutants = {each.id: each.definition for each in mutants_of(FILES, seed=1)}
    assert [tool.name for tool in mutants["search/drop-tool"].tools] == ["list"]
    assert [tool.description for tool in mutants["search+list/swap-descriptions"].tools] == [
        LIST["description"],
        SEARCH["description"],
    ]
    assert mutants.get("shuffle-order", FILES).tools in (FILES.tools, FILES.tools[::-1])
    assert "drop-instructions" not in mutants


def test_instructions_can_be_removed_from_a_server_that_has_some() -> None:
    told = dataclasses.replace(FILES, instructions="Search before you list.")
    (mutant,) = mutants_of(told, mutators=["drop-instructions"])
    assert (mutant.definition, mutant.tokens < 0) == (FILES, True)


def test_a_distractor_is_a_copy_behind_its_tool_under_a_new_name() -> None:
    taken = ServerDefinition("files", tool_definitions([SEARCH, {**LIST, "name": "search_v2"}]))
    (mutant,) = mutants_of(taken, tools=["search"], mutators=["add-distractor"])
    assert [tool.name for tool in mutant.definition.tools] == ["search", "search_v2_", "search_v2"]
    assert mutant.definition.tools[1].input_schema == SEARCH["inputSchema"]
    assert (mutant.added_tools, mutant.tokens > 0) == (("search_v2_",), True)


def test_an_opaque_name_is_new() -> None:
    schema = {"type": "object", "properties": {"a": {}, "p1": {}}}
    taken = ServerDefinition("files", tool_definitions([{"name": "a", "inputSchema": schema}, {"name": "tool_1"}]))
    mutants = {each.id: each for each in mutants_of(taken)}
    assert mutants["a/opaque-name"].tool_names == {"tool_1_": "a"}
    assert mutants["a/opaque-parameter[a]"].parameter_names == {"a": {"p1_": "a"}}


def test_mutants_with_the_same_definition_are_one() -> None:
    chosen = ["drop-sentence", "drop-examples", "drop-warning"]
    found = {each.id: each.also for each in distinct_mutants(mutants_of(FILES, mutators=chosen))}
    assert found == {
        "search/drop-sentence[1]": (),
        "search/drop-sentence[2]": ("search/drop-examples[2]",),
        "search/drop-sentence[3]": (),
        "search/drop-sentence[4]": ("search/drop-warning[4]",),
        "search/drop-examples[schema]": (),
    }


def test_dropped_text_saves_tokens_and_every_mutant_differs_from_the_original() -> None:
    mutants = mutants_of(FILES)
    assert all(each.definition != FILES for each in mutants)
    assert all(each.tokens < 0 for each in mutants if each.mutator.startswith("drop-"))
    assert {each.mutator for each in mutants} <= set(MUTATORS)


def test_the_only_sentence_of_a_description_is_not_dropped_twice() -> None:
    assert [each.id for each in mutants_of(FILES, tools=["list"], mutators=["drop-description", "drop-sentence"])] == [
        "list/drop-description"
    ]


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"tools": ["serch"]}, "There is no tool 'serch'. Did you mean 'search'?"),
        ({"mutators": ["drop"]}, "There is no mutator 'drop'."),
    ],
)
def test_an_unknown_name_is_a_usage_error(choice: dict[str, list[str]], message: str) -> None:
    with pytest.raises(UsageError, match=message.replace("?", r"\?")):
        mutants_of(FILES, **choice)  # type: ignore[arg-type]  # one argument or the other
