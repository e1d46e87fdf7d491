"""Rules about the definitions of a server: the texts of each tool, and its tools together.

``lint_server`` applies them with those about schemas.
"""

import re
from collections.abc import Callable, Iterator
from inspect import cleandoc
from itertools import combinations

from pytest_mcpbench.core.definition_tokens import definition_tokens
from pytest_mcpbench.definitions.canonical import ServerDefinition, ToolDefinition, canonical_json
from pytest_mcpbench.definitions.lint.parameters import Parameter, all_parameters, top_parameters
from pytest_mcpbench.definitions.lint.poisoning import HIDDEN, poisoning_of
from pytest_mcpbench.definitions.lint.rules import RULES, Finding
from pytest_mcpbench.definitions.lint.schema_rules import schema_findings
from pytest_mcpbench.definitions.lint.words import content_words, similarity, words_of
from pytest_mcpbench.definitions.schema_structure import without_texts
from pytest_mcpbench.definitions.texts import place_name, texts_of
from pytest_mcpbench.text.token_estimate import estimate_tokens

_SAME = 0.9
_ALIKE = 0.6
_STEM = 5
"""Letters in which words of one family agree: integrate, integral."""
_WRITING = frozenset(
    {"delete", "remove", "drop", "write", "create", "update", "insert", "edit", "add", "append", "set", "move"}
    | {"rename", "send", "purge", "destroy"}
)
_CHANGING = _WRITING | {"replace", "clear", "reset", "save", "overwrite", "replaces", "deletes", "removes", "saves"}
_READING = frozenset({"get", "list", "read", "search", "find", "show", "describe", "count", "view", "lookup", "fetch"})
_STYLES = {
    "snake_case": re.compile(r"[a-z0-9]+(?:_[a-z0-9]+)+"),
    "kebab-case": re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)+"),
    "camelCase": re.compile(r"[a-z0-9]+(?:[A-Z][a-z0-9]*)+"),
    "PascalCase": re.compile(r"(?:[A-Z][a-z0-9]+){2,}"),
}


def server_findings(server: ServerDefinition, *, max_tokens: int) -> Iterator[Finding]:
    """Yield the findings about a server as a whole; ``max_tokens`` is the budget of its definitions."""
    for one, other in combinations(server.tools, 2):
        yield from _pair_findings(server, one, other)
    for tool in server.tools:
        words = words_of(tool.name)
        verb = next(iter(words), "")
        kinds = {kind for parameter in top_parameters(tool) for kind in parameter.types}
        is_sum = verb == "add" and bool(tool.properties) and kinds <= {"integer", "number"}
        if verb in _WRITING and tool.promises_to_read_only and not is_sum:
            yield Finding(RULES["contradicting-hint"], server.name, f"{verb!r} and readOnlyHint: true", tool.name)
        is_destructive = tool.annotations.get("destructiveHint") is True and not tool.promises_to_read_only
        if verb in _READING and is_destructive and not {*words, *words_of(tool.description)} & _CHANGING:
            yield Finding(RULES["contradicting-hint"], server.name, f"{verb!r} and destructiveHint: true", tool.name)
    tokens = definition_tokens([tool.spec(server.name) for tool in server.tools]).total
    tokens += estimate_tokens(server.instructions)
    if tokens > max_tokens:
        message = f"about {tokens} tokens are sent with every model call, the budget is {max_tokens}"
        yield Finding(RULES["token-budget"], server.name, message)
    styles = {
        style: names
        for style, pattern in _STYLES.items()
        if (names := [tool.name for tool in server.tools if pattern.fullmatch(tool.name)])
    }
    if len(styles) > 1:
        shown = "; ".join(f"{style}: {', '.join(names[:3])}" for style, names in styles.items())
        yield Finding(RULES["mixed-names"], server.name, shown)


def _pair_findings(server: ServerDefinition, one: ToolDefinition, other: ToolDefinition) -> Iterator[Finding]:
    if not one.description or not other.description or one.name == other.name:
        return
    alike = similarity(one.description, other.description)
    # Descriptions that differ in the words in which the names differ: "add a row", "add a column".
    different = content_words(one.description) ^ content_words(other.description)
    names = content_words(one.name) ^ content_words(other.name)
    if any(word[:_STEM] == name[:_STEM] for word in different for name in names):
        return
    # Descriptions that begin with different verbs: "add a password", "remove a password".
    verbs = {next(iter(words_of(tool.description)), "") for tool in (one, other)}
    if len(verbs) == 2 and not verbs <= _READING:
        return
    is_mentioned = other.name in one.description or one.name in other.description
    if alike >= _SAME:
        message = f"its description is nearly that of {other.name!r}"
        yield Finding(RULES["same-description"], server.name, message, one.name)
    elif alike >= _ALIKE and one.properties and not is_mentioned:
        left, right = (
            canonical_json([without_texts(tool.properties), sorted(map(str, tool.required))]) for tool in (one, other)
        )
        if left == right:
            message = f"{other.name!r} takes the same arguments and reads alike; say in one when to use the other"
            yield Finding(RULES["substitutable-tools"], server.name, message, one.name)


