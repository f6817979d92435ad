"""The catalogue of operations: it is current, complete, and every call that it describes is one that our engine and
PyTorch (where installed) take."""

from __future__ import annotations

import functools
import importlib.util
import warnings
from types import SimpleNamespace
from typing import Any

import pytest

import gradviz.torch as ours
from gradviz.document.catalogue import FILE, catalogue, outputs
from gradviz.engine import catalogue as maker
from gradviz.engine import catalogue_tables as tables
from gradviz.engine import catalogue_words as words
from gradviz.engine.reference import entries
from tests.engine.catalogue_calls import run, sample, variants, written

TORCHES: list[Any] = [ours]
if importlib.util.find_spec("torch") is not None:
    TORCHES.append(importlib.import_module("torch"))
KINDS = "int float bool number dim dims ints shape choice dtype text numbers index".split()


def resolved(torch: Any, name: str) -> Any:
    """What a key or an alias names."""
    path = name.split(".")
    return functools.reduce(getattr, path, torch)


def test_the_file_is_what_the_engine_says() -> None:
    assert FILE.read_text(encoding="utf-8") == maker.text(), "run python -m gradviz.engine.catalogue"


@pytest.mark.parametrize("key", list(catalogue()))
def test_every_entry_can_be_called(key: str) -> None:
    entry = catalogue()[key]
    for torch in TORCHES:
        for operation, all_ports in variants(entry):
            text = written(entry, operation, all_ports=all_ports)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = run(torch, text)
            several = len(found) if isinstance(found, tuple | list) else 1
            assert several == len(outputs(entry, operation)), text
            assert isinstance(found[0] if isinstance(found, tuple | list) else found, torch.Tensor), text


@pytest.mark.parametrize("torch", TORCHES)
def test_which_operations_give_memory_of_their_operands(torch: Any) -> None:
    """Drawings rely on it: what is not said to share memory is new, and only in-place methods change an operand."""
    made: list[Any] = []

    def kept(function: Any) -> Any:
        return lambda *args, **words: made.append(function(*args, **words)) or made[-1]

    space = SimpleNamespace(**{name: getattr(torch, name) for name in dir(torch) if not name.startswith("_")})
    for name in ("tensor", "rand", "randn", "ones", "zeros", "eye", "arange"):
        setattr(space, name, kept(getattr(torch, name)))
    sharing, changing = set(), set()
    for entry in catalogue().values():
        for operation, all_ports in variants(entry):
            made.clear()
            text = written(entry, operation, all_ports=all_ports)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = run(space, text)
            results = found if isinstance(found, tuple | list) else [found]
            memory = {operand.data_ptr() for operand in made}
            if any(one._base is operand for one in results for operand in made) or any(
                one.data_ptr() in memory for one in results if one.numel()
            ):
                sharing.add(entry.key)
            if any(operand._version for operand in made):
                changing.add(entry.key)
    assert [key for key in sharing if not catalogue()[key].shares] == []
    assert changing - {"nn.functional.batch_norm", "nn.functional.instance_norm"} == {
        key for key, entry in catalogue().items() if entry.in_place
    }


@pytest.mark.parametrize("torch", TORCHES)
def test_keys_and_aliases_are_names_of_torch(torch: Any) -> None:
    seen: dict[str, str] = {}
    for key, entry in catalogue().items():
        for name in (key, *entry.aliases):
            resolved(torch, name)
            assert seen.setdefault(name, key) == key, f"{name} is {key} and {seen[name]}"


@pytest.mark.parametrize("torch", TORCHES)
def test_what_is_called_by_another_name_takes_the_same_arguments(torch: Any) -> None:
    for entry in catalogue().values():
        for alias in entry.aliases:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = run(torch, written(entry, sample(entry), name=alias))
            assert isinstance(found[0] if isinstance(found, tuple | list) else found, torch.Tensor), alias


def test_every_public_operation_of_the_engine_is_there() -> None:
    known = {name for key, entry in catalogue().items() for name in (key, *entry.aliases)}
    left_out = {name.replace("F.", "nn.functional.") if name.startswith("F.") else name for name in tables.LEFT_OUT}
    missing = []
    for row in entries():
        calls = {call.removeprefix("torch.") for call in row.calls if not call.endswith("_")} - left_out
        hidden = row.name.endswith("_copy") or row.name.startswith(tables.LEFT_OUT_BEGINNINGS)
        if calls and not hidden and row.name not in left_out and not known & calls:
            missing.append(row.name)
    assert not missing


def test_entries_are_whole() -> None:
    for key, entry in catalogue().items():
        names = [port.name for port in entry.ports] + [param.name for param in entry.params]
        assert sorted(names) == sorted(entry.order) and len(set(names)) == len(names), key
        assert entry.category in words.CATEGORIES, key
        assert 0 < len(entry.symbol) <= 11, (key, entry.symbol)
        assert entry.brief, key
        assert entry.ports and not any(port.variadic for port in entry.ports[:-1]), key
        for param in entry.params:
            assert param.kind in KINDS, (key, param)
            assert (param.kind == "choice") <= bool(param.choices), (key, param)
            assert param.default in (None, *param.choices) or param.kind != "choice", (key, param)
        assert all(entry.param(name) is not None for name, _ in entry.more), key


def test_no_table_names_what_is_not_there() -> None:
    full = {name.replace("nn.functional.", "F.") for name in catalogue()}
    known = full | {f"Tensor.{name}" for name in tables.TENSOR_ONLY}
    named = [
        *tables.OTHER_NAMES,
        *tables.OPERATORS,
        *tables.METHODS,
        *tables.NUMBERS,
        *tables.EXPLICIT,
        *tables.OUTPUTS,
        *tables.SHARES,
    ]
    named += [
        *words.WORDS,
        *words.USED,
        *words.SHOWN,
        *(key for keys in words.OF_CATEGORY.values() for key in keys.split()),
    ]
    assert [name for name in named if name not in known] == []
    for key, ports in tables.NUMBERS.items():
        entry = catalogue()[key.replace("F.", "nn.functional.", 1) if key.startswith("F.") else key]
        assert set(ports.split()) <= {port.name for port in entry.ports}, key
