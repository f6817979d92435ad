"""What views are said to come from after their memory was written to, how they lie, and which writes are refused."""

import torch


def tell(name, x):
    made = (
        None
        if x.grad_fn is None
        else (x.grad_fn.name(), [node and node.name() for node, _ in x.grad_fn.next_functions])
    )
    print(name, tuple(x.shape), x.stride(), x.requires_grad, x.is_leaf, made)


def show(call):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, error)


# a leaf that is itself a view: after a write, its views are views of the base, which requires no grad
x = torch.linspace(-1, 1, 8).view(2, 4).requires_grad_()
first = x[0]
tell("first", first)
with torch.no_grad():
    x.mul_(2)
tell("first, written", first)
for write in (lambda: x.t_(), lambda: x.as_strided_((2,), (1,)), lambda: x.add_(1), lambda: x.unsqueeze_(0)):
    show(write)

# what is made of a view that was made without grad mode
leaf = torch.ones(2, 3, requires_grad=True)
with torch.no_grad():
    turned = leaf.t()
tell("turned", turned)
for name, made in (
    ("back", turned.t()),
    ("twice", turned * 2),
    ("tiled", turned.tile(2)),
    ("sorted", turned.sort(-1).values),
):
    tell(name, made)

# a slice of one row of an expanded tensor can be written to
wide = torch.zeros(1, 3).expand(2, 3)
wide[1:] = 5
print(wide)
show(lambda: wide.add_(1))
same = torch.arange(3.0)
same[None] = same
print(same, same._version)

# strides of a new dimension
matrix = torch.ones(3, 4).t()
for name, made in (
    ("last", matrix.unsqueeze(-1)),
    ("first", matrix.unsqueeze(0)),
    ("middle", matrix[:, None]),
    ("none", matrix[..., None]),
    ("atleast", torch.atleast_3d(matrix)),
):
    tell(name, made)

# nodes of filling, of a number and of a tensor
total = leaf.sum()
for name, value in (("number", 2.0), ("tensor", torch.tensor(2.0)), ("sum", total)):
    filled = leaf * 1
    filled.fill_(value)
    tell(name, filled)

# whose words say that an index is not there
block = torch.zeros(2, 3, 4)
for wrong in (
    lambda: block[..., 5],
    lambda: block[None, 5],
    lambda: block[0, ..., 9],
    lambda: block[True, 9],
    lambda: torch.tensor(1.0)[-1],
    lambda: torch.tensor(1.0)[0],
    lambda: block.select(-1, 7),
    lambda: leaf.index_copy_(0, torch.tensor([0]), torch.ones(2, 3)),
    lambda: leaf.index_add_(0, torch.tensor([0]), torch.ones(2, 3)),
):
    show(wrong)
rows = torch.zeros(4)
try:
    rows[torch.tensor([0, 0])] = torch.ones(1, 3)
except RuntimeError as error:
    print(error)
number = torch.tensor(1.0)
print(number.mT, number.mH)
hooked = torch.ones(2, requires_grad=True)
print(hooked._backward_hooks)
hooked.register_hook(print)
print(len(hooked._backward_hooks))
