"""Layers and losses of `torch.nn` on small inputs, as data: how one is made, and what it is given."""

from __future__ import annotations

from typing import Any

LAYERS: list[tuple[str, str]] = [
    ("nn.Linear(3, 4)", "torch.randn(5, 3)"),
    ("nn.Linear(3, 4, bias=False)", "torch.randn(2, 5, 3)"),
    ("nn.Linear(40, 30)", "torch.randn(40)"),
    ("nn.Linear(3, 2, dtype=torch.float64)", "torch.randn(5, 3, dtype=torch.float64)"),
    ("nn.Bilinear(2, 3, 4)", "torch.randn(5, 2), torch.randn(5, 3)"),
    ("nn.Identity(54, unused=1)", "torch.randn(3)"),
    ("nn.ReLU()", "torch.randn(4, 3)"),
    ("nn.ReLU6()", "torch.randn(4, 3) * 8"),
    ("nn.Sigmoid()", "torch.randn(4, 3)"),
    ("nn.Tanh()", "torch.randn(4, 3)"),
    ("nn.Softmax(dim=1)", "torch.randn(4, 3)"),
    ("nn.Softmax(dim=-1)", "torch.randn(2, 4, 3)"),
    ("nn.Softmin(dim=0)", "torch.randn(4, 3)"),
    ("nn.LogSoftmax(dim=1)", "torch.randn(4, 3)"),
    ("nn.LeakyReLU()", "torch.randn(4, 3)"),
    ("nn.LeakyReLU(0.2)", "torch.randn(4, 3)"),
    ("nn.ELU()", "torch.randn(4, 3)"),
    ("nn.ELU(alpha=0.5)", "torch.randn(4, 3)"),
    ("nn.CELU(0.7)", "torch.randn(4, 3)"),
    ("nn.SELU()", "torch.randn(4, 3)"),
    ("nn.GELU()", "torch.randn(4, 3)"),
    ("nn.GELU(approximate='tanh')", "torch.randn(4, 3)"),
    ("nn.SiLU()", "torch.randn(4, 3)"),
    ("nn.Mish()", "torch.randn(4, 3)"),
    ("nn.Softplus()", "torch.randn(4, 3) * 10"),
    ("nn.Softplus(beta=2, threshold=3)", "torch.randn(4, 3)"),
    ("nn.Softsign()", "torch.randn(4, 3)"),
    ("nn.Tanhshrink()", "torch.randn(4, 3)"),
    ("nn.LogSigmoid()", "torch.randn(4, 3)"),
    ("nn.Hardtanh()", "torch.randn(4, 3)"),
    ("nn.Hardtanh(-2, 0.5)", "torch.randn(4, 3)"),
    ("nn.Hardsigmoid()", "torch.randn(4, 3) * 4"),
    ("nn.Hardswish()", "torch.randn(4, 3) * 4"),
    ("nn.Softshrink()", "torch.randn(4, 3)"),
    ("nn.Hardshrink(0.3)", "torch.randn(4, 3)"),
    ("nn.Threshold(0.1, 20)", "torch.randn(4, 3)"),
    ("nn.PReLU()", "torch.randn(4, 3)"),
    ("nn.PReLU(3)", "torch.randn(4, 3)"),
    ("nn.GLU()", "torch.randn(4, 6)"),
    ("nn.Dropout(0.3)", "torch.randn(4, 5)"),
    ("nn.Dropout(0.3).eval()", "torch.randn(4, 5)"),
    ("nn.Dropout(0.0)", "torch.randn(4, 5)"),
    ("nn.Dropout(1.0)", "torch.randn(4, 5)"),
    ("nn.Dropout2d(0.5)", "torch.randn(3, 4, 2, 2)"),
    ("nn.Flatten()", "torch.randn(2, 3, 4)"),
    ("nn.Flatten(0, 1)", "torch.randn(2, 3, 4)"),
    ("nn.Unflatten(1, (2, 3))", "torch.randn(2, 6)"),
    ("nn.Conv1d(2, 3, 3)", "torch.randn(2, 2, 8)"),
    ("nn.Conv2d(1, 2, 3)", "torch.randn(2, 1, 6, 6)"),
    ("nn.Conv2d(2, 4, 3, stride=2, padding=1, bias=False)", "torch.randn(2, 2, 7, 7)"),
    ("nn.Conv2d(2, 4, (3, 2), padding=(1, 0), groups=2)", "torch.randn(1, 2, 5, 5)"),
    ("nn.Conv2d(1, 1, 3, padding='same')", "torch.randn(1, 1, 4, 4)"),
    ("nn.Conv2d(1, 1, 3, padding=1, padding_mode='reflect', dilation=1)", "torch.randn(1, 1, 4, 4)"),
    ("nn.Conv2d(1, 1, 2, dilation=2)", "torch.randn(1, 1, 5, 5)"),
    ("nn.Conv2d(3, 2, 2)", "torch.randn(3, 4, 4)"),
    ("nn.ConvTranspose2d(2, 3, 3, stride=2, padding=1, output_padding=1)", "torch.randn(1, 2, 3, 3)"),
    ("nn.MaxPool1d(2)", "torch.randn(2, 3, 6)"),
    ("nn.MaxPool2d(2)", "torch.randn(2, 1, 4, 4)"),
    ("nn.MaxPool2d(3, stride=2, padding=1)", "torch.randn(2, 1, 5, 5)"),
    ("nn.MaxPool2d(2, ceil_mode=True)", "torch.randn(1, 1, 5, 5)"),
    ("nn.AvgPool1d(2)", "torch.randn(2, 3, 6)"),
    ("nn.AvgPool2d(2)", "torch.randn(2, 1, 4, 4)"),
    ("nn.AvgPool2d(3, stride=1, padding=1, count_include_pad=False)", "torch.randn(1, 1, 4, 4)"),
    ("nn.AdaptiveAvgPool2d(1)", "torch.randn(2, 3, 4, 4)"),
    ("nn.AdaptiveAvgPool2d((2, 3))", "torch.randn(2, 3, 4, 5)"),
    ("nn.AdaptiveAvgPool1d(2)", "torch.randn(2, 3, 5)"),
    ("nn.AdaptiveMaxPool2d(2)", "torch.randn(2, 3, 4, 4)"),
    ("nn.BatchNorm1d(3)", "torch.randn(5, 3)"),
    ("nn.BatchNorm1d(3)", "torch.randn(5, 3, 4)"),
    ("nn.BatchNorm1d(3).eval()", "torch.randn(5, 3)"),
    ("nn.BatchNorm1d(3, momentum=None)", "torch.randn(5, 3)"),
    ("nn.BatchNorm1d(3, affine=False, track_running_stats=False)", "torch.randn(5, 3)"),
    ("nn.BatchNorm2d(2)", "torch.randn(3, 2, 2, 2)"),
    ("nn.LayerNorm(4)", "torch.randn(3, 4)"),
    ("nn.LayerNorm((2, 3), elementwise_affine=False)", "torch.randn(4, 2, 3)"),
    ("nn.GroupNorm(2, 4)", "torch.randn(3, 4, 2)"),
    ("nn.InstanceNorm2d(2)", "torch.randn(3, 2, 3, 3)"),
    ("nn.RMSNorm(4)", "torch.randn(3, 4)"),
    ("nn.Embedding(6, 3)", "torch.tensor([[1, 2], [5, 1]])"),
    ("nn.Embedding(6, 3, padding_idx=1)", "torch.tensor([1, 2, 1])"),
    ("nn.CosineSimilarity(dim=1)", "torch.randn(3, 4), torch.randn(3, 4)"),
    ("nn.PairwiseDistance()", "torch.randn(3, 4), torch.randn(3, 4)"),
    ("nn.L1Loss()", "torch.randn(3, 4), torch.randn(3, 4)"),
    ("nn.MSELoss()", "torch.randn(3, 4), torch.randn(3, 4)"),
    ("nn.MSELoss(reduction='sum')", "torch.randn(3, 4), torch.randn(3, 4)"),
    ("nn.MSELoss(reduction='none')", "torch.randn(3, 4), torch.randn(3, 4)"),
    ("nn.SmoothL1Loss(beta=0.5)", "torch.randn(3, 4), torch.randn(3, 4)"),
    ("nn.HuberLoss(delta=0.7)", "torch.randn(3, 4), torch.randn(3, 4)"),
    ("nn.CrossEntropyLoss()", "torch.randn(3, 4), torch.tensor([0, 3, 1])"),
    ("nn.CrossEntropyLoss(weight=torch.tensor([1., 2., 3., 4.]))", "torch.randn(3, 4), torch.tensor([0, 3, 1])"),
    ("nn.CrossEntropyLoss(label_smoothing=0.1)", "torch.randn(3, 4), torch.tensor([0, 3, 1])"),
    ("nn.CrossEntropyLoss(ignore_index=3, reduction='sum')", "torch.randn(3, 4), torch.tensor([0, 3, 1])"),
    ("nn.CrossEntropyLoss()", "torch.randn(3, 4), torch.softmax(torch.randn(3, 4), 1)"),
    ("nn.CrossEntropyLoss()", "torch.randn(2, 4, 3), torch.tensor([[0, 3, 1], [1, 1, 2]])"),
    ("nn.NLLLoss()", "torch.log_softmax(torch.randn(3, 4), 1), torch.tensor([0, 3, 1])"),
    ("nn.BCELoss()", "torch.rand(3, 2), torch.tensor([[0., 1.], [1., 1.], [0., 0.]])"),
    ("nn.BCEWithLogitsLoss()", "torch.randn(3, 2), torch.tensor([[0., 1.], [1., 1.], [0., 0.]])"),
    ("nn.BCEWithLogitsLoss(pos_weight=torch.tensor([2., 3.]))", "torch.randn(3, 2), torch.ones(3, 2)"),
    (
        "nn.KLDivLoss(reduction='batchmean')",
        "torch.log_softmax(torch.randn(3, 4), 1), torch.softmax(torch.randn(3, 4), 1)",
    ),
    ("nn.KLDivLoss(reduction='sum', log_target=True)", "torch.log_softmax(torch.randn(3, 4), 1), -torch.rand(3, 4)"),
    ("nn.SoftMarginLoss()", "torch.randn(3), torch.tensor([1., -1., 1.])"),
    ("nn.HingeEmbeddingLoss()", "torch.randn(3), torch.tensor([1., -1., 1.])"),
    ("nn.MarginRankingLoss(0.1)", "torch.randn(3), torch.randn(3), torch.tensor([1., -1., 1.])"),
    ("nn.CosineEmbeddingLoss()", "torch.randn(2, 3), torch.randn(2, 3), torch.tensor([1., -1.])"),
    ("nn.TripletMarginLoss()", "torch.randn(3, 4), torch.randn(3, 4), torch.randn(3, 4)"),
    ("nn.PoissonNLLLoss()", "torch.randn(3), torch.rand(3)"),
    ("nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))", "torch.randn(5, 3)"),
    (
        "nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(8, 3))",
        "torch.randn(2, 1, 6, 6)",
    ),
    ("nn.RReLU()", "torch.randn(4, 3)"),
    ("nn.Softmax2d()", "torch.randn(1, 3, 2, 2)"),
    ("nn.Unfold(2, padding=1)", "torch.randn(1, 2, 3, 3)"),
    ("nn.Fold((3, 3), 2)", "torch.randn(1, 8, 4)"),
    ("nn.PixelUnshuffle(2)", "torch.randn(1, 1, 4, 4)"),
    ("nn.ChannelShuffle(2)", "torch.randn(1, 4, 2, 2)"),
    ("nn.UpsamplingNearest2d(scale_factor=2)", "torch.randn(1, 1, 2, 2)"),
    ("nn.UpsamplingBilinear2d(size=5)", "torch.randn(1, 1, 2, 2)"),
    ("nn.ReflectionPad3d(1)", "torch.randn(1, 1, 2, 2, 2)"),
    ("nn.ReplicationPad3d((1, 0, 1, 0, 1, 0))", "torch.randn(1, 1, 2, 2, 2)"),
    ("nn.CircularPad1d((1, 2))", "torch.randn(1, 2, 4)"),
    ("nn.CircularPad2d(1)", "torch.randn(1, 1, 3, 3)"),
    ("nn.CircularPad3d(1)", "torch.randn(1, 1, 2, 2, 2)"),
    ("nn.ConstantPad3d(1, 2.5)", "torch.randn(1, 1, 1, 2, 2)"),
    ("nn.ZeroPad3d(1)", "torch.randn(1, 1, 1, 2, 2)"),
    ("nn.LPPool1d(2, 2)", "torch.randn(1, 2, 4)"),
    ("nn.LPPool2d(3, 2, stride=1)", "torch.rand(1, 1, 3, 3)"),
    ("nn.LPPool3d(2, 2)", "torch.randn(1, 1, 2, 2, 2)"),
    ("nn.MaxUnpool1d(2)", "torch.randn(1, 1, 2), torch.tensor([[[1, 2]]])"),
    ("nn.MaxUnpool2d(2)", "torch.randn(1, 1, 1, 2), torch.tensor([[[[1, 6]]]])"),
    ("nn.MaxUnpool3d(2)", "torch.randn(1, 1, 1, 1, 1), torch.tensor([[[[[5]]]]])"),
    ("nn.AdaptiveAvgPool3d((1, 2, None))", "torch.randn(1, 1, 2, 3, 2)"),
    ("nn.LocalResponseNorm(3, alpha=0.1)", "torch.randn(1, 4, 2)"),
    ("nn.EmbeddingBag(5, 3)", "torch.tensor([[0, 2], [4, 2]])"),
    ('nn.EmbeddingBag(5, 3, mode="sum", padding_idx=2)', "torch.tensor([0, 2, 4, 2]), torch.tensor([0, 3])"),
    ("nn.GaussianNLLLoss(full=True)", "torch.randn(2, 3), torch.randn(2, 3), torch.rand(2, 3)"),
    ("nn.MultiMarginLoss(p=2)", "torch.randn(2, 3), torch.tensor([2, 0])"),
    ("nn.MultiLabelMarginLoss()", "torch.randn(2, 3), torch.tensor([[1, -1, 0], [0, 1, 2]])"),
    (
        "nn.CTCLoss()",
        "torch.randn(4, 1, 3).log_softmax(2), torch.tensor([[1, 2]]), torch.tensor([4]), torch.tensor([2])",
    ),
    ("nn.MultiLabelSoftMarginLoss()", "torch.randn(2, 3), torch.ones(2, 3)"),
    ("nn.TripletMarginWithDistanceLoss(swap=True)", "torch.randn(2, 3), torch.randn(2, 3), torch.randn(2, 3)"),
    ("nn.TransformerEncoderLayer(4, 2, 8)", "torch.randn(3, 2, 4)"),
    (
        'nn.TransformerEncoderLayer(4, 2, 8, 0.0, "gelu", batch_first=True, norm_first=True)',
        "torch.randn(2, 3, 4), torch.ones(3, 3).triu(1).bool()",
    ),
    (
        "nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 8, 0.0, batch_first=True), 2, nn.LayerNorm(4))",
        "torch.randn(2, 3, 4), None, torch.tensor([[False, False, True], [False, False, False]])",
    ),
    ("nn.TransformerDecoderLayer(4, 2, 8, 0.0)", "torch.randn(3, 2, 4), torch.randn(5, 2, 4)"),
    (
        "nn.TransformerDecoder(nn.TransformerDecoderLayer(4, 2, 8, 0.0, norm_first=True), 2, nn.LayerNorm(4))",
        "torch.randn(3, 2, 4), torch.randn(5, 2, 4), nn.Transformer.generate_square_subsequent_mask(3)",
    ),
    ("nn.Transformer(4, 2, 1, 1, 8)", "torch.randn(3, 2, 4), torch.randn(5, 2, 4)"),
    (
        "nn.Transformer(4, 2, 1, 1, 8, 0.0, batch_first=True)",
        "torch.randn(2, 3, 4), torch.randn(2, 5, 4), None, nn.Transformer.generate_square_subsequent_mask(5)",
    ),
    (
        "nn.MultiheadAttention(4, 2, add_bias_kv=True, add_zero_attn=True)",
        "torch.randn(3, 2, 4), torch.randn(5, 2, 4), torch.randn(5, 2, 4), torch.ones(2, 5).tril().bool()",
    ),
    (
        "nn.MultiheadAttention(4, 2, kdim=3, vdim=5, batch_first=True)",
        "torch.randn(2, 3, 4), torch.randn(2, 5, 3), torch.randn(2, 5, 5)",
    ),
    ("nn.MultiheadAttention(4, 2)", "torch.randn(3, 4), torch.randn(5, 4), torch.randn(5, 4)"),
    ("nn.LazyBatchNorm2d()", "torch.randn(2, 3, 2, 2)"),
    ("nn.LazyConvTranspose2d(4, 3, stride=2)", "torch.randn(2, 3, 4, 4)"),
    ("nn.LazyInstanceNorm1d(affine=True)", "torch.randn(2, 3, 4)"),
    ("nn.InstanceNorm3d(3)", "torch.randn(2, 3, 2, 2, 2)"),
    ("nn.InstanceNorm2d(3)", "torch.randn(3, 4, 4)"),
    ("nn.FeatureAlphaDropout(0.5)", "torch.randn(4, 3, 2)"),
    ("nn.AdaptiveMaxPool3d((2, None, 1))", "torch.randn(1, 2, 4, 3, 3)"),
    ("nn.AdaptiveLogSoftmaxWithLoss(4, 10, [2, 5], div_value=2.0)", "torch.randn(3, 4), torch.tensor([1, 3, 7])"),
    ("nn.LinearCrossEntropyLoss(4, 3, bias=True, ignore_index=1)", "torch.randn(3, 4), torch.tensor([0, 1, 2])"),
    ("nn.RMSNorm(3, dtype=torch.bfloat16)", "torch.randn(4, 3).bfloat16()"),
    ("nn.PairwiseDistance()", "torch.tensor([[1, 2]]), torch.tensor([[3, 5]])"),
    ("nn.EmbeddingBag.from_pretrained(torch.arange(6.0).reshape(3, 2))", "torch.tensor([[0, 2], [1, 1]])"),
]

