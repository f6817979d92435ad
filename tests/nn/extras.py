"""Attention, `torch.func` and `torch.distributions`."""

from __future__ import annotations

from typing import Any

from tests.nn.modules import error


def attention(torch: Any) -> Any:
    """Self and cross attention, masks, unbatched input, separate sizes of keys and values."""
    nn = torch.nn
    torch.manual_seed(1)
    layer = nn.MultiheadAttention(6, 3)
    wide = nn.MultiheadAttention(4, 2, kdim=3, vdim=5, bias=False, batch_first=True)
    x, y = torch.randn(4, 2, 6, requires_grad=True), torch.randn(3, 2, 6)
    found: dict[str, Any] = {"names": [n for n, _ in layer.named_parameters()], "text": [repr(layer), repr(wide)]}
    found["initial"] = [*layer.parameters(), *wide.parameters()]
    out, weights = layer(x, x, x)
    out.sum().backward()
    found["self"] = [out, weights, x.grad, layer.in_proj_weight.grad, type(out.grad_fn).__name__]
    found["cross"] = layer(x, y, y, average_attn_weights=False)
    causal = torch.triu(torch.ones(4, 4, dtype=torch.bool), 1)
    found["masked"] = layer(x, x, x, attn_mask=causal)
    padding = torch.tensor([[False, False, True], [False, True, True]])
    found["padded"] = layer(x, y, y, key_padding_mask=padding)
    found["unbatched"] = layer(x[:, 0], x[:, 0], x[:, 0])
    found["wide"] = wide(torch.randn(2, 3, 4), torch.randn(2, 5, 3), torch.randn(2, 5, 5))
    found["plain"] = layer(x, x, x, need_weights=False)[1] is None
    found["heads"] = error(lambda: nn.MultiheadAttention(5, 2))
    return found


def functions(torch: Any) -> Any:
    """Derivatives of functions."""
    f = torch.func
    x, y = torch.tensor([1.0, 2.0]), torch.tensor([3.0, -1.0])
    out, pull = f.vjp(torch.sin, x)
    net = torch.nn.Linear(2, 1)
    weights = {"weight": torch.ones(1, 2), "bias": torch.zeros(1)}
    return {
        "grad": f.grad(lambda a: (a**3).sum())(x),
        "both": f.grad(lambda a, b: (a * b**2).sum(), argnums=(0, 1))(x, y),
        "second": f.grad(f.grad(torch.sin))(torch.tensor(0.5)),
        "value": f.grad_and_value(lambda a: (a**2).sum())(x),
        "aux": f.grad(lambda a: ((a**2).sum(), a * 3), has_aux=True)(x),
        "vjp": [out, pull(y)],
        "jvp": f.jvp(torch.sin, (x,), (y,)),
        "jacobians": [f.jacrev(lambda a: a**2)(x), f.jacfwd(lambda a: a**2)(x), f.jacrev(torch.outer, argnums=1)(x, y)],
        "hessian": f.hessian(lambda a: (a**3).sum() * a[0])(x),
        "vmap": [
            f.vmap(torch.dot)(torch.ones(3, 2), torch.arange(6.0).reshape(3, 2)),
            f.vmap(f.grad(lambda a: a**2))(x),
        ],
        "call": f.functional_call(net, weights, (x,)),
        "kept": net.weight.requires_grad,
    }


