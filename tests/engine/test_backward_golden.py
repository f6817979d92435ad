"""The order of backward steps, the words of errors, and which dtype comes out of which: as recorded from PyTorch."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import pytest

import gradviz.torch as torch
from tests.engine import order_graphs, promotion, wrong_calls

GOLDEN = Path(__file__).parent / "golden"


def recorded(name: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8"))
    del data["torch"]
    return data


ORDER = recorded("order")
ERRORS = recorded("errors")
PROMOTION = recorded("promotion")
GRAPHS = order_graphs.graphs(torch)
CALLS = wrong_calls.calls(torch)
LATER: dict[str, str] = json.loads((Path(__file__).parent / "later_errors.json").read_text(encoding="utf-8"))


def test_everything_is_recorded() -> None:
    assert set(ORDER) == set(GRAPHS)
    assert len(ORDER) >= 40
    assert set(ERRORS) == set(CALLS)
    assert len(ERRORS) >= 80
    assert set(LATER) <= set(ERRORS)


@pytest.mark.parametrize("name", ORDER)
def test_backward_steps_come_in_pytorchs_order(name: str) -> None:
    mine = order_graphs.observe(torch, GRAPHS[name])
    assert mine["graph"] == ORDER[name]["graph"]
    assert mine["names"] == ORDER[name]["names"]
    assert mine["ran"] == ORDER[name]["ran"]


NO_DICT = " and no __dict__ for setting new attributes"  # Python 3.13 ends its own message so; recorded with 3.11


def said(name: str) -> list[str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        observed = wrong_calls.observe(CALLS[name])
    return [line.replace("gradviz.torch", "torch").removesuffix(NO_DICT) for line in observed]


@pytest.mark.parametrize("name", [name for name in ERRORS if name not in LATER])
def test_the_error_is_pytorchs(name: str) -> None:
    assert said(name) == ERRORS[name]


def test_errors_for_later_still_differ() -> None:
    agreeing = [name for name in LATER if said(name) == ERRORS[name]]
    assert agreeing == [], "these say what PyTorch says now: take them out of later_errors.json"


def _has_half_complex(key: str) -> bool:
    """Half precision with a complex number gives complex32 in PyTorch, which few of its operations take. There is
    no such type here."""
    return "float16" in key.split() and any("complex" in part or part.endswith("j") for part in key.split())


@pytest.mark.parametrize("operation", PROMOTION)
def test_dtypes_come_out_as_in_pytorch(operation: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mine = promotion.observe(torch)[operation]
    wrong = {
        key: f"{mine[key]} instead of {value}"
        for key, value in PROMOTION[operation].items()
        if mine[key] != value and not (_has_half_complex(key) and value == "complex32")
    }
    assert wrong == {}


@pytest.mark.parametrize("operation", ["+", "*", "where"])
def test_half_precision_with_a_complex_number_gives_complex64(operation: str) -> None:
    mine = promotion.observe(torch)[operation]
    assert {
        value for key, value in mine.items() if _has_half_complex(key) and "128" not in key.replace("0complex128", "")
    } == {"complex64"}
