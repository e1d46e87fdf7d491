"""Stages of the pipeline ``tools``, with a model or with rules in its place."""

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from typing import Any

from pytest_mcpbench.definitions.canonical import ServerDefinition, ToolDefinition
from pytest_mcpbench.definitions.lint.parameters import top_parameters
from pytest_mcpbench.definitions.lint.words import content_words, words_of
from pytest_mcpbench.definitions.proposals import first_sentence
from pytest_mcpbench.generation.pipeline.candidates import Drop, TaskCandidate
from pytest_mcpbench.generation.pipeline.paths import scalars
from pytest_mcpbench.generation.pipeline.setup import Setup, find_tool
from pytest_mcpbench.generation.pipeline.slots import SLOT, with_values
from pytest_mcpbench.generation.pipeline.stages import EachStage, Outcome, Selection, Stage, WholeStage
from pytest_mcpbench.generation.pipelines.tools.asking import ModelWriter
from pytest_mcpbench.generation.pipelines.tools.candidates import (
    Arguments,
    ChainCandidate,
    PlannedCall,
    RequestCandidate,
    TemplateCandidate,
    ToolCandidate,
)
from pytest_mcpbench.generation.pipelines.tools.collecting import collect, try_arguments
from pytest_mcpbench.generation.pipelines.tools.orders import UnspeakableError
from pytest_mcpbench.generation.pipelines.tools.phrases import OrderClause, clause, last_name, order_words
from pytest_mcpbench.generation.pipelines.tools.sampling import sample
from pytest_mcpbench.generation.pipelines.tools.sentences import request_of
from pytest_mcpbench.generation.pipelines.tools.spoken import spoken_value
from pytest_mcpbench.generation.pipelines.tools.values import further_titles
from pytest_mcpbench.generation.pipelines.tools.words import words
from pytest_mcpbench.generation.reading_tools import only_reads
from pytest_mcpbench.generation.spelling import month_name, plural_unit, spoken_day, whole_word
from pytest_mcpbench.text.paths import SANDBOX

# The request of a chain by rules: template, filled slots, names in place of codes, and a check of the sense.

_COORDINATES = re.compile(r"-?\d{1,3}\.\d{2,}°?\s*,\s*-?\d{1,3}\.\d{2,}")
_DATE = re.compile(r"\d{4}-\d\d-\d\d|\d\d:\d\d")
_OPAQUE = re.compile(
    r"\b(?=\w*\d)[0-9a-fA-F]{16,}\b|\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{12,}\b"
    r"|\b(?=[A-Z]*\d)(?=\d*[A-Z])[A-Z\d]{12,}\b"
    r"|\b(?=[A-Za-z]*\d)(?=[A-Z\d]*[a-z])(?=[a-z\d]*[A-Z])[A-Za-z\d]{14,}\b"
)
"""Hexadecimal numbers, UUIDs, and long words of letters and digits."""
_ENDS = (("source", "target"), ("from", "to"), ("origin", "destination"), ("start", "end"))
"""Words of two parameters whose values must differ, and of which dates come in this order."""
_PLACE = re.compile(r"the (?:first|second|third) (?:\w+ )*(\w+)")
"""Words for a thing by its place in a list."""
_WHOLE = re.compile(r"\bthe repository <(\w+)>")
_IN_WHOLE = re.compile(r" (?:in|to) the repository <\w+>")
_TWICE = re.compile(r"\b(\w+(?:\s+\w+){0,3})\s+\1\b", re.IGNORECASE)
SYSTEM = "Do what you are asked with your tools, and take from them even what you know or could work out yourself."
"""System prompt, without which an agent may rightly add two numbers in its head."""
_FILES = f"The user's files are in {SANDBOX}."
_LONGEST = 1500
"""Characters of a request."""


