"""Traces of attempts as a collector receives them over OTLP/HTTP."""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from pytest_mcpbench.cli import main
from pytest_mcpbench.core.trajectory import Step, Trajectory
from pytest_mcpbench.core.usage import Usage
from pytest_mcpbench.reporting.interchange.spans import attempt_span, provider
from tests.builders import a_call, a_task, evidence_of
from tests.cli.test_command_line import write
from tests.reporting.samples import a_record, card, one_of_each


class Collector:
    """A collector on a port of this machine that keeps what it receives."""

    def __init__(self, status: int = 200) -> None:
        self.paths: list[str] = []
        self.spans: list[Any] = []
        self.resources: list[dict[str, str]] = []
        collector = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                collector.receive(self.path, body)
                self.send_response(status)
                self.end_headers()

            def log_message(self, *_arguments: object) -> None:
                """Write nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def receive(self, path: str, body: bytes) -> None:
        self.paths.append(path)
        for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
            self.resources.append({each.key: each.value.string_value for each in resource.resource.attributes})
            self.spans += [span for scope in resource.scope_spans for span in scope.spans]


@contextmanager
def collector(status: int = 200) -> Iterator[Collector]:
    made = Collector(status)
    thread = threading.Thread(target=made.server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield made
    finally:
        made.server.shutdown()
        thread.join()
        made.server.server_close()


def attributes(span: Any) -> dict[str, Any]:
    return {each.key: getattr(each.value, each.value.WhichOneof("value")) for each in span.attributes}


def paid_attempt() -> Any:
    usage = Usage(input_tokens=1200, output_tokens=80, cost_usd=0.01)
    steps = (
        Step(calls=(a_call("read", {"path": "a"}, seconds=0.5, result="milk"),), usage=usage, seconds=1.5),
        Step(text="Milk.", seconds=1.0, finish_reason="stop"),
    )
    record = a_record(
        a_task(id="t", tags={"kind": "x"}), evidence_of(trajectory=Trajectory(steps=steps)), card(0.5, "why")
    )
    return record.model_copy(
        update={"started_at": "2026-01-02T03:04:05.250+00:00", "seconds": 3.0, "model": "anthropic/claude"}
    )


def test_a_collector_receives_attempts_requests_and_calls(tmp_path: Path) -> None:
    directory = write(tmp_path / "run", [paid_attempt()])
    with collector() as received:
        assert main(["export", str(directory), "--format", "otel", "--endpoint", received.url]) == 0
    spans = {span.name: span for span in received.spans}
    assert received.paths == ["/v1/traces"]
    assert (received.resources[0]["service.name"], received.resources[0]["mcpbench.run"]) == ("mcpbench", "run")
    attempt, call = spans["invoke_agent anthropic/claude"], spans["execute_tool read"]
    chats = [span for span in received.spans if span.name == "chat anthropic/claude"]
    begin = 1767323045_250_000_000
    assert [(span.start_time_unix_nano - begin) / 1e9 for span in (attempt, chats[0], call, chats[1])] == [
        0,
        0,
        1.5,
        2.0,
    ]
    assert [(span.end_time_unix_nano - begin) / 1e9 for span in (attempt, chats[0], call, chats[1])] == [
        3.0,
        1.5,
        2.0,
        3.0,
    ]
    assert {span.parent_span_id for span in (call, *chats)} == {attempt.span_id}
    assert len({span.trace_id for span in received.spans}) == 1
    assert (
        attributes(attempt).items()
        >= {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.provider.name": "anthropic",
            "gen_ai.request.model": "anthropic/claude",
            "mcpbench.task": "t",
            "mcpbench.outcome": "failed",
            "mcpbench.tag.kind": "x",
        }.items()
    )
    assert attributes(chats[0]).items() >= {"gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": 1200}.items()
    assert attributes(call).items() >= {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "read"}.items()
    assert "gen_ai.tool.call.result" not in attributes(call)
    (score,) = attempt.events
    assert score.name == "gen_ai.evaluation.result"
    assert attributes(score).items() >= {"gen_ai.evaluation.name": "ast", "gen_ai.evaluation.score.value": 0.5}.items()


def test_content_is_sent_on_request_and_an_attempt_sent_twice_is_one_trace(tmp_path: Path) -> None:
    arguments = ["export", str(write(tmp_path, [paid_attempt()])), "--format", "otel", "--content"]
    with collector() as received:
        for _ in range(2):
            main([*arguments, "--endpoint", f"{received.url}/v1/traces"])
    calls = [span for span in received.spans if span.name == "execute_tool read"]
    assert attributes(calls[0])["gen_ai.tool.call.result"] == "milk"
    assert len(received.spans) == 8
    assert len({(span.trace_id, span.span_id) for span in received.spans}) == 4


def test_errors_have_a_status_and_no_tokens_are_invented() -> None:
    spans = {record.task_id: attempt_span(record, has_content=False) for record in one_of_each()}
    assert spans["error"].error == "server: server 'notes' failed to start: it exited (exit code 1)"
    assert not [name for name in spans["error"].attributes if name.startswith("gen_ai.usage")]
    assert [child.error for child in spans["harm"].children] == [None, "tool", None]


@pytest.mark.parametrize(
    ("model", "name"),
    [("anthropic/claude", "anthropic"), ("oracle", "custom"), ("http://127.0.0.1:1/v1", "custom")],
)
def test_the_provider_is_that_of_the_models_name(model: str, name: str) -> None:
    assert provider(model) == name


def test_a_collector_that_refuses_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    directory = write(tmp_path, [paid_attempt()])
    with collector(status=400) as received:
        assert main(["export", str(directory), "--format", "otel", "--endpoint", received.url]) == 2
    assert f"the collector at {received.url} did not take the spans" in capsys.readouterr().err
    assert main(["export", str(directory), "--format", "otel", "--endpoint", "localhost"]) == 2
    assert "'localhost' is not the URL of a collector" in capsys.readouterr().err


def test_the_sdk_is_an_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.trace", None)
    assert main(["export", str(write(tmp_path, [paid_attempt()])), "--format", "otel"]) == 2
    assert 'pip install "pytest-mcpbench[otel]"' in capsys.readouterr().err
