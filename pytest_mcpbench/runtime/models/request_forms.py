"""Forms of a request, from the richest to the barest, for providers that reject some of them."""

from collections.abc import Callable, Sequence

from pytest_mcpbench.core.chat import ChatMessage, ModelSettings, Reply
from pytest_mcpbench.core.errors import ModelError
from pytest_mcpbench.runtime.model import Model
from pytest_mcpbench.runtime.models.provider_error import REJECTED


class RequestForms:
    """Names of the forms that a model may accept; one that it rejects is not tried again."""

    def __init__(self, *forms: str) -> None:
        self._left = list(forms)

    async def complete(
        self, model: Model, messages: Sequence[ChatMessage], settings: Callable[[str], ModelSettings]
    ) -> Reply:
        """Return the reply to the richest form that the provider accepts, with the settings of that form.

        Raises:
            ModelError: the request failed for another reason, or in its barest form.
        """
        while True:
            form = self._left[0]
            try:
                return await model.complete(messages, (), settings(form))
            except ModelError as error:
                if error.status not in REJECTED or len(self._left) == 1:
                    raise
                # A concurrent request may have removed this form already.
                if self._left[0] == form:
                    self._left.pop(0)
