"""Removal of secrets from text and JSON, and what of the configuration is a secret."""

import base64
import json
from urllib.parse import quote_plus

import pytest

from pytest_mcpbench.core.record import RunRecord
from pytest_mcpbench.core.secret_sources import (
    public_url,
    secrets_of_alias,
    secrets_of_command,
    secrets_of_command_line,
    secrets_of_server,
    secrets_of_url,
    secrets_of_value,
    secrets_of_variables,
)
from pytest_mcpbench.core.secrets import NO_SECRETS, Secrets
from pytest_mcpbench.core.server import ServerRef

SECRET = "pä\"s's/w0rd+line\nend"
FORMS = {
    "plain": SECRET,
    "in a URL": quote_plus(SECRET),
    "in JSON": json.dumps({"a": SECRET}),
    "in JSON without escapes": json.dumps({"a": SECRET}, ensure_ascii=False),
    "in JSON in JSON": json.dumps(json.dumps(SECRET)),
    "in Python": repr([SECRET]),
    "in Python in JSON": json.dumps(repr(SECRET)),
    "in Python in JSON in JSON": json.dumps(json.dumps(repr(SECRET))),
    "in base64": base64.b64encode(SECRET.encode()).decode(),
    **{
        f"in base64 behind {before!r}": base64.b64encode(f"{before}{SECRET} more".encode()).decode()
        for before in ("x", "xx", "xxx", "xxxx")
    },
}


@pytest.mark.parametrize("text", FORMS.values(), ids=FORMS.keys())
def test_a_value_is_removed_in_each_of_its_encodings(text: str) -> None:
    secrets = Secrets({SECRET: "MY_KEY"})
    assert secrets.may_occur(text)
    removed = secrets.remove(f"before {text} after")
    assert "[secret MY_KEY]" in removed
    assert "w0rd" not in removed
    assert removed.startswith("before ")
    assert removed.endswith(" after")


KEYS = (
    "sk-" + "abc123DEF456",
    "sk-ant-" + "api03-abcdefghijklmnop",
    "ghp_" + "a1" * 15,
    "github_pat_" + "a1" * 15,
    "glpat-" + "a1" * 10,
    "xoxb-" + "123456789012-abcdef",
    "AKIA" + "ABCDEFGHIJ234567",
    "AIza" + "Sy0123456789abcdefghijklmnopqrstuvw",
    "hf_" + "a1" * 15,
    "eyJhbGciOiJIUzI1NiJ9" + ".eyJzdWIiOiIxMjM0In0" + ".c2lnbmF0dXJl",
    "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nIBAAKC\n-----END RSA PRIVATE KEY-----",
    "Bearer " + "abcdef1234567890",
    "Basic " + "dXNlcjpwYXNzd29yZDEyMw==",
    "postgres://user:pa55@host/db",
)


@pytest.mark.parametrize("key", KEYS, ids=[key[:8] for key in KEYS])
@pytest.mark.parametrize("before", ["", "token=", "\n", '"'])
def test_a_known_shape_of_key_is_removed_wherever_it_stands(key: str, before: str) -> None:
    record = RunRecord(suite="s", task_id="t", task_hash="", model="m", outcome="passed", prompt=f"{before}{key} end")
    written = NO_SECRETS.remove_from_model(record)
    assert "[secret " in written.prompt
    assert key not in written.prompt
    assert written.prompt.endswith(" end")


ORDINARY = (
    "scikit-learn and sk-learn-contributors use task-1234567 in desk-2020",
    "ssh://git@github.com/a/b, https://example.com/a@b:c, http://host:8080/x?y=z",
    "Bearer authentication is basic understanding",
    "eyJ is the start of JSON in base64",
    "The AKIA prefix, ghp_ and xox are prefixes.",
)


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_text_has_no_shape_of_a_key(text: str) -> None:
    assert NO_SECRETS.remove(text) == text


@pytest.mark.parametrize(
    "value",
    ["true", "1", "12345", "localhost", "localhost:8080", "production", "/home/me/.ssh/id", "$OTHER", "api.example.com",
     "https://example.com/v1", "2026-03-02", "10.0.0.1", "eu-west-1", "en_US.UTF-8", "me@example.com", "Shopping", ""],
)  # fmt: skip
def test_ordinary_values_of_variables_are_no_secrets(value: str) -> None:
    found = secrets_of_value("MODE", value, is_expected=True) | secrets_of_value("API_KEY", value)
    assert found.names == {}


