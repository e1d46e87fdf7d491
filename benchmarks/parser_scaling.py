"""Growth of the time of parsers and matchers with the size of hostile text.

Each reads texts that repeat one shape (digits, brackets, quotation marks, spaces …). Run it with
``python benchmarks/parser_scaling.py [NAME …]``; it prints for each parser the shape that takes longest, its time for
two sizes, and how often longer the larger one takes: 4 is linear, 16 quadratic.
"""

import contextlib
import json
import multiprocessing
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from pytest_mcpbench.agents.lexical.agent import split_request
from pytest_mcpbench.agents.lexical.argument_filling import parse_day, parse_duration, parse_time
from pytest_mcpbench.agents.lexical.value_mentions import find_mentions
from pytest_mcpbench.agents.oracle import words_of
from pytest_mcpbench.core.context.path import Path
from pytest_mcpbench.core.errors import McpBenchError
from pytest_mcpbench.core.judgement import Question
from pytest_mcpbench.core.loading import LoadOptions
from pytest_mcpbench.core.placeholders import decode_json, fill_placeholders
from pytest_mcpbench.core.result_templates import render
from pytest_mcpbench.core.root_causes import cause_of_text
from pytest_mcpbench.core.secret_sources import is_key_like, secrets_of_command, secrets_of_url, secrets_of_variables
from pytest_mcpbench.core.secrets import Secrets
from pytest_mcpbench.core.task import AnswerCheck
from pytest_mcpbench.core.tool import ToolResult
from pytest_mcpbench.definitions.mutation import sentences_of
from pytest_mcpbench.judges.keyfacts.decision import decide_claim, decide_text
from pytest_mcpbench.judges.llm import parse_reply
from pytest_mcpbench.loaders import native
from pytest_mcpbench.loaders.json_records import read_json_records
from pytest_mcpbench.loaders.mcp_json import read_mcp_json, server_from_line, split_command
from pytest_mcpbench.metrics.answer import answer_fault
from pytest_mcpbench.metrics.comparison.answers import same_answer
from pytest_mcpbench.metrics.comparison.arguments import Equality
from pytest_mcpbench.metrics.comparison.containment import mentions, satisfies
from pytest_mcpbench.metrics.comparison.math_parser import NotMathematicsError, parse_expression
from pytest_mcpbench.metrics.comparison.standing_answer import expresses_doubt, standing_answer, words_against
from pytest_mcpbench.metrics.operation import same_operand
from pytest_mcpbench.models.chat_reply import parse_arguments
from pytest_mcpbench.reporting.forms.display_text import terminal_safe, wrap_columns
from pytest_mcpbench.reporting.tables.failures import message_pattern
from pytest_mcpbench.reporting.tables.markdown import escape
from pytest_mcpbench.simulated.documents.world import compile_filter
from pytest_mcpbench.simulated.engine.failure import ToolFailure
from pytest_mcpbench.simulated.files.glob import matches
from pytest_mcpbench.simulated.mail.search import words as mail_words
from pytest_mcpbench.text.bounded_pattern import BoundedPattern
from pytest_mcpbench.text.numbered_steps import split_steps
from pytest_mcpbench.text.search import terms
from pytest_mcpbench.text.token_estimate import estimate_tokens

SIZES = 4_096, 16_384

CLAIM = "Ann Lee has 12 shops in Rome, open since May 3, 2024."

_SIGNS = tuple("0aé中([{)}<\"'\\`.,;:-_*#|/@=$%+!?~^&😀")
_PAIRS = (
    *("1.", "1,", "1:", "1/", "1e", "1.000", "9-", "a1", "a_", "a-", "a.", "a@", "a=", "()", "[]", "{}", '{"', '"\\'),
    *("{{", "}}", "<a", "<a>", "<answer>", "**a", "../", "/a", "a/"),
)
_BEGINNINGS = ['{"a":', '"label":', "\\frac{", "\\text{", "sqrt(", "${", "${A:-"]
_WORDS = ("1 ", "a ", "A ", "a, ", "Ab. ", "and ", "but ", "not ", "it ", "x=1, ", "or 1 ", "$1 ", "label: ", "a: ")
_LINES = ("a\n", "# a\n", "- a\n", " \n", "label\n", "[a\n", "- - ", "? ")

SHAPES: Mapping[str, str] = {
    **{shape.replace("\n", "¶"): shape for shape in (*_SIGNS, *_PAIRS, *_BEGINNINGS, *_WORDS, *_LINES)},
    "space": " ",
    "tab": "\t",
    "line": "\n",
    "no-break space": "\u00a0",
    "null": "\0",
    "combining marks": "\u0301\u0327",
    "direction": "\u202e",
    "sentence": "Ann Lee has 13 shops in Rome. ",
}
"""What the texts repeat, by name."""

_QUESTION = Question(kind="claim", statement=CLAIM, evidence="")


def _load_yaml(text: str) -> None:
    for _ in native.load(text.encode("utf-8", "replace"), LoadOptions("t.mcpbench.yaml")):
        pass


