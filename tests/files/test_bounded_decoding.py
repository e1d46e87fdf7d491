"""Bounds of bodies and of the events in a stream."""

import pytest

from pytest_mcpbench.files.bounded_decoding import LARGEST_BODY, BodyDecoder, BodyTooLargeError, Bounded

PART = b"x" * (LARGEST_BODY // 2)


@pytest.mark.parametrize("blank_line", [b"\n\n", b"\r\n\r\n", b"\r\r"])
@pytest.mark.parametrize("cut", range(1, 4))
def test_a_stream_of_events_may_be_longer_than_an_event(blank_line: bytes, cut: int) -> None:
    decoder = BodyDecoder("", bounded="event")
    for _ in range(2):
        for chunk in (PART, blank_line[:cut], blank_line[cut:] + b"data: "):
            assert decoder.decode(chunk) == chunk


@pytest.mark.parametrize("bounded", ["event", "body"])
def test_an_event_or_a_body_that_does_not_end_is_refused(bounded: Bounded) -> None:
    decoder = BodyDecoder("", bounded=bounded)
    decoder.decode(b"\n\ndata: " + PART)
    with pytest.raises(BodyTooLargeError, match="more than 64 MB"):
        decoder.decode(PART + b"\n")