RECURRENT: list[tuple[str, str]] = [
    ("nn.RNN(2, 3)", "torch.randn(4, 2, 2)"),
    ("nn.RNN(2, 3, nonlinearity='relu', num_layers=2)", "torch.randn(4, 2, 2), torch.randn(2, 2, 3)"),
    ("nn.LSTM(2, 3)", "torch.randn(4, 2, 2)"),
    ("nn.LSTM(2, 3, num_layers=2, batch_first=True, bidirectional=True)", "torch.randn(2, 4, 2)"),
    ("nn.LSTM(2, 3, bias=False)", "torch.randn(4, 2)"),
    ("nn.GRU(2, 3, bidirectional=True)", "torch.randn(4, 2, 2)"),
    ("nn.LSTM(2, 4, 2, proj_size=3, bidirectional=True)", "torch.randn(4, 2, 2)"),
    ("nn.GRU(2, 3, 2, batch_first=True, dropout=0.5)", "torch.randn(2, 4, 2), torch.randn(2, 2, 3)"),
    ("nn.RNNCell(2, 3)", "torch.randn(4, 2), torch.randn(4, 3)"),
    ("nn.LSTMCell(2, 3)", "torch.randn(4, 2)"),
    ("nn.GRUCell(2, 3)", "torch.randn(4, 2)"),
]

