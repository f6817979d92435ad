"""The third part of the table in `op_cases.py`: other forms of layers, losses and activations, and random ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from tests.engine.op_cases import P, Row, X, constant, index, mask, positive, probability, real

IMAGE = real(1, 2, 4, 4)


def _seeded(torch: Any, fn: Callable[..., Any]) -> Callable[..., Any]:
    """The function after `manual_seed(0)`, for what draws random numbers."""

    def run(*inputs: Any) -> Any:
        torch.manual_seed(0)
        return fn(*inputs)

    return run


def _in_place(fn: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x: fn(x * 1, inplace=True)


def in_place_activations(torch: Any) -> Iterator[Row]:
    F = torch.nn.functional
    for name in (
        "relu",
        "leaky_relu",
        "elu",
        "selu",
        "celu",
        "silu",
        "mish",
        "hardtanh",
        "hardswish",
        "relu6",
        "rrelu",
    ):
        yield f"F_{name}_inplace", _in_place(getattr(F, name)), X
    yield "F_threshold_inplace", lambda x: F.threshold(x * 1, 0.1, 20.0, inplace=True), X
    yield "F_celu_alpha_inplace", lambda x: F.celu(x * 1, 0.5, inplace=True), X
    yield "F_celu_alpha", lambda x: F.celu(x, 0.5), X
    yield "F_elu_alpha", lambda x: F.elu(x, 0.5), X
    yield "F_rrelu", F.rrelu, X
    yield "F_rrelu_training", _seeded(torch, lambda x: F.rrelu(x, training=True)), X
    yield "F_prelu_channels", F.prelu, X, real(3)
    yield "F_glu_first", lambda x: F.glu(x, 0), X
    yield "F_softplus_threshold", lambda x: F.softplus(x, 3, 1.0), X
    yield "F_sigmoid", F.sigmoid, X
    yield "F_tanh", F.tanh, X
    yield "F_softmax", lambda x: F.softmax(x, 1), X
    yield "F_gumbel_softmax", _seeded(torch, lambda x: F.gumbel_softmax(x, 0.7)), X
    yield "F_gumbel_softmax_hard", _seeded(torch, lambda x: F.gumbel_softmax(x, hard=True)), X


def drawn(torch: Any) -> Iterator[Row]:
    yield "bernoulli", _seeded(torch, torch.bernoulli), probability(2, 3)
    yield "poisson", _seeded(torch, torch.poisson), P
    yield "poisson_large", _seeded(torch, lambda x: torch.poisson(x * 40)), positive(4, 5)
    yield "binomial", _seeded(torch, lambda n: torch.binomial(n.abs().ceil() * 30, n.abs() / 2)), constant(4, 5)
    yield "normal_mean", _seeded(torch, lambda x: torch.normal(x, 2.0)), X
    yield "normal_std", _seeded(torch, lambda x: torch.normal(1.0, x)), P
    yield "normal_mean_std", _seeded(torch, torch.normal), X, P
    yield "standard_gamma", _seeded(torch, lambda x: torch._standard_gamma(x.abs() + 0.2)), constant(2, 3)


_FILLS: dict[str, tuple[Any, ...]] = {
    "normal_": (),
    "uniform_": (-1.0, 2.0),
    "exponential_": (2.0,),
    "geometric_": (0.4,),
    "cauchy_": (),
    "log_normal_": (),
    "bernoulli_": (0.3,),
    "random_": (),
    "random_to": (7,),
    "random_between": (-5, 5),
}


def filled(torch: Any) -> Iterator[Row]:
    """Drawn in place: the history ends. Sums by weights tell the order in which the elements were drawn."""
    for name, args in _FILLS.items():
        method = "random_" if name.startswith("random_") else name

        def fill(x: Any, method: str = method, args: tuple[Any, ...] = args) -> Any:
            return getattr(x * 1, method)(*args)

        def turned(x: Any, method: str = method, args: tuple[Any, ...] = args) -> Any:
            return getattr((x * 1).permute(2, 0, 1), method)(*args)

        yield f"{name}_drawn", _seeded(torch, fill), X
        if method != "random_":
            yield f"{name}_drawn_turned", _seeded(torch, turned), real(3, 4, 2)
    yield "bernoulli__tensor", _seeded(torch, lambda x, p: (x * 1).bernoulli_(p)), X, probability(2, 3)
    yield "normal__view", _seeded(torch, lambda x: (x * 1)[0].normal_()), X
    yield "rand_like_turned", _seeded(torch, lambda x: x + torch.rand_like(x.transpose(1, 2)).mT), real(2, 3, 4)
    yield "randn_like_turned", _seeded(torch, lambda x: x + torch.randn_like(x.t()).t()), real(5, 6)
    yield "dropout_turned", _seeded(torch, lambda x: torch.nn.functional.dropout(x.transpose(0, 2))), real(2, 3, 4)


def compared_in_place(torch: Any) -> Iterator[Row]:
    for name in ("eq_", "ne_", "lt_", "le_", "gt_", "ge_"):
        yield f"{name}in_place", lambda x, y, name=name: getattr(x * 1, name)(y), X, real(2, 3)
        yield f"{name}number_in_place", lambda x, name=name: getattr(x * 1, name)(0.5), X


def weight_norms(torch: Any) -> Iterator[Row]:
    yield "weight_norm", lambda v, g: torch._weight_norm(v, g, 0), X, positive(2, 1)
    yield "weight_norm_last", lambda v, g: torch._weight_norm(v, g, 1), X, positive(1, 3)
    yield "weight_norm_3d", lambda v, g: torch._weight_norm(v, g, 0), real(2, 3, 2), positive(2, 1, 1)


def dropouts(torch: Any) -> Iterator[Row]:
    F = torch.nn.functional
    yield "dropout", _seeded(torch, F.dropout), X
    yield "dropout_p", _seeded(torch, lambda x: F.dropout(x, 0.2)), real(4, 5)
    yield "dropout_all", lambda x: F.dropout(x, 1.0), X
    yield "dropout_in_place", _seeded(torch, lambda x: F.dropout(x * 1, inplace=True)), X
    yield "dropout1d", _seeded(torch, F.dropout1d), real(2, 3, 2)
    yield "dropout1d_unbatched", _seeded(torch, F.dropout1d), real(3, 2)
    yield "dropout2d", _seeded(torch, F.dropout2d), real(2, 3, 2, 2)
    yield "dropout3d", _seeded(torch, F.dropout3d), real(2, 2, 2, 2, 2)
    yield "alpha_dropout", _seeded(torch, lambda x: F.alpha_dropout(x, training=True)), X
    yield "feature_alpha_dropout", _seeded(torch, lambda x: F.feature_alpha_dropout(x, training=True)), real(2, 3, 2, 2)


def more_layers(torch: Any) -> Iterator[Row]:
    F = torch.nn.functional
    yield "embedding_padding", lambda i, w: F.embedding(i, w, padding_idx=1), index(4, 2, 3), real(4, 3)
    yield "embedding_by_frequency", lambda i, w: F.embedding(i, w, scale_grad_by_freq=True), index(3, 5), real(3, 2)
    yield "embedding_bag", lambda i, w: F.embedding_bag(i, w), index(4, 2, 3), real(4, 3)
    yield "embedding_bag_max", lambda i, w: F.embedding_bag(i, w, mode="max"), index(4, 2, 3), real(4, 3)
    yield (
        "embedding_bag_weights",
        lambda i, w, x: F.embedding_bag(i, w, torch.tensor([0, 2]), mode="sum", per_sample_weights=x),
        index(4, 5),
        real(4, 3),
        real(5),
    )
    yield "layer_norm_2d", lambda x: F.layer_norm(x, (2, 3)), real(2, 2, 3)
    yield "layer_norm_constant", lambda c, w, b: F.layer_norm(c, (3,), w, b), constant(2, 3), real(3), real(3)
    yield "rms_norm", lambda x, w: F.rms_norm(x, (3,), w), X, real(3)
    yield "rms_norm_plain", lambda x: F.rms_norm(x, (3,), eps=0.1), X
    yield "batch_norm_image", lambda x: F.batch_norm(x, None, None, training=True), real(2, 2, 2, 2)
    yield (
        "batch_norm_eval_weight",
        lambda x, c, v, w, b: F.batch_norm(x, c, v.abs() + 1, w, b),
        real(4, 2), constant(2), constant(2), real(2), real(2),
    )  # fmt: skip
    yield (
        "batch_norm_running",
        lambda x, c, v: (F.batch_norm(x, c, v, training=True), c, v),
        real(4, 2),
        constant(2),
        constant(2),
    )
    yield "instance_norm", lambda x, w, b: F.instance_norm(x, weight=w, bias=b), real(2, 2, 4), real(2), real(2)
    yield "group_norm_image", lambda x: F.group_norm(x, 1), real(2, 2, 2, 2)
    yield "local_response_norm", lambda x: F.local_response_norm(x, 2), real(1, 3, 4)
    yield "local_response_norm_image", lambda x: F.local_response_norm(x, 3, 0.1), real(1, 3, 2, 2)
    yield "normalize_p", lambda x: F.normalize(x, p=3.0, dim=0), X
    yield "cosine_similarity_last", lambda x, y: F.cosine_similarity(x, y, dim=-1), real(2, 1, 3), real(2, 3)
    yield "pairwise_distance_p", lambda x, y: F.pairwise_distance(x, y, p=1.0, keepdim=True), X, real(2, 3)
    yield "bilinear_no_bias", lambda x, y, w: F.bilinear(x, y, w), real(2, 2, 2), real(2, 2, 3), real(2, 2, 3)


def convolutions(torch: Any) -> Iterator[Row]:
    F = torch.nn.functional
    yield "conv1d_unbatched", F.conv1d, real(2, 5), real(3, 2, 3), real(3)
    yield "conv2d_constant_input", F.conv2d, constant(1, 2, 4, 4), real(3, 2, 3, 3), real(3)
    yield "conv2d_constant_weight", lambda x, c: F.conv2d(x, c), IMAGE, constant(3, 2, 3, 3)
    yield "conv2d_same", lambda x, w: F.conv2d(x, w, padding="same"), IMAGE, real(2, 2, 3, 3)
    yield "conv2d_same_even", lambda x, w: F.conv2d(x, w, padding="same"), IMAGE, real(2, 2, 2, 2)
    yield "conv2d_valid", lambda x, w: F.conv2d(x, w, padding="valid"), IMAGE, real(2, 2, 2, 3)
    yield (
        "conv2d_uneven",
        lambda x, w: F.conv2d(x, w, stride=(2, 3), padding=(0, 1)),
        real(2, 1, 5, 6),
        real(2, 1, 2, 3),
    )
    yield "conv2d_depthwise", lambda x, w: F.conv2d(x, w, groups=2), IMAGE, real(4, 1, 3, 3)
    yield "conv2d_batch", F.conv2d, real(2, 2, 3, 3), real(2, 2, 2, 2), real(2)
    yield "conv3d", F.conv3d, real(1, 1, 3, 3, 3), real(2, 1, 2, 2, 2), real(2)
    yield "conv_transpose1d", F.conv_transpose1d, real(1, 2, 4), real(2, 3, 3), real(3)
    yield (
        "conv_transpose2d_all",
        lambda x, w, b: F.conv_transpose2d(x, w, b, stride=2, padding=1, output_padding=1, groups=2, dilation=2),
        real(1, 2, 3, 3), real(2, 2, 2, 2), real(4),
    )  # fmt: skip
    yield "conv_transpose3d", lambda x, w: F.conv_transpose3d(x, w), real(1, 1, 2, 2, 2), real(1, 1, 2, 2, 2)


def pools(torch: Any) -> Iterator[Row]:
    F = torch.nn.functional
    yield "max_pool1d_indices", lambda x: F.max_pool1d(x, 2, return_indices=True), real(1, 2, 4)
    yield "max_pool2d_indices", lambda x: F.max_pool2d(x, 2, return_indices=True), IMAGE
    yield "max_pool2d_ceil", lambda x: F.max_pool2d(x, 2, ceil_mode=True), real(1, 1, 5, 3)
    yield "max_pool2d_dilation", lambda x: F.max_pool2d(x, 2, stride=1, dilation=2), IMAGE
    yield "max_pool2d_unbatched", lambda x: F.max_pool2d(x, (2, 1)), real(2, 4, 4)
    yield "max_pool3d", lambda x: F.max_pool3d(x, 2), real(1, 1, 4, 2, 4)
    yield "avg_pool2d_padding", lambda x: F.avg_pool2d(x, 3, 2, 1), IMAGE
    yield "avg_pool2d_no_pad_count", lambda x: F.avg_pool2d(x, 3, 2, 1, count_include_pad=False), IMAGE
    yield "avg_pool2d_ceil", lambda x: F.avg_pool2d(x, 2, ceil_mode=True), real(1, 1, 3, 5)
    yield "avg_pool2d_divisor", lambda x: F.avg_pool2d(x, 2, divisor_override=3), IMAGE
    yield "avg_pool3d", lambda x: F.avg_pool3d(x, 2), real(1, 1, 4, 2, 2)
    yield "lp_pool1d", lambda x: F.lp_pool1d(x, 2, 2), real(1, 2, 4)
    yield "lp_pool2d", lambda x: F.lp_pool2d(x, 2, 2), IMAGE
    yield "lp_pool3d", lambda x: F.lp_pool3d(x, 2, (1, 2, 2)), real(1, 1, 2, 2, 2)
    yield "max_unpool1d", lambda x: F.max_unpool1d(x, torch.tensor([[[1, 2], [0, 3]]]), 2), real(1, 2, 2)
    yield "max_unpool2d", lambda x: F.max_unpool2d(x, torch.tensor([[[[0, 3], [8, 14]]]]), 2), real(1, 1, 2, 2)
    yield "max_unpool3d", lambda x: F.max_unpool3d(x, torch.tensor([[[[[2, 5]]]]]), 2), real(1, 1, 1, 1, 2)
    yield "adaptive_avg_pool1d", lambda x: F.adaptive_avg_pool1d(x, 3), real(1, 2, 5)
    yield "adaptive_avg_pool2d_pair", lambda x: F.adaptive_avg_pool2d(x, (None, 3)), IMAGE
    yield "adaptive_avg_pool3d", lambda x: F.adaptive_avg_pool3d(x, 2), real(1, 1, 3, 3, 2)
    yield "adaptive_max_pool1d", lambda x: F.adaptive_max_pool1d(x, 2), real(1, 2, 5)
    yield "adaptive_max_pool2d_indices", lambda x: F.adaptive_max_pool2d(x, (3, 2), True), IMAGE
    yield "adaptive_max_pool3d", lambda x: F.adaptive_max_pool3d(x, 2), real(1, 1, 3, 3, 2)


def images(torch: Any) -> Iterator[Row]:
    F = torch.nn.functional
    yield "pad_negative", lambda x: F.pad(x, (-1, 1, 1, 0)), X
    for mode in ("reflect", "replicate", "circular"):
        yield f"pad_{mode}_1d", lambda x, mode=mode: F.pad(x, (1, 2), mode=mode), real(1, 2, 4)
        yield f"pad_{mode}_2d", lambda x, mode=mode: F.pad(x, (1, 2, 0, 1), mode=mode), IMAGE
        yield f"pad_{mode}_3d", lambda x, mode=mode: F.pad(x, (1, 0, 1, 1, 0, 1), mode=mode), real(1, 1, 2, 3, 2)
    yield "unfold_all", lambda x: F.unfold(x, 2, dilation=2, padding=1, stride=2), real(1, 2, 4, 5)
    yield "fold", lambda x: F.fold(x, (3, 3), 2), real(1, 8, 4)
    yield "pixel_unshuffle", lambda x: F.pixel_unshuffle(x, 2), IMAGE
    yield "channel_shuffle", lambda x: F.channel_shuffle(x, 2), real(1, 4, 2, 2)
    yield "interpolate_nearest_1d", lambda x: F.interpolate(x, size=5), real(1, 2, 3)
    yield "interpolate_nearest_2d_size", lambda x: F.interpolate(x, size=(3, 5)), real(1, 1, 2, 3)
    yield "interpolate_nearest_3d", lambda x: F.interpolate(x, scale_factor=2), real(1, 1, 1, 2, 2)
    yield "interpolate_nearest_exact_1d", lambda x: F.interpolate(x, size=5, mode="nearest-exact"), real(1, 2, 3)
    yield (
        "interpolate_nearest_exact_2d",
        lambda x: F.interpolate(x, size=(3, 5), mode="nearest-exact"),
        real(1, 1, 2, 3),
    )
    yield (
        "interpolate_nearest_exact_3d",
        lambda x: F.interpolate(x, scale_factor=1.5, mode="nearest-exact"),
        real(1, 1, 2, 2, 2),
    )
    yield "interpolate_linear_1d", lambda x: F.interpolate(x, scale_factor=2, mode="linear"), real(1, 2, 3)
    yield "interpolate_bilinear_2d", lambda x: F.interpolate(x, scale_factor=1.5, mode="bilinear"), real(1, 1, 3, 3)
    yield (
        "bilinear_corners",
        lambda x: F.interpolate(x, size=(4, 3), mode="bilinear", align_corners=True),
        real(1, 1, 2, 3),
    )
    yield "interpolate_trilinear_3d", lambda x: F.interpolate(x, scale_factor=2, mode="trilinear"), real(1, 1, 1, 2, 2)
    yield "interpolate_bicubic_2d", lambda x: F.interpolate(x, scale_factor=2, mode="bicubic"), real(1, 1, 3, 3)
    for mode in ("bilinear", "bicubic", "lanczos"):
        yield (
            f"interpolate_{mode}_antialiased",
            lambda x, mode=mode: F.interpolate(x, size=(3, 4), mode=mode, antialias=True),
            real(1, 1, 5, 3),
        )
    yield "interpolate_area_2d", lambda x: F.interpolate(x, size=2, mode="area"), IMAGE


def attentions(torch: Any) -> Iterator[Row]:
    attention = torch.nn.functional.scaled_dot_product_attention
    heads = real(1, 2, 3, 2)
    yield "attention_heads", attention, heads, real(1, 2, 3, 2), real(1, 2, 3, 2)
    yield (
        "attention_heads_causal",
        lambda q, k, v: attention(q, k, v, is_causal=True),
        heads,
        real(1, 2, 3, 2),
        real(1, 2, 3, 2),
    )
    yield (
        "attention_heads_mask",
        lambda q, k, v, m: attention(q, k, v, m),
        heads, real(1, 2, 3, 2), real(1, 2, 3, 2), mask(3, 3),
    )  # fmt: skip
    yield (
        "attention_causal",
        lambda q, k, v: attention(q, k, v, is_causal=True),
        real(1, 3, 2),
        real(1, 3, 2),
        real(1, 3, 2),
    )
    yield (
        "attention_dropout",
        _seeded(torch, lambda q, k, v: attention(q, k, v, dropout_p=0.5)),
        heads, real(1, 2, 3, 2), real(1, 2, 3, 2),
    )  # fmt: skip
    yield "attention_scale", lambda q, k, v: attention(q, k, v, scale=0.3), real(3, 2), real(4, 2), real(4, 2)


def more_losses(torch: Any) -> Iterator[Row]:
    F = torch.nn.functional
    yield "mse_broadcast", F.mse_loss, X, real(3)
    yield "mse_weight", lambda x, c, w: F.mse_loss(x, c, weight=w), X, constant(2, 3), positive(2, 3)
    yield "l1_none", lambda x, c: F.l1_loss(x, c, reduction="none"), X, constant(2, 3)
    yield "smooth_l1_beta", lambda x, y: F.smooth_l1_loss(x, y, reduction="sum", beta=0.5), X, real(2, 3)
    yield "huber_none", lambda x, y: F.huber_loss(x, y, reduction="none"), X, real(2, 3)
    yield "nll_sum_ignored", lambda x, i: F.nll_loss(x, i, ignore_index=1, reduction="sum"), X, index(3, 2)
    yield "nll_none_weight", lambda x, i, c: F.nll_loss(x, i, c.abs(), reduction="none"), X, index(3, 2), constant(3)
    yield "nll_one", F.nll_loss, real(3), index(3)
    yield "nll_2d_none", lambda x, i: F.nll_loss(x, i, reduction="none"), real(1, 3, 2, 2), index(3, 1, 2, 2)
    yield "nll_2d_weight", lambda x, i, c: F.nll_loss(x, i, c.abs()), real(1, 3, 2, 2), index(3, 1, 2, 2), constant(3)
    yield "nll_sequence", F.nll_loss, real(2, 3, 2), index(3, 2, 2)
    yield "cross_entropy_one", F.cross_entropy, real(3), index(3)
    yield "cross_entropy_ignored", lambda x, i: F.cross_entropy(x, i, ignore_index=0), real(4, 3), index(3, 4)
    yield "cross_entropy_soft_learned", lambda x, y: F.cross_entropy(x, y.softmax(1), reduction="sum"), X, real(2, 3)
    yield (
        "cross_entropy_smoothing_weight",
        lambda x, i, c: F.cross_entropy(x, i, c.abs(), label_smoothing=0.2),
        real(4, 3), index(3, 4), constant(3),
    )  # fmt: skip
    yield (
        "cross_entropy_soft_smoothing",
        lambda x, c, w: F.cross_entropy(x, c.softmax(1), w.abs(), label_smoothing=0.2, reduction="none"),
        X, constant(2, 3), constant(3),
    )  # fmt: skip
    yield "bce_both", F.binary_cross_entropy, probability(2, 3), probability(2, 3)
    yield (
        "bce_weight",
        lambda p, c, w: F.binary_cross_entropy(p, c.sigmoid(), w.abs(), reduction="sum"),
        probability(2, 3),
        constant(2, 3),
        constant(2, 3),
    )
    yield "bce_logits_both", F.binary_cross_entropy_with_logits, X, probability(2, 3)
    yield (
        "bce_logits_weights",
        lambda x, y, c: F.binary_cross_entropy_with_logits(x, y, c.abs(), pos_weight=c.abs() + 1),
        X, probability(2, 3), constant(3),
    )  # fmt: skip
    yield "kl_div_log_target", lambda x, y: F.kl_div(x, y, reduction="sum", log_target=True), X, real(2, 3)
    yield (
        "poisson_nll_full",
        lambda p, c: F.poisson_nll_loss(p, c.abs() * 2, log_input=False, full=True),
        P,
        constant(2, 3),
    )
    yield "gaussian_nll_full", lambda x, y, v: F.gaussian_nll_loss(x, y, v, full=True), X, real(2, 3), positive(2, 1)
    yield (
        "multi_margin_square",
        lambda x, i, c: F.multi_margin_loss(x, i, p=2, weight=c.abs()),
        X,
        index(3, 2),
        constant(3),
    )
    yield (
        "multilabel_margin",
        lambda x: F.multilabel_margin_loss(x, torch.tensor([[1, -1, 0], [0, 2, -1]]), reduction="sum"),
        X,
    )
    yield (
        "ctc",
        lambda x: F.ctc_loss(
            x.log_softmax(2), torch.tensor([[1, 2], [1, 1]]), torch.tensor([4, 3]), torch.tensor([2, 1])
        ),
        real(4, 2, 3),
    )
    yield (
        "ctc_repeated",
        lambda x: F.ctc_loss(x.log_softmax(2), torch.tensor([1, 1, 2]), (5, 4), (2, 1), reduction="none"),
        real(5, 2, 3),
    )
    yield (
        "ctc_impossible",
        lambda x: F.ctc_loss(x.log_softmax(1), torch.tensor([1, 1]), (2,), (2,), reduction="sum", zero_infinity=True),
        real(2, 3),
    )
    yield (
        "multilabel_soft_margin",
        lambda x, c: F.multilabel_soft_margin_loss(x, c.sigmoid().round()),
        X,
        constant(2, 3),
    )
    yield "triplet_swap", lambda x, y, z: F.triplet_margin_loss(x, y, z, swap=True, p=1), X, real(2, 3), real(2, 3)
    yield "triplet_distance", F.triplet_margin_with_distance_loss, X, real(2, 3), real(2, 3)
    yield (
        "cosine_embedding_margin",
        lambda x, y, i: F.cosine_embedding_loss(x, y, i * 2 - 1, 0.1),
        X,
        real(2, 3),
        index(2, 2),
    )
    yield (
        "hinge_embedding_margin",
        lambda x, c: F.hinge_embedding_loss(x, c.sign(), 3.0, reduction="none"),
        X,
        constant(2, 3),
    )
    yield (
        "margin_ranking_margin",
        lambda x, y: F.margin_ranking_loss(x, y, torch.tensor([1, -1, 1]), 0.5),
        real(3),
        real(3),
    )


NEURAL_TABLES = (
    in_place_activations,
    drawn, filled, compared_in_place, weight_norms, dropouts, more_layers, convolutions, pools, images, attentions,
    more_losses,
)  # fmt: skip