@dataclass(frozen=True)
class RuleWriter:
    """Steps that write requests without a model."""

    servers: Mapping[str, ServerDefinition]
    dictionaries: Mapping[str, Mapping[str, str]]
    seed: int = 0
    has_files: bool = False
    """Whether the system prompt says in which directory the files are."""

    async def write_template(self, chain: ChainCandidate) -> Outcome:
        """Return the chain with a template: a sentence with all that is asked, and a slot for each value."""
        try:
            wordings = [self._wording(call) for call in chain.calls]
        except UnspeakableError as error:
            return Drop("rules have no words for a call", str(error))
        ambiguous = _ambiguous_place(wordings)
        if ambiguous is not None:
            return Drop("a place in a list could be one in another list", ambiguous)
        # A repository is not named that an earlier clause or the system prompt names.
        named = {SANDBOX} if self.has_files else set()
        clauses: list[OrderClause] = []
        for wording in wordings:
            found = _WHOLE.search(wording.clause.rest)
            where = str(wording.values.get(found[1])) if found else ""
            rest = _IN_WHOLE.sub("", wording.clause.rest) if where in named else wording.clause.rest
            clauses.append(replace(wording.clause, rest=rest))
            named |= {where} - {""}
        rng = random.Random(f"{self.seed}/sentence of {chain.id}")
        steps = [call.step for call in chain.calls]
        fields = chain.model_dump(exclude={"calls"})
        template = TemplateCandidate(
            **fields,
            calls=tuple(each.call for each in wordings),
            template=request_of(clauses, steps, rng),
            values={slot: value for each in wordings for slot, value in each.values.items()},
            said={slot: text for each in wordings for slot, text in each.said.items()},
        )
        return [template]

    async def check_words(self, tool: ToolCandidate) -> Outcome:
        """Keep the arguments of a tool that rules can put into words which mean this tool alone."""
        definition = find_tool(self.servers, tool.server, tool.tool)
        right = [each.name for each in self.servers[tool.server].tools if _does_as_much(each, definition)]
        tool = tool.model_copy(update={"equal_tools": (*dict.fromkeys((*tool.equal_tools, *right)),)})
        twin = self._tool_of_same_words(tool, definition)
        if twin is not None:
            return Drop("the words of the tool fit another one, too", twin)
        kept, sources, problem = [], [], ""
        for arguments in tool.known_arguments:
            try:
                self._wording(_planned_call(tool, arguments))
                kept.append(arguments)
            except UnspeakableError as error:
                problem = str(error)
        for source in tool.sources:
            referents = {source.parameter: source.words} if source.parameter else {}
            call = _planned_call(tool, source.arguments).model_copy(update={"referents": referents})
            try:
                self._wording(call)
                sources.append(source)
            except UnspeakableError as error:
                problem = str(error)
        if not kept and not sources:
            return Drop("rules have no words for the tool", problem)
        return [tool.model_copy(update={"known_arguments": tuple(kept), "sources": tuple(sources)})]

    def _wording(self, call: PlannedCall) -> "_Wording":
        definition = find_tool(self.servers, call.server, call.tool)
        # A request does not say the default of a required argument.
        unsaid = {
            each.name
            for each in top_parameters(definition)
            if "default" in each.schema and each.name in definition.required
        }
        leaves = {
            path: value
            for path, value in _leaves(call.arguments)
            if path not in unsaid or value != definition.properties[path]["default"]
        }
        slots = {path: f"<{_slot_name(call.id, path)}>" for path in leaves}
        said = {
            slots[path].strip("<>"): text for path, text in _special_words(definition, leaves, call.referents).items()
        }
        for path in leaves.keys() - call.referents.keys():
            spoken_value(leaves[path])
            if self.has_files and isinstance(leaves[path], str) and leaves[path].startswith(f"{SANDBOX}/"):
                said[slots[path].strip("<>")] = leaves[path].removeprefix(f"{SANDBOX}/")
        said_by_person = clause(definition, slots, leaves, call.referents)
        names = {(words_of(path) or [""])[-1] for path in leaves}
        if said_by_person.verb in words().making_verbs and names and names <= words().plain_kinds:
            raise UnspeakableError("nothing says what the new thing is")
        return _Wording(
            said_by_person,
            call.model_copy(update={"arguments": _with_slots(call.arguments, "", slots)}),
            {slots[path].strip("<>"): value for path, value in leaves.items()},
            said,
        )

    def _tool_of_same_words(self, tool: ToolCandidate, definition: ToolDefinition) -> str | None:
        """Return another tool of the server for which a request of this one could be meant."""
        verb, own = order_words(definition)
        takes_list = any(each.types == {"array"} for each in top_parameters(definition))
        for other in self.servers[tool.server].tools if verb else ():
            is_rival = (
                other.name not in (tool.tool, *tool.equal_tools) and "deprecated" not in other.description.casefold()
            )
            if not is_rival or _subjects(other) != _subjects(definition):
                continue
            # A request for one thing does not mean a tool that takes a list in its place.
            if not takes_list and any(each.types == {"array"} for each in top_parameters(other)):
                continue
            other_verb, theirs = order_words(other)
            if verb == other_verb and (own == theirs or (len(own) < 2 and own < theirs and _subjects(definition))):
                return other.name
        return None

    async def rewrite(self, candidate: RequestCandidate) -> Outcome:
        """Say the names that people use in place of codes from the dictionaries."""
        request = candidate.request
        values = [value for call in candidate.calls for _, value in scalars(call.arguments)]
        for code in dict.fromkeys(map(str, values)):
            name = next((entry[code] for entry in self.dictionaries.values() if code in entry), None)
            if name is not None:
                # A code is a word of its own; one without letters and digits, such as `.`, is no mark of a sentence.
                is_word = re.search(r"\w", code) is not None
                before, after = (r"(?<![\w-])", r"(?![\w-])") if is_word else (r"(?<!\S)", r"(?=[.,;:?!]?(?:\s|$))")
                request = name.join(re.split(f"{before}{re.escape(code)}{after}", request))
        return [candidate.model_copy(update={"request": request})]

    async def check_sense(self, candidate: RequestCandidate) -> Outcome:
        """Drop a request that nobody would make: coordinates, opaque ids, the same start and end (A.4)."""
        request = candidate.request
        if _COORDINATES.search(request):
            return Drop("the request has coordinates", request)
        names = {word for call in candidate.calls for path, _ in _leaves(call.arguments) for word in words_of(path)}
        if names & {"latitude", "longitude", "lat", "lng", "lon"}:
            return Drop("the request has coordinates", request)
        if _OPAQUE.search(request):
            return Drop("the request has an opaque id", request)
        if len(request) > _LONGEST:
            return Drop("the request is too long", f"{len(request)} characters")
        if (twice := _TWICE.search(request)) and not re.search(r"\d", twice[0]):
            return Drop("the request says something twice in a row", twice[0])
        faults = (_fault_of_ends(call.arguments, ends) for call in candidate.calls for ends in _ENDS)
        return next((fault for fault in faults if fault is not None), None) or [candidate]


