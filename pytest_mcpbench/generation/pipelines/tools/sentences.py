"""Sentences of a request by rules: one for each thing that is asked for, in the order of the calls."""

import random
from collections.abc import Sequence

from pytest_mcpbench.generation.pipelines.tools.phrases import OrderClause

_ORDERS = ("Please {}.", "Can you {}?", "Could you {}, please?", "I'd like you to {}.")
_SHOWN = ("Can you {0} {1}?", "I'd like to see {1}.", "Please {0} {1}.", "Could you {0} {1}?")
_NEXT_ORDERS = ("Then {}.", "After that, {}.", "Next, {}.")
_ALSO_ORDERS = ("Please also {}.", "Can you also {}?", "And {}, please.")
_ALSO_SHOWN = ("I'd also like to see {1}.", "Please also {0} {1}.", "And {0} {1}, please.")


def request_of(clauses: Sequence[OrderClause], steps: Sequence[int], rng: random.Random) -> str:
    """Return a request for everything in the clauses.

    Args:
        clauses: What is asked for.
        steps: Step of each; what is done after something else is asked for after it.
        rng: Draws the forms of the sentences, no two neighbours alike.
    """
    first = clauses[0]
    if first.answers:
        sentences = [f"What {_form_of_be(first)} {first.rest}?"]
    elif first.shows:
        sentences = [rng.choice(_SHOWN).format(first.verb, first.rest)]
    else:
        sentences = [rng.choice(_ORDERS).format(first.order)]
    following, also, shown = (rng.sample(forms, len(forms)) for forms in (_NEXT_ORDERS, _ALSO_ORDERS, _ALSO_SHOWN))
    for at in range(1, len(clauses)):
        clause, is_last = clauses[at], at == len(clauses) - 1
        if is_last and len(clauses) > 2:
            sentences.append(f"Finally, {clause.order}.")
        elif steps[at] > steps[at - 1]:
            sentences.append(following[at % len(following)].format(clause.order))
        elif clause.answers:
            sentences.append(f"And what {_form_of_be(clause)} {clause.rest}?")
        elif clause.shows:
            sentences.append(shown[at % len(shown)].format(clause.verb, clause.rest))
        else:
            sentences.append(also[at % len(also)].format(clause.order))
    return " ".join(sentences)


def _form_of_be(clause: OrderClause) -> str:
    return "are" if clause.is_plural else "is"
