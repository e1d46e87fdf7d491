import pytest

from pytest_mcpbench.text.words import stem, terms, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("list_directory-with Sizes", ["list", "directory", "with", "sizes"], id="separators"),
        pytest.param("getHTTPResponse", ["get", "http", "response"], id="camel case"),
        pytest.param("dirección Ünïcode", ["direccion", "unicode"], id="accents"),
        pytest.param("Невский проспект", ["невский", "проспект"], id="Cyrillic"),
        pytest.param("查询weather今天", ["查询", "weather", "今天"], id="CJK runs"),
        pytest.param("", [], id="nothing"),
    ],
)
def test_text_is_taken_apart_into_words(text: str, expected: list[str]) -> None:
    assert words(text) == expected


@pytest.mark.parametrize(
    "alike",
    [
        ("file", "files", "file's"[:4]),
        ("directory", "directories"),
        ("create", "creates", "created", "creating", "creation"),
        ("calculate", "calculating", "calculation", "calculations"),
        ("search", "searches", "searching"),
        ("stop", "stopped", "stopping"),
        ("size", "sizes"),
    ],
    ids=lambda alike: alike[0],
)
def test_forms_of_a_word_have_one_stem(alike: tuple[str, ...]) -> None:
    assert len({stem(word) for word in alike}) == 1


@pytest.mark.parametrize("word", ["class", "bus", "is", "red", "ring"])
def test_what_only_looks_like_an_ending_stays(word: str) -> None:
    assert stem(word) == word


def test_words_that_say_nothing_are_left_out_and_scripts_without_spaces_become_bigrams() -> None:
    assert terms("What is the weather in 北京市") == ["weather", "北京", "京市"]
