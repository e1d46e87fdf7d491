"""Parser for the responses of embedding APIs."""

from typing import Any

from pydantic import BaseModel, ValidationError

from pytest_mcpbench.files.line_file import first_fault
from pytest_mcpbench.models.provider_error import ProviderError


class _Embedding(BaseModel):
    index: int = 0
    embedding: list[float]


class _Response(BaseModel):
    data: list[_Embedding]


def parse_embeddings(answer: Any, count: int) -> list[list[float]]:
    """Return the vectors in the order of their texts.

    Raises:
        ProviderError: the response does not contain ``count`` vectors of equal length.
    """
    try:
        vectors = sorted(_Response.model_validate(answer).data, key=lambda vector: vector.index)
    except ValidationError as error:
        problem = f"the response does not contain embeddings: {first_fault(error)}"
        raise ProviderError("invalid_response", problem) from None
    lengths = {len(vector.embedding) for vector in vectors}
    if len(vectors) != count or len(lengths) > 1:
        raise ProviderError(
            "invalid_response",
            f"the response contains {len(vectors)} vectors with lengths {sorted(lengths)} for {count} texts",
        )
    return [vector.embedding for vector in vectors]