PARSERS: Mapping[str, Callable[[str], Any]] = {
    "answer, equal": lambda text: same_answer(CLAIM, text),
    "answer, contains": lambda text: answer_fault(AnswerCheck(contains=("Rome",)), f"{text} Rome {text}", text),
    "answer, number": lambda text: answer_fault(AnswerCheck(number=5), text, text),
    "answer, doubt": expresses_doubt,
    "answer, words against": words_against,
    "answer, standing": lambda text: standing_answer(f"<answer>{text}</answer>"),
    "answer, standing before text": lambda text: standing_answer(f"<answer>5</answer>{text}"),
    "answer, standing without tag": lambda text: standing_answer(f"{text}<answer>5"),
    "arguments, equal": lambda text: Equality().same(f"{text} ", f" {text}."),
    "arguments of a call": parse_arguments,
    "containment": lambda text: satisfies({"a": text}, {"a": f"{text} "}),
    "mention of a text": lambda text: mentions({"a": text}, "Rome"),
    "operand": lambda text: same_operand(CLAIM, text),
    "operand, equal": lambda text: same_operand(f"{text}a", f"{text}b"),
    "expression": parse_expression,
    "judge's reply": lambda text: parse_reply(text, _QUESTION),
    "judge's reply, cut": lambda text: parse_reply('{"label": "' + text, _QUESTION),
    "keyfacts, claim": lambda text: decide_claim(CLAIM, f"{text} {CLAIM}"),
    "keyfacts, text": lambda text: decide_text(CLAIM, f"{CLAIM} {text}"),
    "path of a state check": Path.parse,
    "result as JSON": decode_json,
    "result in a template": lambda text: render("{{ results[1] }}", {"1": ToolResult.of_text(f"[{text}")}),
    "placeholders": lambda text: fill_placeholders({"a": text}, {}),
    "steps": split_steps,
    "cause of an error": cause_of_text,
    "secrets": Secrets({"0123456789abcdef": "KEY"}).remove,
    "secret variables": lambda text: secrets_of_variables({"A": text, "API_KEY": text}),
    "secret arguments": lambda text: secrets_of_command([text, f"--key={text}", "--header", text]),
    "secret URL": lambda text: secrets_of_url(f"http://{text}"),
    "key": is_key_like,
    "terms": terms,
    "tokens": estimate_tokens,
    "text on a terminal": terminal_safe,
    "lines of a terminal": lambda text: wrap_columns(text, 80),
    "Markdown": escape,
    "task file": _load_yaml,
    "records": lambda text: [*read_json_records(text.encode("utf-8", "replace"), "t.json")],
    "mcp.json": lambda text: read_mcp_json(text, "mcp.json", {}),
    "mcp.json, variable": lambda text: read_mcp_json(
        json.dumps({"mcpServers": {"a": {"command": text}}}), "mcp.json", {}
    ),
    "server in a line": lambda text: server_from_line("a", text),
    "pattern": lambda text: BoundedPattern("(a+)+b").is_found(text),
    "glob": lambda text: matches(text, "**/*.txt"),
    "glob, pattern": lambda text: matches("a/b.txt", text),
    "lexical, mentions": lambda text: find_mentions(text, ("labels",)),
    "lexical, segments": lambda text: split_request(text, (), frozenset({"find"})),
    "lexical, day": lambda text: parse_day(f"{text} 2024", None),
    "lexical, time": parse_time,
    "lexical, duration": parse_duration,
    "words of a result": words_of,
    "error in a table": message_pattern,
    "command in a line": lambda text: split_command("a", text),
    "sentences of a definition": sentences_of,
    "filter of documents": compile_filter,
    "words of mails": mail_words,
}

_REFUSALS = (McpBenchError, NotMathematicsError, ToolFailure, ValueError)


def seconds(parser: Callable[[str], Any], text: str) -> float:
    """Return the processor time of reading a text; a refusal is an answer too."""
    started = time.process_time()
    with contextlib.suppress(*_REFUSALS):
        parser(text)
    return time.process_time() - started


def text_of(shape: str, size: int) -> str:
    """Return a text that repeats a shape."""
    return (SHAPES[shape] * (size // len(SHAPES[shape]) + 1))[:size]


def slowest(parser: str) -> tuple[str, float, float]:
    """Return the shape that takes longest, and its times for the two sizes."""
    times = {
        shape: [min(seconds(PARSERS[parser], text_of(shape, size)) for _ in range(2)) for size in SIZES]
        for shape in SHAPES
    }
    shape = max(times, key=lambda name: times[name][1])
    return shape, times[shape][0], times[shape][1]


def _rows(names: list[str]) -> Iterator[str]:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        for name in names:
            shape, small, large = pool.apply(slowest, (name,))
            yield f"{name:30} {shape:16} {1000 * small:9.1f} ms {1000 * large:9.1f} ms {large / max(small, 1e-4):6.1f}"


if __name__ == "__main__":
    sizes = [f"{size:,}" for size in SIZES]
    print(f"{'parser':30} {'slowest shape':16} {sizes[0]:>12} {sizes[1]:>12} {'ratio':>6}")
    for row in _rows(sys.argv[1:] or [*PARSERS]):
        print(row, flush=True)
