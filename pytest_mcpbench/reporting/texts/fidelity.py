"""Report of a simulated server's fidelity to the real server, as text, Markdown and JSON."""

import json
from collections.abc import Iterator, Mapping

from pytest_mcpbench.core.fidelity.comparison import Confusion, Fidelity, canonical_json
from pytest_mcpbench.core.fidelity.trace import to_wire_result
from pytest_mcpbench.reporting.forms import number_formats
from pytest_mcpbench.reporting.forms.display_text import one_line
from pytest_mcpbench.reporting.tables import markdown as md
from pytest_mcpbench.reporting.tables.table import Table
from pytest_mcpbench.reporting.texts import terminal as term

VERSION = 1
_SHOWN = 20
_MATRIX = ("TP", "TN", "FP", "FN")
_BEHAVIOUR = ("accuracy", "precision", "recall", "F1")
_RESPONSES = ("TF-IDF", "ROUGE", "BLEU", "METEOR")


def terminal(fidelity: Fidelity, *, verbosity: int = 0) -> str:
    """Return the tables and the calls on which the servers differ; ``verbosity`` adds answers in other words."""
    rendered = ["\n".join(term.render_table(table)) for table in _tables(fidelity)]
    blocks: list[str] = []
    for title, lines in _differing(fidelity, verbosity):
        blocks.append("\n".join([f"{title}:", *lines]))
    return "\n\n".join([*rendered, *blocks]) + "\n"


def markdown(fidelity: Fidelity) -> str:
    """Return the report as Markdown."""
    rendered = [f"### {table.title}\n\n{md.render_table(table)}" for table in _tables(fidelity)]
    listed: list[str] = []
    for title, lines in _differing(fidelity, 0):
        # Formatted as code, because a line quotes text of servers.
        items = ("* `" + line.replace("`", "'") + "`" for line in lines)
        listed.append(f"### {title}\n\n" + "\n".join(items))
    return "\n\n".join([f"## Fidelity of {fidelity.server}", *rendered, *listed]) + "\n"


def text(fidelity: Fidelity) -> str:
    """Return the report as JSON; docs/reference/fidelity.md describes the keys."""
    content = {
        "version": VERSION,
        "server": fidelity.server,
        "traces": fidelity.traces,
        "calls": len(fidelity.pairs),
        "errors": len(fidelity.errors),
        "unread": sum(pair.unread for pair in fidelity.pairs),
        **_numbers(fidelity.confusion),
        "identical": sum(fidelity.identical.values()),
        "similarity": fidelity.similarity.model_dump() if fidelity.similarity else None,
        "not_measured": fidelity.not_measured,
        "tools": {
            tool: _numbers(matrix) | {"identical": fidelity.identical[tool]}
            for tool, matrix in fidelity.by_tool.items()
        },
        "pairs": [
            {
                "trace": pair.trace,
                "tool": pair.tool,
                "arguments": pair.arguments,
                "cell": pair.cell,
                "real": to_wire_result(pair.real),
                "simulated": None if pair.simulated is None else to_wire_result(pair.simulated),
                "error": pair.error,
            }
            for pair in fidelity.pairs
        ],
    }
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def simulations_table(title: str, by_method: Mapping[str, Fidelity]) -> Table:
    """Return Table 4 of MCP-Persona: a row for each method by which a simulation was written."""
    rows = tuple(
        (
            method,
            str(len(one.pairs)),
            str(len(one.errors)),
            *_cells(one.confusion),
            *_shares(one.confusion),
            *_responses(one),
        )
        for method, one in by_method.items()
    )
    headings = ("method", "calls", "no answer", *_MATRIX, *_BEHAVIOUR, "identical", *_RESPONSES)
    missing = next((one.not_measured for one in by_method.values() if one.not_measured), "")
    note = "positive: the real server accepted the call; calls without an answer of the simulation are in no share"
    return Table(title, headings, rows, words=1, note="; ".join(filter(None, (note, missing))))


