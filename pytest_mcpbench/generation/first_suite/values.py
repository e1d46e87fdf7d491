"""Arguments with which tools are tried: an example of the author first, then values that their schemas allow.

Files that the arguments name are part of them: their names, their texts, and those that a refusal misses.
"""

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, product, zip_longest
from typing import Any, cast

from pytest_mcpbench.definitions.canonical import ServerDefinition, ToolDefinition
from pytest_mcpbench.definitions.lint.parameters import Parameter, top_parameters
from pytest_mcpbench.definitions.lint.schema_rules import value_problem
from pytest_mcpbench.definitions.lint.words import words_of
from pytest_mcpbench.definitions.schema_structure import DEEPEST, at_pointer
from pytest_mcpbench.generation.pipeline.paths import scalars
from pytest_mcpbench.generation.pipelines.tools.values import KnownValues, described_in, is_path, value_sources
from pytest_mcpbench.generation.pipelines.tools.words import words
from pytest_mcpbench.text.paths import SANDBOX

_ENDINGS = {
    ".docx": r"\.docx\b|\bword\b",
    ".xlsx": r"\.xlsx\b|\bexcel\b|\bworkbook\b",
    ".pptx": r"\.pptx\b|\bpowerpoint\b",
    **{ending: rf"\{ending}\b" for ending in (".csv", ".db", ".json", ".md", ".pdf", ".py", ".txt", ".xml", ".yaml")},
}
"""Ending of a file's name -> what descriptions say of such files."""
_FILE_STEMS = ("report", "notes")
_DIRECTORIES = frozenset(
    {"directory", "directories", "dir", "folder", "project", "repo", "repository", "root", "tree", "workspace"}
)
_DIRECTORY_NAMES = (".", "archive")
_SQL_NAMES = frozenset({"query", "sql", "statement"})
_STATEMENTS = (
    "CREATE TABLE IF NOT EXISTS items (id INTEGER PRIMARY KEY, name TEXT)",
    "INSERT INTO items (name) VALUES ('tea')",
    "SELECT name FROM items",
    "SELECT 1",
)
_DATES = ("2026-03-02", "2026-03-06")
_SEARCHED = frozenset({"query", "keyword", "keywords", "pattern", "term"})
_KINDS: Mapping[str, tuple[str, ...]] = {
    "hex color colour foreground background": ("#3366cc", "#ffffff"),
    "cron": ("0 9 * * 1",),
    "cidr subnet": ("192.0.2.0/24",),
    "ip": ("192.0.2.7",),
    "semver version": ("1.2.0", "1.10.0"),
    "regex": ("[a-z]+",),
    "digits luhn isbn": ("4539578763621486", "9780306406157"),
    "uuid guid": ("123e4567-e89b-12d3-a456-426614174000",),
    "json": ('{"name": "Ann", "age": 30}',),
    "yaml": ("name: Ann",),
    "xml": ("<name>Ann</name>",),
    "html": ("<p>Ann likes tea</p>",),
    "csv": ("name,age\nAnn,30",),
    "domain host hostname": ("example.com",),
    "phone": ("+49 30 901820",),
    "fen": ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",),
    "locale": ("en-US",),
    "branch": ("new-idea", "main"),
    "char character letter": ("e",),
    "substring": ("meeting",),
}
"""Words of parameters, and values of which everybody knows what they are."""
_FREE_TEXTS = frozenset({"message", "text", "content", "note", "comment", "body", "sentence", "string"})
_SENTENCES = ("The meeting moves to Thursday", "Remember to water the plants")
_ELSEWHERE = re.compile(r"(?:/|~|[A-Za-z]:[\\/]|file:|\.\.)")
"""Beginning of a path outside of the attempt's directory, which no tool is called with."""
_MEMBER = re.compile(r"^\s*[-*]\s+[`'\"]?(\w+)[`'\"]?\s*:\s*(.+)$", re.MULTILINE)
"""Line of a description that says what a member of an object is."""
_CHOICES = re.compile(r"\((\w+(?:,\s*\w+)+)\)")
_NOTHING = object()
_LONGEST = 200
"""Characters of a value as JSON, which its reader must check."""


