"""The result of a run in a few sentences, and the attempt that is shown first."""

from pytest_mcpbench.reporting.texts.result_sentences import result_sentences, telling_attempt
from tests.reporting.samples import a_report, an_entry, scored


def test_a_sentence_has_the_rate_of_each_suite_with_its_interval_and_the_causes_of_failures() -> None:
    entries = [
        scored("a", 1),
        scored("b", 0),
        scored("c", 0, metric="answer"),
        scored("d", 0),
        scored("a", 0, suite="t"),
        an_entry("e", "error", error="gone", error_kind="server"),
        scored("f", None),
    ]
    assert [*result_sentences(a_report(*entries))] == [
        "m passes 20 – 40 % (4 of 5 decided) of s (4 – 77 %), 0.0 % of t (0 – 79 %); "
        "most failures: ast below its floor 3, wrong answer 1; not counted: 1 error."
    ]


def test_an_agent_without_a_model_is_measured_by_what_it_is_known_to_reach() -> None:
    facts = {"suites": {"radar": {"pass_rates": {"lexical": 0.06}}}}
    entries = [scored("a", 1, model=model, suite="radar") for model in ("lexical", "claude")]
    assert [*result_sentences(a_report(*entries, facts=facts))] == ["claude passes 100.0 % of radar (21 – 100 %)."]
    assert [*result_sentences(a_report(entries[0], facts=facts))] == [
        "lexical passes 100.0 % of radar (21 – 100 %; about 6 % is expected without a model).",
    ]


def test_the_only_client_of_a_run_is_named() -> None:
    entries = [scored("a", 1, model="claude")]
    codex_facts = {"suites": {"s": {"conditions": {"client": "codex"}}}}
    swept = {**codex_facts, "settings": {"sweep": ["client=codex,plain"]}}
    plain, codex, both = ([*result_sentences(a_report(*entries, facts=facts))] for facts in ({}, codex_facts, swept))
    assert codex == [*plain, "Models saw servers as codex shows them (--mcpbench-client)."]
    assert both == plain
    beaten = {"suites": {"s": {"conditions": {"client": "codex"}, "client_differences": ["presentation listed"]}}}
    told = [*result_sentences(a_report(*entries, facts=beaten))]
    assert told[-1] == "Models saw servers as codex shows them (--mcpbench-client), but for presentation listed."


def test_arms_of_a_comparison_and_expected_failures_are_no_results() -> None:
    report = a_report(scored("a", 0, arm="candidate"), scored("b", 0, is_xfail=True))
    assert [*result_sentences(report)] == ["m passes 0.0 % of s (0 – 79 %)."]
    assert telling_attempt(report) is None
    assert [*result_sentences(a_report(an_entry("a", "error", error="gone")))] == [
        "m has no verdict; not counted: 1 error."
    ]


def test_calls_written_as_text_are_said_with_their_remedy() -> None:
    entries = [scored("a", 1), scored("b", 0).model_copy(update={"failures": {"rules": ("call_in_text",)}})]
    assert [*result_sentences(a_report(*entries))] == [
        "m passes 50.0 % of s (9 – 91 %); most failures: ast below its floor 1.",
        "m wrote a call as text in 1 attempt: "
        'tools = "json" in the model\'s table, or --mcpbench-model-setting=tools=json, reads such calls.',
    ]


def test_the_shown_attempt_is_named_as_far_as_the_run_needs_it() -> None:
    failed = scored("b", 0)
    assert telling_attempt(a_report(scored("a", 1), failed)) == ("b",)
    assert telling_attempt(a_report(scored("a", 1, model="n"), failed)) == ("b", "--model=m")
    assert telling_attempt(a_report(scored("a", 1, suite="t"), failed)) == ("b", "--suite=s")


def test_a_program_of_another_version_than_the_checked_one_is_named() -> None:
    other = {"unchecked_program": "2.9.0 (Claude Code), checked with 2.1.197"}
    entries = [scored("a", 1).model_copy(update=other), scored("b", 1)]
    assert [*result_sentences(a_report(*entries))][1:] == [
        "m ran 2.9.0 (Claude Code), checked with 2.1.197: its tools and settings may be others "
        "(`mcpbench clients check`)."
    ]
