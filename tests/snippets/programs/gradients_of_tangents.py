"""The gradient of a tangent, and the tangent of a gradient, within the level of forward differentiation: which of them
have a tangent of their own."""

import torch
import torch.autograd.forward_ad as fwAD
import torch.nn.functional as F

w = torch.tensor([0.5, 1.5], requires_grad=True)
t = torch.tensor([1.0, 0.5])
functions = {
    "exp": torch.exp,
    "sin": torch.sin,
    "tanh": torch.tanh,
    "sig": torch.sigmoid,
    "pow3": lambda x: x**3,
    "pow25": lambda x: x**2.5,
    "log": torch.log,
    "sqrt": torch.sqrt,
    "rec": torch.reciprocal,
    "rsqrt": torch.rsqrt,
    "sq": torch.square,
    "gelu": F.gelu,
    "softplus": F.softplus,
    "elu": F.elu,
    "selu": F.selu,
    "prod": torch.prod,
    "cumprod": lambda x: x.cumprod(0),
    "norm": torch.norm,
    "std": torch.std,
    "var": torch.var,
    "mul": lambda x: x * x,
    "div": lambda x: 1 / x,
    "atan": torch.atan,
    "asin": lambda x: torch.asin(x / 2),
    "cosh": torch.cosh,
    "erf": torch.erf,
    "lgamma": torch.lgamma,
    "logsig": F.logsigmoid,
    "expm1": torch.expm1,
    "log1p": torch.log1p,
    "relu": torch.relu,
    "dot": lambda x: x @ x,
    "outer": lambda x: torch.outer(x, x),
    "powt": lambda x: x**x,
    "rpow": lambda x: 2**x,
    "xlogy": lambda x: torch.xlogy(x, x),
    "atan2": lambda x: torch.atan2(x, x + 1),
    "mse": lambda x: F.mse_loss(x, x.flip(0)),
    "clamp": lambda x: x.clamp(0, 1),
    "inv": lambda x: torch.linalg.inv(torch.outer(x, x) + torch.eye(2)),
    "sinc": torch.sinc,
    "digamma": torch.digamma,
    "cumsum": lambda x: x.cumsum(0) ** 2,
    "smoothl1": lambda x: F.smooth_l1_loss(x, x * 2),
    "tan": torch.tan,
    "hypot": lambda x: torch.hypot(x, x),
    "addcmul": lambda x: torch.addcmul(x, x, x),
    "addcdiv": lambda x: torch.addcdiv(x, x, x + 1),
    "lerp": lambda x: torch.lerp(x, x * 2, x),
    "max": lambda x: x.max() ** 2,
    "sort": lambda x: x.sort()[0] ** 2,
    "var0": lambda x: x.var(0, correction=0),
    "bce": lambda x: F.binary_cross_entropy_with_logits(x, x * 0.1),
    "hsw": F.hardswish,
    "bmm": lambda x: torch.bmm(x.view(1, 2, 1), x.view(1, 1, 2)),
    "conv": lambda x: F.conv1d(x.view(1, 1, 2), x.view(1, 1, 2)),
    "lin": lambda x: F.linear(x, torch.outer(x, x)),
}
for name, function in functions.items():
    with fwAD.dual_level():
        y = function(fwAD.make_dual(w, t)).sum()
        (g,) = torch.autograd.grad(fwAD.unpack_dual(y).tangent, w, allow_unused=True, retain_graph=True)
        first = None if g is None else ([round(v, 4) for v in g.tolist()], fwAD.unpack_dual(g).tangent is not None)
        (h,) = torch.autograd.grad(y, w)
        tangent = fwAD.unpack_dual(h).tangent
        print(name, first, None if tangent is None else [round(v, 4) for v in tangent.tolist()])
