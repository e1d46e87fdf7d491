"""The generation server: five tools of ``@pinkpixel/mcpollinations`` over a simulated generator."""

import base64
from collections.abc import Mapping
from typing import Annotated, Any, TypedDict, Unpack
from urllib.parse import quote, urlencode

from pydantic import Field

from pytest_mcpbench.core.sandbox import World
from pytest_mcpbench.simulated.engine import PYTHON_SDK, Simulation, ToolFailure, resolve_inside
from pytest_mcpbench.simulated.engine.png import grey_png
from pytest_mcpbench.simulated.websearch.answers import answer

# The generator of pictures and texts: addresses of pictures that follow from the request, and stored files.
#
# A picture is a grey rectangle, because no check looks at its content. Texts are sentences of the small web.

IMAGE_MODELS = ("flux", "kontext", "turbo")
TEXT_MODELS = ("openai", "openai-fast", "mistral", "gemini")
FORMATS = ("png", "jpeg", "jpg", "webp")
_DIRECTORY = "mcpollinations-output"
_SIDE = 1024
_LARGEST_SEED = 999_999


class Generator:
    """The generator of one attempt; it stores pictures in the attempt's directory."""

    def __init__(self, world: World) -> None:
        self._world = world

    def image_url(self, prompt: str, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return the address of a picture together with what was asked for."""
        facts = {
            "width": int(options.get("width", _SIDE)),
            "height": int(options.get("height", _SIDE)),
            "model": _known(options.get("model", IMAGE_MODELS[0]), IMAGE_MODELS, "image model"),
            "seed": int(options.get("seed", self._world.ids.number(0, _LARGEST_SEED))),
        }
        url = f"https://image.pollinations.ai/prompt/{quote(prompt, safe='')}?{urlencode(facts)}"
        return {"imageUrl": url, "prompt": prompt, **facts}

    def image(self, prompt: str, options: Mapping[str, Any]) -> dict[str, Any]:
        """Store a picture and return its data and the path of the file."""
        ending = _known(options.get("format", FORMATS[0]), FORMATS, "format")
        name = options.get("fileName") or "".join(letter if letter.isalnum() else "_" for letter in prompt)[:20]
        path = f"{options.get('outputPath', _DIRECTORY)}/{name}.{ending}"
        facts = self.image_url(prompt, options)
        width = facts["width"]
        height = facts["height"]
        if not (0 < width <= 2048 and 0 < height <= 2048):
            raise ToolFailure("Failed to generate image: width and height must be between 1 and 2048")
        data = grey_png([b"\x80" * width] * height)
        target = resolve_inside(self._world, path)
        if target is None:
            raise ToolFailure(f"Failed to save image: EACCES: permission denied, open '{path}'")
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
        except OSError as error:
            raise ToolFailure(f"Failed to save image: {error.strerror}, open '{path}'") from error
        picture = {"data": base64.b64encode(data).decode(), "mimeType": f"image/{ending.replace('jpg', 'jpeg')}"}
        return {**picture, "metadata": {key: facts[key] for key in ("prompt", "width", "height", "model", "seed")}} | {
            "filePath": path
        }

    def text(self, prompt: str, model: str) -> str:
        """Return a text for a prompt."""
        _known(model, TEXT_MODELS, "text model")
        return answer(prompt)


def _known(name: str, names: tuple[str, ...], kind: str) -> str:
    if name not in names:
        raise ToolFailure(f"Unknown {kind} {name!r}; available: {', '.join(names)}")
    return name


# The tools.

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
