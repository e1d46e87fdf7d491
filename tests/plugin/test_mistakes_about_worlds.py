"""Messages about mistakes that a task makes about its worlds: each has the place and the nearest name; none passes."""

import pytest

SERVER = """
from pytest_mcpbench.core.context import Collection, Shape
from pytest_mcpbench.simulated.engine import Entities, Simulation

SHAPE = Shape((Collection("books", id_field="id"), Collection("loans", id_field="id", references={"book_id": "books"})))

class Library:
    def __init__(self, world):
        self.tree = world.tree(lambda: {"books": {"b1": {"id": "b1"}}, "loans": {}}, shape=SHAPE)
        self.loans = Entities(self.tree, "loans", missing="no {id}")

def lend(library: Library, book_id: str) -> dict:
    \"\"\"Lend a book.\"\"\"
    return library.loans.create({"book_id": book_id})

def books(library: Library) -> list:
    \"\"\"List the books.\"\"\"
    return list(library.tree.to_json()["books"])

server = Simulation(name="library", state=Library, tools=(lend, books)).server
"""

TASK = """
servers: {{library: {server}}}
floors: {{state: 1}}
tasks:
  - id: lend
    ask: Lend b1.
    calls: [{{tool: lend, arguments: {{book_id: b1}}}}]
    {more}
"""


@pytest.fixture
def library(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    monkeypatch.syspath_prepend(pytester.path)
    pytester.makeconftest("")
    pytester.makepyfile(library_of_mistakes=SERVER)
    return pytester


def run(library: pytest.Pytester, more: str, server: str = "library_of_mistakes:server") -> pytest.RunResult:
    library.makefile(".mcpbench.yaml", library=TASK.format(server=server, more=more))
    return library.runpytest_inprocess("--model=oracle", "-rs")


@pytest.mark.parametrize("verb", ["unchanged", "created", "deleted", "updated"])
def test_a_check_of_a_collection_that_the_world_does_not_declare_is_an_error(
    library: pytest.Pytester, verb: str
) -> None:
    result = run(library, f'state: [{{created: loans}}, {{{verb}: "lons[zz]"}}]')
    result.assert_outcomes(errors=1)
    message = f"library.mcpbench.yaml:4: state[1].{verb}: 'lons[zz]': world 'library': it holds no lons. "
    assert message + "Did you mean 'loans'?\n" in result.stdout.str()


@pytest.mark.extra
def test_a_check_of_what_a_world_in_another_process_never_had_is_unscored(library: pytest.Pytester) -> None:
    result = run(library, "state: [{unchanged: lons}]", server="mcpbench serve library_of_mistakes.py")
    reason = "unchanged lons: world 'library': nothing was there before or after. Did you mean 'loans'?"
    assert reason in " ".join(result.stdout.str().split())


@pytest.mark.parametrize(
    ("seed", "problem"),
    [
        ("{boks: {b1: {}}, loans: {}}", "the seed of server 'library': it holds no 'boks'. Did you mean 'books'?"),
        (
            "{books: {b1: {}}, loans: {l1: {book_id: zz}}}",
            "the seed of server 'library': loans[l1]: book_id: nothing in books has the id 'zz'.",
        ),
        ("nothing-lnt", "server 'library' knows no seed 'nothing-lnt'; it knows: none."),
    ],
)
def test_a_seed_that_the_world_cannot_hold_is_said_plainly(library: pytest.Pytester, seed: str, problem: str) -> None:
    result = run(library, f"context: {{seeds: {{library: {seed}}}}}")
    result.assert_outcomes(errors=1)
    assert problem in result.stdout.str()
    assert "SandboxError" not in result.stdout.str()


@pytest.mark.extra
@pytest.mark.parametrize(
    ("more", "message"),
    [
        ("context: {seeds: {libary: {}}}", "context.seeds.libary: no server is called 'libary'; there are: library."),
        (
            "state: [{created: loans, world: libary}]",
            "state[0].world: no server is called 'libary'; there are: library",
        ),
        (
            "verify: [{tool: lend, server: libary}]",
            "verify[0].server: no server is called 'libary'; there are: library",
        ),
        ("state: [{equals: house}]", "state[0]: `equals` needs a `value` to compare with; write `value: null` for"),
        ('state: [{created: "loans["}]', "state[0]: path 'loans[', character 5: a '[' without its ']'.\n"),
        (
            "verify: [{tool: lend, path: 'text['}]",
            "verify[0].path: 'text[' is not a path; write names and indexes with",
        ),
    ],
)
def test_a_mistake_that_the_file_shows_is_an_error_before_anything_starts(
    library: pytest.Pytester, more: str, message: str
) -> None:
    result = run(library, more)
    result.assert_outcomes(errors=1)
    assert message in result.stdout.str()


def test_what_fails_is_told_before_what_holds(library: pytest.Pytester) -> None:
    run(library, "state: [{created: loans}, {deleted: books}]").assert_outcomes(failed=1)
    result = library.runpytest_inprocess("--model=oracle", "-vv")
    assert "state 0.5 (1 of 2) < 1: does not hold: deleted books: 0 deleted" in result.stdout.str()


ANSWERED = """
servers: {library: library_of_mistakes:server}
judge: keyfacts
tasks:
  - {id: lend, ask: Lend b1., calls: [{tool: lend, arguments: {book_id: b1}}], claims: [b1 is lent.], %s}
  - {id: count, ask: Which books are there?, calls: [books, books], claims: [There is b1.], %s}
"""


def test_a_change_that_nothing_checks_and_a_call_that_only_repeats_are_errors(library: pytest.Pytester) -> None:
    floors = "floors: {coverage: 1}"
    library.makefile(".mcpbench.yaml", library=ANSWERED % (floors, floors))
    result = library.runpytest_inprocess("--model=oracle", "-rs")
    result.assert_outcomes(errors=2)
    text = " ".join(result.stdout.str().split())
    assert "calls: the reference changes 'library', and only words of the answer are compared" in text
    assert "calls: the reference call books() is not needed: it repeats an earlier call" in text


def test_a_checked_change_and_an_expected_repetition_are_right(library: pytest.Pytester) -> None:
    library.makefile(
        ".mcpbench.yaml",
        library=(ANSWERED % ("state: [{created: loans}]", "floors: {coverage: 1}")).replace(
            "[books, books]", "[books, {tool: books, is_unused_expected: true}]"
        ),
    )
    library.runpytest_inprocess("--model=oracle").assert_outcomes(passed=2)
