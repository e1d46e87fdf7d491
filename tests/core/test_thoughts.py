import pytest

from pytest_mcpbench.core.thoughts import without_thoughts


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (" Rome ", " Rome "),
        ("<think>Oslo?</think> Rome", "Rome"),
        ("<THINKING>Oslo?</THINKING> Rome", "Rome"),
        ("<thought>Oslo?</thought>Ro<think>no</think>me", "Rome"),
        ("Oslo?</think>Rome", "Rome"),
        ("<think>Oslo?", ""),
        ("Rome.\n <think>Or Oslo?", "Rome."),
        ("<think>a <think> b</think>Rome", "Rome"),
        ("The mark <think> begins thoughts.", "The mark <think> begins thoughts."),
        ("<think>a</think>Rome</think>", "Rome</think>"),
    ],
)
def test_thoughts_are_not_what_is_said(text: str, said: str) -> None:
    assert without_thoughts(text) == said
