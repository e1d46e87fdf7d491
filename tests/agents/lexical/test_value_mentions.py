import pytest

from pytest_mcpbench.agents.lexical.value_mentions import find_mentions, mask_mentions

LABELS = frozenset(("content", "subject", "body"))
WEAK = ("phrase", "pair")


def found(text: str) -> list[tuple[str, str]]:
    return [(mention.kind, mention.text) for mention in find_mentions(text, LABELS) if mention.kind not in WEAK]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("say 'it's late' now", [("quoted", "it's late")], id="apostrophe inside quotes"),
        pytest.param("say “hello, you”", [("quoted", "hello, you")], id="curly quotes"),
        pytest.param("搜索「红利指数」", [("quoted", "红利指数")], id="corner brackets"),
        pytest.param("it doesn't matter, don't ask", [], id="apostrophes are no quotes"),
        pytest.param("in './a/b'", [("path", "./a/b")], id="a quoted path is a path"),
        pytest.param("mail bob.x@mail.example.org.", [("email", "bob.x@mail.example.org")], id="address"),
        pytest.param("open https://a.example/b?c=1, please", [("url", "https://a.example/b?c=1")], id="url"),
        pytest.param("read ./src/main.py.", [("path", "./src/main.py")], id="path before a full stop"),
        pytest.param("read src/a and b.txt", [("path", "src/a"), ("path", "b.txt")], id="relative paths"),
        pytest.param("of ~/notes and C:\\tmp\\x", [("path", "~/notes"), ("path", "C:\\tmp\\x")], id="other roots"),
        pytest.param("on 2025-03-04T10:00:00Z", [("date", "2025-03-04T10:00:00Z")], id="ISO"),
        pytest.param("on March 5, 2025 at 3pm", [("date", "March 5, 2025"), ("time", "3pm")], id="English date"),
        pytest.param("next Friday or tomorrow", [("date", "next Friday"), ("date", "tomorrow")], id="relative days"),
        pytest.param("on Tuesday 31 March", [("date", "Tuesday 31 March")], id="weekday and date are one"),
        pytest.param("2025年3月4日", [("date", "2025年3月4日")], id="Chinese date"),
        pytest.param("for 30 minutes", [("duration", "30 minutes")], id="duration"),
        pytest.param("near 52.52, 13.405", [("coordinates", "52.52, 13.405")], id="coordinates"),
        pytest.param("of (3 + 4) * 2^5", [("expression", "(3 + 4) * 2^5")], id="expression"),
        pytest.param(
            "Solve 25^(3x + 2) = 5^(23 - x) for x", [("expression", "25^(3x + 2) = 5^(23 - x)")], id="equation"
        ),
        pytest.param("(see x - 11)", [("expression", "x - 11")], id="parentheses of the text around"),
        pytest.param("8 % a year", [("number", "8")], id="a percentage is no expression"),
        pytest.param("message msg_00123", [("id", "msg_00123")], id="id"),
        pytest.param("用户id是9b989c9d999f93", [("id", "9b989c9d999f93")], id="id within CJK"),
        pytest.param("pay 1,250.50 USD", [("number", "1,250.50"), ("code", "USD")], id="amount"),
        pytest.param("the three newest", [("number", "three")], id="number word"),
        pytest.param("from New York to Rio de Janeiro", [("name", "New York"), ("name", "Rio de Janeiro")], id="names"),
        pytest.param("a label called travel plans for me", [("named", "travel plans")], id="named"),
        pytest.param("Delete it. Start now.", [], id="first words of sentences are no names"),
    ],
)
def test_what_a_request_mentions(text: str, expected: list[tuple[str, str]]) -> None:
    assert found(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("with the content: a: 1\n  b: 2", [("labelled", "a: 1\n  b: 2")], id="all lines of a text"),
        pytest.param(
            "Subject: Hi. Body: Come. Now!", [("labelled", "Hi"), ("labelled", "Come. Now!")], id="two labels"
        ),
        pytest.param("content: pass.", [("labelled", "pass")], id="a fragment loses its full stop"),
        pytest.param("content: All is well.", [("labelled", "All is well.")], id="a sentence keeps it"),
        pytest.param("content: 'x y'", [("quoted", "x y")], id="quotes are stronger"),
        pytest.param("until 4:30pm", [("time", "4:30pm")], id="a time is no label"),
        pytest.param("https://a.example", [("url", "https://a.example")], id="a scheme is no label"),
    ],
)
def test_a_label_with_a_colon_announces_a_value(text: str, expected: list[tuple[str, str]]) -> None:
    assert found(text) == expected


def test_the_words_around_reach_to_the_neighbours_in_the_clause() -> None:
    first, second = (
        mention for mention in find_mentions("Done. Replace the text 'a' with 'b' twice.") if mention.is_quoted
    )

    assert (first.before, first.after) == (("replac", "the", "text"), ("with",))
    assert (second.before, second.after) == (("with",), ("twic",))


def test_members_of_a_list_share_the_words_before_it() -> None:
    last = [mention for mention in find_mentions("send it to a@x.org, b@x.org and c@x.org") if mention.kind == "email"][
        -1
    ]

    assert last.before[:3] == ("send", "it", "to")


def test_both_sides_of_a_change_are_found_without_quotes() -> None:
    pairs = [
        mention.text
        for mention in find_mentions("change it from version: 1.0 to version: 2.0.")
        if mention.kind == "pair"
    ]

    assert pairs == ["version: 1.0", "version: 2.0"]


def test_masking_keeps_the_places_of_all_other_characters() -> None:
    text = "read 'a b' now"

    assert mask_mentions(text, [mention for mention in find_mentions(text) if mention.is_quoted]) == "read       now"