# Rules about the texts of a tool: what misleads an agent, or tells it nothing.

_TYPE_WORDS = {
    "string": "string",
    "str": "string",
    "integer": "integer",
    "int": "integer",
    "number": "number",
    "float": "number",
    "boolean": "boolean",
    "bool": "boolean",
    "array": "array",
    "list": "array",
    "object": "object",
    "dict": "object",
}
_TYPE_AT_THE_BEGINNING = re.compile(
    rf"\s*(?:\(?(?P<type>{'|'.join(_TYPE_WORDS)})(?:\)|:|\.|,| - )|An? (?P<told>integer|boolean)\b)", re.IGNORECASE
)
_TYPE_IN_BRACKETS = re.compile(
    rf"\(({'|'.join(_TYPE_WORDS)})(?:, (?:optional|required|default[^)]*))?\)", re.IGNORECASE
)
_LISTED_VALUES = re.compile(
    r"(?:one of|either|allowed values(?: are)?|valid values(?: are)?|possible values(?: are)?|must be)"
    r":?\s*((?:[\"'`][\w .-]{1,40}[\"'`](?:\s*\([^)\n]{0,80}\))?(?:\s*(?:,|/|\||or|and|, or|, and)\s*)?){2,})",
    re.IGNORECASE,
)
_ALTERNATIVES = re.compile(r"(?:[\w ]{1,40}[:,(] ?)?[\"'`]?(\w+)[\"'`]?(?:,? or |/)[\"'`]?(\w+)[\"'`]?[.)]?")
"""Complete description that names two values, such as `Order: asc or desc`."""
_QUOTED = re.compile(r"[\"'`]([\w .-]{1,40})[\"'`]")
_NAMED_PARAMETER = re.compile(
    r"(?:\b(?:parameter|argument|param)\s+[\"'`](\w+)[\"'`])|(?:[\"'`](\w+)[\"'`]\s+(?:parameter|argument|param)\b)"
)
_ARGUMENTS_SECTION = re.compile(
    r"^[ \t]*(?:Args|Arguments|Parameters|Params):[ \t]*\n((?:[ \t]+.*\n?|[ \t]*\n)+)", re.MULTILINE
)
_SECTION_ENTRY = re.compile(r"^([ \t]+)(\w+)[ \t]*(?:\([^)\n]*\))?:", re.MULTILINE)
_PLAIN_NAMES = frozenset(
    {"path", "file", "filename", "directory", "url", "content", "text", "message", "query", "limit", "title", "email"}
    | {"city", "country", "language", "width", "height", "page", "offset", "timezone", "locale", "latitude"}
    | {"longitude", "description", "notes", "reason"}
)
"""Words in names of parameters that say what they take in any tool."""
_IDENTIFYING = frozenset({"id", "ids", "name", "names", "new", "or"})
"""Words of names such as `id` and `new_name`, which say what they take in a tool that is about one thing."""
_SHORTEST_STEM = 4
"""Letters of a word that stands for a longer one."""
_SHOWN_DESCRIPTION = 2048
"""Number of characters of a description that Claude Code shows."""
_SHOWN_INSTRUCTIONS = (2048, 512)
"""Numbers of characters of the instructions that clients show: Claude Code's, and that of Codex and ChatGPT."""
_MOST_BEHIND = 200
"""Characters that are quoted of what stands behind a cut."""
_SNAKE_CASE = r"[a-z][a-z0-9]*(?:_[a-z0-9]+)+"
_NO_VALUE = r"(?![`'\"]? (?:is|are|was|were|has|have|will|can|must|exists?)\b)"
"""What does not follow a tool that is to be called, but follows a value, such as `user_id is known`."""
_INSTRUCTED = re.compile(
    rf"\b(?i:call|use|run|invoke|tool)s? [`'\"]?{_SNAKE_CASE}\b"
    rf"(?:[`'\"]?(?:,| and| or| then| before| after)+ [`'\"]?{_SNAKE_CASE}\b{_NO_VALUE})*"
    rf"|`{_SNAKE_CASE}`(?= tool)"
)
_IMPERATIVE = re.compile(
    r"\b(?:use|call|invoke|run) this (?:tool )?(?:first|before (?:any|all|every) other)", re.IGNORECASE
)
_EXAMPLE = re.compile(r"\be\.g\.|\bexamples?\b|\bfor instance\b|\bsuch as\b", re.IGNORECASE)
_RETURN = re.compile(r"\breturn|\bget|\blist|\bshow|\bretriev|\bfetch|\bread|\boutput|\bresult|\brespon", re.IGNORECASE)
_USE = re.compile(r"\b(?:use|useful|when|if you|instead|prefer|before|after)\b", re.IGNORECASE)
_ACRONYM = re.compile(r"\b[A-Z]{3,5}\b")
_EXPLAINED = re.compile(r"\(([A-Z]{3,5})\)|\b([A-Z]{3,5}) \(")
_COMMON = (
    "API URL URI JSON XML HTML CSS CSV PDF HTTP HTTPS SQL UTC ISO UUID IANA ASCII UTF DNS FTP SSH TCP UDP CLI SDK MCP",
    "YAML TOML GIF PNG JPEG JPG SVG MIME REST TLS SSL HEAD DIFF EUR USD GBP NOT AND ALL ANY ONE THE MUST ONLY NEVER",
    "TODO READ WRITE TRUE FALSE NULL NONE POST PUT GET EOF GIT SHA LIKE INTO FROM WHERE SELECT WITH FOR NOTE DOES DON",
    "RFC CPU RAM GPU IDE ZIP GZIP TAR DOCX XLSX PPTX EST PST CET GMT VERY BEFORE AFTER WHEN LLM USE",
)
_KNOWN_ACRONYMS = frozenset(word for line in _COMMON for word in line.split())
_LONGEST = 800
_VAGUE = frozenset({"handle", "manage", "process"})


