"""The Notion server: thirteen of the tools of ``@suekou/mcp-notion-server`` 1.0, over a simulated workspace.

Names, parameters, responses and errors are the real server's; a request that Notion's API refuses returns the API's
error, flagged with ``isError``. ``format`` has no effect, as on the real server while its Markdown conversion is off. A
deleted block is removed, whereas Notion moves it to the trash.
"""

# ruff: noqa: A002 (parameters have the real server's names)

import json
from dataclasses import replace
from typing import Annotated, Any, Literal, NotRequired

from pydantic import Field, ValidationError
from typing_extensions import TypedDict, Unpack

from pytest_mcpbench.simulated.engine import PYTHON_SDK, Simulation, ToolFailure
from pytest_mcpbench.simulated.notion.failures import error_text, invalid, invalid_value
from pytest_mcpbench.simulated.notion.world import Workspace

_FORMAT = Field(
    description="'json' for the API's objects, 'markdown' for easier reading", json_schema_extra={"default": "markdown"}
)
_ANY_OBJECT = dict[str, Any]

BlockId = Annotated[str, Field(description="Id of the block, or of a page: 32 digits, with hyphens 8-4-4-4-12")]
PageId = Annotated[str, Field(description="Id of the page: 32 digits, with hyphens 8-4-4-4-12")]
RichText = Annotated[list[_ANY_OBJECT], Field(description="The text, as rich text objects of Notion's API")]


class Format(TypedDict):
    """The format of the response."""

    format: NotRequired[Annotated[Literal["json", "markdown"], _FORMAT]]


class Paging(TypedDict):
    """The part of a list to return."""

    start_cursor: NotRequired[Annotated[str, Field(description="Cursor of the next part, from the answer before")]]
    page_size: NotRequired[Annotated[float, Field(description="How many to return (at most 100)")]]


class ListOptions(Paging, Format):
    """The part of a list to return, and its format."""


class Parent(TypedDict):
    """The object that is commented on."""

    page_id: NotRequired[PageId]


class SearchFilter(TypedDict):
    """The kind of object that a search finds."""

    property: NotRequired[Annotated[str, Field(description="Must be 'object'")]]
    value: NotRequired[Annotated[str, Field(description="'page' or 'database'")]]


class Sort(TypedDict):
    """The order of search results."""

    direction: NotRequired[Annotated[Literal["ascending", "descending"], Field(description="Oldest or newest first")]]
    timestamp: NotRequired[Annotated[Literal["last_edited_time"], Field(description="By the time of the last change")]]


def notion_append_block_children(
    workspace: Workspace,
    block_id: BlockId,
    children: Annotated[list[_ANY_OBJECT], Field(description="Blocks to append, as objects of Notion's API")],
    after: Annotated[str | None, Field(description="Id of the block behind which they go; by default the last")] = None,
    **_options: Unpack[Format],
) -> Any:
    """Append blocks to a page or inside a block."""
    return workspace.append(block_id, children, after)


def notion_create_comment(
    workspace: Workspace,
    rich_text: RichText,
    parent: Annotated[Parent | None, Field(description="The page to comment on; for a new discussion")] = None,
    discussion_id: Annotated[str | None, Field(description="Id of a discussion to continue")] = None,
    **_options: Unpack[Format],
) -> Any:
    """Comment on a page, or continue a discussion; give either the page or the discussion."""
    if not parent and not discussion_id:
        raise ToolFailure(
            json.dumps({"error": "Either parent.page_id or discussion_id must be provided"}), verbatim=True
        )
    return workspace.comment((parent or {}).get("page_id"), discussion_id, rich_text)


def notion_create_database_item(
    workspace: Workspace,
    database_id: Annotated[str, Field(description="Id of the database: 32 digits, with hyphens 8-4-4-4-12")],
    properties: Annotated[_ANY_OBJECT, Field(description="Values by column, as property values of Notion's API")],
    **_options: Unpack[Format],
) -> Any:
    """Add an item, which is a page, to a database."""
    return workspace.create_item(database_id, properties)


def notion_delete_block(workspace: Workspace, block_id: BlockId, **_options: Unpack[Format]) -> Any:
    """Delete a block with everything in it."""
    return workspace.delete_block(block_id)


def notion_list_all_users(workspace: Workspace, **options: Unpack[ListOptions]) -> Any:
    """List everybody in the workspace."""
    return workspace.users(*_paging(options))


def notion_retrieve_block(workspace: Workspace, block_id: BlockId, **_options: Unpack[Format]) -> Any:
    """Get one block."""
    return workspace.block(block_id)


def notion_retrieve_block_children(workspace: Workspace, block_id: BlockId, **options: Unpack[ListOptions]) -> Any:
    """Get the blocks on a page or inside a block, in order."""
    return workspace.children(block_id, *_paging(options))