REPRS = [
    "nn.Transformer(4, 2, 1, 1, 8)",
    "nn.LSTM(2, 4, proj_size=3, num_layers=2, bias=False)",
    "nn.LazyBatchNorm1d()",
    "nn.FractionalMaxPool2d(2, output_size=3)",
    "nn.LazyConv2d(4, 3, padding=1)",
    "nn.ReLU(inplace=True)",
    "nn.LeakyReLU(0.1, True)",
    "nn.Embedding(10, 3, padding_idx=-1, max_norm=1.0, sparse=True)",
    "nn.Sequential()",
    "nn.ModuleList()",
    "nn.ModuleDict({'a': nn.ReLU(), 'b': nn.Linear(1, 1)})",
    "nn.ModuleList([nn.Linear(1, 2), nn.Linear(1, 2), nn.ReLU()])",
    "nn.ModuleList([nn.Sequential(nn.Linear(2, 2), nn.ReLU()) for _ in range(3)])",
    "nn.ParameterList([nn.Parameter(torch.ones(2)), nn.Parameter(torch.ones(2, 3)), 3])",
    "nn.ParameterDict({'w': nn.Parameter(torch.ones(2)), 'n': 3})",
    "nn.Parameter(torch.ones(2))",
    "nn.Parameter(torch.ones(2), requires_grad=False)",
    "nn.Conv2d(2, 2, 3, padding=1, padding_mode='circular', groups=2)",
    "nn.ConvTranspose2d(1, 2, 3, stride=2, output_padding=1)",
    "nn.MaxPool2d(2, return_indices=True)",
    "nn.BatchNorm2d(3, affine=False)",
    "nn.LayerNorm((2, 5), bias=False)",
    "nn.RMSNorm(3)",
    "nn.Softmax()",
    "nn.AlphaDropout()",
    "nn.Sequential(OrderedDict([('fc', nn.Linear(1, 2)), ('act', nn.ReLU())]))",
    "type(nn.Linear(1, 1))",
    "type(nn.Parameter(torch.ones(1)))",
    "type(nn.CrossEntropyLoss())",
    "nn.Sequential(nn.ReLU(), nn.Tanh())[1:]",
    "list(nn.Sequential(nn.Linear(1, 1), nn.BatchNorm1d(1)).state_dict())",
    "nn.Linear(1, 1).training",
]