def text_findings(server: ServerDefinition) -> Iterator[Finding]:
    """Yield the findings about the texts of a server's tools."""
    names = {tool.name for tool in server.tools}
    yield from _instructions(server, names)
    for tool in server.tools:
        for check in _CHECKS:
            yield from check(server, tool)
        known = {parameter.name for parameter in all_parameters(tool)} | names
        # A description may speak of a parameter of another tool that it names.
        known |= {name for each in server.tools if each.name in tool.description for name in each.properties}
        named = [name for pair in _NAMED_PARAMETER.findall(tool.description) for name in pair if name]
        for name in dict.fromkeys((*named, *_documented_names(tool.description))):
            if name not in known and not tool.input_schema.get("additionalProperties"):
                yield _finding("unknown-parameter", server, tool, f"the description documents {name!r}", name)
    for tool in server.tools if len(server.tools) > 1 else ():
        if tool.description and not _USE.search(tool.description):
            yield _finding("no-use", server, tool, "the description does not say when to use the tool")


def _instructions(server: ServerDefinition, names: set[str]) -> Iterator[Finding]:
    text = server.instructions.strip()
    found = poisoning_of(text, names)
    if found is not None:
        yield Finding(RULES["poisoned"], server.name, _poisoning_message("the instructions", *found))
    limits = [limit for limit in _SHOWN_INSTRUCTIONS if len(text) > limit]
    if limits:
        yield Finding(RULES["long-instructions"], server.name, _cut_message("they have", text, *limits))
    for name in dict.fromkeys(re.findall(_SNAKE_CASE, " ".join(_INSTRUCTED.findall(text)))):
        if name not in names and not any(name in tool.properties for tool in server.tools):
            yield Finding(RULES["instructed-tool"], server.name, f"they name {name!r}")
    said = content_words(" ".join(f"{tool.name} {tool.description}" for tool in server.tools))
    if text and content_words(text) <= said:
        yield Finding(RULES["repeated-instructions"], server.name, "each of their words is in the descriptions")


def _cut_message(subject: str, text: str, *limits: int) -> str:
    cuts: list[str] = []
    for limit in limits:
        behind = " ".join(text[limit:].split())
        if len(behind) > _MOST_BEHIND:
            behind = f"{behind[:_MOST_BEHIND]}… ({len(text[limit:]):,} characters)"
        cuts.append(f"{limit:,} cut before {behind!r}")
    return f"{subject} {len(text):,} characters; clients that show {', those that show '.join(cuts)}"