@pytest.mark.parametrize(
    ("name", "value", "removed"),
    [
        ("API_KEY", "hunter2", "hunter2"),
        ("MAX_TOKENS", "4096x8192", None),
        ("MODE", "harmless-name", None),
        ("MODE", "a8f5f167f44f4964e6c998dee827110c", "a8f5f167f44f4964e6c998dee827110c"),
        ("DB_URL", "postgres://u:pw12345@host/db", "pw12345"),
        ("Authorization", "Bearer t0k3n-abc", "t0k3n-abc"),
        ("Authorization", "Basic " + base64.b64encode(b"user:p4ssw0rd").decode(), "p4ssw0rd"),
        ("API_HEADERS", '{"Authorization": "Bearer t0k3n-abc", "Notion-Version": "2022-06-28"}', "t0k3n-abc"),
        ("ACCOUNTS", '{"accounts": [{"client_secret": "abcdefgh-ijklmnop"}]}', "abcdefgh-ijklmnop"),
        ("STORAGE", "AccountName=a;AccountKey=c2VjcmV0LXNlY3JldA==;Suffix=core", "c2VjcmV0LXNlY3JldA=="),
        ("DB", "jdbc:sqlserver://host:1433;user=sa;password=pw12345", "pw12345"),
        ("DB", "host=db.example.org user=ann password=pw12345", "pw12345"),
        ("DB", "host=db user=ann password='p w12345'", "p w12345"),
        ("DB", "host=db password='pw12345'", "pw12345"),
        ("DB", "Server=db;PWD={pw;12345};Port=1", "pw;12345"),
        ("DB", "Password=hunter22", "hunter22"),
        ("SORT", "key=customer_id order=asc", None),
        ("OPTIONS", "-Dkey.deserializer=StringDeserializer -Dsession.mode=continuous", None),
        ("CACHE", "host=db.example.org encryption_key=blue-tin-9", "blue-tin-9"),
        ("PEM", "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADAN\n-----END PRIVATE KEY-----", "MIIEvQIBADAN"),
        ("LIMITS", '{"max_tokens": "4096x8192", "mode": "harmless-name"}', None),
    ],
)
def test_a_name_or_a_form_makes_a_value_a_secret(name: str, value: str, removed: str | None) -> None:
    found = secrets_of_variables({name: value})
    assert (removed in found.names) if removed else not found.names


@pytest.mark.parametrize("name", ["AUTH", "SETTINGS"])
def test_the_beginning_of_json_with_a_secret_is_none(name: str) -> None:
    value = '{"type": "service_account", "private_key": "abcdef123456"}'
    found = secrets_of_variables({name: value})
    innocent = '{"type":"text"} {"type": ["string"]}'
    assert found.remove(innocent) == innocent
    for text in (value, base64.b64encode(value.encode()).decode(), base64.b64encode(b"x" + value.encode()).decode()):
        assert "[secret " in found.remove(text)
    keys = secrets_of_variables({"API_KEYS": '{"production": "blue-tin-9", "test": "red-tin-7"}'})
    assert "blue" not in keys.remove('{"production": "blue-tin-9", "te…')
    connection = secrets_of_variables({"DB": "host=db.example.org password=pw12345"})
    assert connection.remove('"host=db.example.org"') == '"host=db.example.org"'


def test_each_line_of_a_password_is_a_secret() -> None:
    found = secrets_of_variables({"PASSWORD": "first line 7\n\n  second, of words\nshort\n/a/path/of/it"})
    assert found.remove("> second, of words") == "> [secret PASSWORD]"
    assert found.remove("short /a/path/of/it") == "short /a/path/of/it"
    assert secrets_of_variables({"GREETING": "hello, dear user\nand all others"}) == NO_SECRETS


def test_a_url_has_secrets_in_user_info_query_and_path() -> None:
    url = "https://user:pw12345@host/v1/a8f5f167f44f4964/chat?key=abcdef12345&page=2#gpt"
    names = secrets_of_url(url, "model").names
    assert {"pw12345", "user:pw12345", "abcdef12345", "a8f5f167f44f4964"} <= names.keys()
    assert not names.keys() & {"host", "v1", "chat", "2", "user"}
    assert public_url(url) == "https://host/v1/…/chat#gpt"
    assert public_url("https://host/v1/models/claude-opus-5-5-20270101").endswith("claude-opus-5-5-20270101")


def test_options_of_a_command_have_secrets() -> None:
    command = [
        "python",
        "server.py",
        "--api-key",
        "argument1",
        "--token=argument2",
        "-e",
        "KEY=argument3",
        "--mode",
        "x1y2z3w4",
    ]
    assert secrets_of_command(command).names.keys() == {"argument1", "argument2", "argument3"}