def layer(torch: Any, made: str, given: str) -> dict[str, Any]:
    """A layer: its text, its parameters, its output and every gradient."""
    names = {"torch": torch, "nn": torch.nn}
    torch.manual_seed(7)
    module = eval(made, names)
    inputs = eval(f"[{given}]", names)
    for each in inputs[: 1 if "Loss" in made else None]:
        if each is not None and each.is_floating_point():
            each.requires_grad_()
    found: dict[str, Any] = {"text": repr(module), "state": dict(module.state_dict())}
    shaped = [] if "Lazy" in made else module.parameters()
    found["initial"] = [param.detach().clone() for param in shaped]
    out = module(*inputs)
    out = out[0] if isinstance(out, tuple) else out
    weights = torch.arange(1.0, out.numel() + 1).reshape(out.shape).to(out.dtype)
    found["out"] = out.detach().clone()
    if out.requires_grad:
        (out * weights).sum().backward()
    found["grads"] = [each.grad for each in inputs if each is not None] + [param.grad for param in module.parameters()]
    found["state"] = dict(module.state_dict())
    found["next"] = torch.rand(2)
    return found


def recurrent(torch: Any, made: str, given: str) -> dict[str, Any]:
    """A recurrent layer: its text, every output and every gradient of their sum."""
    names = {"torch": torch, "nn": torch.nn}
    torch.manual_seed(8)
    module = eval(made, names)
    inputs = [each.requires_grad_() for each in eval(f"[{given}]", names)]
    out = module(*inputs)
    parts = [out] if hasattr(out, "sum") else [p for each in out for p in (each if isinstance(each, tuple) else [each])]
    sum((part * part).sum() for part in parts).backward()
    return {
        "text": repr(module),
        "names": [name for name, _ in module.named_parameters()],
        "initial": list(module.parameters()),
        "out": parts,
        "grads": [each.grad for each in inputs] + [param.grad for param in module.parameters()],
    }
