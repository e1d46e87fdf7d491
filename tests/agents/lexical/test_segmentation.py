import pytest

from pytest_mcpbench.agents.lexical.agent import split_request
from pytest_mcpbench.agents.lexical.value_mentions import find_mentions

VERBS = frozenset(("mark", "directory"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("Read a.txt", ["Read a.txt"], id="one thing"),
        pytest.param("Read a.txt. Delete b.txt.", ["Read a.txt.", "Delete b.txt."], id="sentences"),
        pytest.param("Read a.txt, and then go on", ["Read a.txt", "go on"], id="then, whatever follows"),
        pytest.param("read a.txt and delete b.txt", ["read a.txt", "delete b.txt"], id="and with a verb"),
        pytest.param("read it and mark it", ["read it", "mark it"], id="and with a verb of a tool"),
        pytest.param("list files and directories", ["list files and directories"], id="and with a noun"),
        pytest.param("1. Read a.txt\n2) Delete b.txt", ["Read a.txt", "Delete b.txt"], id="numbered list"),
        pytest.param("read a.txt; delete b.txt", ["read a.txt", "delete b.txt"], id="semicolon"),
        pytest.param("查询天气，然后发送邮件", ["查询天气", "发送邮件"], id="Chinese"),
        pytest.param("Say 'stop. then go' to Bob", ["Say 'stop. then go' to Bob"], id="nothing is cut in quotes"),
        pytest.param(
            "I have 2 cats. How many legs?", ["I have 2 cats. How many legs?"], id="what asks for nothing joins"
        ),
        pytest.param("Read a.txt. It is old.", ["Read a.txt. It is old."], id="a remark joins what it follows"),
        pytest.param("", [], id="nothing"),
    ],
)
def test_a_request_is_cut_where_something_else_is_asked_for(text: str, expected: list[str]) -> None:
    cut = split_request(text, find_mentions(text), VERBS)

    assert [text[part.start : part.end] for part in cut] == expected
