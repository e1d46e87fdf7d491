"""The generator of pictures and texts: addresses of pictures that follow from the request, and stored files.

A picture is a grey rectangle, because no check looks at its content. Texts are sentences of the small web.
"""

import base64
import struct
import zlib
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlencode

from pytest_mcpbench.core.sandbox import World
from pytest_mcpbench.simulated.engine import ToolFailure, resolve_inside
from pytest_mcpbench.simulated.websearch.answers import answer

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
        data = _grey_picture(facts["width"], facts["height"])
        self._store(path, data)
        picture = {"data": base64.b64encode(data).decode(), "mimeType": f"image/{ending.replace('jpg', 'jpeg')}"}
        return {**picture, "metadata": {key: facts[key] for key in ("prompt", "width", "height", "model", "seed")}} | {
            "filePath": path
        }

    def text(self, prompt: str, model: str) -> str:
        """Return a text for a prompt."""
        _known(model, TEXT_MODELS, "text model")
        return answer(prompt)

    def _store(self, path: str, data: bytes) -> None:
        target = resolve_inside(self._world, path)
        if target is None:
            raise ToolFailure(f"Failed to save image: EACCES: permission denied, open '{path}'")
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
        except OSError as error:
            raise ToolFailure(f"Failed to save image: {error.strerror}, open '{path}'") from error


def _known(name: str, names: tuple[str, ...], kind: str) -> str:
    if name not in names:
        raise ToolFailure(f"Unknown {kind} {name!r}; available: {', '.join(names)}")
    return name


def _grey_picture(width: int, height: int) -> bytes:
    """Return a PNG of one colour."""
    if not (0 < width <= 2048 and 0 < height <= 2048):
        raise ToolFailure("Failed to generate image: width and height must be between 1 and 2048")
    row = b"\0" + b"\x80" * width
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(row * height, 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in chunks)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
