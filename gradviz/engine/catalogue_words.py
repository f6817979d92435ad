"""The words of the catalogue of operations (`catalogue`): categories, what operations without a row of their own are
and do, what people type when they look for something, and which ones they use. "F." stands for "nn.functional."."""

from __future__ import annotations

import re

from gradviz.engine.catalogue_shown import SHOWN
from gradviz.engine.catalogue_tables import rows, words

CATEGORIES = (
    "arithmetic", "functions", "activations", "layers", "losses", "linear algebra", "reductions", "shape", "indexing",
    "selection", "comparison", "types", "new tensors", "random", "complex", "fourier", "special functions",
)  # fmt: skip
OTHER_ARGUMENTS: frozenset[str] = words("F.embedding F.batch_norm F.layer_norm F.group_norm F.ctc_loss F.kl_div "
    "F.binary_cross_entropy_with_logits F.cosine_embedding_loss F.hinge_embedding_loss F.margin_ranking_loss "
    "F.poisson_nll_loss F.triplet_margin_loss F.dropout F.alpha_dropout F.feature_alpha_dropout")  # fmt: skip
APART: frozenset[str] = words(
    "linalg.norm linalg.cross linalg.diagonal linalg.vander linalg.qr linalg.svd linalg.lu_solve linalg.lu"
)
# Of functions that have no row of the engine to themselves.
OF_CATEGORY = rows("""
arithmetic: float_power positive square
activations: F.gumbel_softmax F.logsigmoid F.prelu F.relu6 F.rrelu F.selu F.softmin F.softsign F.tanhshrink
layers: F.adaptive_avg_pool1d F.adaptive_avg_pool2d F.adaptive_avg_pool3d F.adaptive_max_pool1d F.affine_grid
  F.alpha_dropout F.avg_pool1d F.batch_norm F.bilinear F.conv1d F.conv2d F.conv3d F.conv_transpose1d
  F.conv_transpose2d F.conv_transpose3d F.dropout F.dropout1d F.dropout2d F.dropout3d F.embedding_bag
  F.feature_alpha_dropout F.fold F.grid_sample F.group_norm F.instance_norm F.interpolate F.layer_norm F.linear
  F.local_response_norm F.lp_pool1d F.lp_pool2d F.lp_pool3d F.max_pool1d F.max_pool2d F.max_pool3d F.max_unpool1d
  F.normalize F.one_hot F.rms_norm F.scaled_dot_product_attention
losses: F.cross_entropy F.kl_div F.linear_cross_entropy
linear algebra: Tensor.H Tensor.mH Tensor.mT adjoint chain_matmul cross einsum inner kron logdet lu lu_solve matmul
  outer pca_lowrank pinverse qr svd svd_lowrank tensordot vander F.cosine_similarity F.pairwise_distance F.pdist
reductions: corrcoef count_nonzero cov cumulative_trapezoid diff histc nanmean nanquantile quantile trapezoid
shape: Tensor.T Tensor.expand_as Tensor.reshape_as Tensor.view_as Tensor.sum_to_size Tensor.contiguous atleast_1d
  atleast_2d atleast_3d broadcast_tensors broadcast_to cartesian_prod chunk column_stack combinations detach diag
  diagflat dsplit dstack flatten fliplr flipud hsplit hstack meshgrid movedim ravel repeat_interleave reshape
  tensor_split tile unflatten vsplit vstack F.pad
indexing: Tensor.__getitem__ argwhere narrow take_along_dim unravel_index
selection: argsort bucketize msort searchsorted unique
comparison: isclose isin
types: Tensor.bfloat16 Tensor.bool Tensor.double Tensor.float Tensor.half Tensor.int Tensor.long Tensor.short
  Tensor.to Tensor.type_as
new tensors: fill full_like ones_like zeros_like rand_like randn_like randint_like
complex: conj imag real
fourier: istft stft
""")
_CATEGORY_OF = {key: name for name, keys in OF_CATEGORY.items() for key in keys.split()}