def file_names(server: ServerDefinition) -> tuple[str, ...]:
    """Return names for files that tools of a server make, with the ending that its descriptions name most often."""
    text = "\n".join(f"{tool.description} {tool.input_schema}" for tool in server.tools)
    counts = {ending: len(re.findall(pattern, text, re.IGNORECASE)) for ending, pattern in _ENDINGS.items()}
    most = max(counts, key=lambda ending: counts[ending])
    return tuple(f"{stem}{most if counts[most] else '.txt'}" for stem in _FILE_STEMS)


def seed_text(name: str) -> str | None:
    """Return a text for a file of this name; ``None`` if such files are no texts."""
    ending = name.rpartition(".")[2]
    if ending in ("docx", "xlsx", "pptx", "db", "pdf"):
        return None
    text = _KINDS[ending][0] if ending in _KINDS else "\n".join(_SENTENCES)
    return f"{text}\n"


def full_path(name: str) -> str:
    """Return the path of a file in the directory of each attempt."""
    return name if name.startswith(SANDBOX) else f"{SANDBOX}/{name}".removesuffix("/.")


def relative_path(name: str) -> str:
    """Return the path of a file from the directory of each attempt."""
    return name.removeprefix(f"{SANDBOX}/")


def attempts_at(
    tool: ToolDefinition, known: KnownValues, example: Mapping[str, Any], *, also: Collection[str] = (), most: int
) -> tuple[list[dict[str, Any]], list[Parameter]]:
    """Return different arguments to try a tool with, and the required parameters for which no value is known.

    Args:
        tool: The tool to call; without an example only its required parameters get values.
        known: Values in results of other tools.
        example: Values that the author has given.
        also: Optional parameters that get a value, too.
        most: Most arguments to return.
    """
    found = [{**shown, **example} for shown in _shown_calls(tool)][:most]
    names = {*tool.required, *also} - set(example)
    wanted = [each for each in top_parameters(tool) if each.name in names]
    pools = {each.name: _pool(each, tool, known) for each in wanted}
    missing = [each for each in wanted if not pools[each.name]]
    if missing:
        return found, [] if found else missing
    longest = max((len(pool) for pool in pools.values()), default=1)
    paths = {each.name for each in wanted if _takes_path(each, each.description, tool)}
    # A file that exists is named in all attempts before another one is.
    steps = chain(((index, 0) for index in range(longest)), ((index, index) for index in range(longest)))
    # Texts of parameters with the same values differ, as the two places of a route. Whole numbers first do so, too, as
    # the ends of a range, and then not, as two indices.
    for (index, step), distinct in product(steps, (str | int, str)):
        arguments: dict[str, Any] = {}
        for name, pool in pools.items():
            given = [value for value in arguments.values() if isinstance(value, distinct)]
            left = [value for value in pool if value not in given] or pool
            arguments[name] = left[(step if name in paths else index) % len(left)]
        arguments = {**arguments, **example}
        if arguments not in found and len(found) < most:
            found.append(arguments)
    return found, []


def _shown_calls(tool: ToolDefinition) -> Iterator[dict[str, Any]]:
    """Yield the arguments of calls that the description of a tool shows, such as `convert(value=3, unit="kg")`."""
    parameters = {each.name: each for each in top_parameters(tool)}
    for found in re.finditer(rf"\b{re.escape(tool.name)}(\([^()\n]*\))", tool.description):
        try:
            call = cast("ast.Call", ast.parse(f"tool{found[1]}", mode="eval").body)  # names of tools may have hyphens
            shown = [*zip(parameters, call.args, strict=False), *((each.arg, each.value) for each in call.keywords)]
            arguments = {name: ast.literal_eval(value) for name, value in shown if name is not None}
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            continue
        is_complete = {*tool.required} <= {*arguments} <= {*parameters}
        is_here = not any(isinstance(value, str) and _ELSEWHERE.match(value) for _, value in scalars(arguments))
        if is_complete and is_here and all(_fits(value, parameters[name]) for name, value in arguments.items()):
            yield arguments