def _finding(rule: str, server: ServerDefinition, tool: ToolDefinition, message: str, place: str = "") -> Finding:
    return Finding(RULES[rule], server.name, message, tool.name, place)


def _description(server: ServerDefinition, tool: ToolDefinition) -> Iterator[Finding]:
    text = tool.description.strip()
    if not text:
        yield _finding("no-description", server, tool, "the tool has no description")
        return
    if content_words(text) <= content_words(f"{tool.name} {tool.title}"):
        yield _finding("repeated-name", server, tool, f"the description {text!r} says no more than the name")
    if len(text) > _SHOWN_DESCRIPTION:
        yield _finding("cut-description", server, tool, _cut_message("it has", text, _SHOWN_DESCRIPTION))
    elif len(text) > _LONGEST:
        yield _finding("long-description", server, tool, f"the description has {len(text)} characters")


def _style(server: ServerDefinition, tool: ToolDefinition) -> Iterator[Finding]:
    everything = "\n".join(texts_of(tool).values())
    has_examples = any(place[-1] in ("examples", "example") for place in texts_of(tool))
    if top_parameters(tool) and not has_examples and not _EXAMPLE.search(everything):
        yield _finding("no-example", server, tool, "no description has an example")
    if tool.description and tool.output_schema is None and not _RETURN.search(tool.description):
        yield _finding("no-return", server, tool, "nothing says what the tool returns")
    if words_of(tool.name)[:1] and words_of(tool.name)[0] in _VAGUE:
        yield _finding("vague-name", server, tool, f"{words_of(tool.name)[0]!r} does not say what the tool does")
    unexplained = sorted({word for word in _ACRONYM.findall(tool.description) if word not in _KNOWN_ACRONYMS})
    unexplained = [
        word for word in unexplained if f"({word})" not in tool.description and f"{word} (" not in tool.description
    ]
    if unexplained:
        yield _finding("acronym", server, tool, f"not explained: {', '.join(unexplained)}")


def _parameters(server: ServerDefinition, tool: ToolDefinition) -> Iterator[Finding]:
    documented = _documented_names(tool.description)
    undescribed = [
        parameter
        for parameter in top_parameters(tool)
        if not parameter.description.strip() and parameter.name not in documented
    ]
    for rule, is_told in (("undescribed-parameter", False), ("named-parameter", True)):
        names = [parameter.path for parameter in undescribed if _is_told(parameter, tool, server) is is_told]
        if names:
            count = f"{len(names)} of {len(top_parameters(tool))} parameters have no description"
            yield _finding(rule, server, tool, f"{count}: {', '.join(names)}")
    for parameter in all_parameters(tool):
        problem = _type_contradiction(parameter) or _value_contradiction(parameter)
        if problem:
            yield _finding("contradiction", server, tool, problem, parameter.path)
        if parameter.types == {"string"} and parameter.values is None and len(_listed(parameter.description)) > 1:
            listed = ", ".join(_listed(parameter.description))
            yield _finding("missing-enum", server, tool, f"the values are in prose only: {listed}", parameter.path)


def _is_told(parameter: Parameter, tool: ToolDefinition, server: ServerDefinition) -> bool:
    """Return whether a parameter without a description needs none: its name, values or parts tell what it takes."""
    words = set(words_of(parameter.name))
    said = content_words(f"{tool.name} {tool.description}")
    # A word is in both, or the beginning of one in the other, as `char` of `character`.
    shares_a_stem = any(
        one == other
        or (min(len(one), len(other)) >= _SHORTEST_STEM and (one.startswith(other) or other.startswith(one)))
        for one in content_words(parameter.name)
        for other in said
    )
    is_named = bool(words & _PLAIN_NAMES) or shares_a_stem
    is_identifier = words <= _IDENTIFYING and _is_about_a_thing(tool, server)
    has_parts = any(each.description for each in all_parameters(tool) if each.path.startswith(f"{parameter.path}."))
    is_narrow = parameter.values is not None or parameter.types == {"boolean"} or "format" in parameter.schema
    return is_named or is_identifier or is_narrow or has_parts


def _is_about_a_thing(tool: ToolDefinition, server: ServerDefinition) -> bool:
    """Return whether a tool is about one of the things that several tools are named after, as `todo_get`."""
    others = (content_words(other.name) for other in server.tools if other.name != tool.name)
    shared = content_words(tool.name) & frozenset[str]().union(*others)
    things = "|".join(map(re.escape, shared))
    pattern = rf"(?i)\b(?:an?|the|this) (?:\w+ ){{0,2}}(?:{things})"
    return bool(things) and re.search(pattern, tool.description) is not None