def distributions(torch: Any) -> Any:
    """Samples under a seed, log-probabilities and their gradients."""
    d = torch.distributions
    torch.manual_seed(13)
    found: dict[str, Any] = {}
    made = {
        "normal": d.Normal(torch.tensor([0.0, 2.0]), torch.tensor([1.0, 0.5])),
        "uniform": d.Uniform(torch.tensor([0.0, 1.0]), 3.0),
        "exponential": d.Exponential(torch.tensor([0.5, 2.0])),
        "bernoulli": d.Bernoulli(torch.tensor([0.3, 0.8])),
        "logits": d.Bernoulli(logits=torch.tensor([0.3, -0.8])),
        "categorical": d.Categorical(torch.tensor([[1.0, 2.0, 3.0], [4.0, 1.0, 1.0]])),
        "scores": d.Categorical(logits=torch.tensor([0.1, -0.2, 0.3])),
    }
    for name, each in made.items():
        drawn = [each.sample(), each.sample((3,))]
        found[name] = [*drawn, each.log_prob(drawn[0]), each.entropy(), repr(each)]
    mean, std = torch.tensor(0.5, requires_grad=True), torch.tensor(2.0, requires_grad=True)
    drawn = d.Normal(mean, std).rsample((4,))
    (drawn**2).sum().backward()
    found["rsample"] = [drawn, mean.grad, std.grad]
    found["kl"] = d.kl_divergence(made["normal"], d.Normal(0.0, 1.0))
    found["scale"] = error(lambda: d.Normal(0.0, -1.0))
    found["probs"] = error(lambda: d.Bernoulli(torch.tensor([0.5, 1.5])))
    found["neither"] = error(lambda: d.Categorical())
    return found


def lazy(torch: Any) -> Any:
    """Layers that learn the size of their input."""
    nn = torch.nn
    torch.manual_seed(5)
    net = nn.Sequential(nn.LazyConv2d(4, 3, padding=1), nn.ReLU(), nn.Flatten(), nn.LazyLinear(2))
    before = repr(net)
    out = net(torch.randn(2, 3, 4, 4))
    line = nn.LazyConv1d(2, 3, bias=False)
    return {
        "text": [before, repr(net), repr(nn.LazyConv3d(1, 2))],
        "out": out.detach(),
        "line": line(torch.randn(2, 4)).detach(),
        "types": [type(each).__name__ for each in (net[0], net[3], line)],
    }


def padded_inference(torch: Any) -> Any:
    """An encoder in inference: what was padding comes out as zero, and masks of both kinds."""
    nn = torch.nn
    torch.manual_seed(3)
    encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 8, batch_first=True), 2).eval()
    x = torch.randn(2, 3, 4)
    padding = torch.tensor([[False, False, True], [False, False, False]])
    with torch.no_grad():
        packed = encoder(x, src_key_padding_mask=padding)
        masked = encoder(x, nn.Transformer.generate_square_subsequent_mask(3), padding.float())
    return packed, packed.stride(), masked, encoder(x, src_key_padding_mask=padding)


def packed(torch: Any) -> Any:
    """Packed sequences through recurrent layers, padded again and cut."""
    nn, rnn = torch.nn, torch.nn.utils.rnn
    torch.manual_seed(4)
    found: list[Any] = []
    batch = torch.randn(4, 3, 2, requires_grad=True)
    sequence = rnn.pack_padded_sequence(batch, torch.tensor([2, 4, 1]), enforce_sorted=False)
    found += [sequence, repr(sequence.double().data.dtype)]
    for layer in (
        nn.GRU(2, 3, bidirectional=True),
        nn.RNN(2, 3, 2, dropout=0.5),
        nn.LSTM(2, 3, 2),
        nn.LSTM(2, 4, proj_size=2, bidirectional=True),
    ):
        out, state = layer(sequence)
        padded, lengths = rnn.pad_packed_sequence(out, batch_first=True, padding_value=-1.0, total_length=5)
        (padded * padded).sum().backward(retain_graph=True)
        found += [out, state, padded, padded.stride(), lengths, batch.grad, next(iter(layer.parameters())).grad]
        batch.grad = None
    parts = [torch.arange(float(n)).reshape(n, 1).requires_grad_() for n in (3, 2, 2)]
    whole = rnn.pack_sequence(parts)
    found += [whole, rnn.unpack_sequence(whole), rnn.pad_sequence(parts, True, 9.0, "left")]
    rnn.pad_sequence(parts).pow(2).sum().backward()
    found += [each.grad for each in parts]
    for lengths in ([3], [2, 3], [3, 0], [1, 1, 1, 1]):
        try:
            rnn.pack_padded_sequence(batch[:, : len(lengths) or 1][:3], lengths)
        except RuntimeError as error:
            found.append(str(error))
    return found


PROGRAMS = (attention, functions, distributions, lazy, padded_inference, packed)