@pytest.mark.parametrize(
    ("arguments", "removed"),
    [
        (["sh", "-c", "server --user admin:Pa55w0rd!"], "admin:Pa55w0rd!"),
        (["sh -c 'server -u admin:Pa55w0rd!'"], "admin:Pa55w0rd!"),
        (["--mcpbench-baseline=server:tool --user admin:Pa55w0rd!"], "admin:Pa55w0rd!"),
        (["--dsn", "Password=hunter22;Server=db"], "hunter22"),
        (['[{"token":"abc123xyz"}]'], "abc123xyz"),
    ],
)
def test_a_password_in_an_argument_is_a_secret(arguments: list[str], removed: str) -> None:
    assert removed in secrets_of_command(arguments).names
    assert removed in secrets_of_command_line(arguments).names


@pytest.mark.parametrize(
    "argument",
    [
        "--mcpbench-baseline=server:python server.py --api-key argument1",
        "python 'my server.py' --api-key argument1",
        "python it's.py --api-key argument1",
        "--mcpbench-model-setting=claude:extra.api_key=argument1",
    ],
)
def test_a_command_and_a_setting_in_an_argument_have_secrets(argument: str) -> None:
    assert secrets_of_command([argument]).names.keys() == {"argument1"}


@pytest.mark.parametrize(
    "arguments",
    [
        ["-k", "689bd255c0422b257e7dfcc5 or 6888e207a34beb25cfedda3b"],
        ["-k", "689bd255c0422b257e7dfcc5"],
        ["-x", "689bd255c0422b257e7dfcc5"],
        ["--deselect", "t.mcpbench.yaml::689bd255c0422b257e7dfcc5[oracle]"],
        ["--deselect=t.mcpbench.yaml::689bd255c0422b257e7dfcc5[oracle]"],
        ["audit", "suite", "--task", "689bd255c0422b257e7dfcc5"],
        ["show", "run", "t" + "5" * 5000],
        ["--model=agent:codex#gpt-5.1", "--mcpbench-model", "replay:out#o3"],
        ["--mcpbench-judge=keyfacts+openai/gpt-5.1", "--mcpbench-user", "agent:own#gpt-5-mini"],
    ],
)
def test_names_of_tasks_and_models_in_a_command_line_are_no_secrets(arguments: list[str]) -> None:
    assert not secrets_of_command_line(arguments).names


@pytest.mark.parametrize(
    "arguments",
    [
        ["call", "server", "login", "text=689bd255c0422b257e7dfcc5"],
        ["-e", "KEY=689bd255c0422b257e7dfcc5"],
        ["--api-key", "689bd255c0422b257e7dfcc5"],
        ["--mcpbench-own=689bd255c0422b257e7dfcc5"],
        ["--mcpbench-baseline=server:python server.py --api-key 689bd255c0422b257e7dfcc5"],
        ["tools", "https://host/689bd255c0422b257e7dfcc5/mcp"],
        ["--model=https://host/689bd255c0422b257e7dfcc5/v1#gpt-5.1"],
        ["--model=acp:agent --api-key 689bd255c0422b257e7dfcc5"],
    ],
)
def test_keys_in_a_command_line_are_secrets(arguments: list[str]) -> None:
    assert secrets_of_command_line(arguments).names.keys() == {"689bd255c0422b257e7dfcc5"}


def test_a_key_without_a_name_is_a_secret_in_the_command_of_a_server() -> None:
    assert secrets_of_command(["server.py", "689bd255c0422b257e7dfcc5"]).names


def test_a_server_and_an_alias_have_secrets() -> None:
    server = ServerRef(
        name="s",
        transport="http",
        url="http://h/x",
        headers={"X-Api-Key": "header11"},
        variables={"PLAIN": "value-of-it"},
    )
    assert secrets_of_server(server).names == {"value-of-it": "PLAIN", "header11": "X-Api-Key"}
    alias = {"url": "http://u:pass99@h/v1", "api_key_env": "ODD", "extra": {"token": "extra123"}}
    assert {"odd-value", "extra123", "pass99"} <= secrets_of_alias("mine", alias, {"ODD": "odd-value"}).names.keys()


def test_numbers_and_keys_of_json_lose_secrets_and_the_rest_stays() -> None:
    secrets = Secrets({"12345678": "PIN", "secret-key": "K"})
    assert secrets.remove_from({"secret-key": [12345678, 1234567, None, True, "a secret-key"]}) == {
        "[secret K]": ["[secret PIN]", 1234567, None, True, "a [secret K]"]
    }


def test_a_longer_secret_is_removed_before_a_part_of_it() -> None:
    assert Secrets({"abcdefgh": "SHORT", "abcdefghijkl": "LONG"}).remove("abcdefghijkl") == "[secret LONG]"


def test_of_two_names_of_a_value_the_first_counts() -> None:
    assert Secrets({"hunter2": "A"}) | Secrets({"hunter2": "B", "other99": "C"}) == Secrets(
        {"hunter2": "A", "other99": "C"}
    )
