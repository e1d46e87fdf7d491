"""Steps of the pipeline ``tools`` that ask a model."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from pytest_mcpbench.definitions.canonical import ToolDefinition
from pytest_mcpbench.definitions.proposals import first_sentence
from pytest_mcpbench.generation.pipeline.candidates import Drop, Dropped
from pytest_mcpbench.generation.pipeline.questions import Questions, UnreadableReplyError
from pytest_mcpbench.generation.pipeline.setup import Setup
from pytest_mcpbench.generation.pipeline.stages import Asking, Outcome
from pytest_mcpbench.generation.pipelines.tools.candidates import (
    Arguments,
    ChainCandidate,
    PlannedCall,
    RequestCandidate,
    TemplateCandidate,
    ToolCandidate,
)
from pytest_mcpbench.generation.pipelines.tools.collecting import categories_of
from pytest_mcpbench.generation.pipelines.tools.sampling import longest_chain
from pytest_mcpbench.metrics.comparison.schema import schema_violations
from pytest_mcpbench.text.token_estimate import estimate_tokens

# Instructions for the model, after the prompts of MCPToolBench++ (A.4), and the forms of its replies.

PROPOSE_VALUES = """\
You know which values the parameters of tools take. You get one tool with its name, description and parameters.
Write different arguments with which a person's request might call the tool. Use real and meaningful values: names of
places, companies and dates that exist, codes only from the dictionary if there is one. Give every required parameter,
and an optional one only where a request might ask for it. Never make up ids, addresses or keys that only the server
can know."""

FILTER_CHAIN = """\
You judge which tools belong together in one task. You get several tools, each with its name, description and
parameters. Answer no if no ordinary person would have a task that calls all of them, for example because two of them
have nothing to do with each other."""

FILTER_CATEGORIES = """\
You judge which kinds of tools belong together in one task. You get two categories, each with some of its tools. Answer
yes if an ordinary person could have a task that needs tools of both, for example to look up share prices and to draw
them as a chart. Answer no if the two have nothing to do with each other."""

WRITE_TEMPLATE = """\
You write examples of requests that assistants meet with tools. You get several tools, perhaps of different servers,
with arguments for which each is known to work.

1. Understand the purpose of each tool by its name and description.
2. Design a logical sequence that calls every tool of the list exactly once, and a natural request of a user that
   necessitates all of these calls. The request does not name tools or parameters, and does not recite arguments.
3. Hollow out the variable values in the request; a variable is written <query_xxx>, for example: How far is it from
   <query_start> to <query_end>?
4. Give the calls with their arguments, in which variables have the same names. All required parameters must be given.
   Leave out what the request does not ask for: every value of an argument is a variable of the request, a fixed value
   whose words the request contains, or the result of an earlier call.
5. "step" is the order of execution from 1; calls that can be made at the same time have the same step.
6. "id" is a different number of each call, from 1.
7. An argument that needs the result of an earlier call is <id_result>, or <id_result.path> for a part of it, such as
   <1_result.items[0].id>. Such a value does not appear in the request.
8. "values" has candidate values for every variable of the request. Prefer the values that are known to work."""

WRITE_REQUEST = """\
You write what people ask an assistant. You get a tool and the arguments of one call. Write one short question or order
that needs this call. It says every value of the arguments, and does not name the tool or its parameters."""

REWRITE = """\
You edit requests to an assistant, and judge them. You get a request with the calls that it needs.

First write the request as a person would say it. Where the dictionary has a name for a code, say the name; leave all
other values alone. Keep the meaning, and neither add nor leave out anything. If in doubt, return the request as it is.

Then judge what you wrote. It is unreasonable if nobody would ask it: driving from Earth to Mars, a start that is the
end, made-up addresses and places, uncommon codes, coordinates or ids that a person does not know."""


class _Reply(BaseModel):
    """Form of a reply. Its lists have a length in the schema, because small models otherwise never end them."""

    model_config = ConfigDict(coerce_numbers_to_str=True)


class ProposedValues(_Reply):
    """Arguments with which a tool might be called."""

    arguments: list[Arguments] = Field(json_schema_extra={"maxItems": 8})


class ChainVerdict(_Reply):
    """Judgment about the tools of a chain, or about two categories."""

    reason: str = Field(json_schema_extra={"maxLength": 200})
    is_reasonable: bool


class CallLabel(_Reply):
    """One call of a template."""

    id: str
    tool: str
    step: int = Field(ge=1)
    arguments: Arguments


class QueryTemplate(_Reply):
    """A request with variables, its calls, and values for the variables."""

    query: str = Field(json_schema_extra={"maxLength": 1500})
    calls: list[CallLabel] = Field(json_schema_extra={"maxItems": 12})
    values: dict[str, Annotated[list[JsonValue], Field(json_schema_extra={"maxItems": 5})]]


class PlainRequest(_Reply):
    """A request for one call."""

    query: str = Field(json_schema_extra={"maxLength": 300})


class Rewriting(_Reply):
    """A rewritten request, with a judgment about it."""

    query_rewritten: str = Field(json_schema_extra={"maxLength": 1500})
    reason: str = Field(json_schema_extra={"maxLength": 200})
    is_reasonable: bool


def tools_text(tools: Iterable[tuple[ToolDefinition, Iterable[Arguments]]]) -> str:
    """Return tools as text, with the arguments that are known to work."""
    parts = [
        {
            "name": tool.name,
            "description": tool.description,
            "parameters": tool.input_schema,
            "known_arguments": list(known),
        }
        for tool, known in tools
    ]
    return json.dumps(parts, ensure_ascii=False)


def tool_text(tool: ToolDefinition) -> str:
    """Return name and description of a tool as text."""
    return json.dumps([{"name": tool.name, "description": tool.description}], ensure_ascii=False)


def proposal_schema(tool: ToolDefinition, most: int) -> dict[str, Any]:
    """Return the schema of arguments for a tool, which is the tool's own, so that the reply has its parameters."""
    schema = dict(tool.input_schema)
    definitions: dict[str, Any] = {name: schema.pop(name) for name in ("$defs", "definitions") if name in schema}
    schema.pop("$schema", None)
    arguments = {"type": "array", "items": {**schema, "additionalProperties": False}, "minItems": 1, "maxItems": most}
    return {"type": "object", "properties": {"arguments": arguments}, "required": ["arguments"], **definitions}


