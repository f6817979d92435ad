"""Checks the parts of a `.gradviz` file, each by itself, against `resources/gradviz.schema.json`. What a part
is read as stands in `file_parts`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, cast

from gradviz.document.file_parts import Json

FILE = Path(__file__).resolve().parents[2] / "resources" / "gradviz.schema.json"
DEEPEST = 100  # lists in lists; no tensor has more than 64 dimensions


@cache
def schema() -> dict[str, Any]:
    """The schema."""
    return cast(dict[str, Any], json.loads(FILE.read_text(encoding="utf-8")))


@cache
def known_fields(kind: str = "") -> frozenset[str]:
    """The fields of a kind of part that this version knows; of the file itself for ""."""
    return frozenset((schema()["definitions"][kind] if kind else schema())["properties"])


@cache
def _check(kind: str) -> Callable[[Json], None]:
    import fastjsonschema

    checked = {"$ref": f"#/definitions/{kind}", "definitions": schema()["definitions"]}
    return cast(Callable[[Json], None], fastjsonschema.compile(checked, use_default=False))


def problem(kind: str, part: Json) -> str:
    """What is wrong with a part, in a few words; "" if nothing is."""
    import fastjsonschema

    if is_too_deep(part):
        return "too many lists in lists"
    try:
        _check(kind)(part)
    except fastjsonschema.JsonSchemaValueException as error:
        return _in_words(error.message)
    return ""


def _in_words(message: str) -> str:
    """ "data.x must be number" as "x must be number"."""
    words = re.sub(r"^data[.]?", "", message).strip()
    if "valid" in words or "pattern" in words:
        words = f"{words.split(' ')[0]} is not understood"
    missing = re.fullmatch(r"must contain \[(.*)\] properties", words)
    return f"no {missing[1]}" if missing else words[:80]


def is_too_deep(part: Json) -> bool:
    """True for lists in lists in lists … that no reader of ours would come to the end of."""
    level: list[Json] = [part]
    for _ in range(DEEPEST):
        inner = [one.values() if isinstance(one, dict) else one for one in level if isinstance(one, dict | list)]
        level = [one for several in inner for one in several if isinstance(one, dict | list)]
        if not level:
            return False
    return True
