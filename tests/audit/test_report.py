"""Text of an audit."""

from pytest_mcpbench.audit.outcome import AuditReport, MutantOutcome, report_lines

REPORT = AuditReport(
    "mail",
    (
        MutantOutcome("one", "wrong_value", "subject", "survived", detail="send_mail()"),
        MutantOutcome("one", "doubled_call", "send_mail", "killed", ("effects",)),
        MutantOutcome("two", "doubled_call", "send_mail", "killed", ("ast", "effects")),
        MutantOutcome("two", "doubled_call", "read_mail", "equivalent"),
    ),
)


def _rows(lines: list[str], title: str) -> list[list[str]]:
    first = next(index for index, line in enumerate(lines) if line.startswith(title))
    return [line.split() for line in lines[first + 1 : lines.index("", first)]]


def test_the_numbers_of_kinds_and_on_request_of_tasks_add_up_to_those_of_the_suite() -> None:
    lines = list(report_lines(REPORT, by_task=True))
    assert lines[0] == "mail: 66.7% of 3 wrong attempts fail; 1 equivalent"
    assert _rows(lines, "kind") == [["wrong_value", "1"], ["doubled_call", "2", "1"]]
    assert _rows(lines, "task") == [["one", "1", "1"], ["two", "1", "1"]]
    assert "killed by: effects 2, ast 1" in lines
    assert "  one  wrong_value  subject: send_mail()" in lines
    assert not any(line.startswith("task") for line in report_lines(REPORT))