def _responses(fidelity: Fidelity) -> tuple[str, ...]:
    """Return the number of identical responses and the means of the similarities."""
    similarity = fidelity.similarity
    means = (
        (similarity.tf_idf, similarity.rouge, similarity.bleu, similarity.meteor)
        if similarity
        else (None,) * len(_RESPONSES)
    )
    same = f"{sum(fidelity.identical.values())}/{fidelity.confusion.pairs}"
    return (same, *map(number_formats.score, means))


def _tables(fidelity: Fidelity) -> Iterator[Table]:
    matrix = fidelity.confusion
    sentence = (
        f"accuracy of {matrix.pairs} calls, precision of {matrix.tp + matrix.fp} that the simulation accepts, "
        f"recall of {matrix.tp + matrix.fn} that the real server accepts"
    )
    unread, broken = sum(pair.unread for pair in fidelity.pairs), len(fidelity.errors)
    if unread:
        sentence += f"; {unread} answers without a label from the judge are classified by rule"
    yield Table(
        title=f"Behavioural alignment of {fidelity.server}",
        headings=("calls", "compared", *_MATRIX, *_BEHAVIOUR),
        rows=((str(len(fidelity.pairs)), str(matrix.pairs), *_cells(matrix), *_shares(matrix)),),
        words=0,
        note="positive: the real server accepted the call. "
        + (f"{sentence}; {broken} calls without an answer from the simulation are not counted" if broken else sentence),
    )
    similarity = fidelity.similarity
    cut = f"; {similarity.cut} of them cut" if similarity and similarity.cut else ""
    yield Table(
        title="Response similarity",
        headings=("pairs", "identical", *_RESPONSES),
        rows=((str(similarity.pairs if similarity else 0), *_responses(fidelity)),),
        words=0,
        note=fidelity.not_measured or f"means over the pairs, of canonical JSON{cut}",
    )
    yield Table(
        title="By tool",
        headings=("tool", "compared", *_MATRIX, "accuracy", "identical"),
        rows=tuple(
            (tool, str(one.pairs), *_cells(one), number_formats.percent(one.accuracy), str(fidelity.identical[tool]))
            for tool, one in fidelity.by_tool.items()
        ),
    )


def _differing(fidelity: Fidelity, verbosity: int) -> Iterator[tuple[str, list[str]]]:
    """Yield the title of each kind of difference with one line per pair."""
    kinds = {
        "Accepted only by the simulation": [pair for pair in fidelity.pairs if pair.cell == "fp"],
        "Refused only by the simulation": [pair for pair in fidelity.pairs if pair.cell == "fn"],
        "Without an answer from the simulation": list(fidelity.errors),
    }
    if verbosity:
        kinds["Answered in other words"] = [
            pair
            for pair in fidelity.pairs
            if pair.simulated is not None
            and pair.cell in ("tp", "tn")
            and canonical_json(pair.real, fidelity.masks) != canonical_json(pair.simulated, fidelity.masks)
        ]
    for title, pairs in kinds.items():
        lines: list[str] = []
        for pair in pairs[:_SHOWN]:
            call = f"{pair.tool}({json.dumps(pair.arguments, ensure_ascii=False)})"
            ours = pair.error if pair.simulated is None else pair.simulated.text
            lines.append(one_line(f"{pair.trace}: {call}: real: {pair.real.text[:200]} | simulated: {ours[:200]}", 600))
        if len(pairs) > _SHOWN:
            lines.append(f"… and {len(pairs) - _SHOWN} more")
        if lines:
            yield title, lines


def _cells(matrix: Confusion) -> tuple[str, ...]:
    return str(matrix.tp), str(matrix.tn), str(matrix.fp), str(matrix.fn)


def _shares(matrix: Confusion) -> tuple[str, ...]:
    return tuple(map(number_formats.percent, (matrix.accuracy, matrix.precision, matrix.recall, matrix.f1)))


def _numbers(matrix: Confusion) -> dict[str, float | None]:
    shares = {name: getattr(matrix, name) for name in ("accuracy", "precision", "recall", "f1")}
    return {"compared": matrix.pairs, **matrix.model_dump(), **shares}
