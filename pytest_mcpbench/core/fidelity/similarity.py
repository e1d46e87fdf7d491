"""Response similarity of MCP-Persona (A.2, Table 4): TF-IDF cosine, ROUGE, BLEU and METEOR.

The paper names no variants. Here tokens are words and single punctuation marks of the canonical JSON; TF-IDF is fitted
on all responses compared; ROUGE is the recall of ROUGE-1 with the real response as reference; BLEU is the sentence BLEU
of up to four words, smoothed; METEOR matches words and their stems. Synonyms, its third stage, need WordNet's data,
which no package brings: leaving them out keeps the number the same everywhere.
"""

import re
from collections.abc import Sequence
from importlib.util import find_spec
from statistics import fmean

from pytest_mcpbench.core.frozen import FrozenModel

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
