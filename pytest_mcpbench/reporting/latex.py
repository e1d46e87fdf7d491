"""Grids as LaTeX tables of the package booktabs."""

from collections.abc import Iterator, Sequence

from pytest_mcpbench.reporting.display_text import one_line, visible
from pytest_mcpbench.reporting.grid import PLAIN, CellForm, Grid, Row, is_text_column

PREAMBLE = "% needs \\usepackage{booktabs}; texts in other scripts need XeLaTeX or LuaLaTeX with a suitable font\n"
_ESCAPES = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "{": r"\{",
        "}": r"\}",
        "$": r"\$",
        "&": r"\&",
        "%": r"\%",
        "#": r"\#",
        "_": r"\_",
        "^": r"\textasciicircum{}",
        "~": r"\textasciitilde{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        "–": "--",
        "—": "---",
        "…": r"\dots{}",
        "·": r"\(\cdot\)",
        "×": r"\(\times\)",
        "≥": r"\(\geq\)",
        "≤": r"\(\leq\)",
        "→": r"\(\to\)",
        "−": r"\(-\)",
        "Δ": r"\(\Delta\)",
    }
)


def escape(text: str) -> str:
    """Return the text on one line, with all that LaTeX would interpret escaped."""
    return one_line(visible(text), 2000).translate(_ESCAPES)


def text(grid: Grid, *, caption: str, label: str, form: CellForm = PLAIN) -> str:
    """Return a floating table with caption and label; numbers are right-aligned, notes stand below."""
    stub = len(grid.stubs)
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{escape(caption)}}}",
        rf"\label{{{label}}}",
        rf"\begin{{tabular}}{{{'l' * stub}{_alignment(grid)}}}",
        r"\toprule",
        *_group_lines(grid),
        _line([*grid.stubs, *(column.heading for column in grid.columns)]),
        r"\midrule",
        *_rows(grid.rows, form),
        r"\bottomrule",
        r"\end{tabular}",
        *(rf"\par\footnotesize {escape(note)}." for note in grid.all_notes),
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _alignment(grid: Grid) -> str:
    return "".join("l" if is_text_column(grid, index) else "r" for index in range(len(grid.columns)))


def _group_lines(grid: Grid) -> Iterator[str]:
    """Yield the headings of groups with a rule below each, if there are groups."""
    if not any(group for group, _ in grid.groups):
        return
    stub = len(grid.stubs)
    cells = [rf"\multicolumn{{{width}}}{{c}}{{{escape(group)}}}" for group, width in grid.groups]
    yield " & ".join([""] * stub + cells).strip() + r" \\"
    first = stub + 1
    rules = []
    for group, width in grid.groups:
        if group:
            rules.append(rf"\cmidrule(lr){{{first}-{first + width - 1}}}")
        first += width
    yield " ".join(rules)


def _rows(rows: Sequence[Row], form: CellForm) -> Iterator[str]:
    """Yield the rows; a first label that repeats the row above is left blank, and another one begins after a rule."""
    above: tuple[str, ...] = ()
    for row in rows:
        is_same = len(row.labels) > 1 and above[:1] == row.labels[:1]
        if above and len(row.labels) > 1 and not is_same:
            yield r"\addlinespace"
        labels = ("", *row.labels[1:]) if is_same else row.labels
        yield _line([*labels, *map(form.text, row.cells)])
        above = row.labels


def _line(cells: Sequence[str]) -> str:
    return " & ".join(map(escape, cells)) + r" \\"
