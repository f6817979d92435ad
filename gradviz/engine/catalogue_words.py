"""The words of the catalogue of operations (`catalogue`): how operations are shown, their categories, descriptions of
operations without a row of their own, search terms, and how often each operation is used. "F." stands for
"nn.functional."."""

from __future__ import annotations

import re

from gradviz.engine.catalogue_tables import rows, words

# --- how they are shown: "symbol | what it does | formula", with nothing where the row or the docstring has it ---


SHOWN = rows("""
eq: = | Whether x = y, element by element.
ne: ≠ | Whether x ≠ y, element by element.
lt: < | Whether x < y, element by element.
le: ≤ | Whether x ≤ y, element by element.
gt: > | Whether x > y, element by element.
ge: ≥ | Whether x ≥ y, element by element.
addmm: @+ | A product of matrices plus a third. | β C + α A B
add: | Adds element by element.
sub: | Subtracts element by element.
div: | Divides element by element.
pow: xʸ | Each element to a power.
clamp: | Limits each element to a range.
matmul: @ | Matrix product; of vectors the dot product; in batches with broadcasting. | A B
square: x² | | x²
float_power: xʸ | To a power, in double precision. | xʸ
positive: +x
Tensor.T: Aᵀ | Rows and columns exchanged; all dimensions in reverse. | Aᵀ
Tensor.mT: Aᵀ | The last two dimensions exchanged. | Aᵀ
Tensor.H: Aᴴ | The conjugate transpose of a matrix. | Aᴴ
Tensor.mH: Aᴴ | The conjugate transpose of matrices in a batch. | Aᴴ
adjoint: Aᴴ | | Aᴴ
Tensor.__getitem__: […] | A part of it: x[0], x[:, 1], x[..., ::2], x[mask]. | x[i]
Tensor.copy_: copy_ | Every element becomes that of another tensor, in place. | x ← y
Tensor.zero_: zero_ | Every element becomes 0, in place. | x ← 0
Tensor.fill_diagonal_: fill_ | The elements of the diagonal become one value, in place.
Tensor.to: to | The same numbers in another type.
Tensor.float: float | As 32-bit floating point numbers.
Tensor.double: double | As 64-bit floating point numbers.
Tensor.half: half | As 16-bit floating point numbers.
Tensor.bfloat16: bf16 | As 16-bit numbers with the range of 32-bit ones.
Tensor.long: long | As 64-bit integers.
Tensor.int: int | As 32-bit integers.
Tensor.short: short | As 16-bit integers.
Tensor.bool: bool | False where it is 0, True elsewhere.
Tensor.type_as: type_as | In the type of another tensor.
Tensor.contiguous: contig | The elements in order in memory: itself, or a copy.
Tensor.expand_as: expand | Expanded to the shape of another tensor.
Tensor.reshape_as: reshape | In the shape of another tensor.
Tensor.view_as: view | The same memory in the shape of another tensor.
Tensor.sum_to_size: ∑ | Summed until it has this shape: the reverse of broadcasting.
detach: detach | The same numbers without history: no gradient goes through.
clone: clone | A copy; gradients go through.
zeros_like: 0 | Zeros in the shape of another tensor.
ones_like: 1 | Ones in the shape of another tensor.
full_like: full | One value in the shape of another tensor.
fill: fill
rand_like: ≈ | Random numbers from 0 to 1 in the shape of another tensor.
randn_like: ≈ | Normal random numbers in the shape of another tensor.
randint_like: ≈ | Random integers in the shape of another tensor.
multinomial: draw
bernoulli: 0/1
repeat_interleave: repeat | Each element several times in a row.
reshape: reshape | The same elements in another shape.
flatten: flatten | Several dimensions as one. | (N, C, H, W) → (N, C·H·W)
ravel: ravel
unflatten: unflatten
tile: tile
broadcast_to: expand | Expanded to a shape, without copies.
broadcast_tensors: expand
chunk: chunk | Cut into so many parts along a dimension.
split: split | Cut into parts of a size along a dimension.
tensor_split: split
hsplit: split | Cut along the second dimension; a vector along its only one.
vsplit: split | Cut along the first dimension.
dsplit: split | Cut along the third dimension.
hstack: hstack | Side by side: along the second dimension; vectors one after another.
vstack: vstack | One below the other, vectors as rows.
dstack: dstack
column_stack: columns
cat: cat | Joined one after another along a dimension. | [x, y]
stack: stack | Joined along a new dimension.
meshgrid: grid
diag: diag
diagflat: diag
movedim: movedim
fliplr: ⇋
flipud: ⥮
atleast_1d: ≥1d
atleast_2d: ≥2d
atleast_3d: ≥3d
cartesian_prod: ×
combinations: nCr
narrow: narrow | So many entries from a start along a dimension.
take_along_dim: gather
argwhere: where≠0
unravel_index: (i, j)
argsort: argsort
msort: sort
searchsorted: search | Where each value would stand in a sorted sequence.
bucketize: bucket
unique: unique | The distinct elements in order.
isclose: ≈
isin: ∈
quantile: quantile | Quantiles, interpolated between neighbours.
nanquantile: quantile
nanmean: mean
count_nonzero: #≠0
diff: Δ | Differences of neighbours along a dimension. | xᵢ₊₁ − xᵢ
histc: hist
cov: cov
corrcoef: corr
trapezoid: ∫
cumulative_trapezoid: ∫
max: | The largest element; along a dimension also where it is.
min: | The smallest element; along a dimension also where it is.
median: | The element in the middle; along a dimension also where it is.
nanmedian: median | The median, ignoring NaN; along a dimension also its index.
sum: | The sum of all elements, or along dimensions.
mean: | The mean of all elements, or along dimensions.
prod: | The product of all elements, or along a dimension.
norm: | The length of a vector: √ of the sum of squares; other norms by p.
dot: | The sum of products of two vectors.
inner: ⟨x, y⟩ | | Σ xᵢ yᵢ
outer: x yᵀ | | xᵢ yⱼ
kron: ⊗
tensordot: ·
cross: × | The cross product of vectors with 3 elements. | x × y
linalg.cross: ×
einsum: einsum | Sums of products by an equation such as "ij,jk->ik".
chain_matmul: @@
logdet: ln|A|
lu: LU
lu_solve: A⁻¹b
qr: QR
svd: UΣVᴴ
svd_lowrank: UΣVᴴ | U, S, V of an approximation of low rank.
pca_lowrank: PCA
pinverse: A⁺ | The Moore-Penrose pseudoinverse.
vander: xⁿ
linalg.eigh: eigh | Eigenvalues and eigenvectors of a Hermitian matrix.
linalg.eigvals: λ | Eigenvalues of a square matrix.
linalg.eigvalsh: λ | Eigenvalues of a Hermitian matrix.
linalg.multi_dot: @@ | The product of several matrices, in the order that costs least.
linalg.tensorinv: A⁻¹ | The inverse of a tensor taken as a matrix.
linalg.tensorsolve: A⁻¹b
linalg.solve_ex: A⁻¹b
linalg.lu_factor: LU
linalg.ldl_factor: LDL
linalg.matrix_norm: ‖A‖
linalg.matrix_power: Aⁿ
linalg.matrix_rank: rank
linalg.svdvals: σᵢ
linalg.slogdet: ln|A|
F.linear: x Wᵀ + b | A fully connected layer; weight has shape (out, in). | x Wᵀ + b
F.bilinear: xᵀWy
F.conv1d: conv | A convolution along one dimension: (N, C, L).
F.conv2d: conv | A convolution of images: (N, C, H, W).
F.conv3d: conv | A convolution of volumes: (N, C, D, H, W).
F.conv_transpose1d: convᵀ | The transpose of conv1d, for upsampling.
F.conv_transpose2d: convᵀ | The transpose of conv2d, for upsampling.
F.conv_transpose3d: convᵀ | The transpose of conv3d, for upsampling.
F.max_pool1d: maxpool
F.max_pool2d: maxpool | The largest value of each window of an image.
F.max_pool3d: maxpool | The largest value of each window of a volume.
F.avg_pool1d: avgpool
F.lp_pool1d: lp pool | The p-norm of each window.
F.lp_pool2d: lp pool | The p-norm of each window of an image.
F.lp_pool3d: lp pool | The p-norm of each window of a volume.
F.adaptive_avg_pool1d: avgpool
F.adaptive_avg_pool2d: avgpool | The mean of so many windows that cover the image.
F.adaptive_avg_pool3d: avgpool | The mean of so many windows that cover the volume.
F.adaptive_max_pool1d: maxpool
F.max_unpool1d: unpool | Values of max_pool1d put back to where they were.
F.dropout: dropout | Sets elements to 0 at random, with probability p, in training.
F.dropout1d: dropout
F.dropout2d: dropout
F.dropout3d: dropout
F.alpha_dropout: dropout
F.feature_alpha_dropout: dropout
F.batch_norm: norm | Each channel to mean 0 and variance 1 over the batch. | (x − μ)/√(σ² + ε) · w + b
F.layer_norm: norm | Each sample to mean 0 and variance 1 over its last dimensions. | (x − μ)/√(σ² + ε) · w + b
F.group_norm: norm | Each group of channels to mean 0 and variance 1. | (x − μ)/√(σ² + ε) · w + b
F.instance_norm: norm | Each channel of each sample to mean 0 and variance 1.
F.rms_norm: norm | | x/√(mean(x²) + ε) · w
F.local_response_norm: norm
F.normalize: x/‖x‖ | Each vector along a dimension divided by its length. | x/max(‖x‖, ε)
F.embedding: embed | The rows of weight that the input, class numbers, asks for. | weight[i]
F.embedding_bag: embed | Sums, means or maxima of rows of weight.
F.one_hot: one-hot
F.interpolate: resize | An image in another size.
F.grid_sample: sample | An image's values at the places of a grid.
F.affine_grid: grid | The places that an affine map looks at, for grid_sample.
F.fold: fold
F.unfold: unfold
F.pad: pad | More elements around the last dimensions.
F.scaled_dot_product_attention: attention | | softmax(Q Kᵀ/√d) V
F.cosine_similarity: cos∠ | The cosine of the angle between vectors. | x · y/(‖x‖ ‖y‖)
F.pairwise_distance: ‖x−y‖
F.pdist: ‖xᵢ−xⱼ‖
F.cross_entropy: CE | How wrong class scores (logits) are, given the right classes. | −ln softmax(x)ₜ
F.linear_cross_entropy: CE
F.kl_div: KL | | t (ln t − x)
F.l1_loss: |x−t| | The mean of the absolute differences. | |x − t|
F.ctc_loss: CTC | How unlikely a sequence is, over all alignments.
F.gaussian_nll_loss: nll | How unlikely the target is under a normal distribution.
F.poisson_nll_loss: nll | How unlikely counts are under a Poisson distribution.
F.cosine_embedding_loss: cos loss
F.hinge_embedding_loss: hinge
F.margin_ranking_loss: ranking
F.multilabel_soft_margin_loss: margin
F.triplet_margin_loss: triplet
F.gumbel_softmax: gumbel | A random sample near a corner, from logits.
F.logsigmoid: ln σ | | ln σ(x)
F.prelu: prelu | x where positive, weight · x elsewhere. | max(0, x) + w min(0, x)
F.relu6: relu6 | | min(max(x, 0), 6)
F.rrelu: rrelu | x where positive; elsewhere times a random slope.
F.selu: selu
F.softmin: softmin
F.softsign: softsign | | x/(1 + |x|)
F.tanhshrink: tanhsh | | x − tanh x
F.softmax: softmax
F.log_softmax: ln softmax
real: Re | The real part.
imag: Im
conj: x̄ | The complex conjugate.
complex: re+im·i
view_as_complex: re+im·i
logical_and: ∧
logical_or: ∨
logical_xor: ⊻
index_select: select
as_strided_scatter: strided=
diagonal_scatter: diag=
select_scatter: [i]=
slice_scatter: [i:j]=
stft: STFT | The Fourier transforms of windows that slide over a signal.
istft: STFT⁻¹ | The signal that a stft is of.
fft.fft2: FFT | The Fourier transform of images.
fft.fftn: FFT | The Fourier transform over all dimensions.
fft.ifft2: FFT⁻¹ | The inverse transform of images.
fft.ifftn: FFT⁻¹ | The inverse transform over all dimensions.
fft.rfft2: rFFT | The transform of real images, half of it.
fft.rfftn: rFFT | The transform of real numbers over all dimensions.
fft.irfft2: rFFT⁻¹ | The real image of half a transform.
fft.irfftn: rFFT⁻¹ | The real tensor of half a transform.
fft.hfft: hFFT | The real transform of a Hermitian signal, given half of it.
fft.hfft2: hFFT | The real transform of a Hermitian image.
fft.hfftn: hFFT | The real transform of a Hermitian signal, over all dimensions.
fft.ihfft2: hFFT⁻¹ | The inverse of hfft2.
fft.ihfftn: hFFT⁻¹ | The inverse of hfftn.
fft.fftshift: shift | Frequency 0 moved to the middle.
fft.ifftshift: shift | Frequency 0 moved back to the beginning.
special.airy_ai: Ai
special.bessel_j0: J₀
special.bessel_j1: J₁
special.bessel_y0: Y₀
special.bessel_y1: Y₁
special.modified_bessel_i0: I₀
special.modified_bessel_i1: I₁
special.modified_bessel_k0: K₀
special.modified_bessel_k1: K₁
special.scaled_modified_bessel_k0: eˣK₀
special.scaled_modified_bessel_k1: eˣK₁
special.spherical_bessel_j0: j₀
special.chebyshev_polynomial_t: Tₙ
special.chebyshev_polynomial_u: Uₙ
special.chebyshev_polynomial_v: Vₙ
special.chebyshev_polynomial_w: Wₙ
special.shifted_chebyshev_polynomial_t: Tₙ*
special.shifted_chebyshev_polynomial_u: Uₙ*
special.shifted_chebyshev_polynomial_v: Vₙ*
special.shifted_chebyshev_polynomial_w: Wₙ*
special.hermite_polynomial_h: Hₙ
special.hermite_polynomial_he: Heₙ
special.laguerre_polynomial_l: Lₙ
special.legendre_polynomial_p: Pₙ
special.log_ndtr: ln Φ
special.xlog1py: x ln(1+y)
""")


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
# For functions without an engine row of their own.
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
indexing: Tensor.__getitem__ Tensor.fill_diagonal_ argwhere narrow take_along_dim unravel_index
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
Tensor.copy_: inplace
Tensor.zero_: inplace zero_grad
Tensor.fill_diagonal_: inplace
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
    """Symbol, brief description and formula; "" where the engine has them."""
    symbol, brief, formula = ([part.strip() for part in re.split(r"(?<!\S)\|(?!\S)", SHOWN.get(key, ""))] + ["", ""])[
        :3
    ]
    return symbol, brief, formula


def category(key: str, of_row: str) -> str:
    """The category of an operation; `of_row` is that of its row in the engine, "other" if that says nothing."""
    if key.startswith("special."):
        return "special functions"
    if of_row != "other":
        return of_row
    for start, found in (("linalg.", "linear algebra"), ("fft.", "fourier")):
        if key.startswith(start):
            return found
    return _CATEGORY_OF.get(key, "losses" if key.endswith("_loss") else "functions")


def used(key: str) -> int:
    """How many of the 725 counted snippets use it; operators were not counted, and come first."""
    return int(USED.get(key, 0))