def _pool(parameter: Parameter, tool: ToolDefinition, known: KnownValues) -> list[Any]:
    """Return the values that fit a parameter: the first of each source, then the second ones.

    The last source are names that need not exist: a tool that makes something takes any, and one that looks for
    something does not find it.
    """
    is_only = parameter.path == parameter.name and tool.required == (parameter.name,)
    description = parameter.description or described_in(tool, parameter.name) or (tool.description if is_only else "")
    name = words_of(parameter.name)
    composed = _composed(parameter, tool, known)
    if composed:
        return _fitting(composed, parameter)
    if _takes_sql(tool, parameter):
        return _fitting(_STATEMENTS, parameter)
    if _takes_path(parameter, description, tool):
        made = known.of(parameter.name)
        sources: list[Sequence[Any]] = [[*made, *_paths(parameter, description, tool, known)]]
    elif "date" in name and parameter.types == {"string"} and not parameter.values:
        sources = [*value_sources(parameter, description, known, {}), _DATES]
    elif _FREE_TEXTS & set(name[-1:]):
        sources = [parameter.values or _SENTENCES]
    else:
        kinds = _of_kinds(name) or _of_kinds(words_of(description or tool.name))
        told = _of_kin(name, tool, known)
        sources = [told, *value_sources(parameter, description, known, {}), known.of(name[-1]) if name else (), kinds]
        if _SEARCHED & set(name):
            sources = [known.of("name"), known.of("title"), *sources]
    if "index" in name and "integer" in parameter.types:
        sources.insert(0, (0, 1))
    if "boolean" in parameter.types:
        sources.insert(0, (True, False))
    if "default" in parameter.schema:
        sources.insert(0, (parameter.schema["default"],))
    mixed: Iterable[Any] = chain.from_iterable(zip_longest(*sources, fillvalue=_NOTHING))
    offered = known.offered.get((tool.name, parameter.name), ())
    return _fitting(chain(offered, mixed, words().new_names["name"], _long_texts(parameter)), parameter)