WORDS = rows("""
add: plus sum + broadcast
sub: minus subtract difference
mul: times multiply product hadamard scale · ×
div: divide by quotient ratio fraction ÷
pow: power exponent square cube ^ x^y x**y x^2 x**2 squared
square: power squared x^2 x**2 ^2
sqrt: root √
neg: minus negative negate −
abs: absolute modulus |x|
exp: e^x exponential
log: ln logarithm
matmul: matrix product multiply dot @ a@b
mm: matrix product
bmm: batch matrix product
dot: inner scalar product
F.linear: dense fully connected fc layer nn.linear wx+b affine
F.relu: rectifier activation nonlinearity nn.relu
sigmoid: logistic activation σ expit nn.sigmoid
tanh: hyperbolic activation nn.tanh
F.gelu: gaussian activation nn.gelu
F.silu: swish activation nn.silu
F.softmax: probabilities softmax normalise nn.softmax
F.log_softmax: logsoftmax probabilities
F.cross_entropy: ce logits classification nn.crossentropyloss crossentropy
F.nll_loss: negative log likelihood nll
F.mse_loss: mse squared error l2 nn.mseloss regression
F.l1_loss: mae absolute error l1
F.smooth_l1_loss: huber
F.binary_cross_entropy: bce
F.binary_cross_entropy_with_logits: bce logits bcewithlogits
F.kl_div: kl divergence kullback leibler
F.conv2d: convolution cnn nn.conv2d
F.conv1d: convolution
F.conv3d: convolution
F.conv_transpose2d: deconvolution transposed convolution upsample
F.max_pool2d: pooling maxpool nn.maxpool2d
F.avg_pool2d: pooling avgpool
F.adaptive_avg_pool2d: global pooling
F.batch_norm: batchnorm bn normalization
F.layer_norm: layernorm ln normalization
F.dropout: regularization nn.dropout
F.embedding: lookup table nn.embedding
F.scaled_dot_product_attention: attention transformer sdpa
F.interpolate: resize upsample
F.normalize: unit length
F.one_hot: onehot
sum: total add Σ ∑
mean: average avg
prod: product Π
std: deviation
var: variance
norm: length magnitude ‖x‖
max: maximum largest
min: minimum smallest
maximum: max
minimum: min
argmax: index of the largest
cumsum: running cumulative
clamp: clip limit bound
where: if else choose select condition ternary ? if-else
masked_fill: mask
Tensor.view: shape resize
reshape: shape resize
Tensor.__getitem__: index slice select [] x[i] [i] subscript
Tensor.T: transpose
t: transpose
transpose: swap swapaxes
permute: reorder axes
squeeze: drop remove dimension
unsqueeze: add dimension
flatten: nn.flatten
cat: concatenate concat join
stack: join
Tensor.expand: broadcast
Tensor.repeat: tile
Tensor.to: cast convert dtype
Tensor.float: cast float32
Tensor.double: cast float64
Tensor.long: cast int64
Tensor.int: cast int32
Tensor.bool: cast
detach: stop gradient
clone: copy
linalg.inv: inverse
linalg.det: determinant
trace: diagonal
eq: equal equals ==
ne: different unequal !=
gt: greater more >
ge: greater >=
lt: less smaller <
le: less <=
logical_and: and
logical_or: or
logical_not: not
floor_divide: integer division
remainder: modulo mod %
erf: error function
topk: largest
""")
USED = rows(
    """
mul:518 add:509 pow:485 matmul:480 sub:480 div:467 F.linear:257 sum:240 Tensor.__getitem__:200 F.relu:180
Tensor.to:173 neg:155 detach:129 mean:122 F.cross_entropy:117 Tensor.view:113 max:109 F.conv2d:101 unsqueeze:99
flatten:75 reshape:70 squeeze:66 F.dropout:65 F.softmax:64 eq:64 Tensor.float:62 cat:62 F.mse_loss:60 argmax:55
F.max_pool2d:55 clone:53 permute:49 transpose:47 sigmoid:45 sin:44 stack:42 F.log_softmax:40 gt:40 exp:37 tanh:36
lt:35 F.nll_loss:34 ones_like:29 min:29 F.embedding:28 F.batch_norm:27 zeros_like:26 clamp:26 Tensor.T:24 abs:24
norm:23 t:21 log:21 std:20 sqrt:19 mm:19 Tensor.expand:17 cos:15 dot:15 topk:14 F.binary_cross_entropy_with_logits:14
Tensor.contiguous:13 Tensor.long:13 F.avg_pool2d:13 Tensor.view_as:12 F.layer_norm:12 unique:12 ge:12 le:12
Tensor.repeat:11 F.conv_transpose2d:11 F.adaptive_avg_pool2d:10 F.l1_loss:10 normal:10 ne:10 Tensor.double:9
Tensor.half:9 rand_like:9 where:9 all:9 diag:8 gather:8 sign:7 bmm:7 F.conv1d:7 F.dropout2d:7 F.leaky_relu:7 chunk:7
argmin:7 round:7 masked_fill:6 nonzero:6 meshgrid:6 nanmean:6 Tensor.expand_as:5 unbind:5 asin:5 einsum:5
F.smooth_l1_loss:5 randn_like:5 square:5 svd:5 argsort:5 flip:5 floor:5 floor_divide:5 remainder:5 any:4 cumsum:4
isnan:4 F.interpolate:4 fmod:3 movedim:3 ravel:3 var:3 bitwise_xor:3 ceil:3 cross:3 logsumexp:3 nansum:3
F.embedding_bag:3 F.gelu:3 F.elu:3 F.one_hot:3 F.scaled_dot_product_attention:3 F.softplus:3 prod:3 addcmul:2
Tensor.bfloat16:2 Tensor.int:2 split:2 trace:2 unflatten:2 F.unfold:2 linalg.det:2 erf:2 exp2:2 lerp:2
""".replace(" ", "\n")
)


def shown(key: str) -> tuple[str, str, str]:
    """Symbol, what it does and formula; "" where the engine knows."""
    symbol, brief, formula = ([part.strip() for part in re.split(r"(?<!\S)\|(?!\S)", SHOWN.get(key, ""))] + ["", ""])[
        :3
    ]
    return symbol, brief, formula


def category(key: str, of_row: str) -> str:
    """Where an operation stands; `of_row` is the category of its row in the engine, "other" if that says nothing."""
    if key.startswith("special."):
        return "special functions"
    if of_row != "other":
        return of_row
    for start, found in (("linalg.", "linear algebra"), ("fft.", "fourier")):
        if key.startswith(start):
            return found
    return _CATEGORY_OF.get(key, "losses" if key.endswith("_loss") else "functions")


def used(key: str) -> int:
    """In how many of the 725 snippets that were counted it stands; operators were not, and are put first."""
    return int(USED.get(key, 0))
