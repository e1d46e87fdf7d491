"""Export of attempts as traces to a collector of OpenTelemetry, over OTLP/HTTP."""

import hashlib
import importlib
import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.record import RunRecord
from pytest_mcpbench.reporting.interchange.spans import Span, attempt_span

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import ReadableSpan

_BATCH = 512
"""Spans of one request."""


class _FixedIds:
    """Ids of spans that depend on the attempt only: an attempt that is exported again is the same trace."""

    def __init__(self) -> None:
        self._attempt = b""
        self._spans = 0

    def begin(self, attempt: str) -> None:
        self._attempt, self._spans = attempt.encode(), 0

    def generate_trace_id(self) -> int:
        return int.from_bytes(hashlib.sha256(self._attempt).digest()[:16])

    def generate_span_id(self) -> int:
        self._spans += 1
        return int.from_bytes(hashlib.sha256(b"%s %d" % (self._attempt, self._spans)).digest()[:8])

    def is_trace_id_random(self) -> bool:
        return False


class TraceExport:
    """Connection to a collector; every attempt becomes one trace.

    Args:
        endpoint: URL of the collector; ``None``: that of the environment (``OTEL_EXPORTER_OTLP_ENDPOINT``), or port
            4318 of this machine.
        run: Name of the run.
    """

    def __init__(self, endpoint: str | None, *, run: str) -> None:
        sdk, resources = _optional("opentelemetry.sdk.trace"), _optional("opentelemetry.sdk.resources")
        exporting = _optional("opentelemetry.exporter.otlp.proto.http.trace_exporter")
        self._api = _optional("opentelemetry.trace")
        self._ended: list[ReadableSpan] = []
        self._ids = _FixedIds()
        traces_url = endpoint
        if endpoint is not None:
            parts = urlsplit(endpoint)
            if parts.scheme not in ("http", "https") or not parts.netloc:
                raise UsageError(f"{endpoint!r} is not the URL of a collector, such as http://localhost:4318.")
            # An address without a path gets the usual one.
            traces_url = f"{endpoint.rstrip('/')}/v1/traces" if parts.path in ("", "/") else endpoint
        self._exporter = exporting.OTLPSpanExporter(endpoint=traces_url)
        self._collector = endpoint or os.environ.get("OTEL_EXPORTER_OTLP_ENDPOINT") or "http://localhost:4318"
        resource = resources.Resource.create({"service.name": "mcpbench", "mcpbench.run": run})
        provider = sdk.TracerProvider(
            resource=resource, id_generator=self._ids, sampler=sdk.sampling.ALWAYS_ON, shutdown_on_exit=False
        )
        provider.add_span_processor(_collecting(sdk, self._ended))
        self._tracer = provider.get_tracer("pytest_mcpbench")

    def export(self, records: Iterable[RunRecord], *, has_content: bool) -> int:
        """Send the attempts and return the number of spans.

        Raises:
            UsageError: the collector cannot be reached or refuses the spans.
        """
        sent = 0
        for record in records:
            self._ids.begin(f"{record.begin} {record.attempt!r}")
            self._emit(attempt_span(record, has_content=has_content), None)
            if len(self._ended) >= _BATCH:
                sent += self._send()
        return sent + self._send()

    def close(self) -> None:
        """Close the connection."""
        self._exporter.shutdown()

    def _emit(self, span: Span, parent: Any) -> None:
        kinds = {"internal": self._api.SpanKind.INTERNAL, "client": self._api.SpanKind.CLIENT}
        context = None if parent is None else self._api.set_span_in_context(parent)
        made = self._tracer.start_span(
            span.name, context=context, kind=kinds[span.kind], attributes=dict(span.attributes), start_time=span.start
        )
        for event in span.events:
            made.add_event(event.name, dict(event.attributes), timestamp=span.end)
        if span.error is not None:
            made.set_status(self._api.Status(self._api.StatusCode.ERROR, span.error))
        for child in span.children:
            self._emit(child, made)
        made.end(span.end)

    def _send(self) -> int:
        spans = tuple(self._ended)
        self._ended.clear()
        for first in range(0, len(spans), _BATCH):
            if self._exporter.export(spans[first : first + _BATCH]).name != "SUCCESS":
                raise UsageError(
                    f"the collector at {self._collector} did not take the spans; start it, or name another one "
                    "with --endpoint."
                )
        return len(spans)


def _collecting(sdk: Any, ended: "list[ReadableSpan]") -> Any:
    """Return a processor that keeps the spans which have ended."""

    class Collecting(sdk.SpanProcessor):  # type: ignore[misc]  # the SDK is imported only when it is needed
        def on_end(self, span: "ReadableSpan") -> None:
            ended.append(span)

    return Collecting()


def _optional(module: str) -> Any:
    """Import a module of the extra ``otel``."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise UsageError(
            f"traces need opentelemetry-sdk and its OTLP exporter, which cannot be imported ({error}): "
            'pip install "pytest-mcpbench[otel]"'
        ) from None
