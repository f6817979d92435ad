"""Wrong calls whose error must be PyTorch's own: the type and the words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Calls = dict[str, Callable[[], Any]]


def observe(call: Callable[[], Any]) -> list[str]:
    """The type and the message of what `call` raised."""
    try:
        call()
    except Exception as error:  # noqa: BLE001 every error is a result here
        return [type(error).__name__, str(error)]
    return ["", "nothing was raised"]


def _twice(make: Callable[[], Any]) -> Callable[[], Any]:
    def run() -> None:
        y = make()
        y.backward()
        y.backward()

    return run


def _in_itself() -> list[Any]:
    made: list[Any] = []
    made.append(made)
    return made


def _after(make: Callable[[], Any], write: Callable[[Any], Any], use: Callable[[Any], Any]) -> Callable[[], Any]:
    """Make a tensor, use it in a graph, write into it, run backward."""

    def run() -> None:
        h = make()
        y = use(h).sum()
        write(h)
        y.backward()

    return run


def _assign(target: Any, key: Any, value: Any) -> None:
    target[key] = value


def autograd(torch: Any) -> Calls:
    def leaf(*shape: int) -> Any:
        return torch.ones(shape, requires_grad=True)

    backward = torch.autograd.backward
    grad = torch.autograd.grad
    return {
        "twice_mul": _twice(lambda: (leaf(2) * leaf(2)).sum()),
        "twice_exp": _twice(lambda: leaf().exp()),
        "implicit_gradient": lambda: (leaf(2) * 2).backward(),
        "implicit_matrix": lambda: (leaf(1, 2) * 2).backward(),
        "implicit_complex": lambda: torch.ones((), dtype=torch.complex64, requires_grad=True).backward(),
        "gradient_shape": lambda: (leaf(2) * 2).backward(torch.ones(3)),
        "gradient_not_tensor": lambda: (leaf(2) * 2).backward([1.0, 1.0]),
        "gradient_complex": lambda: (leaf(2) * 2).backward(torch.ones(2, dtype=torch.complex64)),
        "no_grad_needed": lambda: torch.ones(2).sum().backward(),
        "second_root_needs_none": lambda: backward([leaf().exp(), torch.ones(())]),
        "roots_mismatch": lambda: backward([leaf(), leaf()], [torch.ones(())]),
        "inputs_empty": lambda: leaf().exp().backward(inputs=[]),
        "inputs_not_needed": lambda: leaf().exp().backward(inputs=[torch.ones(())]),
        "grad_unused": lambda: grad(leaf().exp(), leaf()),
        "grad_not_needed": lambda: grad(leaf().exp(), torch.ones(())),
        "grad_of_constant": lambda: grad(torch.ones(()), leaf()),
        "grad_implicit": lambda: grad(leaf(2).exp(), leaf(2)),
        "grad_materialize": lambda: grad(leaf().exp(), leaf(), allow_unused=False, materialize_grads=True),
        "grad_no_inputs": lambda: grad(leaf().exp(), []),
        "leaf_in_place": lambda: leaf(2).add_(1),
        "leaf_view_in_place": lambda: leaf(2)[0].add_(1),
        "leaf_setitem": lambda: _assign(leaf(2), 0, 1.0),
        "leaf_detach_view": lambda: leaf(2)[:1].detach_(),
        "version_exp": _after(lambda: leaf(2).exp(), lambda h: h.add_(1), lambda h: h),
        "version_mul": _after(lambda: leaf(2) * 2, lambda h: h.mul_(2), lambda h: h * h),
        "version_scalar": _after(lambda: leaf() * 2, lambda h: h.zero_(), lambda h: h * h),
        "version_double": _after(lambda: leaf(2).double(), lambda h: h.zero_(), lambda h: h.sin()),
        "version_view": _after(lambda: leaf(2, 2).exp(), lambda h: h[0].zero_(), lambda h: h * h),
        "version_transposed": _after(lambda: leaf(3, 2) * 1, lambda h: h.zero_(), lambda h: leaf(1, 2) @ h.t()),
        "version_leaf": _after(lambda: torch.ones(2), lambda h: h.add_(1), lambda h: h * leaf(2)),
        "version_twice": _after(lambda: leaf(2).tanh(), lambda h: h.add_(1).mul_(2), lambda h: h),
        "version_relu": _after(lambda: leaf(2).relu(), lambda h: h.add_(1), lambda h: h),
        "requires_grad_non_leaf": lambda: setattr(leaf(2) * 2, "requires_grad", False),
        "requires_grad_method_non_leaf": lambda: (leaf(2) * 2).requires_grad_(False),
        "requires_grad_integer": lambda: torch.ones(2, dtype=torch.int64).requires_grad_(),
        "requires_grad_integer_attribute": lambda: setattr(torch.ones(2, dtype=torch.int64), "requires_grad", True),
        "requires_grad_integer_tensor": lambda: torch.tensor([1], requires_grad=True),
        "list_in_itself": lambda: torch.tensor(_in_itself()),
        "zeros_too_large": lambda: torch.zeros(2**62, 2**62),
        "full_too_large": lambda: torch.full((2**62,), 1.0),
        "rand_too_large": lambda: torch.rand(2**62),
        "index_of_other_byte_order": lambda: torch.arange(5)[np.array([1, 2], np.dtype("i8").newbyteorder())],
        "tensor_of_other_byte_order": lambda: torch.tensor(np.array([1, 2], np.dtype("f4").newbyteorder())),
        "from_numpy_of_other_byte_order": lambda: torch.from_numpy(np.array([1, 2], np.dtype("f4").newbyteorder())),
        "retain_grad_untracked": lambda: torch.ones(2).retain_grad(),
        "numpy_of_tracked": lambda: leaf(2).numpy(),
        "deepcopy_non_leaf": lambda: __import__("copy").deepcopy(leaf(2) * 2),
        "hook_untracked": lambda: torch.ones(2).register_hook(print),
        "post_accumulate_non_leaf": lambda: (leaf(2) * 2).register_post_accumulate_grad_hook(print),
        "grad_assigned_shape": lambda: setattr(leaf(2), "grad", torch.ones(3)),
        "grad_assigned_dtype": lambda: setattr(leaf(2), "grad", torch.ones(2).double()),
        "grad_assigned_number": lambda: setattr(leaf(2), "grad", 1.0),
        "optimizer_non_leaf": lambda: torch.optim.SGD([leaf(2) * 2], lr=0.1),
        "optimizer_empty": lambda: torch.optim.SGD([], lr=0.1),
        "optimizer_tensor": lambda: torch.optim.SGD(leaf(2), lr=0.1),
        "optimizer_negative": lambda: torch.optim.SGD([leaf(2)], lr=-0.1),
    }


def shapes(torch: Any) -> Calls:
    def ones(*shape: int) -> Any:
        return torch.ones(shape)

    return {
        "add_sizes": lambda: ones(2, 3) + ones(4),
        "add_sizes_first": lambda: ones(2, 3) * ones(3, 3),
        "add_text": lambda: ones(2) + "a",
        "text_add": lambda: "a" + ones(2),
        "mul_none": lambda: ones(2) * None,
        "mm_vector": lambda: torch.mm(ones(2), ones(2, 1)),
        "mm_second_vector": lambda: torch.mm(ones(2, 1), ones(1)),
        "mm_sizes": lambda: torch.mm(ones(2, 3), ones(2, 3)),
        "matmul_sizes": lambda: ones(2, 3) @ ones(2, 3),
        "matmul_vectors": lambda: ones(2) @ ones(3),
        "matmul_vector": lambda: ones(2, 3) @ ones(2),
        "matmul_vector_left": lambda: ones(3) @ ones(2, 3),
        "matmul_batches": lambda: ones(2, 2, 3) @ ones(3, 3, 2),
        "matmul_number": lambda: ones(2, 2) @ 3,
        "matmul_scalar": lambda: ones(2, 2) @ ones(),
        "matmul_dtypes": lambda: ones(2, 2) @ ones(2, 2).double(),
        "matmul_long": lambda: ones(2, 2) @ ones(2, 2).long(),
        "bmm_matrix": lambda: torch.bmm(ones(2, 2), ones(2, 2)),
        "bmm_batches": lambda: torch.bmm(ones(2, 2, 2), ones(3, 2, 2)),
        "dot_matrix": lambda: torch.dot(ones(2, 2), ones(2)),
        "dot_sizes": lambda: torch.dot(ones(2), ones(3)),
        "dot_dtypes": lambda: torch.dot(ones(2), ones(2).double()),
        "mv_sizes": lambda: torch.mv(ones(2, 3), ones(2)),
        "view_size": lambda: ones(6).view(4, 2),
        "view_minus_one": lambda: ones(6).view(4, -1),
        "view_two_minus": lambda: ones(6).view(-1, -1),
        "view_strides": lambda: ones(2, 3).t().view(6),
        "reshape_size": lambda: ones(6).reshape(5),
        "expand_size": lambda: ones(2).expand(2, 3),
        "expand_fewer": lambda: ones(2, 3).expand(3),
        "permute_count": lambda: ones(2, 3).permute(0, 1, 2),
        "permute_repeat": lambda: ones(2, 3).permute(0, 0),
        "t_3d": lambda: ones(2, 2, 2).t(),
        "transpose_range": lambda: ones(2).transpose(0, 1),
        "squeeze_range": lambda: ones(2).squeeze(3),
        "unsqueeze_range": lambda: ones(2).unsqueeze(3),
        "sum_range": lambda: ones(2, 3).sum(2),
        "softmax_range": lambda: ones(2).softmax(1),
        "size_range": lambda: ones(2).size(1),
        "cat_sizes": lambda: torch.cat([ones(2, 2), ones(2, 3)]),
        "cat_dims": lambda: torch.cat([ones(2, 2), ones(2)]),
        "cat_empty": lambda: torch.cat([]),
        "cat_tensor": lambda: torch.cat(ones(2)),
        "stack_sizes": lambda: torch.stack([ones(2), ones(3)]),
        "stack_empty": lambda: torch.stack([]),
        "index_range": lambda: ones(3)[5],
        "index_range_negative": lambda: ones(2, 2)[0, -3],
        "index_too_many": lambda: ones(3)[0, 0],
        "index_scalar": lambda: ones()[0],
        "index_list_range": lambda: ones(3)[[0, 7]],
        "index_mask_shape": lambda: ones(2, 2)[torch.tensor([True, False, True])],
        "index_float": lambda: ones(3)[1.5],
        "index_float_tensor": lambda: ones(3)[ones(1)],
        "setitem_shape": lambda: _assign(ones(3), slice(0, 2), ones(3)),
        "slice_step": lambda: ones(3)[::-1],
        "iterate_scalar": lambda: list(ones()),
        "len_scalar": lambda: len(ones()),
        "item_many": lambda: ones(2).item(),
        "float_many": lambda: float(ones(2)),
        "bool_many": lambda: bool(ones(2)),
        "bool_none": lambda: bool(torch.tensor([])),
        "in_place_shape": lambda: ones(3).add_(ones(2, 3)),
        "in_place_dtype": lambda: torch.tensor([1, 2]).add_(1.5),
        "in_place_div": lambda: torch.tensor([1, 2]).div_(2),
        "in_place_expanded": lambda: ones(1, 3).expand(2, 3).add_(1),
        "gather_dims": lambda: ones(2, 3).gather(1, torch.tensor([0])),
        "gather_dtype": lambda: ones(2).gather(0, ones(1)),
        "argmax_empty": lambda: torch.tensor([]).argmax(),
        "max_empty": lambda: torch.tensor([]).max(),
        "mean_integer": lambda: torch.tensor([1, 2]).mean(),
        "factorial_pow": lambda: torch.tensor([2]) ** -1,
        "sub_bool": lambda: torch.tensor([True]) - torch.tensor([True]),
        "neg_bool": lambda: -torch.tensor([True]),
        "inverse_singular": lambda: torch.inverse(torch.zeros(2, 2)),
        "inverse_vector": lambda: torch.inverse(ones(2)),
        "det_rectangle": lambda: torch.det(ones(2, 3)),
        "ragged": lambda: torch.tensor([[1, 2], [3]]),
        "tensor_text": lambda: torch.tensor("a"),
        "tensor_none": lambda: torch.tensor(None),
        "zeros_negative": lambda: torch.zeros(-1),
        "zeros_text": lambda: torch.zeros("a"),
        "exp_number": lambda: torch.exp(1),
        "no_attribute": lambda: ones(1).foo,
        "no_function": lambda: torch.foo,
        "arange_step": lambda: torch.arange(0, 3, -1),
        "eye_negative": lambda: torch.eye(-1),
        "randint_range": lambda: torch.randint(3, 1, (2,)),
        "broadcast_shapes": lambda: torch.broadcast_shapes((2,), (3,)),
        "broadcast_shapes, a negative length": lambda: torch.broadcast_shapes((3, 1), (1, -2)),
        "split_sizes": lambda: ones(3).split([1, 1]),
        "chunk_zero": lambda: ones(3).chunk(0),
        "einsum_sizes": lambda: torch.einsum("ij,jk->ik", ones(2, 3), ones(2, 3)),
        "einsum_count": lambda: torch.einsum("ij,jk", ones(2, 3)),
        "topk_range": lambda: ones(2).topk(3),
    }


def layers(torch: Any) -> Calls:
    nn, F = torch.nn, torch.nn.functional

    def ones(*shape: int) -> Any:
        return torch.ones(shape)

    class Empty(nn.Module):  # type: ignore[misc]
        pass

    class Early(nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            self.fc = nn.Linear(1, 1)

    return {
        "linear_sizes": lambda: nn.Linear(3, 2)(ones(4, 2)),
        "linear_vector": lambda: nn.Linear(3, 2)(ones(2)),
        "linear_dtype": lambda: nn.Linear(2, 1)(ones(1, 2).double()),
        "linear_long": lambda: nn.Linear(2, 1)(ones(1, 2).long()),
        "linear_list": lambda: nn.Linear(2, 1)([1.0, 2.0]),
        "conv_channels": lambda: nn.Conv2d(3, 8, 3)(ones(1, 1, 8, 8)),
        "conv_dims": lambda: nn.Conv2d(1, 1, 3)(ones(8, 8)),
        "conv_kernel": lambda: nn.Conv2d(1, 1, 5)(ones(1, 1, 3, 3)),
        "embedding_range": lambda: nn.Embedding(3, 2)(torch.tensor([3])),
        "embedding_range_renormalised": lambda: nn.Embedding(3, 2, max_norm=1.0)(torch.tensor([[0, 5], [3, 1]])),
        "embedding_bag_renormalised": lambda: nn.EmbeddingBag(3, 2, max_norm=1.0)(torch.tensor([[4, 1]])),
        "embedding_float_renormalised": lambda: nn.Embedding(3, 2, max_norm=1.0)(ones(1)),
        "embedding_vector_renormalised": lambda: F.embedding(torch.tensor([1]), ones(3), max_norm=1.0),
        "embedding_bag_float_renormalised": lambda: nn.EmbeddingBag(3, 2, max_norm=1.0)(ones(1, 1)),
        "embedding_float": lambda: nn.Embedding(3, 2)(ones(1)),
        "layer_norm_shape": lambda: nn.LayerNorm(3)(ones(2, 4)),
        "batch_norm_single": lambda: nn.BatchNorm1d(2)(ones(1, 2)),
        "batch_norm_dims": lambda: nn.BatchNorm1d(2)(ones(2)),
        "batch_norm_features": lambda: nn.BatchNorm1d(3)(ones(2, 2)),
        "mse_sizes": lambda: F.mse_loss(ones(3), ones(2)),
        "cross_entropy_range": lambda: F.cross_entropy(ones(2, 3), torch.tensor([0, 5])),
        "cross_entropy_float": lambda: F.cross_entropy(ones(2, 3), ones(2)),
        "cross_entropy_batch": lambda: F.cross_entropy(ones(2, 3), torch.tensor([0])),
        "cross_entropy_shape": lambda: F.cross_entropy(ones(2, 3), torch.tensor([[0], [1]])),
        "nll_float": lambda: F.nll_loss(ones(2, 3), ones(2)),
        "bce_sizes": lambda: F.binary_cross_entropy(ones(2), ones(2, 1)),
        "bce_range": lambda: F.binary_cross_entropy(ones(2) * 2, ones(2)),
        "bce_logits_sizes": lambda: F.binary_cross_entropy_with_logits(ones(2), ones(3)),
        "max_pool_small": lambda: F.max_pool2d(ones(1, 1, 1, 1), 2),
        "dropout_probability": lambda: nn.Dropout(1.5),
        "forward_missing": lambda: Empty()(1),
        "init_not_called": Early,
        "parameter_tensor": lambda: setattr(nn.Linear(1, 1), "weight", ones(1, 1)),
        "parameter_non_leaf": lambda: nn.Linear(1, 1).register_parameter("w", ones(1).requires_grad_() * 2),
        "attribute_missing": lambda: nn.Linear(1, 1).foo,
        "module_list_not_module": lambda: nn.ModuleList([1]),
        "state_missing": lambda: nn.Linear(1, 1).load_state_dict({}),
        "state_shape": lambda: nn.Linear(1, 1).load_state_dict(nn.Linear(2, 1).state_dict()),
        "clip_not_finite": lambda: nn.utils.clip_grad_norm_([_with_gradient(torch)], 1.0, error_if_nonfinite=True),
        "rnn_features": lambda: nn.RNN(2, 3)(ones(1, 1, 5)),
    }


def reductions(torch: Any) -> Calls:
    """`keepdim` is an argument of the form with `dim` only."""
    x = torch.ones(2, 2)
    found: Calls = {}
    for name in "sum mean prod max min median nanmedian".split():
        function = getattr(torch, name)
        found[f"{name}_keepdim_alone"] = lambda function=function: function(x, keepdim=True)
        found[f"{name}_keepdim_false_alone"] = lambda function=function: function(x, keepdim=False)
        if name not in ("sum", "mean"):
            found[f"{name}_dim_none"] = lambda function=function: function(x, dim=None)
    found["median_method_keepdim_alone"] = lambda: x.median(keepdim=True)
    found["logsumexp_dim_none"] = lambda: torch.logsumexp(x, dim=None)
    return found


def elements(torch: Any) -> Calls:
    """Types of elements and of bounds that an operation does not take."""
    x, bound = torch.tensor([1.0, 2.0]), torch.tensor([0.0, 0.0])
    found: Calls = {
        "clamp_tensor_and_number": lambda: torch.clamp(x, bound, 1.5),
        "clamp_number_and_tensor": lambda: torch.clamp(x, 0.5, bound),
        "clamp_number_and_gradient": lambda: torch.clamp(x, torch.tensor(0.0, requires_grad=True), 1.5),
    }
    for name in ("logaddexp", "logaddexp2", "hypot"):
        function = getattr(torch, name)
        for kind, values in (("integers", [1, 2]), ("booleans", [True, False])):
            pair = torch.tensor(values)
            found[f"{name}_of_{kind}"] = lambda function=function, pair=pair: function(pair, pair)
    return found


def in_memory(torch: Any) -> Calls:
    """Sizes, strides and offsets that no memory has."""
    x, part, e = torch.arange(12.0), torch.arange(12.0)[4:8], torch.zeros(0)
    pair, rows = torch.ones(2), torch.arange(12.0).reshape(3, 4)
    places = {
        "far": ((2,), (39_000_000,), 0), "end": ((2,), (1,), 11), "negative_step": ((2,), (-1,), 5),
        "lengths": ((2,), (1, 2), 5), "negative_size": ((-2,), (1,), 5), "negative_offset": ((2,), (1,), -1),
        "lowest_offset": ((2,), (1,), -(2**63)), "largest_offset": ((2,), (1,), 2**63 - 1),
        "largest_step": ((2,), (2**63 - 1,), 1), "largest_size": ((2**63 - 1,), (1,), 1),
        "large_sizes": ((2**40, 2**40), (1, 1), 1), "repeated": ((2**40, 2**40), (0, 0), 1),
        "negative_repeated": ((-2,), (0,), 1), "overflow": ((2**62,), (2,), 1), "just_held": ((2,), (1,), 2**61 - 3),
    }  # fmt: skip
    found: Calls = {
        "scatter_shape": lambda: torch.as_strided_scatter(part, pair, (3,), (1,), 5),
        "scatter_repeated": lambda: torch.as_strided_scatter(part, pair, (2,), (0,), 5),
        "scatter_empty": lambda: torch.as_strided_scatter(e, pair, (2,), (1,), 0),
        "scatter_vmap": lambda: torch.vmap(lambda t: torch.as_strided_scatter(t, pair, (2,), (1,), 0))(rows),
        "as_strided_empty": lambda: e.as_strided((), ()),
        "view_as_larger": lambda: x[3:7].view(torch.int64),
        "set_offset": lambda: torch.zeros(3).set_(x, -1, (2,), (1,)),
        "set_lengths": lambda: torch.zeros(3).set_(x, 0, (2, 2), (1,)),
        "expand_negative": lambda: x.expand(-2, 12),
        "expand_overflow": lambda: x.expand(2**62, 12),
        "resize_negative": lambda: torch.zeros(3).resize_(-1),
        "empty_strided_negative_size": lambda: torch.empty_strided((-2, 3), (3, 1)),
        "empty_strided_negative_step": lambda: torch.empty_strided((2, 3), (-3, 1)),
        "empty_strided_overflow": lambda: torch.empty_strided((2, 3), (2**62, 2**62)),
        "empty_strided_repeated": lambda: torch.empty_strided((2**40, 2**40), (0, 0)),
    }
    for name, place in places.items():
        found[f"as_strided_{name}"] = lambda place=place: part.as_strided(*place)
        found[f"scatter_{name}"] = lambda place=place: torch.as_strided_scatter(part, pair, *place)
    for name, place in {"end": ((5,), (1,)), "before": ((2,), (1,), 0), "lengths": ((2, 2), (1,))}.items():
        found[f"vmap_{name}"] = lambda place=place: torch.vmap(lambda t: t.as_strided(*place))(rows[1:])
    found["bincount_largest"] = lambda: torch.bincount(torch.tensor([2**63 - 1]))
    found["histc_no_complex"] = lambda: torch.histc(torch.empty(0, dtype=torch.complex64))
    found["repeats_negative"] = lambda: torch.repeat_interleave(torch.tensor([-1, 3]))
    found["repeat_negative"] = lambda: x.repeat_interleave(-1, dim=0)
    found["repeat_overflow"] = lambda: rows.repeat(2**20, 2**38)
    found["vmap_empty"] = lambda: torch.vmap(lambda t: t.as_strided((1,), (1,)))(torch.zeros(3, 0))
    return found


def _with_gradient(torch: Any) -> Any:
    x = torch.ones(2, requires_grad=True)
    x.grad = torch.tensor([float("inf"), 1.0])
    return x


# Calls that programs of another making got wrong; the line is the name.
WRITTEN = """
torch.ones(2, 2).baddbmm_(torch.ones(2, 2), torch.ones(2, 2))
torch.addbmm(torch.ones(2, 2), torch.ones(2), torch.ones(2))
torch.nn.functional.bilinear(torch.ones(2), torch.ones(2), torch.ones(2))
torch.tensordot(torch.ones(2, 2), torch.ones(2))
torch.tensordot(torch.ones(2), torch.ones(2), -1)
torch.nn.functional.linear(torch.tensor(1.0), torch.ones(2))
torch.nn.functional.kl_div(torch.ones(2), 3)
torch.nn.functional.poisson_nll_loss(torch.ones(2), 3)
torch.nn.functional.soft_margin_loss(torch.ones(3), torch.ones(2, 3))
torch.nn.functional.multilabel_soft_margin_loss(torch.tensor(1.0), torch.ones(2))
torch.nn.functional.hardtanh_(torch.ones(2).bool())
torch.nn.functional.normalize([1.0, 2.0])
torch.nn.Embedding(0, 3)(torch.tensor([0]))
torch.meshgrid(torch.ones(2), torch.ones(2).long(), indexing="ij")
torch.FloatTensor(torch.ones(2).long())
torch.nn.Module.register_state_dict_post_hook(torch.nn.ReLU(), print)
_hooked(torch, lambda given, got: 5)
_hooked(torch, lambda given, got: torch.ones(2))
_hooked(torch, lambda given, got: (5,))
_hooked(torch, lambda given, got: (torch.ones(3),))
torch.tensor(1.0)[0, 0]
torch.tensor(1.0)[True, 0]
torch.ones(3).clamp(min=torch.ones(2))
torch.ones(3).clamp_(torch.ones(2), torch.ones(3))
torch.searchsorted(torch.ones(1, 3), 1.5)
torch.nn.functional.dropout(torch.ones(2, dtype=torch.complex64))
torch.amp.GradScaler("cpu").step(None)
torch.amp.GradScaler("cpu").load_state_dict({})
torch.amp.GradScaler("cpu", backoff_factor=1.0)
torch.amp.GradScaler("cpu").scale(5)
torch.ones(2, dtype=torch.complex64) < torch.ones(3)
torch.lerp(torch.ones(2).int(), torch.ones(3).int(), 0.5)
torch.ones(2).bool() ** torch.ones(3).bool()
torch.ones(0).kthvalue(1)
torch.ones(0, dtype=torch.complex64).amax()
torch.ones(0, dtype=torch.complex64).aminmax()
torch.ones(0, dtype=torch.complex64).median(0)
torch.ones(2, dtype=torch.complex64).nanmedian(0)
torch.searchsorted(torch.tensor(1.0), torch.ones(1, 2))
torch.ones(2).int().clamp_(min=1.5)
torch.ones(2).int().clamp_min_(1.5)
torch.ones(2).clamp(0, 2j)
torch.ones(2).bool().clamp(max=True)
torch.ones(2, dtype=torch.complex64).clamp(torch.ones(2), torch.ones(3))
torch.ones(2, dtype=torch.complex64).clamp_max(torch.ones(2))
torch.mm(torch.ones(2, 2), torch.ones(2, 2).short())
torch.ones(2).half().add_(torch.ones(2).half(), alpha=1e5)
torch.ones(2).half() / 2j
torch.isin(torch.ones(2), 2j)
torch.ones(0).bincount()
torch.ones(2).masked_fill(torch.ones(2).bool(), torch.tensor(2j))
torch.ones(2).scatter(0, torch.tensor([0]), 2j)
torch.ones(2) @ torch.ones(2, 3, 1)
torch.ones(3, 3).t().view(torch.float64)
torch.meshgrid(torch.ones(2), torch.ones(2).long())
torch.ones(1, 6, 1).__setitem__(..., torch.ones(1, 3))
(lambda x: x.__setitem__([0, 1], x[:3]))(torch.ones(8))
(lambda x: x.scatter_add_(-1, torch.zeros(4).long(), x.unsqueeze(-1)))(torch.ones(4))
(lambda x: x.view(-1).clamp_(min=x))(torch.ones(2, 2))
torch.zeros(2, 3, dtype="float")
torch.ones(2, 3, requires_grad="yes")
torch.zeros(True)
torch.empty(torch.tensor(2.0))
torch.Tensor(2, "a")
torch.Size([1, "a"])
torch.iinfo(5)
torch.finfo("a")
torch.dtype("float32")
torch.device()
torch.Generator("foo")
torch.ones(2).type(5)
torch.ones(2).type(int)
torch.nn.Module().to(5)
torch.nn.GroupNorm(2, 4)(torch.ones(1, 3))
torch.nn.ConvTranspose2d(2, 3, 2)(torch.ones(1, 2, 2, 2), output_size=(9,))
torch.nn.BCEWithLogitsLoss(pos_weight=torch.ones(3))(torch.ones(2, 2), torch.ones(2, 2))
torch.nn.utils.rnn.pad_sequence([torch.ones(2), torch.ones(2, 2)])
torch.nn.utils.rnn.pad_sequence([torch.ones(2), 5])
torch.linalg.norm(torch.ones(2), "foo")
torch.linalg.lu(torch.ones(2))
torch.unique("a")
torch.use_deterministic_algorithms("a")
torch.nn.functional.gumbel_softmax("a")
torch.nn.functional.linear(torch.ones(2, 3), torch.ones(3), torch.ones(1))
torch.broadcast_tensors(torch.ones(2), 0)
torch.ones(3, dtype=torch.bool).random_(5)
torch.ones(3, dtype=torch.complex64).random_(3)
torch.ones(3, dtype=torch.complex64).random_(3, 1)
torch.randint(3, (2,), dtype=torch.complex64)
torch.randint_like(torch.ones(3, dtype=torch.complex64), 1, 3)
torch.randperm(3, dtype=torch.complex128)
torch.multinomial(torch.tensor(3), 1)
torch.multinomial(torch.tensor([1, 2]), 1)
torch.ones(3).half() ** 1e10
torch.ones(3).bfloat16() ** 1e39
torch.maximum(torch.ones(3), torch.ones(3) * 1j, out=torch.ones(3))
torch.gather(torch.ones(2, 2).long(), 0, torch.tensor([0]), out=torch.ones(3))
torch.gather(torch.ones(2, 2).long(), 3, torch.tensor([0]), out=torch.ones(3))
torch.func.jacfwd(torch.sin)(5)
torch.jit.script(5)
torch.autograd.grad(torch.ones(1, requires_grad=True).sum(), torch.ones(1), is_grads_batched=True)
torch.ones(1).index_put_((torch.tensor([0]), torch.tensor([0])), torch.ones(1))
torch.inference_mode()(torch.ones)(2).add_(1)
torch.inference_mode()(torch.ones)(2).add_(torch.ones(3))
torch.ones(2).shape()
torch.float32.exp()
torch.float32 < torch.ones(1)
torch.channels_last.byte()
torch.device("cpu").to("cpu")
torch.ones(2, 2) / torch.ones(2, 2).max(0)
torch.aminmax(torch.ones(2)) | 1
torch.max(torch.ones(2, 2), 0).foo
torch.Generator() + 1
torch.finfo(torch.float32).foo
torch.linspace(torch.ones(2), 1, 3)
torch.logspace(1, torch.ones(2), 3)
torch.index_fill(torch.ones(3), 3, torch.ones(2), torch.ones(1))
torch.index_fill(torch.ones(3), 3, torch.ones(2), 0)
torch.index_select(torch.ones(2), 3, torch.ones(2, 2))
torch.gradient(torch.ones(3), dim=5, edge_order=0)
torch.gradient(torch.ones(2, 4), spacing=[torch.arange(2.0), torch.arange(4.0)], dim=(1, 0))
torch.randint_like(torch.ones(2), torch.ones(2))
torch.triu_indices(3, -3)
torch.trapezoid(torch.tensor(2.0), dim=3)
torch.dropout(torch.ones(2), 2, False)
torch.feature_dropout(torch.ones(2), 2, False)
torch.igamma(torch.ones(2), torch.ones(3))
torch.set_autocast_enabled("cpu", 1)
torch.is_autocast_enabled("foo")
torch.rsub(torch.ones(3), torch.ones(2))
torch.lerp(torch.ones(1), torch.ones(1), torch.ones(1).double())
torch.cdist(torch.ones(3), 2)
torch.cdist(torch.ones(1, 3), torch.ones(1, 3), p=-1)
torch.max(torch.zeros(0, dtype=torch.complex64))
torch.min(torch.zeros(0, 2, dtype=torch.complex64), 0)
torch.mode(torch.zeros(2, dtype=torch.complex64), dim=3)
torch.einsum("...i,...i->...", torch.ones(3, 3), torch.ones(2, 3))
torch.max_pool2d(torch.tensor(2.0), (3, 2), padding=(2, 3))
torch.conv1d(torch.ones(2, 4, 4), torch.ones(2, 3).half(), padding="reduce")
torch.conv1d(torch.ones(2, 3), torch.ones(2, 4, 4), padding=[], dilation=())
torch.group_norm(torch.ones(2, 3), -3, torch.ones(3, 3))
torch.native_group_norm(torch.ones(2, 3), None, None, 2, 4, 1, 2, 0.1)
torch.nn.functional.adaptive_avg_pool2d(torch.ones(1, 2, 3, 3), None)
torch.bilinear(torch.ones(2, 3), torch.tensor(1.0), torch.ones(3, 3))
torch.scatter(torch.ones(2, 3), 3, torch.ones(2, 3), True, reduce="reduce")
torch.scatter_add(torch.ones(2), 3, torch.ones(2), torch.ones(2))
torch.slice_scatter(torch.ones(2, 3), torch.ones(2, 3), end=1)
torch.slice_scatter(torch.ones(2, 3), torch.ones(2, 3), step=-1)
torch.diagonal_scatter(torch.ones(3, 3), torch.ones(3, 3))
torch.select_scatter(torch.ones(2, 3), torch.ones(2, 3), 0, 9)
torch.quantile(torch.ones(2), torch.ones(2, 3), interpolation="no")
torch.searchsorted(torch.ones(2, 3), torch.tensor(2.0), sorter=torch.ones(2, 3).long())
torch.lu_unpack(torch.ones(3), torch.ones(3))
torch.lstm_cell(torch.ones(2, 3), [torch.ones(2, 3)] * 2, torch.ones(3, 3), torch.ones(3, 3))
torch.rnn_tanh_cell(torch.ones(3), torch.ones(3), torch.ones(3, 3), torch.ones(3, 3))
torch.gru_cell(torch.ones(2, 3), torch.ones(3, 3), torch.ones(9, 3), torch.ones(9, 3))
torch.histogram(torch.ones(2), range=[2, 1])
torch.histogram(torch.ones(2), torch.ones(2, 2))
torch.histogram(torch.tensor([float("inf"), 1.0]), 3)
torch.histogramdd(torch.ones(2, 3), 1, weight=torch.ones(2, 3))
torch.addmm(torch.ones(1), torch.ones(1).long(), torch.ones(1))
torch.ones(2, dtype=torch.complex64).lt_(torch.ones(3, 2))
torch.tensor(1.0).__setitem__(0, (1, 2))
torch.cummax(torch.tensor(1.0), 1)
torch.lerp(torch.ones(1), torch.ones(1), 1j)
torch.max(input=torch.ones(2), dim=3)
torch.repeat_interleave(torch.ones(2), 2, output_size=3)
torch.repeat_interleave(torch.ones(2))
torch.pinverse(torch.ones(2, 3).half())
torch.diff(torch.ones(2, 3), prepend=torch.ones(1))
torch.randint(3, (-1,))
torch.zeros(2, 3).masked_fill_(torch.ones(2, 2).bool(), 1.0)
torch.zeros(3, 3).masked_scatter_(torch.ones(2, 2).bool(), torch.ones(4).long())
torch.zeros(3, 3).masked_scatter_(torch.ones(2, 2), torch.ones(4))
torch.tensor([torch.tensor([1, 2]), 1])
torch.tensor([torch.tensor([1, 2]), 1.0])
torch.ones(3).cosh(out=torch.ones(3))
torch.ones(4).split(split_size_or_sections=2)
torch.ones(2, requires_grad=True).sum(dtype=torch.int64)
torch.ones(2, requires_grad=True).cumprod(0, dtype=torch.bool)
torch.linalg.multi_dot(torch.ones(2, 2))
setattr(torch.ones(2, 2), "T", 3)
torch.linalg.vander(torch.ones(2).bool())
torch.linalg.vector_norm(torch.tensor([1, 2]), dtype=torch.float32)
torch.linalg.vector_norm(torch.ones(2).double(), dtype=torch.float32)
torch.linalg.matrix_norm(torch.ones(2, 2), 1, dtype=torch.complex64)
torch.norm(torch.ones(2), dtype=torch.int64)
torch.stft(torch.ones(12), 3, align_to_window=True)
torch.addcmul(*[torch.ones(2).byte()] * 3, value=300)
delattr(torch.ones(2, 2), "device")
torch.tensordot(torch.ones(3).bool(), torch.ones(3).bool(), 1)
""".strip().splitlines()


def _hooked(torch: Any, hook: Callable[..., Any]) -> None:
    y = torch.ones(2, requires_grad=True).exp()
    y.grad_fn.register_hook(hook)
    y.sum().backward()


def written(torch: Any) -> Calls:
    return {line: lambda line=line: eval(line, {"torch": torch, "_hooked": _hooked}) for line in WRITTEN}


def calls(torch: Any) -> Calls:
    """All wrong calls by name."""
    from tests.engine.wrong_neural_calls import NEURAL_CALLS
    from tests.engine.wrong_science_calls import SCIENCE_CALLS

    found: Calls = {}
    for table in (autograd, shapes, layers, reductions, elements, in_memory, written, *NEURAL_CALLS, *SCIENCE_CALLS):
        more = table(torch)
        assert not found.keys() & more.keys()
        found |= more
    return found