def dictionary_text(dictionaries: Mapping[str, Mapping[str, str]], most: int = 200) -> str:
    """Return the dictionaries of codes as text, shortened; empty if there are none."""
    entries = {name: dict(list(entry.items())[:most]) for name, entry in dictionaries.items()}
    return f"\nDictionary of codes:\n{json.dumps(entries, ensure_ascii=False)}" if entries else ""


_PROPOSALS = 6
"""Arguments that the model is asked for, for each tool."""
_VARIABLE = re.compile(r"<(\w+)>")
_MOST_PAIRS = 60
"""Pairs of categories that are judged."""
_TOOLS_OF_CATEGORY = 10
"""Tools by which a category is described."""
_REPLY_TOKENS = {"propose": 300, "categories": 60, "filter": 60, "template": 500, "rewrite": 120}


@dataclass(frozen=True)
class CategoryPairs:
    """Pairs of categories that one request may need, and those that none would."""

    kept: Sequence[frozenset[str]]
    dropped: Sequence[Dropped]


@dataclass(frozen=True)
class ModelWriter:
    """Steps that ask the model of a run."""

    setup: Setup
    questions: Questions

    async def propose_values(self, tool: ToolCandidate) -> Outcome:
        """Return the tool with arguments to try; only those that its schema allows."""
        definition = self.setup.tool(tool.server, tool.tool)
        if not definition.properties:
            return [tool]
        prompt = (
            f"{tool_text(definition)}"
            f"{dictionary_text(self.setup.dictionaries)}\nWrite {_PROPOSALS} different arguments."
        )
        schema = proposal_schema(definition, _PROPOSALS)
        reply = await self.questions.ask(PROPOSE_VALUES, prompt, ProposedValues, schema)
        proposed = tuple(
            each
            for each in reply.arguments[:_PROPOSALS]
            if each.keys() <= definition.properties.keys() and not schema_violations(each, definition.input_schema)
        )
        return [tool.model_copy(update={"proposed_arguments": proposed})]

    async def judge_categories(self, tools: Sequence[ToolCandidate]) -> CategoryPairs:
        """Return which pairs of categories one user could want together (MCPToolBench++ 2.3, A.4)."""
        kept: list[frozenset[str]] = []
        dropped: list[Dropped] = []
        for pair in self.category_pairs(tools):
            parts = []
            for category in pair:
                own = [self.setup.tool(each.server, each.tool) for each in tools if each.category == category]
                lines = [f"* {tool.name}: {first_sentence(tool)}" for tool in own[:_TOOLS_OF_CATEGORY]]
                parts.append("\n".join([f"Category {category}:", *lines]))
            try:
                verdict = await self.questions.ask(FILTER_CATEGORIES, "\n\n".join(parts), ChainVerdict)
            except UnreadableReplyError as error:
                verdict = ChainVerdict(reason=error.problem, is_reasonable=False)
            if verdict.is_reasonable:
                kept.append(frozenset(pair))
            else:
                reason = "no user would want tools of both categories"
                dropped.append(Dropped(id="+".join(pair), reason=reason, detail=verdict.reason))
        return CategoryPairs(kept, dropped)

    def category_pairs(self, tools: Sequence[ToolCandidate]) -> list[tuple[str, str]]:
        """Return the pairs to judge; some that are drawn if there are many."""
        pairs = list(combinations(dict.fromkeys(tool.category for tool in tools), 2))
        if len(pairs) <= _MOST_PAIRS:
            return pairs
        return self.setup.random("pairs of categories").sample(pairs, _MOST_PAIRS)

    async def filter_chain(self, chain: ChainCandidate) -> Outcome:
        """Drop a chain whose tools no user would want together; a single tool needs no judgment."""
        if len(chain.calls) == 1:
            return [chain]
        reply = await self.questions.ask(FILTER_CHAIN, self._tools_text(chain), ChainVerdict)
        return [chain] if reply.is_reasonable else Drop("no user would want these tools together", reply.reason)

    async def write_template(self, chain: ChainCandidate) -> Outcome:
        """Return the chain with the model's template, its calls, and drawn values."""
        if self.questions.most_reply_tokens is not None and len(chain.calls) == 1:
            # A request that has the values of a single call: a small model need not think of slots.
            (call,) = chain.calls
            arguments = json.dumps(call.arguments, ensure_ascii=False)
            prompt = f"{tool_text(self.setup.tool(call.server, call.tool))}\nArguments: {arguments}"
            request = await self.questions.ask(
                WRITE_REQUEST, f"{prompt}\nWrite the request in {chain.language}.", PlainRequest
            )
            return [TemplateCandidate(**chain.model_dump(), template=request.query)]
        prompt = f"{self._tools_text(chain)}\nWrite the request in {chain.language}."
        reply = await self.questions.ask(WRITE_TEMPLATE, prompt, QueryTemplate)
        fault = _template_fault(chain, reply)
        if fault is not None:
            return fault
        left = {call.tool: [each for each in chain.calls if each.tool == call.tool] for call in chain.calls}
        calls: list[PlannedCall] = []
        for label in sorted(reply.calls, key=lambda label: label.step):
            changes = {"id": label.id, "arguments": label.arguments, "step": label.step - 1}
            calls.append(left[label.tool].pop(0).model_copy(update=changes))
        rng = self.setup.random(f"values of {chain.id}")
        values: dict[str, JsonValue] = {}
        for name, choices in reply.values.items():
            # No two variables get the same value if there is another.
            others = [value for value in choices if value not in values.values()] or choices
            values[name] = rng.choice(others)
        fields = chain.model_dump(exclude={"calls"})
        return [TemplateCandidate(**fields, calls=tuple(calls), template=reply.query, values=values)]

    async def rewrite(self, candidate: RequestCandidate) -> Outcome:
        """Return the request in fluent words; drop one that the model takes for unreasonable."""
        calls = [call.model_dump(include={"tool", "arguments"}) for call in candidate.calls]
        arguments = json.dumps([call.arguments for call in candidate.calls], ensure_ascii=False)
        codes = {
            name: {code: said for code, said in entry.items() if json.dumps(code, ensure_ascii=False) in arguments}
            for name, entry in self.setup.dictionaries.items()
        }
        prompt = (
            f"Query: {candidate.request}\nCalls: {json.dumps(calls, ensure_ascii=False)}"
            f"{dictionary_text({name: entry for name, entry in codes.items() if entry})}"
        )
        reply = await self.questions.ask(REWRITE, prompt, Rewriting)
        if not reply.is_reasonable:
            return Drop("the request is unreasonable", reply.reason)
        return [candidate.model_copy(update={"request": reply.query_rewritten})]

    def asking(self, step: str) -> Asking:
        """Return the estimate of one of the steps: `propose`, `categories`, `filter`, `template` or `rewrite`."""
        tools = [tool for server in self.setup.servers.values() for tool in server.tools]
        one = estimate_tokens(tools_text([(tool, ()) for tool in tools])) / max(1, len(tools))
        chain = one * (1 + longest_chain(len(tools))) / 2
        prompt = {
            "propose": estimate_tokens(PROPOSE_VALUES) + one,
            "categories": estimate_tokens(FILTER_CATEGORIES) + 300,
            "filter": estimate_tokens(FILTER_CHAIN) + chain,
            "template": estimate_tokens(WRITE_TEMPLATE) + 1.5 * chain,
            "rewrite": estimate_tokens(REWRITE) + 100,
        }[step]
        categories = len(set(categories_of(self.setup.suite).values()))
        number = {
            "propose": sum(bool(tool.properties) for tool in tools),
            "categories": min(_MOST_PAIRS, categories * (categories - 1) // 2),
        }.get(step, self.setup.candidates_wanted)
        return Asking(prompt + _FORM_TOKENS, _REPLY_TOKENS[step], candidates=number)

    def _tools_text(self, chain: ChainCandidate) -> str:
        return tools_text((self.setup.tool(call.server, call.tool), [call.arguments]) for call in chain.calls)


_FORM_TOKENS = 150
"""Tokens of the schema of a reply."""


def _template_fault(chain: ChainCandidate, reply: QueryTemplate) -> Drop | None:
    """Return why a template does not fit its chain; ``None`` if it does."""
    wanted = Counter(call.tool for call in chain.calls)
    if Counter(call.tool for call in reply.calls) != wanted:
        return Drop("the template does not call the tools of its chain once each")
    if len({call.id for call in reply.calls}) != len(reply.calls):
        return Drop("two calls of the template have the same id")
    variables = set(_VARIABLE.findall(reply.query))
    without = sorted(name for name in variables if not reply.values.get(name))
    if without:
        return Drop("a slot of the template has no value", without[0])
    text = json.dumps([call.arguments for call in reply.calls])
    unused = sorted(name for name in variables if f"<{name}>" not in text)
    return Drop("a variable of the request is not used by any call", unused[0]) if unused else None
