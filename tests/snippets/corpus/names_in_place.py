import torch

torch.manual_seed(0)


def tried(name, make, *args, **kwargs):
    x = make()
    leaf = x.clone().requires_grad_() if x.is_floating_point() else None
    try:
        out = getattr(x, name)(*args, **kwargs)
        print(name, x, out is x, x._version)
    except Exception as error:
        print(name, type(error).__name__, str(error).split("\n")[0])
        return
    if name in ("floor_divide_", "heaviside_", "nextafter_") or name.endswith(
        ("asinh_", "acosh_", "atanh_", "sinh_", "cosh_", "tanh_")
    ):
        return  # tracked in place, PyTorch has other words or none
    if leaf is not None and x.shape == leaf.shape:
        y = leaf * 1
        try:
            getattr(y, name)(*args, **kwargs)
            print("  ", type(y.grad_fn).__name__)
            if y.requires_grad:
                y.sum().backward()
                print("  ", leaf.grad)
        except Exception as error:
            print("  ", type(error).__name__, str(error).split("\n")[0])


def unit():
    return torch.tensor([0.25, -0.5, 0.75])


def above():
    return torch.tensor([1.25, 2.5, 3.75])


for name in """absolute_ acos_ arccos_ arcsin_ arcsinh_ arctan_ arctanh_ asin_ asinh_ atan_ atanh_ ceil_ cos_ cosh_ deg2rad_ erf_
    erfc_ erfinv_ exp2_ expm1_ fix_ floor_ frac_ negative_ rad2deg_ reciprocal_ round_ sgn_ sign_ sin_ sinc_ sinh_ tan_ trunc_
    conj_physical_ i0_ square_ sigmoid_ tanh_ logit_ nan_to_num_ exp_ abs_ neg_ relu_""".split():
    tried(name, unit)
for name in "acosh_ arccosh_ digamma_ lgamma_ log10_ log1p_ log2_ log_ rsqrt_ sqrt_".split():
    tried(name, above)
tried("mvlgamma_", above, 2)
tried("clamp_max_", unit, 0.5)
tried("clamp_min_", unit, 0.0)
tried("clip_", unit, -0.3, 0.3)
other = torch.tensor([0.5, 0.5, 2.0])
for name in """addcdiv_ addcmul_""".split():
    tried(name, unit, other, torch.tensor([1.0, 2.0, 4.0]), value=0.5)
for name in """arctan2_ atan2_ copysign_ divide_ true_divide_ floor_divide_ fmod_ remainder_ hypot_ xlogy_ heaviside_ eq_ ge_ gt_ le_
    lt_ ne_ less_ less_equal_ greater_ greater_equal_ not_equal_ logical_and_ logical_or_ logical_xor_ subtract_ multiply_
    nextafter_ float_power_""".split():
    tried(name, above, other)
tried("igamma_", above, other)
tried("igammac_", above, other)
tried("renorm_", lambda: torch.tensor([[3.0, 4.0], [0.3, 0.4]]), 2, 0, 1.0)
tried("index_copy_", above, 0, torch.tensor([0, 2]), torch.tensor([7.0, 8.0]))
tried("index_fill_", above, 0, torch.tensor([1]), 5.0)
tried("masked_scatter_", above, torch.tensor([True, False, True]), torch.tensor([7.0, 8.0, 9.0]))
tried("put_", above, torch.tensor([0, 2]), torch.tensor([7.0, 8.0]))
tried("scatter_add_", above, 0, torch.tensor([0, 0, 2]), torch.tensor([1.0, 2.0, 3.0]))
tried("transpose_", lambda: torch.arange(6.0).reshape(2, 3), 0, 1)
tried("as_strided_", lambda: torch.arange(6.0), (2, 2), (3, 1))


def whole():
    return torch.tensor([12, 7, 5])


for (
    name
) in "bitwise_and_ bitwise_or_ bitwise_xor_ bitwise_left_shift_ bitwise_right_shift_ gcd_ lcm_ floor_divide_".split():
    tried(name, whole, torch.tensor([2, 3, 1]))
tried("bitwise_not_", whole)
tried("logical_not_", whole)
x = torch.tensor([1.0, 2.0])
print(x.apply_(lambda each: each * 10))
for name in """sin_ cos_ tan_ sinh_ cosh_ asin_ acos_ atan_ asinh_ atanh_ arcsin_ arccos_ arctan_ arcsinh_ arctanh_ ceil_ floor_ round_
    trunc_ fix_ frac_ deg2rad_ rad2deg_ erf_ erfc_ exp2_ expm1_ reciprocal_ negative_ sinc_ i0_ selu_ celu_ rrelu_""".split():
    x = unit()
    out = getattr(torch, name)(x)
    print("torch", name, x, out is x)
for name in "acosh_ arccosh_ log10_ log1p_ log2_ log_ rsqrt_".split():
    x = above()
    getattr(torch, name)(x)
    print("torch", name, x)
print(torch.clamp_max_(unit(), 0.5), torch.clamp_min_(unit(), 0.0), torch.clip_(unit(), -0.3, 0.3))
print(torch.threshold_(unit(), 0.3, 9.0), torch.xlogy_(above(), other), torch.dropout_(unit(), 0.0, True))
F = torch.nn.functional
for name in "celu_ elu_ hardtanh_ leaky_relu_ selu_ rrelu_".split():
    x = unit()
    print("F", name, getattr(F, name)(x), x)
print(F.threshold_(unit(), 0.3, 9.0))
