"""The second half of the table in `op_cases.py`: indexing, linear algebra, layers, losses, and writes in place."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.engine.op_cases import P, Row, X, constant, index, mask, positive, probability, real


def indexing(torch: Any) -> Iterator[Row]:
    yield "select", lambda x: x[0], X
    yield "select_two", lambda x: x[0, 1], X
    yield "select_method", lambda x: x.select(1, -1), X
    yield "column", lambda x: x[:, 1], X
    yield "slice_all", lambda x: x[:], X
    yield "slice", lambda x: x[0:1], X
    yield "slice_step", lambda x: x[:, ::2], X
    yield "newaxis", lambda x: x[None], X
    yield "ellipsis", lambda x: x[...], X
    yield "ellipsis_int", lambda x: x[..., 0], X
    yield "index_list", lambda x: x[[1, 0]], X
    yield "index_tensor", lambda x, i: x[i], X, index(2, 4)
    yield "index_pair", lambda x, i, j: x[i, j], X, index(2, 4), index(3, 4)
    yield "index_mixed", lambda x, i: x[:, i], X, index(3, 4)
    yield "index_mask", lambda x, m: x[m], X, mask(2, 3)
    yield "index_computed_mask", lambda x: x[x > 0], X
    yield "index_select", lambda x, i: x.index_select(1, i), X, index(3, 2)
    yield "masked_select", lambda x, m: x.masked_select(m), X, mask(2, 3)
    yield "take", lambda x, i: x.take(i), X, index(6, 3)
    yield "gather", lambda x, i: x.gather(1, i), X, index(3, 2, 2)
    yield "take_along_dim", lambda x, i: torch.take_along_dim(x, i, 1), X, index(3, 2, 2)
    yield "scatter", lambda x, i, y: x.scatter(1, i, y), X, index(1, 2, 1), real(2, 1)
    yield "scatter_add", lambda x, i, y: x.scatter_add(1, i, y), X, index(3, 2, 3), real(2, 3)
    yield "index_add", lambda x, i, y: x.index_add(0, i, y), X, index(2, 2), real(2, 3)
    yield "index_copy", lambda x, y: x.index_copy(0, torch.tensor([1]), y), X, real(1, 3)
    yield "index_fill", lambda x: x.index_fill(1, torch.tensor([0, 2]), 5.0), X
    yield "index_put", lambda x, y: x.index_put((torch.tensor([0, 1]), torch.tensor([2, 0])), y), X, real(2)
    yield "unbind_iterate", lambda x: sum(row * row for row in x), X


def algebra(torch: Any) -> Iterator[Row]:
    yield "mm", lambda x, y: x @ y, X, real(3, 2)
    yield "mm_constant", lambda x, c: x @ c, X, constant(3, 2)
    yield "mm_constant_left", lambda c, x: c @ x, constant(2, 2), X
    yield "torch_mm", torch.mm, X, real(3, 2)
    yield "matmul_vectors", lambda x, y: x @ y, real(3), real(3)
    yield "matmul_matrix_vector", lambda x, y: x @ y, X, real(3)
    yield "matmul_vector_matrix", lambda x, y: x @ y, real(2), X
    yield "matmul_batched", lambda x, y: x @ y, real(2, 2, 3), real(2, 3, 2)
    yield "matmul_batch_broadcast", lambda x, y: x @ y, real(2, 2, 3), real(3, 2)
    yield "matmul_4d", lambda x, y: x @ y, real(2, 2, 2, 3), real(2, 1, 3, 2)
    yield "bmm", torch.bmm, real(2, 2, 3), real(2, 3, 2)
    yield "dot", torch.dot, real(3), real(3)
    yield "mv", torch.mv, X, real(3)
    yield "outer", torch.outer, real(2), real(3)
    yield "addmm", torch.addmm, real(2, 2), X, real(3, 2)
    yield "addmm_scaled", lambda b, x, y: torch.addmm(b, x, y, beta=0.5, alpha=2), real(2, 2), X, real(3, 2)
    yield "addmv", torch.addmv, real(2), X, real(3)
    yield "baddbmm", torch.baddbmm, real(2, 2, 2), real(2, 2, 3), real(2, 3, 2)
    yield "einsum_mm", lambda x, y: torch.einsum("ij,jk->ik", x, y), X, real(3, 2)
    yield "einsum_sum", lambda x: torch.einsum("ij->", x), X
    yield "einsum_trace", lambda x: torch.einsum("ii", x), real(3, 3)
    yield "einsum_outer", lambda x, y: torch.einsum("i,j->ij", x, y), real(2), real(3)
    yield "einsum_transpose", lambda x: torch.einsum("ij->ji", x), X
    yield "tensordot", lambda x, y: torch.tensordot(x, y, dims=1), X, real(3, 2)
    yield "kron", torch.kron, real(2), real(3)
    yield "cross", lambda x, y: torch.linalg.cross(x, y), real(3), real(3)
    yield "inverse", lambda x: torch.inverse(x + 4 * torch.eye(3).to(x.dtype)), real(3, 3)
    yield "det", lambda x: torch.det(x + 4 * torch.eye(3).to(x.dtype)), real(3, 3)
    yield "slogdet", lambda x: torch.slogdet(x + 4 * torch.eye(3).to(x.dtype)), real(3, 3)
    yield "solve", lambda x, y: torch.linalg.solve(x + 4 * torch.eye(3).to(x.dtype), y), real(3, 3), real(3, 2)
    yield "cholesky", lambda x: torch.linalg.cholesky(x @ x.t() + 3 * torch.eye(3).to(x.dtype)), real(3, 3)
    yield "matrix_power", lambda x: torch.matrix_power(x, 3), real(2, 2)
    yield "cdist", torch.cdist, X, real(2, 3)
    yield "cosine_similarity", torch.nn.functional.cosine_similarity, X, real(2, 3)
    yield "pairwise_distance", torch.nn.functional.pairwise_distance, X, real(2, 3)
    yield "normalize", lambda x: torch.nn.functional.normalize(x, dim=1), X


def activations(torch: Any) -> Iterator[Row]:
    F = torch.nn.functional
    for name in ("leaky_relu", "elu", "selu", "celu", "gelu", "silu", "mish", "softplus", "logsigmoid", "hardtanh"):
        yield f"F_{name}", getattr(F, name), X
    for name in ("hardsigmoid", "hardswish", "relu6", "softsign", "tanhshrink", "softshrink", "hardshrink"):
        yield f"F_{name}", getattr(F, name), X
    yield "F_gelu_tanh", lambda x: F.gelu(x, approximate="tanh"), X
    yield "F_leaky_relu_slope", lambda x: F.leaky_relu(x, 0.2), X
    yield "F_softplus_beta", lambda x: F.softplus(x, beta=2), X
    yield "F_threshold", lambda x: F.threshold(x, 0.1, 20.0), X
    yield "F_prelu", F.prelu, X, real(1)
    yield "F_glu", F.glu, real(2, 4)
    yield "F_softmin", lambda x: F.softmin(x, dim=1), X
    yield "F_dropout_eval", lambda x: F.dropout(x, training=False) * 1, X


def layers(torch: Any) -> Iterator[Row]:
    F = torch.nn.functional
    yield "linear", F.linear, X, real(2, 3), real(2)
    yield "linear_no_bias", F.linear, X, real(2, 3)
    yield "linear_1d", F.linear, real(3), real(2, 3), real(2)
    yield "linear_3d", F.linear, real(2, 2, 3), real(2, 3), real(2)
    yield "linear_3d_no_bias", F.linear, real(2, 2, 3), real(2, 3)
    yield "bilinear", F.bilinear, real(2, 2), real(2, 3), real(2, 2, 3), real(2)
    yield "embedding", lambda i, w: F.embedding(i, w), index(4, 2, 2), real(4, 3)
    yield "layer_norm", lambda x, w, b: F.layer_norm(x, (3,), w, b), X, real(3), real(3)
    yield "layer_norm_plain", lambda x: F.layer_norm(x, (3,)), X
    yield "batch_norm", lambda x, w, b: F.batch_norm(x, None, None, w, b, training=True), real(4, 2), real(2), real(2)
    yield "batch_norm_eval", lambda x, c, v: F.batch_norm(x, c, v.abs() + 1), real(4, 2), constant(2), constant(2)
    yield "group_norm", lambda x, w, b: F.group_norm(x, 2, w, b), real(2, 4), real(4), real(4)
    yield "conv1d", F.conv1d, real(1, 2, 5), real(3, 2, 3), real(3)
    yield "conv2d", F.conv2d, real(1, 2, 4, 4), real(3, 2, 3, 3), real(3)
    yield "conv2d_no_bias", lambda x, w: F.conv2d(x, w), real(1, 1, 4, 4), real(1, 1, 2, 2)
    yield "conv2d_stride", lambda x, w: F.conv2d(x, w, stride=2, padding=1), real(1, 2, 5, 5), real(2, 2, 3, 3)
    yield "conv2d_dilation", lambda x, w: F.conv2d(x, w, dilation=2), real(1, 1, 5, 5), real(1, 1, 2, 2)
    yield "conv2d_groups", lambda x, w: F.conv2d(x, w, groups=2), real(1, 2, 4, 4), real(2, 1, 2, 2)
    yield "conv_transpose2d", lambda x, w: F.conv_transpose2d(x, w, stride=2), real(1, 2, 2, 2), real(2, 1, 2, 2)
    yield "max_pool1d", lambda x: F.max_pool1d(x, 2), real(1, 2, 4)
    yield "max_pool2d", lambda x: F.max_pool2d(x, 2), real(1, 1, 4, 4)
    yield "max_pool2d_stride", lambda x: F.max_pool2d(x, 3, stride=1, padding=1), real(1, 1, 4, 4)
    yield "avg_pool1d", lambda x: F.avg_pool1d(x, 2), real(1, 2, 4)
    yield "avg_pool2d", lambda x: F.avg_pool2d(x, 2), real(1, 1, 4, 4)
    yield "adaptive_avg_pool2d_1", lambda x: F.adaptive_avg_pool2d(x, 1), real(1, 2, 4, 4)
    yield "adaptive_avg_pool2d_2", lambda x: F.adaptive_avg_pool2d(x, 2), real(1, 1, 5, 5)
    yield "adaptive_max_pool2d", lambda x: F.adaptive_max_pool2d(x, 2), real(1, 1, 4, 4)
    yield "pad", lambda x: F.pad(x, (1, 2)), X
    yield "pad_value", lambda x: F.pad(x, (1, 0, 0, 1), value=3.0), X
    yield "pad_reflect", lambda x: F.pad(x, (1, 1), mode="reflect"), X
    yield "interpolate_nearest", lambda x: F.interpolate(x, scale_factor=2), real(1, 1, 2, 2)
    yield "unfold_layer", lambda x: F.unfold(x, 2), real(1, 1, 3, 3)
    yield "pixel_shuffle", lambda x: F.pixel_shuffle(x, 2), real(1, 4, 2, 2)
    yield "attention", F.scaled_dot_product_attention, real(1, 2, 3), real(1, 2, 3), real(1, 2, 3)


def losses(torch: Any) -> Iterator[Row]:
    F = torch.nn.functional
    yield "mse", F.mse_loss, X, real(2, 3)
    yield "mse_constant", F.mse_loss, X, constant(2, 3)
    yield "mse_sum", lambda x, c: F.mse_loss(x, c, reduction="sum"), X, constant(2, 3)
    yield "mse_none", lambda x, c: F.mse_loss(x, c, reduction="none"), X, constant(2, 3)
    yield "l1", F.l1_loss, X, constant(2, 3)
    yield "l1_both", F.l1_loss, X, real(2, 3)
    yield "smooth_l1", F.smooth_l1_loss, X, constant(2, 3)
    yield "huber", lambda x, c: F.huber_loss(x, c, delta=0.7), X, constant(2, 3)
    yield "cross_entropy", F.cross_entropy, X, index(3, 2)
    yield "cross_entropy_weight", lambda x, i, c: F.cross_entropy(x, i, weight=c.abs()), X, index(3, 2), constant(3)
    yield "cross_entropy_none", lambda x, i: F.cross_entropy(x, i, reduction="none"), X, index(3, 2)
    yield "cross_entropy_smoothing", lambda x, i: F.cross_entropy(x, i, label_smoothing=0.1), X, index(3, 2)
    yield "cross_entropy_soft", lambda x, c: F.cross_entropy(x, c.softmax(1)), X, constant(2, 3)
    yield "cross_entropy_2d", F.cross_entropy, real(1, 3, 2, 2), index(3, 1, 2, 2)
    yield "nll", lambda x, i: F.nll_loss(x.log_softmax(1), i), X, index(3, 2)
    yield "bce", lambda p, c: F.binary_cross_entropy(p, c.sigmoid()), probability(2, 3), constant(2, 3)
    yield "bce_logits", lambda x, c: F.binary_cross_entropy_with_logits(x, c.sigmoid()), X, constant(2, 3)
    yield "kl_div", lambda x, c: F.kl_div(x.log_softmax(1), c.softmax(1)), X, constant(2, 3)
    yield "kl_div_batchmean", lambda x, c: F.kl_div(x, c.softmax(1), reduction="batchmean"), X, constant(2, 3)
    yield "poisson_nll", F.poisson_nll_loss, X, constant(2, 3)
    yield "gaussian_nll", lambda x, c, v: F.gaussian_nll_loss(x, c, v), X, constant(2, 3), P
    yield "hinge_embedding", lambda x, c: F.hinge_embedding_loss(x, c.sign()), X, constant(2, 3)
    yield "margin_ranking", lambda x, y, c: F.margin_ranking_loss(x, y, c.sign()), real(3), real(3), constant(3)
    yield "cosine_embedding", lambda x, y: F.cosine_embedding_loss(x, y, torch.tensor([1, -1])), X, real(2, 3)
    yield "triplet", F.triplet_margin_loss, X, real(2, 3), real(2, 3)
    yield "multi_margin", F.multi_margin_loss, X, index(3, 2)
    yield "soft_margin", lambda x, c: F.soft_margin_loss(x, c.sign()), X, constant(2, 3)


def written(y: Any, key: Any, value: Any) -> Any:
    """`y[key] = value`, as an expression."""
    y[key] = value
    return y


def view_written(x: Any) -> Any:
    """A write through a view of a computed tensor: the whole, then the view."""
    y = x * 2
    row = y[0]
    row.mul_(3)
    return y, row


def in_place(torch: Any) -> Iterator[Row]:
    yield "add_", lambda x: (x * 1).add_(2), X
    yield "iadd_tensor", lambda x, y: (x * 1).add_(y), X, real(2, 3)
    yield "sub_", lambda x, y: (x * 1).sub_(y), X, real(2, 3)
    yield "mul_", lambda x, y: (x * 1).mul_(y), X, real(2, 3)
    yield "div_", lambda x, y: (x * 1).div_(y), X, P
    yield "pow_", lambda x: (x * 1).pow_(2), X
    yield "exp_", lambda x: (x * 1).exp_(), X
    yield "sqrt_", lambda x: (x * 1).sqrt_(), P
    yield "relu_", lambda x: (x * 1).relu_(), X
    yield "sigmoid_", lambda x: (x * 1).sigmoid_(), X
    yield "tanh_", lambda x: (x * 1).tanh_(), X
    yield "neg_", lambda x: (x * 1).neg_(), X
    yield "abs_", lambda x: (x * 1).abs_(), X
    yield "clamp_", lambda x: (x * 1).clamp_(-0.5, 0.5), X
    yield "zero_", lambda x: (x * 1).zero_(), X
    yield "fill_", lambda x: (x * 1).fill_(3), X
    yield "copy_", lambda x, y: (x * 1).copy_(y), X, real(3)
    yield "masked_fill_", lambda x, m: (x * 1).masked_fill_(m, 2.0), X, mask(2, 3)
    yield "t_", lambda x: (x * 1).t_(), X
    yield "unsqueeze_", lambda x: (x * 1).unsqueeze_(0), X
    yield "squeeze_", lambda x: (x * 1).squeeze_(0), real(1, 3)
    yield "setitem_number", lambda x: written(x * 1, 0, 5.0), X
    yield "setitem_slice", lambda x, y: written(x * 1, (slice(None), 1), y), X, real(2)
    yield "setitem_mask", lambda x, m: written(x * 1, m, 0.0), X, mask(2, 3)
    yield "setitem_index", lambda x, y: written(x * 1, [1, 0], y), X, real(2, 3)
    yield "setitem_into_constant", lambda c, y: written(c * 1, 1, y), constant(2, 3), real(3)
    yield "view_written", view_written, X
    yield "scatter_", lambda x, i, y: (x * 1).scatter_(1, i, y), X, index(1, 2, 1), real(2, 1)
    yield "index_add_", lambda x, i, y: (x * 1).index_add_(0, i, y), X, index(2, 2), real(2, 3)
    yield "lerp_", lambda x, y: (x * 1).lerp_(y, 0.25), X, positive(2, 3)


LAYER_TABLES = (indexing, algebra, activations, layers, losses, in_place)
