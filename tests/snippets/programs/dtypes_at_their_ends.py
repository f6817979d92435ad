"""Reductions, quotients, searches and fills in every element type: what comes out, and what is refused."""

import torch


def show(text):
    try:
        found = eval(text, {"torch": torch, "inf": float("inf"), "nan": float("nan")})
        kind = f"{found.dtype} {tuple(found.shape)}" if isinstance(found, torch.Tensor) else type(found).__name__
        print(text, "->", kind, found)
    except Exception as error:
        print(text, "->", type(error).__name__, error)


NAMES = "bool uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64 complex64".split()
for name in NAMES:
    made = f"torch.tensor([3, 0, 2], dtype=torch.{name})"
    for wanted in ("bool", "uint8", "int32", "float64"):
        show(f"{made}.sum(dtype=torch.{wanted})")
        show(f"{made}.cumsum(0, dtype=torch.{wanted})")
        show(f"{made}.prod(dtype=torch.{wanted})")
    show(
        f"torch.div(torch.tensor([7, -7, 5], dtype=torch.{name.replace('uint8', 'int64')}), {made}, rounding_mode='trunc')"
    )
    show(f"torch.div({made}, torch.tensor([2, -2, 3]), rounding_mode='trunc')")
    show(f"torch.bucketize({made}, torch.tensor([1.0, 2.5]))")
    show(f"torch.searchsorted(torch.tensor([1, 2]), {made})")
    show(f"torch.isin({made}, torch.tensor([2]))")
    show(f"torch.linalg.vecdot({made}, torch.tensor([1.0, 2.0, 3.0]))")
    show(f"torch.threshold({made}, 1, 7)")
    show(f"torch.threshold({made}, 1, 1e10)")
    show(f"{made}.index_fill(0, torch.tensor([0]), -1)")
    show(f"{made}.index_fill(0, torch.tensor([0]), 1e10)")
    show(f"torch.nn.functional.pad({made}, (1, 1), value=-2.5)")
    show(f"{made}.fill_(1j)")
    show(f"{made}.topk(1)")
    show(f"{made}.kthvalue(1)")
    show(f"+{made}")
    show(f"torch.clamp({made}, max=torch.tensor([1j, 2, 3]))")
    show(f"torch.clamp({made}, torch.tensor([1j, 2, 3]))")
    show(f"torch.sum(torch.tensor([3.25, inf, 1.5]), 0, out=torch.empty((), dtype=torch.{name}))")
for text in """
torch.tensor([inf, 0.0, 2.0]).norm()
torch.dist(torch.tensor([inf, 1.0]), torch.tensor([0.0, 1.0]))
torch.dist(torch.zeros(2), torch.zeros(3))
torch.nn.functional.normalize(torch.tensor([inf, 0.0, 2.0]), dim=0)
torch.unique(torch.tensor([nan, 1.0, nan]), return_inverse=True, return_counts=True)
torch.tensor([7.0, inf, -inf, nan], dtype=torch.bfloat16).nan_to_num()
torch.complex(torch.tensor([-2.5, nan]), torch.tensor([inf, 1.0]))
torch.tensor([0j, 1 + 2j]) ** -1
torch.tensor([0j, 1 + 2j]) ** -2
0 ** torch.tensor([0j, -1 - 2j])
torch.poisson(torch.tensor([nan, 1.0]))
torch.einsum('i,j->ij', torch.zeros(3), torch.tensor(1.0))
torch.cdist(torch.zeros(3, dtype=torch.int64), torch.zeros(2, 3))
torch.take_along_dim(torch.zeros(2, 2), torch.zeros(2), 0)
torch.take_along_dim(torch.zeros(2, 2), torch.zeros(2, 2).int(), 0)
torch.cross(torch.tensor(1.0), torch.tensor(1.0), dim=0)
torch.bucketize(torch.tensor([2.0, nan]), torch.tensor([3.0, 1.0, 2.0]))
""".strip().splitlines():
    show(text)
for name in ("float32", "int64", "complex64"):
    for sign in ("&=", "|=", "//=", "%="):
        x = torch.tensor(3, dtype=getattr(torch, name))
        try:
            exec(f"x {sign} torch.tensor([2.0, 0.5])", {"x": x, "torch": torch})
        except Exception as error:
            print(name, sign, type(error).__name__, error)