async def fill(candidate: TemplateCandidate) -> Outcome:
    """Put the values into the slots of the template and of the calls."""
    missing = [name for name in SLOT.findall(candidate.template) if name not in candidate.values]
    if missing:
        return Drop("a slot of the template has no value", missing[0])
    try:
        request = SLOT.sub(
            lambda slot: candidate.said.get(slot[1]) or spoken_value(candidate.values[slot[1]]), candidate.template
        )
    except UnspeakableError as error:
        return Drop("rules have no words for a call", str(error))
    calls = tuple(
        call.model_copy(update={"arguments": with_values(call.arguments, candidate.values)}) for call in candidate.calls
    )
    fields = candidate.model_dump(exclude={"template", "values", "said", "calls"})
    return [RequestCandidate(**fields, calls=calls, request=request)]


@dataclass(frozen=True)
class _Wording:
    """A call with slots, and its clause."""

    clause: OrderClause
    call: PlannedCall
    values: Mapping[str, Any]
    said: Mapping[str, str]


def _ambiguous_place(wordings: Sequence[_Wording]) -> str | None:
    """Return words such as `the first book` if an earlier call lists books, too, and is not the one that is meant."""
    for at, wording in enumerate(wordings):
        for path, said in wording.call.referents.items():
            place = _PLACE.fullmatch(said)
            meant = str(wording.values.get(_slot_name(wording.call.id, path)))
            others = [each for each in wordings[:at] if not meant.startswith(f"<{each.call.id}_result")]
            if place and any(re.search(rf"\b{place[1]}s\b", each.clause.rest, re.IGNORECASE) for each in others):
                return said
    return None


