"""The values of a page's properties: validation and conversion to the API's form."""

from collections.abc import Callable, Mapping
from datetime import date, datetime
from typing import Any

from pytest_mcpbench.simulated.notion.failures import invalid, missing_object
from pytest_mcpbench.simulated.notion.objects import Object, reference
from pytest_mcpbench.simulated.notion.texts import complete_texts

Exists = Callable[[str, str], bool]
"""A predicate that takes a collection and an id and returns whether the object exists."""

_READ_ONLY = ("created_time", "created_by", "last_edited_time", "last_edited_by", "formula", "rollup", "unique_id")


def property_values(columns: Mapping[str, Object], values: Mapping[str, Any], exists: Exists) -> Object:
    """Return the properties to store for the values of a request, which name columns by name or id."""
    properties = {}
    for name, value in values.items():
        column = _find_column(columns, name)
        if column is None:
            raise invalid(f"{name} is not a property that exists.")
        kind = columns[column]["type"]
        stored = _validate(column, columns[column], value, exists)
        properties[column] = {"id": columns[column]["id"], "type": kind, kind: stored}
    return properties


def blank(columns: Mapping[str, Object]) -> Object:
    """Return the properties of a page without values."""
    return {
        name: {"id": column["id"], "type": column["type"], column["type"]: _BLANK.get(column["type"])}
        for name, column in columns.items()
    }


_BLANK: Mapping[str, Any] = {
    "title": [],
    "rich_text": [],
    "people": [],
    "relation": [],
    "multi_select": [],
    "files": [],
    "checkbox": False,
}


def _find_column(columns: Mapping[str, Object], name: str) -> str | None:
    return name if name in columns else next((key for key, each in columns.items() if each["id"] == name), None)


def _validate(name: str, column: Object, value: Any, exists: Exists) -> Any:
    kind = column["type"]
    if kind in _READ_ONLY:
        raise invalid(f"{name} is a {kind} property and cannot be updated.")
    if not isinstance(value, dict) or kind not in value:
        raise invalid(f"{name} is expected to be {kind}.")
    content = value[kind]
    if content is None and kind not in ("title", "checkbox"):
        return _BLANK.get(kind)
    if not isinstance(content, _TYPES.get(kind, object)):
        raise invalid(f"{name} is expected to be {kind}.")
    return _CONVERTERS.get(kind, _keep_content)(name, column, content, exists)


_TYPES: Mapping[str, Any] = {
    "title": list,
    "rich_text": list,
    "people": list,
    "relation": list,
    "multi_select": list,
    "files": list,
    "number": int | float,
    "checkbox": bool,
    "select": dict,
    "status": dict,
    "date": dict,
    "url": str,
    "email": str,
    "phone_number": str,
}


def _keep_content(_name: str, _column: Object, content: Any, _exists: Exists) -> Any:
    return content


def _texts(name: str, column: Object, content: list[Any], _exists: Exists) -> Any:
    return complete_texts(content, f"body.properties.{name}.{column['type']}")


def _people(_name: str, _column: Object, content: list[Any], exists: Exists) -> Any:
    return [reference(_existing_id("users", "user", each, exists)) for each in content]


def _relation(_name: str, _column: Object, content: list[Any], exists: Exists) -> Any:
    return [{"id": _existing_id("pages", "page", each, exists)} for each in content]


def _existing_id(collection: str, kind: str, item: Any, exists: Exists) -> str:
    object_id = str(item.get("id")) if isinstance(item, dict) else str(item)
    if not exists(collection, object_id):
        raise missing_object(kind, object_id)
    return object_id


def _status(name: str, column: Object, content: Object, _exists: Exists) -> Any:
    """Return one of the existing options; unlike for a select, the API does not add new ones."""
    option = _option(column, content)
    if option is None:
        requested = content.get("name") or content.get("id")
        raise invalid(f'Invalid status option. Status option "{requested}" does not exist in {name}.')
    return option


def _select(_name: str, column: Object, content: Object, _exists: Exists) -> Any:
    """Return one of the existing options, or a new one."""
    return _option(column, content) or {"id": str(content.get("name")), "name": content.get("name"), "color": "default"}


def _option(column: Object, content: Object) -> Object | None:
    for option in column[column["type"]].get("options", ()):
        if option["name"] == content.get("name") or ("id" in content and option["id"] == content["id"]):
            return {"color": "default", **option}
    return None


def _date(name: str, _column: Object, content: Object, _exists: Exists) -> Any:
    for key in ("start", "end"):
        if (key == "start" or content.get(key)) and not _is_moment(content.get(key)):
            raise invalid(
                f"body failed validation: body.properties.{name}.date.{key} should be a valid ISO 8601 date string, "
                f"instead was `{content.get(key)!r}`."
            )
    return {"start": content["start"], "end": content.get("end"), "time_zone": content.get("time_zone")}


def _is_moment(value: Any) -> bool:
    try:
        return bool(date.fromisoformat(value) if len(value) == len("2026-03-02") else datetime.fromisoformat(value))
    except (TypeError, ValueError):
        return False


_CONVERTERS: Mapping[str, Callable[[str, Object, Any, Exists], Any]] = {
    "title": _texts,
    "rich_text": _texts,
    "people": _people,
    "relation": _relation,
    "status": _status,
    "select": _select,
    "date": _date,
}
