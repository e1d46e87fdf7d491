"""Reads the vectors in what an API for embeddings answers."""

from typing import Any

from pydantic import BaseModel, ValidationError

from pytest_mcpbench.runtime.models.provider_error import ProviderError


class _Embedding(BaseModel):
    index: int = 0
    embedding: list[float]


class _Response(BaseModel):
    data: list[_Embedding]


def parse_embeddings(answer: Any, count: int) -> list[list[float]]:
    """The vectors in the order of their texts, of which there were so many. Raises ProviderError for anything else."""
    try:
        found = sorted(_Response.model_validate(answer).data, key=lambda vector: vector.index)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise ProviderError(
            "invalid_response", f"answered with what are no embeddings: {where}: {first['msg']}"
        ) from None
    lengths = {len(vector.embedding) for vector in found}
    if len(found) != count or len(lengths) > 1:
        raise ProviderError(
            "invalid_response", f"answered {len(found)} embeddings of {sorted(lengths)} numbers to {count} texts"
        )
    return [vector.embedding for vector in found]