def _long_texts(parameter: Parameter) -> list[str]:
    """Return a text of whole sentences for a schema that wants at least a number of characters."""
    least, text = parameter.schema.get("minLength"), " ".join(f"{each}." for each in _SENTENCES)
    return [" ".join([text] * (1 + least // len(text)))] if isinstance(least, int) and least <= _LONGEST else []


def _of_kin(name: Sequence[str], tool: ToolDefinition, known: KnownValues) -> Sequence[Any]:
    """Return the ids or names that tools about the same thing have told.

    The `id` that `todo_create` has returned is the `todo_id` of any tool, and the `id` of `todo_get`.
    """
    if name[-1:] not in (["id"], ["name"]) or "new" in name:
        return ()
    return known.of_kin(name[-1], " ".join(set(name) - {"id", "or", "name"}) or tool.name)


def _of_kinds(said: Collection[str]) -> tuple[str, ...]:
    """Return the values of a kind that one of some words names."""
    return next((values for names, values in _KINDS.items() if not {*names.split()}.isdisjoint(said)), ())


def _takes_sql(tool: ToolDefinition, parameter: Parameter) -> bool:
    about = f"{tool.description} {parameter.description}"
    return parameter.types == {"string"} and bool(_SQL_NAMES & set(words_of(parameter.name))) and "SQL" in about.upper()


def _takes_path(parameter: Parameter, description: str, tool: ToolDefinition) -> bool:
    is_end_of_move = parameter.name in ("source", "destination") and "file" in words_of(tool.name)
    is_named = is_path(parameter.name) or re.search(r"(?i)\b(?:path|file ?name)\b", description) is not None
    return parameter.types <= {"string"} and not parameter.values and (is_named or is_end_of_move)


def _paths(parameter: Parameter, description: str, tool: ToolDefinition, known: KnownValues) -> Sequence[str]:
    is_directory = bool(_DIRECTORIES & {*words_of(parameter.name), *words_of(tool.name)})
    names = _DIRECTORY_NAMES if is_directory else known.files
    wants_full_path = SANDBOX in "".join(known.files) or re.search(r"(?i)\b(?:absolute|full path)\b", description)
    return [full_path(name) for name in names] if wants_full_path else names


def _fitting(values: Iterable[Any], parameter: Parameter) -> list[Any]:
    found: list[Any] = []
    for value in values:
        for shaped in (value, [value]):
            if value is not _NOTHING and shaped not in found and _fits(shaped, parameter):
                found.append(shaped)
                break
    return found


def _fits(value: Any, parameter: Parameter) -> bool:
    if value is None or value in ("", [""]) or len(str(value)) > _LONGEST:
        return False
    if isinstance(value, str) and _ELSEWHERE.match(value):
        return False
    return value_problem(value, parameter.schema, parameter.root) is None


def _composed(parameter: Parameter, tool: ToolDefinition, known: KnownValues) -> list[Any]:
    """Return an object with the members that the schema requires, or a list of two elements."""
    if parameter.path.count(".") >= DEEPEST:
        return []
    found: list[Any] = []
    for option in parameter.options or ():
        items = option.get("items")
        if isinstance(items, Mapping):
            if items.get("type") == "object" and not items.get("properties"):
                items = {**items, **_listed_members(parameter.description or tool.description)}
            singular = parameter.name.removesuffix("s")
            element = Parameter(f"{parameter.path}.{singular}", items, parameter.root)
            elements = _pool(element, tool, known)
            elements = elements[: 1 if any(isinstance(each, dict) for each in elements) else 2]
            found += [elements] if elements else []
        elif option.get("properties") or "$ref" in option:
            found += _objects(parameter, option, tool, known)
        elif option.get("type") == "object":
            found.append({"name": words().new_names["name"][0]})
        elif option.get("type") == "array":
            found.append(list(words().new_names["name"][:2]))
    return found


def _listed_members(description: str) -> dict[str, Any]:
    """Return the schema of an object whose members a description lists, as `- status: one of (open, done)`."""
    members: dict[str, Any] = {}
    for name, said in _MEMBER.findall(description):
        choices = _CHOICES.search(said)
        if "optional" not in said.casefold():
            chosen = {"enum": re.split(r",\s*", choices[1])} if choices else {}
            members[name] = {"type": "string", "description": said, **chosen}
    return {"properties": members, "required": list(members)} if members else {}


def _objects(
    parameter: Parameter, option: Mapping[str, Any], tool: ToolDefinition, known: KnownValues
) -> list[dict[str, Any]]:
    schema = at_pointer(option.get("$ref"), parameter.root) or option
    members = schema.get("properties") or {}
    required = schema.get("required") or ()
    pools: dict[str, Sequence[Any]] = {
        name: _pool(Parameter(f"{parameter.path}.{name}", part, parameter.root), tool, known)
        for name, part in members.items()
        if name in required or not required
    }
    if not required:
        return [{name: pool[0]} for name, pool in pools.items() if pool][:2]
    if not pools or not all(pools.values()):
        return []
    rows = range(2)
    return [{name: pool[(row + at) % len(pool)] for at, (name, pool) in enumerate(pools.items())} for row in rows]


# Files and repositories that a server misses when it refuses a call.


_NO_REPOSITORY = re.compile(r"(?i)\bnot a (?:valid )?git\b|\binvalid git repository|\bno git repository|\.git\b")
_NOT_FOUND = re.compile(
    r"(?i)\b(?:not found|no such file|not exist|doesn't exist|cannot find|could not find|missing)\b|\bENOENT\b"
)


@dataclass(frozen=True)
class Missed:
    """What a server misses in the directory of the attempt."""

    files: Mapping[str, str] = field(default_factory=dict)
    """Name -> text."""
    is_repository: bool = False


def missed_in_directory(arguments: Mapping[str, Any], said: str) -> Missed:
    """Return what a server misses in the directory of the attempt: a repository, or files that a call names.

    Args:
        arguments: Arguments of the call.
        said: Text of the refusal.
    """
    # GitPython, for one, says nothing but the path of what is no repository.
    named = [value for name, value in arguments.items() if "repo" in name.lower() and isinstance(value, str)]
    is_bare = bool(named) and said.rstrip().endswith(tuple(f": {path}" for path in (SANDBOX, *named)))
    if is_bare or _NO_REPOSITORY.search(said):
        return Missed(is_repository=True)
    if not _NOT_FOUND.search(said):
        return Missed()
    names = [relative_path(value) for _, value in scalars(dict(arguments)) if isinstance(value, str)]
    texts = {name: seed_text(name) for name in names if re.fullmatch(r"[\w-]+\.\w{1,5}", name)}
    return Missed({name: text for name, text in texts.items() if text is not None})