def _planned_call(tool: ToolCandidate, arguments: Arguments) -> PlannedCall:
    return PlannedCall(id="1", server=tool.server, category=tool.category, tool=tool.tool, arguments=arguments)


def _does_as_much(other: ToolDefinition, tool: ToolDefinition) -> bool:
    """Return whether another tool does what a tool is asked for: by its former name, or with more about it."""
    if "deprecated" in other.description.casefold() and re.search(rf"\b{re.escape(tool.name)}\b", other.description):
        return True
    own, theirs = (first_sentence(each).rstrip(".") for each in (tool, other))
    reads_more = re.match(rf"{re.escape(own)},? (?:including|along with|with (?:its|their|all))\b", theirs) is not None
    return bool(own) and reads_more and only_reads(tool) and only_reads(other) and tool.required == other.required


def _subjects(tool: ToolDefinition) -> frozenset[str]:
    """Return the last words of the parameters that a tool requires."""
    return frozenset(word for name in tool.required for word in content_words(" ".join(words_of(name)[-1:])))


def _leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield path and value of each argument, and of the members of one that is an object."""
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict):
        yield from _leaves({"0": value[0]}, path)
    elif isinstance(value, dict) and (value or not path):
        for name, part in value.items():
            yield from _leaves(part, f"{path}.{name}" if path else name)
    else:
        yield path, value


def _with_slots(value: Any, path: str, slots: Mapping[str, str]) -> Any:
    """Return arguments with slots in place of the values."""
    if path in slots:
        return slots[path]
    if isinstance(value, list):
        return [_with_slots(part, f"{path}.{at}", slots) for at, part in enumerate(value)]
    if not isinstance(value, dict):
        return value
    return {name: _with_slots(part, f"{path}.{name}" if path else name, slots) for name, part in value.items()}


def _special_words(tool: ToolDefinition, leaves: Mapping[str, Any], referents: Mapping[str, str]) -> dict[str, str]:
    """Return the words of values that nobody says as they are written.

    These are earlier results, choices that are short or in capitals, dates, units, and kinds of several words.
    """
    said = dict(referents)
    joins = any(last_name(path) in ("from", "to") for path in leaves)
    for path, value in leaves.items():
        last = (words_of(last_name(path)) or [""])[-1]
        if isinstance(value, str) and last in ("unit", "units"):
            said[path] = plural_unit(value)
        elif isinstance(value, str) and "lunar" not in words_of(path) and (day := spoken_day(value)) is not None:
            said[path] = day  # A lunar calendar has other months.
        elif (month := month_name(words_of(last_name(path)), value)) is not None:
            said[path] = month
        elif (
            isinstance(value, str)
            and (" " in value or joins)
            and last in ("type", "kind", "category")
            and path not in said
        ):
            said[path] = f'"{value}"'
    for parameter in top_parameters(tool):
        value = leaves.get(parameter.name)
        is_choice = value in (parameter.values or ())
        if is_choice and isinstance(value, str) and re.fullmatch(r"[A-Z]{2,}(?:_[A-Z]+)+|[A-Z]{5,}", value):
            said[parameter.name] = value.lower().replace("_", " ")
        described = f"{tool.description} {parameter.description}"
        if (word := whole_word(value, parameter.values or (), described)) is not None:
            said.setdefault(parameter.name, word)
    return said


def _fault_of_ends(arguments: Mapping[str, Any], ends: tuple[str, str]) -> Drop | None:
    """Return what is wrong with the parameters that name a start and an end."""
    first, last = ([str(value) for name, value in arguments.items() if end in words_of(name)] for end in ends)
    if not first or not last:
        return None
    if first == last:
        return Drop("start and end are the same", first[0])
    if _DATE.match(first[0]) and _DATE.match(last[0]) and first[0] > last[0]:
        return Drop("the end is before the start", f"{first[0]}, {last[0]}")
    return None


def _slot_name(call: str, path: str) -> str:
    return re.sub(r"\W+", "_", f"{call}_{path}")


def stages(setup: Setup) -> Sequence[Stage]:
    """Return the stages up to the tasks."""
    rules = RuleWriter(setup.servers, setup.dictionaries, setup.settings.seed, has_files=setup.files is not None)
    if setup.questions is None:
        return [
            WholeStage("collect", ToolCandidate, lambda _nothing: collect(setup)),
            WholeStage("values", ToolCandidate, partial(try_arguments, setup)),
            EachStage("words", ToolCandidate, rules.check_words),
            WholeStage("sample", ChainCandidate, partial(sample, setup)),
            EachStage("template", TemplateCandidate, rules.write_template),
            EachStage("fill", RequestCandidate, fill),
            EachStage("rewrite", RequestCandidate, rules.rewrite),
            EachStage("sense", RequestCandidate, rules.check_sense),
            EachStage("task", TaskCandidate, partial(_make_task, setup)),
        ]
    model = ModelWriter(setup, setup.questions)
    many = setup.concurrency
    return [
        WholeStage("collect", ToolCandidate, lambda _nothing: collect(setup)),
        EachStage("propose", ToolCandidate, model.propose_values, model.asking("propose"), many),
        WholeStage("values", ToolCandidate, partial(try_arguments, setup)),
        WholeStage("sample", ChainCandidate, partial(_draw_judged_chains, setup, model), model.asking("categories")),
        EachStage("filter", ChainCandidate, model.filter_chain, model.asking("filter"), many),
        EachStage("template", TemplateCandidate, model.write_template, model.asking("template"), many),
        EachStage("fill", RequestCandidate, fill),
        EachStage("rewrite", RequestCandidate, model.rewrite, model.asking("rewrite"), many),
        EachStage("sense", RequestCandidate, rules.check_sense),
        EachStage("task", TaskCandidate, partial(_make_task, setup)),
    ]


async def _draw_judged_chains(setup: Setup, model: ModelWriter, tools: Sequence[ToolCandidate]) -> Selection:
    """Draw chains across those pairs of categories that the model finds reasonable."""
    pairs = await model.judge_categories(tools)
    drawn = sample(setup, tools, pairs.kept)
    return Selection(drawn.kept, [*pairs.dropped, *drawn.dropped])


async def _make_task(setup: Setup, candidate: RequestCandidate) -> Outcome:
    """Return the task in the native format."""
    groups: list[list[dict[str, Any]]] = []
    for _, group in groupby(candidate.calls, key=lambda call: call.step):
        groups.append([])
        for call in group:
            tool = setup.tool(call.server, call.tool)
            remarks = [
                each.name
                for each in top_parameters(tool)
                if each.name not in tool.required
                and "boolean" not in each.types
                and (words_of(each.name) or [""])[-1] in words().remarks
            ]
            # Remarks and titles of axes that the request does not ask for may be in the call or not.
            left_open = [*remarks, *further_titles(call.arguments, tool)]
            arguments = {**{name: {"ignore": True} for name in left_open}, **call.arguments}
            fields = {"id": call.id, "server": call.server, "tool": call.tool, "arguments": arguments}
            similar = [{"tool": name, "server": call.server} for name in call.equal_tools]
            groups[-1].append({**fields, **({"similar_tools": similar} if similar else {})})
    servers = sorted({call.server for call in candidate.calls})
    tags = {
        "category": "+".join(candidate.categories),
        "calls": str(len(candidate.calls)),
        "language": candidate.language,
    }
    files = {"system": f"{SYSTEM} {_FILES}", "context": {"files": setup.files.name}} if setup.files is not None else {}
    task = {"id": candidate.id, "ask": candidate.request, "servers": servers, **files, "calls": groups, "tags": tags}
    return [TaskCandidate(id=candidate.id, task=task)]
