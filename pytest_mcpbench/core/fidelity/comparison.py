"""Comparison of a simulation's results with those of the real server (MCP-Persona, Table 4)."""

import json
import re
from collections.abc import Sequence
from importlib.util import find_spec
from statistics import fmean
from typing import Literal

from pydantic import JsonValue

from pytest_mcpbench.core.fidelity.trace import replace_text
from pytest_mcpbench.core.frozen import FrozenModel
from pytest_mcpbench.core.placeholders import payload
from pytest_mcpbench.core.root_causes import cause_of_result
from pytest_mcpbench.core.tool import ToolResult

# Response similarity of MCP-Persona (A.2, Table 4): TF-IDF cosine, ROUGE, BLEU and METEOR.
#
# The paper names no variants. Here tokens are words and single punctuation marks of the canonical JSON; TF-IDF is
# fitted on all responses compared; ROUGE is the recall of ROUGE-1 with the real response as reference; BLEU is the
# sentence BLEU of up to four words, smoothed; METEOR matches words and their stems. Synonyms, its third stage, need
# WordNet's data, which no package brings: leaving them out keeps the number the same everywhere.

LONGEST = 1000
"""Tokens of a response that are compared; METEOR takes time that grows with the square of the length."""

NEEDED = {"sklearn": "scikit-learn", "rouge_score": "rouge-score", "sacrebleu": "sacrebleu", "nltk": "nltk"}
"""Module -> package of the extra ``fidelity``."""


class Similarity(FrozenModel):
    """Means over pairs of responses, each from 0 to 1."""

    pairs: int
    cut: int = 0
    """Pairs of which a response was longer than ``LONGEST`` tokens; the rest of it was not compared."""
    tf_idf: float
    rouge: float
    bleu: float
    meteor: float


def missing_libraries() -> str:
    """Return how to install the libraries of :func:`similarity`; empty if they are installed."""
    missing = [package for module, package in NEEDED.items() if find_spec(module) is None]
    if not missing:
        return ""
    return f"response similarity needs {', '.join(missing)}: pip install 'pytest-mcpbench[fidelity]'"


def similarity(pairs: Sequence[tuple[str, str]]) -> Similarity | None:
    """Return how close the second text of each pair comes to the first, the reference; ``None`` without pairs."""
    if not pairs:
        return None
    split = [(_tokens(real), _tokens(ours)) for real, ours in pairs]
    kept = [(real[:LONGEST], ours[:LONGEST]) for real, ours in split]
    return Similarity(
        pairs=len(kept),
        cut=sum(max(len(real), len(ours)) > LONGEST for real, ours in split),
        tf_idf=_tf_idf(kept),
        rouge=fmean(_rouge(*pair) for pair in kept),
        bleu=fmean(_bleu(*pair) for pair in kept),
        meteor=fmean(_meteor(*pair) for pair in kept),
    )


Tokens = list[str]


def _tokens(text: str) -> Tokens:
    return re.findall(r"\w+|[^\w\s]", text.lower())


def _tf_idf(pairs: Sequence[tuple[Tokens, Tokens]]) -> float:
    from sklearn.feature_extraction.text import TfidfVectorizer

    weights = TfidfVectorizer(analyzer=list).fit_transform([tokens for pair in pairs for tokens in pair])
    # The rows have length 1, so that a product of two is the cosine of the angle between them.
    cosines = weights[0::2].multiply(weights[1::2]).sum(axis=1)
    return min(1.0, float(cosines.mean()))


def _rouge(real: Tokens, ours: Tokens) -> float:
    from rouge_score.rouge_scorer import RougeScorer

    scores = RougeScorer(["rouge1"], tokenizer=_Split()).score(" ".join(real), " ".join(ours))
    return float(scores["rouge1"].recall)


class _Split:
    """The library's own tokens are Latin letters and digits only."""

    def tokenize(self, text: str) -> Tokens:
        return text.split()


def _bleu(real: Tokens, ours: Tokens) -> float:
    from sacrebleu.metrics.bleu import BLEU

    bleu = BLEU(tokenize="none", smooth_method="exp", effective_order=True)
    return min(1.0, bleu.sentence_score(" ".join(ours), [" ".join(real)]).score / 100)


def _meteor(real: Tokens, ours: Tokens) -> float:
    from nltk.translate.meteor_score import single_meteor_score

    return float(single_meteor_score(real, ours, wordnet=_NoSynonyms()))


class _NoSynonyms:
    """Empty replacement for WordNet."""

    def synsets(self, _word: str) -> list[object]:
        return []


Cell = Literal["tp", "tn", "fp", "fn"]


