"""Reading the records of a JSON file."""

import json
import time

import pytest

from pytest_mcpbench.core.errors import SourceLocation
from pytest_mcpbench.loaders.json_records import JsonRecord, decode_text, is_undecodable, read_json_records

ONE, TWO = {"id": 1, "text": "é {"}, {"id": 2}


def values(content: str | bytes) -> list[object]:
    """Values, or the problems of those that have none."""
    raw = content if isinstance(content, bytes) else content.encode()
    return [record.problem or record.value for record in read_json_records(raw, "f.json")]


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(json.dumps([ONE, TWO]), id="array"),
        pytest.param(json.dumps([ONE, TWO], indent=2), id="indented array"),
        pytest.param(json.dumps(ONE) + "\n" + json.dumps(TWO) + "\n", id="lines"),
        pytest.param(json.dumps(ONE) + "\r\n\r\n" + json.dumps(TWO), id="lines of Windows with an empty one"),
        pytest.param(json.dumps(ONE) + json.dumps(TWO), id="concatenated"),
        pytest.param(json.dumps(ONE, indent=2) + "\n" + json.dumps(TWO, indent=2), id="concatenated and indented"),
        pytest.param(json.dumps([ONE, TWO]).encode("utf-8-sig"), id="byte order mark"),
        pytest.param(json.dumps([ONE, TWO], ensure_ascii=False).encode("utf-16"), id="UTF-16"),
        pytest.param(json.dumps([ONE, TWO], ensure_ascii=False).encode("utf-32-le"), id="UTF-32 without a mark"),
        pytest.param(f"[{json.dumps(ONE)}, {json.dumps(TWO)},]", id="comma behind the last"),
    ],
)
def test_records_are_read_however_they_are_strung_together(content: str | bytes) -> None:
    assert values(content) == [ONE, TWO]


@pytest.mark.parametrize("content", ["", "  \n ", "[]", "[ \n ]"])
def test_a_file_without_records_has_none(content: str) -> None:
    assert values(content) == []


def test_one_object_is_one_record() -> None:
    assert list(read_json_records(b'{"id": 1}\n', "f.json")) == [
        JsonRecord(SourceLocation("f.json", line=1, index=0), {"id": 1})
    ]


def test_lines_are_placed_by_line_and_elements_of_one_line_by_index() -> None:
    lines = [str(record.place) for record in read_json_records(b'{"id": 1}\n\n{"id": 2}', "f.jsonl")]
    elements = [str(record.place) for record in read_json_records(b'[{"id": 1}, {"id": 2}]', "f.json")]
    assert (lines, elements) == (["f.jsonl:1", "f.jsonl:3"], ["f.json[0]", "f.json[1]"])


def test_a_missing_comma_is_supplied_with_a_warning_at_the_second() -> None:
    records = list(read_json_records(b'[{"id": 1}{"id": 2}]', "f.json"))
    assert [record.value for record in records] == [{"id": 1}, {"id": 2}]
    assert [record.warnings for record in records] == [
        (),
        ("a comma is missing between records 0 and 1; both were read",),
    ]


def test_a_line_that_is_cut_off_does_not_hide_the_next() -> None:
    records = list(read_json_records(b'{"id": 1}\n{"id": 2, "te\n{"id": 3}\n', "f.jsonl"))
    assert [record.value for record in records] == [{"id": 1}, None, {"id": 3}]
    assert records[1].problem == "not valid JSON: the record seems to be cut off (line 2, column 14)"
    assert records[1].text == '{"id": 2, "te\n'


@pytest.mark.parametrize(
    "broken",
    ['{"id": 2, "inner": {"id": 9}', '{"id": 2,', '{"id"', '{"id": nope}', '{"id": 2, "list": [{"id": 8}'],
)
def test_reading_goes_on_behind_a_broken_line(broken: str) -> None:
    found = values(f'{{"id": 1}}\n{broken}\n{{"id": 3}}\n')
    assert (found[0], found[-1], len(found)) == ({"id": 1}, {"id": 3}, 3)


def test_a_broken_element_of_an_indented_array_is_one_problem() -> None:
    text = json.dumps([ONE, {"id": 2, "tools": [{"name": "x"}]}, TWO], indent=2).replace('"name": "x"', '"name" "x"')
    found = values(text)
    assert (found[0], found[-1], len(found)) == (ONE, TWO, 3)


def test_a_broken_element_of_an_array_on_one_line_is_one_problem() -> None:
    found = values('[{"uuid": 1}, {"uuid": 2, "t": {"x" 1}}, {"uuid": 3}]')
    assert (found[0], found[-1], len(found)) == ({"uuid": 1}, {"uuid": 3}, 3)


def test_an_array_that_is_cut_off_between_elements_ends_in_a_problem() -> None:
    assert values('[{"id": 1},') == [{"id": 1}, "the array is not closed: the file seems to be cut off"]


def test_an_array_that_is_cut_off_in_an_element_is_told_once() -> None:
    found = values('[{"id": 1}, {"id": 2')
    assert (found[0], len(found)) == ({"id": 1}, 2)


def test_what_follows_an_array_is_a_problem() -> None:
    assert values('[{"id": 1}] x') == [{"id": 1}, "there is text after the end of the array"]


def test_bytes_that_are_not_utf8_break_only_their_own_record() -> None:
    assert values(b'{"id": 1}\n{"id": "\xff"}\n{"id": 3}') == [
        {"id": 1},
        "the record contains bytes that are not UTF-8",
        {"id": 3},
    ]


def test_half_a_character_breaks_only_its_own_record() -> None:
    found = values('{"id": "\\ud83d\\ude00"}\n{"id": "\\ud83d"}')
    assert found == [{"id": "😀"}, "the record contains a lone surrogate, which is not a valid character"]


@pytest.mark.parametrize("value", ["[" * 100_000, "9" * 5_000], ids=["too deep", "too many digits"])
def test_what_the_parser_refuses_breaks_only_its_own_record(value: str) -> None:
    found = values(f'{{"id": {value}}}\n{{"id": 2}}')
    assert isinstance(found[0], str)
    assert found[-1] == {"id": 2}


def test_undecodable_bytes_are_kept_apart_from_text() -> None:
    assert (is_undecodable(decode_text(b"a\xff")), is_undecodable(decode_text("é".encode()))) == (True, False)


def test_a_long_line_of_many_records_takes_time_in_proportion_to_its_length() -> None:
    def seconds(count: int) -> float:
        content = json.dumps(
            [{"id": number, "text": "ä" * 2_000} for number in range(count)], ensure_ascii=False
        ).encode()
        started = time.process_time()
        assert sum(record.problem is None for record in read_json_records(content, "f.json")) == count
        return time.process_time() - started

    seconds(100)
    assert seconds(8_000) < 20 * max(seconds(1_000), 0.005)
