"""What a checkpoint computes again, when, and what it refuses."""

import contextlib
import warnings

import torch
from torch.utils.checkpoint import (
    checkpoint,
    checkpoint_sequential,
    set_checkpoint_debug_enabled,
    set_checkpoint_early_stop,
)

warnings.simplefilter("ignore")
calls = []


def tell(name, call):
    try:
        print(name, call())
    except Exception as error:
        print(name, type(error).__name__, error)


def f(x, scale=1.0):
    calls.append("f")
    y = x.sin().exp() * scale
    calls.append("g")
    return y.clone()


x = torch.tensor([0.5, 1.5], requires_grad=True)
for options in ({}, {"early_stop": False}, {"scale": 2.0}):
    calls.clear()
    out = checkpoint(f, x, use_reentrant=False, **options)
    print(out.grad_fn, calls, torch.autograd.grad(out.sum(), x, retain_graph=True)[0], calls)
    print(torch.autograd.grad(out.sum(), x)[0], calls)
calls.clear()
with set_checkpoint_early_stop(False):
    out = checkpoint(f, x, use_reentrant=False)
out.sum().backward()
print(calls, x.grad)
calls.clear()
out = checkpoint(f, x, use_reentrant=True)
print(out.grad_fn, calls)
out.sum().backward()
print(calls, x.grad)
tell("reentrant grad", lambda: torch.autograd.grad(checkpoint(f, x, use_reentrant=True).sum(), x))

out = checkpoint(
    lambda a: checkpoint(lambda b: b.sin().cos(), a.exp(), use_reentrant=False) * a, x, use_reentrant=False
)
(first,) = torch.autograd.grad(out.sum(), x, create_graph=True)
print(first, torch.autograd.grad(first.sum(), x)[0])

for reentrant in (True, False):
    torch.manual_seed(5)
    out = checkpoint(lambda a: torch.nn.functional.dropout(a * a, 0.5), x, use_reentrant=reentrant)
    print(out, torch.rand(1))
    x.grad = None
    out.sum().backward()
    print(x.grad, torch.rand(1))

turns = []


def unsteady(a):
    turns.append(len(turns))
    return a.sin().exp() if len(turns) % 2 else a.sin() * torch.ones(3, 2)


def dwindling(a):
    turns.append(len(turns))
    return a.sin().exp().sin() if len(turns) % 2 else a.sin()


tell("other shapes", lambda: checkpoint(unsteady, x, use_reentrant=False).sum().backward())
turns.clear()
tell("fewer", lambda: checkpoint(dwindling, x, use_reentrant=False).sum().backward())
turns.clear()
tell("unchecked", lambda: checkpoint(unsteady, x, use_reentrant=False, determinism_check="none"))
tell("determinism", lambda: checkpoint(f, x, use_reentrant=False, determinism_check="maybe"))
tell("keywords", lambda: checkpoint(f, x, use_reentrant=True, scale=2.0))
tell("context", lambda: checkpoint(f, x, use_reentrant=True, context_fn=lambda: None))
tell("no gradient", lambda: checkpoint(lambda a: a.detach(), x, use_reentrant=True).sum().backward())
with set_checkpoint_debug_enabled(True):
    tell("debug", lambda: checkpoint(f, x, use_reentrant=False, context_fn=lambda: (contextlib.nullcontext(),) * 2))
layers = [torch.nn.Linear(2, 2) for _ in range(3)]
print(checkpoint_sequential(layers, 2, torch.ones(1, 2), use_reentrant=False).grad_fn)
tell("too many segments", lambda: checkpoint_sequential(layers, 5, x, use_reentrant=False))
tell("sequential keywords", lambda: checkpoint_sequential(layers, 2, x, use_reentrant=False, depth=3))
