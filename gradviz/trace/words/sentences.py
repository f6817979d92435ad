"""The sentences about steps, each with an id and named places, so that their wording is reviewed, and one day
translated, here. `explain`, `contributions` and `updates` provide the names, numbers and formulas for the places; rules
of gradients come from the operations, explanations of errors from `errors`.

An id begins with the kind of step, "accumulate.first"; ids starting with "part." are for use within others."""

from __future__ import annotations

from string import Formatter

SENTENCES: dict[str, str] = {
    "before": "Nothing has run yet.",
    "leaf.stored": "{made} It is a leaf and requires grad, so backward() will put its gradient into .grad.",
    "leaf.unstored": "{made} It is a leaf and requires grad: gradients can be computed for it.",
    "leaf.later": "{tensor} = {value} ({dtype}). It does not require grad yet: that is set later.",
    "leaf.constant": "{tensor} = {value} ({dtype}). It does not require grad: no gradient will flow to it.",
    "forward.other": (
        "{function}.forward() returns neither a tensor nor a tuple: no grad_fn is given to what it returns, and no "
        "gradient flows back through it."
    ),
    "forward.undefined": "{made} PyTorch has no derivative of it: backward() through it will fail.",
    "forward.kept": "{made} {node} is made for the backward pass and keeps {kept}.",
    "forward.stored": "{made} It is a leaf and requires grad, so backward() will put its gradient into .grad.",
    "forward.unstored": "{made} It is a leaf and requires grad: gradients can be computed for it.",
    "forward.detached": (
        "{made} It shares the memory of {source} and is cut off from its history: no gradient flows back."
    ),
    "forward.untracked": "{made} Not tracked: it has no grad_fn and saves nothing.",
    "forward.untracked.inputs": (
        "{made} Not tracked, as none of its inputs requires grad: it has no grad_fn and saves nothing."
    ),
    "forward.untracked.off": (
        "{made} Not tracked, as gradients are switched off here: it has no grad_fn and saves nothing."
    ),
    "forward.untracked.rule": "{made} Not tracked, as it is not differentiable: it has no grad_fn and saves nothing.",
    "part.again": "Computed again for the backward pass: {made}",
    "part.gradient": "For a gradient with a graph of its own: {made}",
    "part.inside": "For {call}: {made}",
    "part.AddBatchDim": " vmap splits it into examples, which are computed together with a leading batch dimension.",
    "part.BatchRepeat": " vmap passes the same value to every example.",
    "part.BatchSum": " vmap sums the results of the examples.",
    "part.RemoveBatchDim": " vmap stacks the results of all examples.",
    "inplace.part": "A part of {tensor} was overwritten: it is {value} now, version {version}.{shared}{stale}",
    "inplace": "{tensor} was overwritten: it is {value} now, version {version}.{shared}{stale}",
    "part.shared": " {others} changed with it: they share memory.",
    "part.stale.one": " {nodes} saved an earlier version: running it backward will fail.",
    "part.stale.all": " {nodes} saved an earlier version: running them backward will fail.",
    "part.stale.either": " {nodes} saved an earlier version: running either of them backward will fail.",
    "part.stale.any": " {nodes} saved an earlier version: running any of them backward will fail.",
    "backward_call": "The backward pass starts at {roots}.{only}{keep}{build}",
    "part.implicit": "{root} with the implicit gradient 1",
    "part.given": "{root} with the gradient {gradient}",
    "part.only.one": " Only {tensors} is asked for (inputs).",
    "part.only.all": " Only {tensors} are asked for (inputs).",
    "part.retained": " The buffers are kept (retain_graph).",
    "part.created": " The gradients get a graph of their own (create_graph).",
    "backward": "{came}{sent}.{letters}",
    "backward.end": "{came}{node} sends no gradient on.",
    "backward.unknown": "A node that was not recorded ran.",
    "part.came": "{grad} = {value} came in. ",
    "part.came.several": "Gradients came in: {values}. ",
    "part.came.many": "Gradients of {count} results came in. ",
    "contribution.first": "{tensor} has {arrived} of its {expected} contributions: {value} came from {sender}.",
    "contribution.part": (
        "{tensor} has {arrived} of its {expected} contributions: {value} came from {sender}, which makes {sum} so far."
    ),
    "contribution.both": "{tensor} has both contributions now, as {value} came from {sender}: {gradient} = {sum}.",
    "contribution.all": (
        "{tensor} has all {expected} contributions now, as {value} came from {sender}: {gradient} = {sum}."
    ),
    "accumulate.none": "{tensor}.grad stays None.",
    "accumulate.first": "{tensor}.grad was None, so it takes the incoming gradient: None → {now}.",
    "accumulate.zero": "{tensor}.grad was 0, so it becomes the incoming gradient: {before} → {now}.",
    "accumulate.added": "{tensor}.grad still held {before} from before; the incoming gradient is added: {sum}.",
    "free": "{node} lets go of {kept}.",
    "free.first": (
        "{node} lets go of {kept}, as this call was not given retain_graph=True: another backward() through it would "
        "fail."
    ),
    "hook": "The hook was called and changed nothing.",
    "hook.same": "The hook returned a new gradient, which reads the same: {after}.",
    "hook.changed": "The hook changed the gradient: {before} → {after}.",
    "clear_grad": "{tensor}.grad: {before} → {now}.",
    "clear_grad.none": "{tensor}.grad was None already.",
    "clear_grad.zero": "{tensor}.grad was 0 already.",
    "optimizer": "{updates}.",
    "optimizer.more": "{updates}, and {more} more in the same way.",
    "optimizer.none": "The optimizer has no parameter with a gradient.",
    "optimizer.value": (
        "Elements of a gradient above {bound} become {bound}, those below -{bound} become -{bound}: {changes}"
    ),
    "optimizer.value.kept": "No element of a gradient is above {bound} or below -{bound}: they stay as they are.",
    "optimizer.norm": (
        "The norm of all gradients together ({how}) is {total}, more than max_norm = {bound}, so each is multiplied by "
        "{bound} / ({total} + 1e-06) = {factor}: {changes}"
    ),
    "optimizer.norm.kept": (
        "The norm of all gradients together ({how}) is {total}, not more than max_norm = {bound}: they stay as they "
        "are."
    ),
    "optimizer.norm.infinite": (
        "The norm of all gradients together ({how}) is {total}, so that no factor brings it to max_norm = {bound}: "
        "{changes}"
    ),
    "print": "{text}",
    "print.empty": "An empty line is printed.",
    "warning": "{text}",
    "warning.empty": "An empty line is printed.",
    "collective": "{text}",
    "gap": "{count} iterations, {span}, ran without being recorded. What changed meanwhile: {changes}.",
    "gap.one": "The iteration {span} ran without being recorded. What changed meanwhile: {changes}.",
    "gap.unchanged": "{span} ran without being recorded. Nothing that is known here changed meanwhile.",
    "gap.open": "{span} run without being recorded.",
    "gap.outside": "From here on the run was not recorded.{changes}",
    "error": "{text}",
    "caught": "{text} The snippet catches the error and goes on.",
    "fold.untracked": "{count} on {lines}: {results}. None of this is recorded for the backward pass{later}.",
    "fold.untracked.off": (
        "{count} on {lines}, with gradients switched off: {results}. None of this is recorded for the backward "
        "pass{later}."
    ),
    "part.later.one": "; {tensors} is made to require grad afterwards",
    "part.later.all": "; {tensors} are made to require grad afterwards",
    "fold.write": "{write} Computed for it, untracked: {results}.",
    "fold.backward": "{backward} {free}",
}

