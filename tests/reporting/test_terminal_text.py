"""Display of foreign text in terminals, logs and spreadsheets."""

import pytest

from pytest_mcpbench.reporting.forms.display_text import spreadsheet_safe, terminal_safe

COMMANDS = {
    "GitHub": ("::stop-commands::x", ": :stop-commands::x"),
    "GitHub, indented": ("a\n  ::add-mask::x", "a\n  : :add-mask::x"),
    "GitHub, with properties": ("::error file=a,line=1::m", ": :error file=a,line=1::m"),
    "GitHub, old form": ("a ##[group]b", "a ## [group]b"),
    "Azure": ("##vso[task.setvariable]x", "## vso[task.setvariable]x"),
    "TeamCity": ("##teamcity[testFailed]", "## teamcity[testFailed]"),
    "GitLab": ("section_start:1:a\r\x1b[0Kb", "section_start:1:a[U+000D]b"),
    "a title": ("\x1b]0;owned\x07a", "a"),
    "a direction": ("\u202eabc", "[U+202E]abc"),
    "text": ("a::b ## c # d :: e", "a::b ## c # d :: e"),
}


@pytest.mark.parametrize(("text", "shown"), COMMANDS.values(), ids=COMMANDS.keys())
def test_no_line_is_a_command_to_a_log(text: str, shown: str) -> None:
    assert terminal_safe(text) == shown


def test_no_text_is_a_formula_of_a_spreadsheet() -> None:
    formulas = ("=1+1", "+1", "-1", "@a", "\ta", "\ra")
    assert [spreadsheet_safe(text) for text in formulas] == [f"'{text}" for text in formulas]
    assert spreadsheet_safe("a = 1 + 1") == "a = 1 + 1"
