import pytest

from pytest_mcpbench.core.context import Collection, ContextTree, Path, Shape
from pytest_mcpbench.core.context.check_paths import PathProblem, find_path_problem

SHAPE = Shape((Collection("loans"), Collection("shelves"), Collection("shelves[*].books", id_field="id")))
WORLD = {
    "loans": {"l1": {"due": "2026-03-09"}},
    "shelves": {"s1": {"books": {"b1": {"title": "Salt"}}, "wide": {"a": 1}}},
    "house": {"name": "Main"},
}


def _doubt(path: str, *, shape: Shape | None = None, world: dict[str, object] | None = None) -> PathProblem | None:
    tree = ContextTree.of(WORLD if world is None else world, shape)
    return find_path_problem(Path.parse(path), tree, tree)


@pytest.mark.parametrize(
    "path",
    [
        pytest.param("loans", id="declared"),
        pytest.param("loans[zz]", id="an entity that may come to be"),
        pytest.param("loans[*].returned", id="a field that may be optional"),
        pytest.param("shelves[primary].books[*].title", id="inside another"),
        pytest.param("shelves[s1].wide[b]", id="a map that is there"),
        pytest.param("house.name", id="a field of the root"),
        pytest.param("house.colour", id="a field of an object at the root"),
    ],
)
def test_a_path_that_is_declared_or_there_is_in_no_doubt(path: str) -> None:
    assert _doubt(path, shape=SHAPE) is None


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        ("lons", "it holds no lons. Did you mean 'loans'?"),
        ("lons[zz]", "it holds no lons. Did you mean 'loans'?"),
        ("lons[zz].due", "it holds no lons. Did you mean 'loans'?"),
        ("hose.name", "it holds no hose.name. Did you mean 'house'?"),
        ("shelves[s1].boks[b1]", "it holds no shelves[*].boks. Did you mean 'shelves[*].books'?"),
        ("shelves[s1].boks", "no entity of shelves[*] has boks. Did you mean 'books'?"),
        ("zzz", "it holds no zzz; there are: loans, shelves, shelves[*].books, house"),
    ],
)
def test_a_path_that_a_world_does_not_declare_is_certainly_wrong(path: str, problem: str) -> None:
    assert _doubt(path, shape=SHAPE) == PathProblem(problem, is_certain=True)


def test_a_field_that_no_entity_has_is_in_doubt_where_its_name_is_near_to_one() -> None:
    assert _doubt("loans[*].deu", shape=SHAPE) == PathProblem(
        "no entity of loans[*] has deu. Did you mean 'due'?", is_certain=False
    )


def test_a_world_that_declares_nothing_leaves_what_was_nowhere_in_doubt() -> None:
    assert _doubt("lons[*]") == PathProblem(
        "nothing was there before or after. Did you mean 'loans'?", is_certain=False
    )


@pytest.mark.parametrize("path", ["drafts[*]", "folders[*].mails[*].text", "folders[f1]"])
def test_an_empty_collection_is_there(path: str) -> None:
    assert _doubt(path, world={"drafts": {}, "folders": {"f1": {"mails": {}}}}) is None