def _type_contradiction(parameter: Parameter) -> str | None:
    match = _TYPE_AT_THE_BEGINNING.match(parameter.description)
    # Within a text about a list or an object, brackets may tell the type of a part: "points, each with value (float)".
    if match is None and not parameter.types & {"array", "object"}:
        match = _TYPE_IN_BRACKETS.search(parameter.description)
    if match is None or not parameter.types:
        return None
    word = next(group for group in match.groups() if group)
    said = _TYPE_WORDS[word.lower()]
    allowed = parameter.types | ({"number"} if "integer" in parameter.types else set())
    # A list in prose can be one text ("list of names, separated by commas").
    if said in allowed or (said == "integer" and "number" in allowed) or (said == "array" and "string" in allowed):
        return None
    return f"the description says {word}, the schema {' or '.join(sorted(parameter.types))}"


def _value_contradiction(parameter: Parameter) -> str | None:
    values, listed = parameter.values, _listed(parameter.description)
    if values is None:
        return None
    known = {str(value).lower() for value in values}
    alternatives = _ALTERNATIVES.fullmatch(parameter.description.strip())
    if alternatives is not None and len(known) == len(alternatives.groups()):
        told = [word.lower() for word in alternatives.groups()]
        # `ascending or descending` explains asc and desc.
        if not any(one.startswith(other[:2]) for one in known for other in told):
            return f"the description allows {' or '.join(map(repr, told))}, the enum {' or '.join(sorted(known))}"
    if not listed:
        return None
    unknown = [value for value in listed if value.lower() not in known]
    if not unknown or len(unknown) == len(listed):
        # Without any common value, the list is about something else.
        return None
    return f"the description allows {', '.join(map(repr, unknown))}, the enum does not"


def _listed(description: str) -> list[str]:
    match = _LISTED_VALUES.search(description)
    return _QUOTED.findall(match.group(1)) if match else []


def _documented_names(description: str) -> list[str]:
    """Return the parameters in the section ``Args:`` of a docstring."""
    # Servers send docstrings as they stand in the source, whose later lines are indented and the first is not.
    section = _ARGUMENTS_SECTION.search(cleandoc(description))
    entries = _SECTION_ENTRY.findall(section.group(1)) if section else []
    indent = min((len(spaces.expandtabs()) for spaces, _ in entries), default=0)
    return [name for spaces, name in entries if len(spaces.expandtabs()) == indent]


def _hidden_characters(server: ServerDefinition, tool: ToolDefinition) -> Iterator[Finding]:
    for place, text in {("name",): tool.name, **texts_of(tool)}.items():
        found = sorted({f"U+{ord(character):04X}" for character in HIDDEN.findall(text)})
        if found:
            yield _finding("hidden-characters", server, tool, f"{place_name(place)} has {', '.join(found)}")


def _poisoned(server: ServerDefinition, tool: ToolDefinition) -> Iterator[Finding]:
    known = {name for each in server.tools for name in (each.name, *each.properties)}
    for place, text in texts_of(tool).items():
        found = poisoning_of(text, known)
        if found is not None:
            yield _finding("poisoned", server, tool, _poisoning_message(place_name(place), *found))
        elif match := _IMPERATIVE.search(text):
            yield _finding("imperative", server, tool, f"{place_name(place)} says {match.group()!r}")


def _poisoning_message(place: str, kind: str, words: str) -> str:
    return f"{place}: {kind}: {' '.join(words.split())[:100]!r}"


_CHECKS: tuple[Callable[[ServerDefinition, ToolDefinition], Iterator[Finding]], ...] = (
    _description,
    _style,
    _parameters,
    _hidden_characters,
    _poisoned,
)

DEFAULT_MAX_TOKENS = 10_000


def lint_server(server: ServerDefinition, *, max_tokens: int = DEFAULT_MAX_TOKENS) -> tuple[Finding, ...]:
    """Return the findings about a server's definitions, errors first, in the order of the tools."""
    found = (*schema_findings(server), *text_findings(server), *server_findings(server, max_tokens=max_tokens))
    order = {tool.name: position for position, tool in enumerate(server.tools)}
    return tuple(sorted(found, key=lambda finding: (finding.rule.id, order.get(finding.tool or "", -1))))