# What operations compute, with the names of their operands, see `elements.in_names`: {0} stands for the first as a
# factor, {n[0]} as it is within words, {p[0]} before some, {of[0]} as an
# argument.
_NORMALISED = "({0} − its mean) / √(its variance + {eps})"
_NEAR_AND_FAR = "({n[0]} − {1})² / 2 where |{n[0]} − {1}| < 1, else |{n[0]} − {1}| − 0.5"
_NEAR = "({n[0]} − {1})² / 2 where |{n[0]} − {1}| < {bound}"
_GROUPED = "({0} − the mean of its group) / √(its variance + {eps})"
_LSTM = (
    "h of every time step: c ← f · c + i · g and h ← o · tanh c, where i, f, o are σ and g is tanh of what x and h give"
)
RULES_OF_MANY: dict[str, str] = {"cat": "{all} joined{along}", "stack": "{all} stacked{along}"}
RULES: dict[tuple[str, int], str] = {  # by the operation and the number of its operands
    ("add", 1): "{0} + {other}",
    ("sub", 1): "{0} − {other}",
    ("mul", 1): "{0} · {other}",
    ("div", 1): "{0} / {other}",
    ("pow", 1): "{0}{power}",
    ("pow", 2): "{0}^{of[1]}",
    ("rsub", 1): "{other} − {0}",
    ("rsub", 2): "{1} − {0}",
    ("maximum", 2): "the larger of {n[0]} and {n[1]}",
    ("minimum", 2): "the smaller of {n[0]} and {n[1]}",
    ("clone", 1): "a copy of {n[0]}",
    ("copy", 2): "a copy of {n[1]}",
    ("add", 2): "{0} + {1}",
    ("sub", 2): "{0} − {1}",
    ("mul", 2): "{0} · {1}",
    ("div", 2): "{0} / {1}",
    ("addmm", 3): "{0} + {1} @ {2}",
    ("baddbmm", 3): "{0} + {1} @ {2}",
    ("mm", 2): "{0} @ {1}",
    ("bmm", 2): "{0} @ {1}",
    ("relu", 1): "max({n[0]}, 0)",
    ("fmax", 2): "the larger of {n[0]} and {n[1]}, or the one that is not nan",
    ("fmin", 2): "the smaller of {n[0]} and {n[1]}, or the one that is not nan",
    ("clamp min", 1): "max({n[0]}, {min})",
    ("clamp max", 1): "min({n[0]}, {max})",
    ("clamp min max", 1): "min(max({n[0]}, {min}), {max})",
    ("clamp_min", 1): "max({n[0]}, {min})",
    ("leaky_relu", 1): "{0} where {0} > 0, else {negative_slope} · {0}",
    ("sigmoid", 1): "1 / (1 + e^(−{0}))",
    ("silu", 1): "{0} / (1 + e^(−{0}))",
    ("tanh", 1): "tanh {of[0]}",
    ("sin", 1): "sin {of[0]}",
    ("cos", 1): "cos {of[0]}",
    ("exp", 1): "e^{of[0]}",
    ("log", 1): "ln {of[0]}",
    ("sqrt", 1): "√{of[0]}",
    ("abs", 1): "|{n[0]}|",
    ("softmax", 1): "e^{of[0]} / Σ e^{of[0]}{over}",
    ("_safe_softmax", 1): "e^{of[0]} / Σ e^{of[0]}{over}",
    ("log_softmax", 1): "{0} − ln Σ e^{of[0]}{over}",
    ("logaddexp", 2): "ln(e^{of[0]} + e^{of[1]})",
    ("logaddexp2", 2): "log₂(2^{of[0]} + 2^{of[1]})",
    ("logsumexp", 1): "ln Σ e^{of[0]}{over}",
    ("sum", 1): "the sum of {n[0]}{over}",
    ("mean", 1): "the mean of {n[0]}{over}",
    ("std", 1): "the standard deviation of {n[0]}{over} (with n − 1)",
    ("var", 1): "the variance of {n[0]}{over} (with n − 1)",
    ("amax", 1): "the largest element of {n[0]}{over}",
    ("amin", 1): "the smallest element of {n[0]}{over}",
    ("max", 1): "the largest element of {n[0]}{over}",
    ("min", 1): "the smallest element of {n[0]}{over}",
    ("argmax", 1): "the place of the largest element of {n[0]}{over}",
    ("argmin", 1): "the place of the smallest element of {n[0]}{over}",
    ("linalg_vector_norm", 1): "√(the sum of {0}²{over})",
    ("linalg_vector_norm 1", 1): "the sum of |{n[0]}|{over}",
    ("linalg_vector_norm inf", 1): "the largest |{n[0]}|{over}",
    ("linalg_vector_norm -inf", 1): "the smallest |{n[0]}|{over}",
    ("linalg_vector_norm 0", 1): "how many elements of {n[0]}{over} are not 0",
    ("linalg_vector_norm other", 1): "(the sum of |{n[0]}|^{ord}{over})^(1 / {ord})",
    ("mse_loss", 2): "({n[0]} − {1})²",
    ("nll_loss", 2): "−{0} at the class of each row",
    ("nll_loss ignoring", 2): "−{0} at the class of each row, left out where that is {ignore_index}",
    ("_weight_norm_interface", 2): "{1} · {0} / ‖{n[0]}‖",
    ("nll_loss", 3): "−{0} at the class of each row, weighted by {2}[class]",
    ("binary_cross_entropy", 2): "−{1} · ln {of[0]} − (1 − {1}) · ln(1 − {0})",
    ("binary_cross_entropy_with_logits", 2): "ln(1 + e^{of[0]}) − {1} · {0}",
    (
        "binary_cross_entropy_with_logits with pos_weight",
        3,
    ): "(1 − {1}) · {0} + (1 + ({2} − 1) · {1}) · ln(1 + e^(−{0}))",
    ("native_group_norm", 1): _GROUPED,
    ("native_group_norm", 3): f"{_GROUPED} · {{1}} + {{2}}",
    ("native_layer_norm", 1): _NORMALISED,
    ("native_layer_norm", 2): f"{_NORMALISED} · {{1}}",
    ("native_layer_norm", 3): f"{_NORMALISED} · {{1}} + {{2}}",
    ("native_batch_norm without weight", 1): _NORMALISED,
    ("native_batch_norm without weight", 3): _NORMALISED,
    ("native_batch_norm by known statistics without weight", 3): "({0} − {1}) / √({2} + {eps})",
    ("native_batch_norm", 3): f"{_NORMALISED} · {{1}} + {{2}}",
    ("native_batch_norm", 5): f"{_NORMALISED} · {{1}} + {{2}}",
    ("native_batch_norm by known statistics", 5): "({0} − {3}) / √({4} + {eps}) · {1} + {2}",
    ("masked_fill", 2): "{value} where {n[1]}, else {n[0]}",
    ("where", 3): "{n[1]} where {n[0]}, else {n[2]}",
    ("gather", 2): "the elements of {n[0]} at {n[1]}{along}",
    ("index_select", 2): "the elements of {n[0]} at {n[1]}{along}",
    ("index_add", 3): "{p[0]} with {n[2]} added at {n[1]}{along}",
    ("index_copy", 3): "{p[0]} with {n[2]} written at {n[1]}{along}",
    ("scatter_add", 3): "{p[0]} with {n[2]} added at {n[1]}{along}",
    ("scatter", 3): "{p[0]} with {n[2]} written at {n[1]}{along}",
    ("topk", 1): "the {k} largest elements of {n[0]}{along}",
    ("topk 1", 1): "the largest element of {n[0]}{along}",
    ("split", 1): "the first part of {n[0]}{along}",
    ("split_with_sizes", 1): "the first part of {n[0]}{along}",
    ("unsafe_split", 1): "the first part of {n[0]}{along}",
    ("chunk", 1): "the first part of {n[0]}{along}",
    ("unbind", 1): "the first slice of {n[0]}{along}",
    ("diagonal", 1): "the diagonal of {n[0]}",
    ("trace", 1): "the sum of the diagonal of {n[0]}",
    ("flip", 1): "{p[0]} in reverse order{along}",
    ("complex", 2): "{0} + {1} · i",
    ("polar", 2): "{0} · e^(i · {1})",
    ("sgn", 1): "{0} / |{n[0]}|, 0 where {n[0]} is 0",
    ("_fft_r2c", 1): "the discrete Fourier transform of {n[0]}{over}",
    ("view_as_real", 1): "{p[0]} as pairs of real and imaginary parts",
    ("tanh_backward", 2): "{0} · (1 − {1}²)",
    ("sigmoid_backward", 2): "{0} · {1} · (1 − {1})",
    ("select_backward", 1): "{p[0]} in its place, 0 elsewhere",
    ("max_pool2d_with_indices", 1): "the maximum of each window of {n[0]}",
    ("avg_pool2d", 1): "the mean of each window of {n[0]}",
    ("convolution", 2): "Σ({n[1]} × window) for each window of {n[0]}",
    ("convolution", 3): "Σ({n[1]} × window) + {n[2]} for each window of {n[0]}",
    ("neg", 1): "−{0}",
    ("mv", 2): "{0} @ {1}",
    ("dot", 2): "{0} @ {1}",
    ("_linalg_solve_ex", 2): "{0}⁻¹ @ {1}",
    ("linalg_inv_ex", 1): "{0}⁻¹",
    ("_linalg_det", 1): "the determinant of {n[0]}",
    ("prod", 1): "the product of {n[0]}{over}",
    ("cumsum", 1): "the running sums of {n[0]}{over}",
    ("cumprod", 1): "the running products of {n[0]}{over}",
    ("sort", 1): "{p[0]} sorted{along}",
    ("sort descending", 1): "{p[0]} sorted{along}, the largest first",
    ("smooth_l1_loss", 2): _NEAR_AND_FAR,
    ("huber_loss", 2): _NEAR_AND_FAR,
    ("smooth_l1_loss by a bound", 2): (
        "({n[0]} − {1})² / (2 · {bound}) where |{n[0]} − {1}| < {bound}, else |{n[0]} − {1}| − {bound} / 2"
    ),
    ("huber_loss by a bound", 2): f"{_NEAR}, else {{bound}} · (|{{n[0]}} − {{1}}| − {{bound}} / 2)",
    ("permute (1, 0)", 1): "{p[0]} transposed",
    ("permute", 1): "{p[0]} with its dimensions in the order {dims}",
    ("expand", 1): "{p[0]} repeated to the shape {size}",
    ("squeeze", 1): "{p[0]} reshaped",
    ("unsqueeze", 1): "{p[0]} reshaped",
    ("t", 1): "{p[0]} transposed",
    ("transpose", 1): "{p[0]} transposed",
    ("view", 1): "{p[0]} reshaped",
    ("_unsafe_view", 1): "{p[0]} reshaped",
    ("_reshape_alias", 1): "{p[0]} reshaped",
    ("_to_copy", 1): "{p[0]} as {dtype}",
    ("reciprocal", 1): "1 / {0}",
    ("rsqrt", 1): "1 / √{of[0]}",
    ("sign", 1): "the sign of each element of {n[0]}",
    ("round", 1): "{p[0]} rounded to whole numbers",
    ("floor", 1): "{p[0]} rounded down",
    ("ceil", 1): "{p[0]} rounded up",
    ("erf", 1): "erf {of[0]}",
    ("erfc", 1): "1 − erf {of[0]}",
    ("expm1", 1): "e^{of[0]} − 1",
    ("log1p", 1): "ln(1 + {n[0]})",
    ("log2", 1): "log₂ {of[0]}",
    ("exp2", 1): "2^{of[0]}",
    ("lgamma", 1): "ln Γ({n[0]})",
    ("xlogy", 2): "{0} · ln {of[1]}",
    ("gelu", 1): "{0} · Φ({n[0]}), Φ the normal distribution function",
    ("softplus", 1): "ln(1 + e^{of[0]})",
    ("mish", 1): "{0} · tanh(ln(1 + e^{of[0]}))",
    ("log_sigmoid", 1): "−ln(1 + e^(−{0}))",
    ("elu", 1): "{0} where {0} > 0, else e^{of[0]} − 1",
    ("elu by alpha", 1): "{0} where {0} > 0, else {alpha} · (e^{of[0]} − 1)",
    ("elu scaled", 1): "{scale} · {0} where {0} > 0, else {scale} · {alpha} · (e^{of[0]} − 1)",
    ("multi_margin_loss 1", 2): (
        "the sum of max(0, {margin} − {0}[class] + {0}[other]) over the other classes, divided by the number of classes"
    ),
    ("multi_margin_loss", 2): (
        "the sum of max(0, {margin} − {0}[class] + {0}[other])² over the other classes, divided by the number of "
        "classes"
    ),
    ("multilabel_margin_loss", 2): (
        "the sum of max(0, 1 − {0}[named] + {0}[other]) over all pairs of classes, divided by the number of classes"
    ),
    ("_ctc_loss", 2): "−ln of the sum of the probabilities of all paths that spell {n[1]}",
    ("mkldnn_rnn_layer", 7): _LSTM,
    ("mkldnn_rnn_layer", 5): _LSTM,
    ("celu", 1): "{0} where {0} > 0, else e^{of[0]} − 1",
    ("hardtanh", 1): "min(max({n[0]}, {min_val}), {max_val})",
    ("hardsigmoid", 1): "min(max({0} + 3, 0), 6) / 6",
    ("hardswish", 1): "{0} · min(max({0} + 3, 0), 6) / 6",
    ("threshold", 1): "{0} where {0} > {threshold}, else {value}",
    ("_prelu_kernel", 2): "{0} where {0} > 0, else {1} · {0}",
    ("glu", 1): "the first half of {n[0]} times the sigmoid of the second{along}",
    ("threshold_backward", 2): "{n[0]} where {1} > {threshold}, else 0",
    ("mse_loss_backward", 3): "{0} · 2 ({n[1]} − {2}){share}",
    ("soft_margin_loss", 2): "ln(1 + e^(−{1} · {0}))",
    ("cdist", 2): "the distance of each row of {n[0]} from each row of {n[1]}",
    ("norm", 1): "√(the sum of {0}²{over})",
    ("lerp", 2): "{0} + {weight} · ({1} − {0})",
    ("lerp", 3): "{0} + {2} · ({1} − {0})",
    ("add with alpha", 2): "{0} + {alpha} · {1}",
    ("sub with alpha", 2): "{0} − {alpha} · {1}",
    ("addcmul", 3): "{0} + {value} · {1} · {2}",
    ("addcmul 1", 3): "{0} + {1} · {2}",
    ("addcdiv 1", 3): "{0} + {1} / {2}",
    ("addcdiv", 3): "{0} + {value} · {1} / {2}",
    ("repeat", 1): "{p[0]} repeated {repeats} times",
    ("roll", 1): "{p[0]} rolled by {shifts}{along}",
    ("tril 0", 1): "{p[0]}, 0 above its diagonal",
    ("triu 0", 1): "{p[0]}, 0 below its diagonal",
    ("diag_embed", 1): "a matrix with {n[0]} on its diagonal",
    ("constant_pad_nd", 1): "{p[0]} with {value} around it",
    ("reflection_pad1d", 1): "{p[0]} with its mirror image around it",
    ("reflection_pad2d", 1): "{p[0]} with its mirror image around it",
    ("unfold", 1): "the windows of {size} elements of {n[0]}",
    ("im2col", 1): "the windows of {n[0]} as columns",
    ("pixel_shuffle", 1): "the channels of {n[0]} moved into its rows and columns",
    ("upsample_nearest2d", 1): "{p[0]} enlarged to {output_size} by repeating elements",
    ("upsample_bilinear2d", 1): "{p[0]} resized to {output_size} by linear interpolation",
    ("adaptive_max_pool2d", 1): "the maximum of each window of {n[0]}",
    ("convolution transposed", 2): "each element of {n[0]} times {1}, added up where they overlap",
    ("convolution transposed", 3): "each element of {n[0]} times {1}, added up where they overlap, + {2}",
    ("_scaled_dot_product_flash_attention_for_cpu", 3): "softmax({0} @ {1}ᵀ / √d) @ {2}",
    ("_scaled_dot_product_flash_attention_for_cpu", 4): "softmax({0} @ {1}ᵀ / √d + {3}) @ {2}",
    ("embedding", 2): "the rows of {n[0]} at {n[1]}",
    ("_embedding_bag 0", 3): "the sum of the rows of {n[0]} at {n[1]}, for each bag",
    ("_embedding_bag 1", 3): "the mean of the rows of {n[0]} at {n[1]}, for each bag",
    ("_embedding_bag 2", 3): "the maximum of the rows of {n[0]} at {n[1]}, for each bag",
    ("std 0", 1): "the standard deviation of {n[0]}{over} (with n)",
    ("var 0", 1): "the variance of {n[0]}{over} (with n)",
    ("median", 1): "the median of {n[0]}{over}",
    ("mode", 1): "the most frequent element of {n[0]}{over}",
    ("kthvalue", 1): "the {kth} smallest element of {n[0]}{over}",
    ("cummax", 1): "the largest element of {n[0]} so far{along}",
    ("cummin", 1): "the smallest element of {n[0]} so far{along}",
    ("logcumsumexp", 1): "ln of the running sums of e^{of[0]}{over}",
    ("all", 1): "whether all of {n[0]}{over} are True",
    ("any", 1): "whether any of {n[0]}{over} is True",
    ("isnan", 1): "where {n[0]} is nan",
    ("nonzero", 1): "the places where {n[0]} is not 0",
    ("bincount", 1): "how often each number is in {n[0]}",
    ("masked_select", 2): "the elements of {n[0]} where {n[1]}",
    ("index_fill", 2): "{p[0]} with {value} at {n[1]}{along}",
    ("take", 2): "the elements of {n[0]} at {n[1]}, counted from its first one",
    ("nan_to_num", 1): "{p[0]} with {nan} in place of nan",
    ("outer", 2): "{0} ⊗ {1}",
    ("linalg_cross", 2): "{0} × {1}",
    ("linalg_solve_triangular", 2): "{0}⁻¹ @ {1}",
    ("linalg_pinv", 1): "the pseudoinverse of {n[0]}",
    ("linalg_cholesky_ex False", 1): "L with L @ Lᵀ = {0}",
    ("_linalg_eigh", 1): "the eigenvalues of {n[0]}",
    ("linalg_eig", 1): "the eigenvalues of {n[0]}",
    ("_linalg_svd", 1): "U of the singular value decomposition of {n[0]}",
    ("linalg_qr", 1): "Q of the QR decomposition of {n[0]}",
    ("_linalg_slogdet", 1): "the sign of the determinant of {n[0]}",
}


class Said(str):
    """A sentence with its id."""

    id: str


def said(which: str, **places: object) -> Said:
    """The sentence with this id and its places filled: all of them and no others."""
    template = SENTENCES[which]
    if places.keys() != places_of(template):
        raise KeyError(f"{which} has the places {sorted(places_of(template))}, not {sorted(places)}")
    made = Said(template.format_map(places))
    made.id = which
    return made


def places_of(template: str) -> set[str]:
    """The names of the places of a sentence."""
    return {name for _, name, _, _ in Formatter().parse(template) if name is not None}
