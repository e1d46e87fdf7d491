"""The generation server: five tools of ``@pinkpixel/mcpollinations`` over a simulated generator."""

from typing import Annotated, Any, TypedDict, Unpack

from pydantic import Field

from pytest_mcpbench.simulated.engine import PYTHON_SDK, Simulation
from pytest_mcpbench.simulated.pollinations.world import IMAGE_MODELS, TEXT_MODELS, Generator

Prompt = Annotated[str, Field(description="What to generate, in words")]


class Picture(TypedDict, total=False):
    """Options of a picture."""

    model: Annotated[str, Field(description="Name of the model; listImageModels tells which there are (default flux)")]
    seed: Annotated[int, Field(description="Number that makes the result repeatable (default: drawn)")]
    width: Annotated[int, Field(description="Pixels across (default 1024)")]
    height: Annotated[int, Field(description="Pixels down (default 1024)")]
    enhance: Annotated[bool, Field(description="Let a language model enrich the prompt first")]
    safe: Annotated[bool, Field(description="Filter the content")]


class File(Picture, total=False):
    """Options of a picture that is stored."""

    outputPath: Annotated[str, Field(description="Directory of the file (default mcpollinations-output)")]
    fileName: Annotated[str, Field(description="Name of the file without its ending")]
    format: Annotated[str, Field(description="Ending: png, jpeg, jpg or webp (default png)")]


class Text(TypedDict, total=False):
    """Options of a text."""

    model: Annotated[str, Field(description="Name of the model; listTextModels tells which there are (default openai)")]
    seed: Annotated[int, Field(description="Number that makes the result repeatable")]
    temperature: Annotated[float, Field(description="Randomness, from 0 to 2")]
    top_p: Annotated[float, Field(description="Share of the likeliest words to draw from")]
    system: Annotated[str, Field(description="Instructions for the model")]


def generateImageUrl(generator: Generator, prompt: Prompt, **options: Unpack[Picture]) -> Any:  # noqa: N802
    """Get the web address of a picture made from words; nothing is stored."""
    return generator.image_url(prompt, options)


def generateImage(generator: Generator, prompt: Prompt, **options: Unpack[File]) -> Any:  # noqa: N802
    """Make a picture from words and keep it as a file."""
    return generator.image(prompt, options)


def listImageModels(_generator: Generator) -> Any:  # noqa: N802
    """Names of the models that make pictures."""
    return {"models": list(IMAGE_MODELS)}


def respondText(generator: Generator, prompt: Prompt, **options: Unpack[Text]) -> Any:  # noqa: N802
    """Let a language model write a text."""
    return generator.text(prompt, options.get("model", TEXT_MODELS[0]))


def listTextModels(_generator: Generator) -> Any:  # noqa: N802
    """Names of the models that write texts."""
    return {"models": list(TEXT_MODELS)}


SIMULATION = Simulation(
    name="mcpollinations",
    state=Generator,
    tools=(generateImageUrl, generateImage, listImageModels, respondText, listTextModels),
    dialect=PYTHON_SDK,
    indent=2,
)
server = SIMULATION.server
"""Factory that builds the server for one attempt."""
