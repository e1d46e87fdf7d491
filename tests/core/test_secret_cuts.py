"""Secrets in text that is cut, at each position of the cut."""

import base64
import json
import math
from collections.abc import Callable

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_mcpbench.core.secret_sources import secrets_of_server
from pytest_mcpbench.core.secrets import NO_SECRETS, Secrets
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.models.provider_error import redact
from pytest_mcpbench.servers.reply_watch import SHOWN, show
from pytest_mcpbench.servers.server_process import STDERR_BYTES, ProcessOutput, end_of_stderr

KEYS = {
    "hexadecimal": "a8f5f167f44f4964e6c998dee827110c",
    "symbols": "Es7!FAKE/spec$3uu8;x",
    "base64": "wJ4lrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    "quoted": 'q7"Zx\\9!kk"Lm3\'vv8$Tt5',
    "of two lines": "first9Line!of$it\nsecond8Line?of%it",
    "not in ASCII": "pä55wörd-überl4ng-ß9x",
}
UNKNOWN = {
    "of OpenAI": "sk-" + "proj-a8F5f167f44F4964e6c998dee827110c",
    "of GitHub": "ghp_" + "a7B9" * 8,
    "JWT": "eyJhbGciOiJIUzI1NiJ9" + ".eyJzdWIiOiIxMjM0In0" + ".c2lnbmF0dXJl",
    "of nobody": "Zk3Yv8Qp2Lw9Xr4Tn6Bd1Hs7Mf5Gj0Ca",
}
WRITTEN: dict[str, Callable[[str], str]] = {
    "as it is": lambda key: f" {key} ",
    "in JSON": lambda key: json.dumps({"a": key}),
    "in JSON without blanks": lambda key: json.dumps([key, {"b": key}], separators=(",", ":")),
    "in JSON in JSON": lambda key: json.dumps(json.dumps({"a": key})),
    "in JSON in JSON in JSON": lambda key: json.dumps(json.dumps(json.dumps({"a": key}), ensure_ascii=False)),
    "in Python": lambda key: repr([key]),
    "in base64": lambda key: base64.b64encode(key.encode()).decode(),
}
LONGEST_REST = 7
"""Characters of a secret that say nothing of the others."""


def leaks(shown: str, key: str) -> list[str]:
    """Return everything of a secret that is shown and too much."""
    forms = (*key.splitlines(), base64.b64encode(key.encode()).decode())
    parts = [form[at : at + LONGEST_REST + 1] for form in forms for at in range(len(form) - LONGEST_REST)]
    return [part for part in parts if part in shown]


FILLING = "word " * 40
POSITIONS = range(0, 2 * SHOWN, 3)


@pytest.mark.parametrize("form", WRITTEN)
@pytest.mark.parametrize("key", KEYS)
def test_nothing_of_a_configured_secret_is_left_where_text_is_shortened(key: str, form: str) -> None:
    secrets, written = Secrets({KEYS[key]: "MINE"}), WRITTEN[form](KEYS[key])
    for position in POSITIONS:
        before = ("word " * 200)[:position] + "."
        text = before + written + FILLING
        assert leaks(secrets.shorten(text, SHOWN), KEYS[key]) == []
        assert leaks(show(text.encode(), secrets), KEYS[key]) == []
        assert leaks(redact(text, secrets, most=SHOWN), KEYS[key]) == []
        end = FILLING + written + before
        assert leaks(secrets.shorten_to_end(end, SHOWN, is_cut=False), KEYS[key]) == []


@pytest.mark.parametrize("form", ["as it is", "in JSON", "in JSON without blanks", "in JSON in JSON"])
@pytest.mark.parametrize("key", UNKNOWN)
def test_a_key_that_is_not_known_where_text_is_shortened_is_left_whole_or_not_at_all(key: str, form: str) -> None:
    secret, written = UNKNOWN[key], WRITTEN[form](UNKNOWN[key])
    known_elsewhere = Secrets({secret: "ELSEWHERE"})
    for position in POSITIONS:
        text = ("word " * 200)[:position] + written + FILLING
        assert leaks(known_elsewhere.remove(NO_SECRETS.shorten(text, SHOWN)), secret) == []
        end = NO_SECRETS.shorten_to_end(FILLING + text, SHOWN, is_cut=False)
        assert leaks(known_elsewhere.remove(end), secret) == []