def notion_retrieve_comments(workspace: Workspace, block_id: BlockId, **options: Unpack[ListOptions]) -> Any:
    """Get the comments on a page or a block."""
    return workspace.comments(block_id, *_paging(options))


def notion_retrieve_page(workspace: Workspace, page_id: PageId, **_options: Unpack[Format]) -> Any:
    """Get a page with its properties; what stands on it are its blocks."""
    return workspace.page(page_id)


def notion_retrieve_user(
    workspace: Workspace,
    user_id: Annotated[str, Field(description="Id of the user: 32 digits, with hyphens 8-4-4-4-12")],
    **_options: Unpack[Format],
) -> Any:
    """Get one user by id."""
    return workspace.user(user_id)


def notion_search(
    workspace: Workspace,
    query: Annotated[str, Field(description="What the title holds; by default everything is found")] = "",
    filter: Annotated[SearchFilter | None, Field(description="Only pages, or only databases")] = None,
    sort: Annotated[Sort | None, Field(description="Order of the results")] = None,
    **options: Unpack[ListOptions],
) -> Any:
    """Find pages and databases by their title."""
    cursor, size = _paging(options)
    ascending = (sort or {}).get("direction") == "ascending"
    kind = None
    if filter:
        if filter.get("property") != "object":
            raise invalid_value("body.filter.property", '`"object"`', filter.get("property", ...))
        if filter.get("value") not in ("page", "database"):
            raise invalid_value("body.filter.value", '`"page"` or `"database"`', filter.get("value", ...))
        kind = filter["value"]
    return workspace.search(query, kind, ascending=ascending, cursor=cursor, size=size)


def notion_update_block(
    workspace: Workspace,
    block_id: BlockId,
    block: Annotated[_ANY_OBJECT, Field(description="The new content under the name of the block's type")],
    **_options: Unpack[Format],
) -> Any:
    """Change the content of a block."""
    return workspace.update_block(block_id, block)


def notion_update_page_properties(
    workspace: Workspace,
    page_id: PageId,
    properties: Annotated[_ANY_OBJECT, Field(description="Values by column, as property values of Notion's API")],
    **_options: Unpack[Format],
) -> Any:
    """Change properties of a page, such as those of an item in a database."""
    return workspace.update_page(page_id, properties)


def _paging(options: ListOptions) -> tuple[str | None, float | None]:
    return options.get("start_cursor"), options.get("page_size")


def _message(_tool: str, error: ValidationError, schema: dict[str, Any]) -> str:
    """Return the server's error for missing arguments, else the API's error for an invalid value."""
    first = error.errors(include_url=False)[0]
    if first["type"] == "missing" and len(first["loc"]) == 1:
        required = schema["required"]
        plural = "s" if len(required) > 1 else ""
        return json.dumps({"error": f"Missing required argument{plural}: {' and '.join(required)}"})
    place = ".".join(("body", *(str(step) for step in first["loc"])))
    actual = ... if first["type"] == "missing" else first["input"]
    expected = _EXPECTED.get(first["type"], "valid")
    return error_text(
        invalid_value(place, expected, actual) if isinstance(actual, _JSON_TYPES) else invalid(str(error))
    )


_JSON_TYPES = (str, int, float, bool, list, dict, type(None), type(...))
_EXPECTED = {
    "string_type": "a string",
    "float_type": "a number",
    "list_type": "an array",
    "dict_type": "an object",
    "missing": "defined",
}

SIMULATION = Simulation(
    name="Notion MCP Server",
    state=Workspace,
    tools=(
        notion_append_block_children,
        notion_create_comment,
        notion_create_database_item,
        notion_delete_block,
        notion_list_all_users,
        notion_retrieve_block,
        notion_retrieve_block_children,
        notion_retrieve_comments,
        notion_retrieve_page,
        notion_retrieve_user,
        notion_search,
        notion_update_block,
        notion_update_page_properties,
    ),
    dialect=replace(PYTHON_SDK, invalid=_message, unknown_tool='{{"error": "Unknown tool: {name}"}}'),
    failure=error_text,
    indent=2,
    scopes={
        "notion_append_block_children": "insert_content",
        "notion_create_comment": "insert_comments",
        "notion_create_database_item": "insert_content",
        "notion_delete_block": "update_content",
        "notion_list_all_users": "read_users",
        "notion_retrieve_block": "read_content",
        "notion_retrieve_block_children": "read_content",
        "notion_retrieve_comments": "read_comments",
        "notion_retrieve_page": "read_content",
        "notion_retrieve_user": "read_users",
        "notion_search": "read_content",
        "notion_update_block": "update_content",
        "notion_update_page_properties": "update_content",
    },
)
server = SIMULATION.server
"""Factory that builds the server over the world of one attempt."""
