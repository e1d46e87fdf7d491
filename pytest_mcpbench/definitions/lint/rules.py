"""Lint rules: their stable ids, tiers and the evidence for them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

Tier = Literal["error", "warning", "info"]
"""``error``: calls or tasks fail; ``warning``: measured or near-certain trouble; ``info``: style, which never fails."""


@dataclass(frozen=True)
class LintRule:
    """One rule; the first digit of its id says its tier: 1 error, 2 warning, 3 info."""

    id: str
    name: str
    summary: str
    evidence: str

    @property
    def tier(self) -> Tier:
        return _TIERS[self.id[len(_PREFIX)]]

    @property
    def is_strict(self) -> bool:
        """Return whether the rule is off unless a project asks for it: most of its findings change nothing."""
        return self.name in _STRICT


@dataclass(frozen=True)
class Finding:
    """One violation of a rule."""

    rule: LintRule
    server: str
    message: str
    tool: str | None = None
    place: str = ""
    """Parameter, or id of the task."""
    file: str | None = None
    """File with the task, if the finding is about one."""
    line: int | None = None

    @property
    def subject(self) -> str:
        """Return what the finding is about: ``weather/get_weather/city``; a task is behind its server, too."""
        return "/".join(filter(None, (self.server, self.tool, self.place)))


_PREFIX = "MCPB"
_STRICT = frozenset({"no-example", "no-return", "no-use", "mixed-names", "acronym", "named-parameter"})
_TIERS: Mapping[str, Tier] = {"1": "error", "2": "warning", "3": "info"}


def _rules(*rules: tuple[str, str, str, str]) -> Mapping[str, LintRule]:
    return {name: LintRule(f"{_PREFIX}{number}", name, summary, evidence) for number, name, summary, evidence in rules}


_PROTOCOL = "specification: clients or providers refuse the tool"
_CALLS = "calls that follow the definition are refused"
_MEASURED = "measured: contradictions of type or enum cost 13 to 29 points of success on three models (agentgauge)"
_TASKS = "the task cannot be passed, or its verdict says nothing"

RULES: Mapping[str, LintRule] = _rules(
    ("101", "invalid-schema", "the input or output schema is not valid JSON Schema of an object", _PROTOCOL),
    ("102", "required-undeclared", "`required` names a parameter that `properties` does not have", _CALLS),
    ("104", "tool-name", "the name is not 1 to 128 letters, digits, `_`, `-` or `.`", _PROTOCOL),
    ("105", "invalid-default", "the default does not fit its own schema (`null` for a type without null)", _CALLS),
    ("106", "contradiction", "a description names another type, or other values, than the schema", _MEASURED),
    ("107", "no-description", "the tool has no description", "specification: agents choose by name and description"),
    (
        "108",
        "poisoned",
        "a text gives the agent orders that have nothing to do with the use of the tool; the message names their class",
        "agents follow such orders (MCPTox, arXiv 2508.14925)",
    ),
    ("151", "unknown-tool", "a task expects or forbids a tool that its servers do not offer", _TASKS),
    ("152", "unknown-argument", "a task expects an argument that the tool does not have", _TASKS),
    ("153", "invalid-argument", "a task expects a value that the tool's schema refuses", _TASKS),
    ("154", "leaked-tool", "the request of a task names the expected tool", _TASKS),
    ("155", "nothing-expected", "nothing is expected of a task, so that every attempt passes", _TASKS),
    (
        "201",
        "undescribed-parameter",
        "a parameter has no description, and neither its name nor that of the tool tells what it takes",
        "58 % of 956 parameters of 20 servers have none; agents guess values",
    ),
    ("202", "repeated-name", "the description only repeats the name", "an agent learns nothing from it"),
    ("203", "same-description", "two tools have nearly the same description", "agents confuse them"),
    (
        "204",
        "substitutable-tools",
        "two tools take the same arguments and read alike, and neither names the other",
        "28 of 91 pairs of server-filesystem take the same arguments; similar texts are confused most",
    ),
    ("205", "contradicting-hint", "an annotation contradicts the verb of the name", "clients skip the confirmation"),
    ("206", "unknown-parameter", "a description documents a parameter that the schema does not have", _CALLS),
    ("207", "token-budget", "the definitions of the server exceed the token budget", "they are sent with every call"),
    ("208", "hidden-characters", "a text has invisible or direction-changing characters", "used to hide instructions"),
    (
        "209",
        "imperative",
        "a description tells agents to call the tool first, whatever they do",
        "measured: assertive texts move usage more than tenfold (arXiv 2505.18135)",
    ),
    (
        "210",
        "long-instructions",
        "the instructions of the server are longer than what a client shows",
        "Claude Code cuts at 2,048 characters, others at 512; what stood behind the cut was followed in 0 of 13 runs",
    ),
    ("211", "instructed-tool", "the instructions name a tool that the server does not have", _CALLS),
    (
        "212",
        "array-without-items",
        "the schema of an array does not say what the array holds",
        "OpenAI refuses the tool (`array schema missing items`); other agents guess the elements",
    ),
    (
        "213",
        "cut-description",
        "the description of a tool is longer than what a client shows",
        "Claude Code cuts at 2,048 characters",
    ),
    ("251", "leaked-parameter", "the request of a task names a parameter of the expected tool", _TASKS),
    ("252", "tool-without-task", "no task expects or forbids the tool", "a regression of it cannot be seen"),
    ("253", "copied-task", "two tasks make the same request and expect the same", "the copy adds no evidence"),
    (
        "254",
        "copied-description",
        "the request of a task is made of the words of the tool's description",
        "tasks that are written from descriptions reward overlap of words",
    ),
    (
        "255",
        "unfindable-tool",
        "no request of a tool's tasks shares a word with its name, description and parameters",
        "clients that defer tools find them by words; a tool was called in 2 of 6 sessions deferred, 6 of 6 loaded",
    ),
    ("301", "no-example", "no example of a call or value", "style"),
    ("302", "no-return", "neither an output schema nor a word on what is returned", "style"),
    ("303", "no-use", "no word on when to use the tool, although the server has several", "style"),
    ("304", "long-description", "the description has more than 800 characters", "longer texts cost tokens and steps"),
    ("305", "vague-name", "the name begins with handle, manage or process", "style"),
    ("306", "mixed-names", "names of tools are written in several styles", "style"),
    ("307", "acronym", "an acronym is not explained", "style"),
    ("308", "missing-enum", "a text parameter lists its values in prose instead of an enum", "style"),
    ("309", "repeated-instructions", "the instructions say nothing that the descriptions do not", "they cost tokens"),
    (
        "310",
        "provider-name",
        "the name has a dot or more than 64 characters, which providers of models refuse",
        "clients must rename the tool for OpenAI, Anthropic and Google",
    ),
    ("311", "named-parameter", "a parameter has no description besides its name and the tool's", "style"),
)
"""All rules, by name."""


def of_tier(findings: Iterable[Finding], *tiers: Tier) -> tuple[Finding, ...]:
    """Return the findings of some tiers."""
    return tuple(finding for finding in findings if finding.rule.tier in tiers)
