"""Text of an audit."""

from pytest_mcpbench.audit.outcome import AuditReport, MutantOutcome, report_lines

REPORT = AuditReport(
    "mail",
    (
        MutantOutcome("one", "wrong_value", "subject", "survived", detail="send_mail()"),
        MutantOutcome("one", "doubled_call", "send_mail", "killed", ("effects",)),
        MutantOutcome("two", "doubled_call", "send_mail", "killed", ("ast", "effects")),
        MutantOutcome("two", "doubled_call", "read_mail", "equivalent"),
        MutantOutcome("two", "text_negated", "body", "unscored", ("effects",)),
    ),
)


def _rows(lines: list[str], title: str) -> list[list[str]]:
    first = next(index for index, line in enumerate(lines) if line.startswith(title))
    return [line.split() for line in lines[first + 1 : lines.index("", first)]]


def test_the_numbers_of_kinds_and_on_request_of_tasks_add_up_to_those_of_the_suite() -> None:
    lines = list(report_lines(REPORT, by_task=True))
    assert lines[0] == "mail: of 4 wrong attempts 2 fail (50.0%), 1 pass (25.0%), 1 are unscored (25.0%); 1 equivalent"
    assert _rows(lines, "kind") == [["wrong_value", "1"], ["doubled_call", "2", "1"], ["text_negated", "1"]]
    assert _rows(lines, "task") == [["one", "1", "1"], ["two", "1", "1", "1"]]
    assert "killed by: effects 2, ast 1" in lines
    assert "  one  wrong_value  subject: send_mail()" in lines
    assert not any(line.startswith("task") for line in report_lines(REPORT))


def test_of_right_attempts_those_that_fail_are_listed() -> None:
    outcomes = (
        MutantOutcome("one", "text_greeting", "body", "passed"),
        MutantOutcome("one", "equal_form", "start", "failed", ("ast",), "no call of create_event"),
        MutantOutcome("two", "answer_list", "answer", "unscored", ("coverage",)),
    )
    lines = list(report_lines(AuditReport("mail", outcomes, is_right=True)))
    assert lines[0] == "mail: of 3 right attempts 1 pass (33.3%), 1 fail (33.3%), 1 are unscored (33.3%)"
    assert lines[2].split() == ["kind", "passed", "failed", "unscored", "error"]
    assert "failed by: ast 1" in lines
    assert "unscored by: coverage 1" in lines
    assert lines[-2:] == ["right attempts that failed:", "  one  equal_form  start: no call of create_event"]
