import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mcpbench.core.context import Path, PathSyntaxError, Segment
from pytest_mcpbench.core.context.path import is_selectable


@pytest.mark.parametrize(
    ("text", "segments"),
    [
        ("contacts", [("contacts", None)]),
        ("calendars[primary].events", [("calendars", "primary"), ("events", None)]),
        ("calendars[*].events[*].attendees", [("calendars", "*"), ("events", "*"), ("attendees", None)]),
        ("calendars[user.name@mail.example].events", [("calendars", "user.name@mail.example"), ("events", None)]),
        ("files[notes [old].txt].text", [("files", "notes [old].txt"), ("text", None)]),
        ("a[[x][y]]", [("a", "[x][y]")]),
        ("a b[c d]", [("a b", "c d")]),
    ],
)
def test_brackets_are_read_before_dots(text: str, segments: list[tuple[str, str | None]]) -> None:
    assert Path.parse(text) == Path(tuple(Segment(*segment) for segment in segments))


@pytest.mark.parametrize(
    ("text", "position", "problem"),
    [
        ("", 0, "expected a name."),
        (".a", 0, "expected a name."),
        ("a..b", 2, "expected a name."),
        ("a.", 2, "expected a name."),
        ("[x]", 0, "expected a name."),
        ("a[x", 1, "a '[' without its ']'."),
        ("a[x[y]", 1, "a '[' without its ']'."),
        ("a]", 1, "a ']' without its '['."),
        ("a[x]]", 4, "expected '.' or the end of the path."),
        ("a[x]b", 4, "expected '.' or the end of the path."),
        ("a[x][y]", 4, "expected '.' or the end of the path."),
        ("a[]", 2, "an empty selector; write an id, '*' for every child, or leave out the brackets."),
    ],
)
def test_a_text_that_is_no_path_is_an_error_with_its_position(text: str, position: int, problem: str) -> None:
    with pytest.raises(PathSyntaxError) as caught:
        Path.parse(text)
    assert (caught.value.position, caught.value.problem) == (position, problem)
    assert str(caught.value) == f"path {text!r}, character {position}: {problem}"


names = st.text(st.characters(exclude_characters=".[]", exclude_categories=["Cs"]), min_size=1)
ids = st.text(min_size=1).filter(is_selectable)
paths = st.lists(st.builds(Segment, names, st.none() | ids | st.just("*")), min_size=1).map(
    lambda all_: Path(tuple(all_))
)


@pytest.mark.extra
@given(paths)
def test_a_path_that_is_printed_and_read_is_the_same(path: Path) -> None:
    assert Path.parse(str(path)) == path


@given(st.text(alphabet="ab.[]*"))
def test_a_text_that_is_read_and_printed_is_the_same(text: str) -> None:
    try:
        path = Path.parse(text)
    except PathSyntaxError:
        return
    assert str(path) == text


@pytest.mark.parametrize(
    ("key", "selectable"), [("a.b@c", True), ("[x]", True), ("a]b[", False), ("a[b", False), ("", False), ("*", False)]
)
def test_an_id_is_selectable_if_its_brackets_match(key: str, selectable: bool) -> None:
    assert is_selectable(key) is selectable