@pytest.mark.parametrize("cut", ["{} …", "{}…", "{}...", "'{}'", "{}", "{}\n[… 9 characters omitted …]"])
@pytest.mark.parametrize("key", [*KEYS, *UNKNOWN])
def test_the_part_of_a_known_secret_is_removed_that_others_have_cut(key: str, cut: str) -> None:
    secret = (KEYS | UNKNOWN)[key]
    secrets = Secrets({secret: "MINE"})
    for length in range(LONGEST_REST + 1, len(secret)):
        text = cut.format(f"word {secret[:length]}")
        assert secrets.may_occur(json.dumps(text, ensure_ascii=False))
        assert leaks(secrets.remove(text), secret) == []
        assert secrets.remove(text).startswith(("word", "'word"))
    for start in range(1, len(secret) - LONGEST_REST):
        for text in (f"… {secret[start:]} word", f"word...{secret[start:]}", f"[… 7 omitted …]\n{secret[start:]}"):
            assert leaks(secrets.remove(text), secret) == []


def test_words_and_beginnings_that_end_otherwise_stay() -> None:
    secrets = Secrets({"production-key-4711": "A", "a8f5f167f44f4964e6c998dee827110c": "B"})
    for text in ("in production", "production keys …", "a8f5f167f44f has 12 characters …", "'production'"):
        assert secrets.remove(text) == text


@settings(max_examples=60, deadline=None)
@given(
    key=st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=20, max_size=60),
    before=st.integers(0, 300),
    chunk=st.integers(1, 400),
    form=st.sampled_from(sorted(WRITTEN)),
)
def test_nothing_of_a_secret_is_left_in_what_is_told_of_a_process(key: str, before: int, chunk: int, form: str) -> None:
    secrets, written = Secrets({key: "MINE"}), WRITTEN[form](key)
    send, receive = anyio.create_memory_object_stream[object](math.inf)
    output = ProcessOutput(send, secrets)
    line = ("word " * 60)[:before] + written + FILLING
    data = f"{line}\n".encode()

    for start in range(0, len(data), chunk):
        output.pipe_data_received(1, data[start : start + chunk])
    for shown in (*output.stray_lines, *output.early_lines):
        assert leaks(shown, key) == []
    send.close()
    receive.close()


@pytest.mark.parametrize("key", KEYS)
def test_nothing_of_a_secret_is_left_in_the_end_of_stderr(key: str) -> None:
    secret = KEYS[key]
    for missing in range(len(secret)):
        kept = (f"{secret[missing:]} word\n" + "word\n" * 20000).encode()[:STDERR_BYTES]
        assert leaks(end_of_stderr(kept, Secrets({secret: "MINE"})), secret) == []
    # Before the lines of which only the last are shown.
    many_lines = f"word\n{secret}\n" + "line\n" * 19
    assert leaks(end_of_stderr(many_lines.encode(), Secrets({secret: "MINE"})), secret) == []


@pytest.mark.parametrize("key", [key for key in KEYS if key != "not in ASCII"])
def test_a_literal_password_of_a_variable_with_a_harmless_name_is_a_secret(key: str) -> None:
    server = ServerRef(name="s", transport="stdio", command="x", environment={"SPEC": KEYS[key]})
    assert (secrets_of_server(server).names == {KEYS[key]: "SPEC"}) == (key != "of two lines")


@pytest.mark.parametrize(
    "value",
    ["harmless-name", "gpt-5.5-mini", "src/Module3/Files_of_it.py", "Users/Mike2/Documents/projects/Benchmark1",
     "level=3,mode=fast", "tcp:db-2.example.com:5432", "%(asctime)s %(message)s", ">=3", "a b c 1 !", "$HOME/x1!"],
)  # fmt: skip
def test_ordinary_literals_of_variables_are_no_secrets(value: str) -> None:
    server = ServerRef(name="s", transport="stdio", command="x", environment={"SPEC": value})
    assert secrets_of_server(server).names == {}