class Pair(FrozenModel):
    """One call, answered twice."""

    trace: str
    """The trace's id or its line in the file, with the number of the call."""
    tool: str
    arguments: dict[str, JsonValue]
    real: ToolResult
    simulated: ToolResult | None
    """``None`` if the simulation broke down."""
    error: str = ""
    real_success: bool
    simulated_success: bool = False
    is_labelled: bool = False
    """True if the trace has a label for the success of the real server."""
    unread: int = 0
    """Number of the two results for which the judge returned no label, so that the rule decided."""

    @property
    def cell(self) -> Cell | None:
        """Return the pair's cell of the confusion matrix; success of the real server is the positive class."""
        if self.simulated is None:
            return None
        if self.real_success:
            return "tp" if self.simulated_success else "fn"
        return "fp" if self.simulated_success else "tn"


class Confusion(FrozenModel):
    """Confusion matrix of successful calls; a share is ``None`` if its denominator is 0."""

    tp: int = 0
    tn: int = 0
    fp: int = 0
    """The simulation accepts what the real server refuses."""
    fn: int = 0
    """The simulation refuses what the real server accepts."""

    @property
    def pairs(self) -> int:
        return self.tp + self.tn + self.fp + self.fn

    @property
    def accuracy(self) -> float | None:
        return _share(self.tp + self.tn, self.pairs)

    @property
    def precision(self) -> float | None:
        return _share(self.tp, self.tp + self.fp)

    @property
    def recall(self) -> float | None:
        return _share(self.tp, self.tp + self.fn)

    @property
    def f1(self) -> float | None:
        return _share(2 * self.tp, 2 * self.tp + self.fp + self.fn)


class Fidelity(FrozenModel):
    """Comparison of a simulation with the real server."""

    server: str
    traces: int
    pairs: tuple[Pair, ...]
    """All, in order."""
    confusion: Confusion
    by_tool: dict[str, Confusion]
    identical: dict[str, int]
    """Tool -> pairs of which both responses are the same canonical JSON."""
    masks: tuple[str, ...] = ()
    """Regular expressions of text that is ignored in responses."""
    similarity: Similarity | None = None
    """Means over the pairs; ``None`` if the libraries are missing, or nothing could be compared."""
    not_measured: str = ""
    """Reason why there is no similarity."""

    @property
    def errors(self) -> tuple[Pair, ...]:
        """Return the pairs that no number includes, because the simulation broke down."""
        return tuple(pair for pair in self.pairs if pair.simulated is None)


def fidelity(server: str, pairs: Sequence[Pair], *, traces: int, masks: Sequence[str] = ()) -> Fidelity:
    """Return the comparison; ``masks`` are for :func:`responses`."""
    compared = [pair for pair in pairs if pair.simulated is not None]
    said = responses(compared, masks)
    tools = sorted({pair.tool for pair in compared})
    same = [pair.tool for pair, (real, ours) in zip(compared, said, strict=True) if real == ours]
    not_measured = missing_libraries()
    return Fidelity(
        server=server,
        traces=traces,
        pairs=tuple(pairs),
        confusion=_confusion(compared),
        by_tool={tool: _confusion([pair for pair in compared if pair.tool == tool]) for tool in tools},
        identical={tool: same.count(tool) for tool in tools},
        masks=tuple(masks),
        similarity=None if not_measured else similarity(said),
        not_measured=not_measured,
    )


def responses(pairs: Sequence[Pair], masks: Sequence[str] = ()) -> list[tuple[str, str]]:
    """Return both responses of each pair as canonical JSON; text that matches a mask (a regex) becomes ``…``."""
    return [
        (canonical_json(pair.real, masks), canonical_json(pair.simulated, masks))
        for pair in pairs
        if pair.simulated is not None
    ]


def canonical_json(result: ToolResult, masks: Sequence[str] = ()) -> str:
    """Return a result as canonical JSON text with sorted keys; masked text becomes ``…``."""
    value: JsonValue
    if all(block.text is not None for block in result.content):
        value = payload(result)
    else:
        value = [block.model_dump(exclude_none=True, exclude={"listing"}) for block in result.content]
    text = json.dumps(value, sort_keys=True, ensure_ascii=False)
    for mask in masks:
        text = re.sub(mask, "…", text)
    return text


def is_success(result: ToolResult) -> bool:
    """Return whether a result is a success by the rule of ``tool_success``; empty results count as success."""
    return cause_of_result(result) in (None, "empty_result")


def replace_in_result(result: ToolResult, old: str, new: str) -> ToolResult:
    """Return the result with every occurrence of a text replaced."""
    return ToolResult.model_validate(replace_text(result.model_dump(), old, new))


def _confusion(pairs: Sequence[Pair]) -> Confusion:
    cells = [pair.cell for pair in pairs]
    return Confusion(tp=cells.count("tp"), tn=cells.count("tn"), fp=cells.count("fp"), fn=cells.count("fn"))


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
