"""What the catalogue of operations (`catalogue`) can't derive from the engine: names that are no operation of a
drawing, other names, operators, how something is written, which operands may be plain numbers, which texts an argument
takes. Tables only; names are relative to `torch`, and "F." stands for "nn.functional."."""

from __future__ import annotations


def words(text: str) -> frozenset[str]:
    """Names separated by spaces."""
    return frozenset(text.split())


def rows(text: str) -> dict[str, str]:
    """Lines "name: something"; a line that begins with a space continues the one before."""
    pairs = (line.split(":", 1) for line in text.strip().replace("\n  ", " ").splitlines())
    return {name.strip(): rest.strip() for name, rest in pairs}


# Names that are no node of a drawing: they make leaves, return something other than a tensor, have a side effect, or
# are
# building blocks of other functions.
LEFT_OUT = words("""
tensor as_tensor from_numpy asarray frombuffer zeros ones empty full eye rand randn randint randperm arange linspace
logspace range tril_indices triu_indices bartlett_window blackman_window hamming_window hann_window kaiser_window
fft.fftfreq fft.rfftfreq scalar_tensor empty_strided empty_permuted empty_like new_tensor
set_default_device get_default_device get_device get_float32_matmul_precision manual_seed seed initial_seed
get_rng_state set_rng_state is_inference is_tensor is_nonzero is_same_size is_conj is_neg is_complex is_floating_point
is_signed is_warn_always_enabled are_deterministic_algorithms_enabled typename numel equal allclose result_type
promote_types can_cast broadcast_shapes finfo iinfo linalg.LinAlgError
resolve_conj resolve_neg constant_pad_nd norm_except_dim feature_dropout feature_alpha_dropout grid_sampler
grid_sampler_2d grid_sampler_3d histogramdd nonzero_static batch_norm orgqr binomial index_put rsub
split_with_sizes narrow_copy cholesky gradient
sparse_coo_tensor sparse_csr_tensor to_sparse to_sparse_csr to_dense coalesce values spmm dsmm
F.upsample F.upsample_nearest F.upsample_bilinear F.triplet_margin_with_distance_loss F.multi_head_attention_forward
F.native_channel_shuffle F.max_pool1d_with_indices F.max_pool2d_with_indices F.max_pool3d_with_indices
F.fractional_max_pool2d_with_indices F.fractional_max_pool3d_with_indices
""")
LEFT_OUT_ENDINGS = ("_copy", "_")  # copying forms of views and in-place forms
KEPT = words("index_copy")
LEFT_OUT_BEGINNINGS = ("_", "unsafe_", "native_")
# Arguments about placement, speed or verbosity, and old spellings.
LEFT_OUT_ARGUMENTS = words("""
out inplace size_average generator memory_format _stacklevel device layout pin_memory cudnn_enabled cudnn_enable sparse
sparse_grad axis keepdims implicit requires_grad args more named names non_blocking copy use_cudnn _random_samples
""")
TORCH_FIRST = words("sigmoid tanh")  # called under `torch` although `torch.nn.functional` has them too

# name of the operation: its other names, with arguments in the same order
OTHER_NAMES = rows("""
sub: subtract
mul: multiply
div: divide true_divide
neg: negative
abs: absolute
clamp: clip
cat: concat concatenate
asin: arcsin
acos: arccos
atan: arctan
asinh: arcsinh
acosh: arccosh
atanh: arctanh
atan2: arctan2
gt: greater
ge: greater_equal
lt: less
le: less_equal
ne: not_equal
transpose: swapaxes swapdims
movedim: moveaxis
trunc: fix
vstack: row_stack
outer: ger
trapezoid: trapz
sigmoid: special.expit
lgamma: special.gammaln
digamma: special.psi
mvlgamma: special.multigammaln
igamma: special.gammainc
igammac: special.gammaincc
matmul: linalg.matmul
linalg.inv: inverse
linalg.det: det
linalg.slogdet: slogdet
linalg.matrix_power: matrix_power
linalg.matrix_exp: matrix_exp
linalg.householder_product: orgqr
""")

OPERATORS = rows("""
add: +
sub: -
mul: *
div: /
matmul: @
pow: **
floor_divide: //
remainder: %
neg: -
eq: ==
ne: !=
lt: <
le: <=
gt: >
ge: >=
bitwise_and: &
bitwise_or: |
bitwise_xor: ^
bitwise_not: ~
bitwise_left_shift: <<
bitwise_right_shift: >>
""")

METHODS = words("""
sum mean prod max min amax amin argmax argmin std var norm any all cumsum cumprod median
reshape flatten permute transpose t squeeze unsqueeze broadcast_to flip roll narrow select unbind chunk split unflatten
detach clone clamp abs masked_fill masked_select index_select gather scatter scatter_add topk sort tile ravel diagonal
index_add index_copy index_fill take movedim nan_to_num tril triu
""")

UNAUGMENTED = ("", "~", *"== != < <= > >= @".split())  # signs without an in-place form: `x += 1` has one

# operands that take a plain number as well as a tensor
NUMBERS = rows("""
add: input other
sub: input other
mul: input other
div: input other
floor_divide: input other
remainder: input other
pow: input exponent
float_power: input exponent
fmod: other
copysign: other
eq: other
ne: other
lt: other
le: other
gt: other
ge: other
bitwise_and: other
bitwise_or: other
bitwise_xor: other
bitwise_left_shift: other
bitwise_right_shift: other
xlogy: input other
special.xlog1py: input other
special.zeta: input other
where: input other
clamp: min max
clamp_min: min
clamp_max: max
lerp: weight
masked_fill: value
index_fill: value
fill: value
scatter: src
isin: elements test_elements
bucketize: input
searchsorted: input
normal: mean std
F.gaussian_nll_loss: var
special.chebyshev_polynomial_t: input n
special.chebyshev_polynomial_u: input n
special.chebyshev_polynomial_v: input n
special.chebyshev_polynomial_w: input n
special.shifted_chebyshev_polynomial_t: input n
special.shifted_chebyshev_polynomial_u: input n
special.shifted_chebyshev_polynomial_v: input n
special.shifted_chebyshev_polynomial_w: input n
special.hermite_polynomial_h: input n
special.hermite_polynomial_he: input n
special.laguerre_polynomial_l: input n
special.legendre_polynomial_p: input n
""")

# operands that may stay unconnected, but must be written (as None)
EXPLICIT = {"F.batch_norm": "running_mean running_var"}

# Arguments where the engine's function accepts anything, or PyTorch accepts more than people need.
SIGNATURES = rows("""
add: input, other, *, alpha: number = 1
sub: input, other, *, alpha: number = 1
addmm: input, mat1, mat2, *, beta: number = 1, alpha: number = 1
addmv: input, mat, vec, *, beta: number = 1, alpha: number = 1
addr: input, vec1, vec2, *, beta: number = 1, alpha: number = 1
addbmm: input, batch1, batch2, *, beta: number = 1, alpha: number = 1
baddbmm: input, batch1, batch2, *, beta: number = 1, alpha: number = 1
pow: input, exponent
max: input, dim: dim = None, keepdim: bool = False
min: input, dim: dim = None, keepdim: bool = False
sum: input, dim: dims = None, keepdim: bool = False, *, dtype: dtype = None
mean: input, dim: dims = None, keepdim: bool = False, *, dtype: dtype = None
std: input, dim: dims = None, *, correction: number = 1, keepdim: bool = False
var: input, dim: dims = None, *, correction: number = 1, keepdim: bool = False
std_mean: input, dim: dims = None, *, correction: number = 1, keepdim: bool = False
var_mean: input, dim: dims = None, *, correction: number = 1, keepdim: bool = False
where: condition, input, other
einsum: equation: text, *operands: Tensors
meshgrid: *tensors: Tensors, indexing: text = 'ij'
reshape: input, *shape: shape
tile: input, *dims: shape
permute: input, *dims: dims
flip: input, *dims: dims
repeat_interleave: input, repeats: int, dim: dim = None
matmul: input, other
split: tensor, split_size_or_sections: ints, dim: dim = 0
tensor_split: input, indices_or_sections: ints, dim: dim = 0
hsplit: input, indices_or_sections: ints
vsplit: input, indices_or_sections: ints
dsplit: input, indices_or_sections: ints
scatter: input, dim: dim, index, src
nonzero: input
polygamma: n: int, input
quantile: input, q: float, dim: dim = None, keepdim: bool = False, *, interpolation: text = 'linear'
nanquantile: input, q: float, dim: dim = None, keepdim: bool = False, *, interpolation: text = 'linear'
norm: input, p: number = 'fro', dim: dims = None, keepdim: bool = False
normal: mean, std = 1.0
bernoulli: input, p: float = None
histogram: input, bins: int, *, range: numbers = None, weight: OptionalTensor = None, density: bool = False
unravel_index: indices, shape: shape
F.softmax: input, dim: dim, *, dtype: dtype = None
F.log_softmax: input, dim: dim, *, dtype: dtype = None
F.softmin: input, dim: dim
F.sigmoid: input
F.pad: input, pad: ints, mode: text = 'constant', value: float = None
F.ctc_loss: log_probs, targets, input_lengths, target_lengths, blank: int = 0, reduction: text = 'mean'
F.one_hot: tensor, num_classes: int = -1
F.interpolate: input, size: ints = None, scale_factor: float = None, mode: text = 'nearest'
zeros_like: input, *, dtype: dtype = None
ones_like: input, *, dtype: dtype = None
full_like: input, fill_value: number, *, dtype: dtype = None
rand_like: input, *, dtype: dtype = None
randn_like: input, *, dtype: dtype = None
randint_like: input, low: int, high: int, *, dtype: dtype = None
heaviside: input, values
special.chebyshev_polynomial_t: input, n
special.chebyshev_polynomial_u: input, n
special.chebyshev_polynomial_v: input, n
special.chebyshev_polynomial_w: input, n
special.shifted_chebyshev_polynomial_t: input, n
special.shifted_chebyshev_polynomial_u: input, n
special.shifted_chebyshev_polynomial_v: input, n
special.shifted_chebyshev_polynomial_w: input, n
special.hermite_polynomial_h: input, n
special.hermite_polynomial_he: input, n
special.laguerre_polynomial_l: input, n
special.legendre_polynomial_p: input, n
linalg.eig: A
linalg.eigvals: A
linalg.eigh: A, UPLO: text = 'L'
linalg.eigvalsh: A, UPLO: text = 'L'
linalg.diagonal: A, *, offset: int = 0, dim1: dim = -2, dim2: dim = -1
fft.fftshift: input, dim: dims = None
fft.ifftshift: input, dim: dims = None
pinverse: input, rcond: float = 1e-15
atleast_1d: input
atleast_2d: input
atleast_3d: input
clamp_min: input, min
clamp_max: input, max
gcd: input, other
lcm: input, other
nextafter: input, other
""")

# Methods and attributes that have no function of the same name: their arguments after the tensor itself.
TENSOR_ONLY = rows("""
view: *shape: shape
expand: *size: shape
repeat: *repeats: shape
view_as: other
expand_as: other
reshape_as: other
type_as: other
sum_to_size: *size: shape
unfold: dimension: dim, size: int, step: int
contiguous:
to: dtype: dtype
float:
double:
half:
bfloat16:
long:
int:
short:
bool:
copy_: src
zero_:
fill_diagonal_: fill_value: number
""")
ATTRIBUTES = words("T mT H mH")

# What may give memory of its operands: views, and what returns its operand if there is nothing to do, here or in
# PyTorch. All others give new memory.
SHARES = words("""
Tensor.H Tensor.T Tensor.mH Tensor.mT Tensor.__getitem__ Tensor.view Tensor.view_as Tensor.expand Tensor.expand_as
Tensor.reshape_as Tensor.unfold Tensor.contiguous Tensor.sum_to_size Tensor.type_as Tensor.to Tensor.float Tensor.double
Tensor.half Tensor.bfloat16 Tensor.long Tensor.int Tensor.short Tensor.bool
adjoint as_strided atleast_1d atleast_2d atleast_3d broadcast_tensors broadcast_to cartesian_prod chain_matmul chunk
conj conj_physical detach diagonal dsplit einsum flatten hsplit imag linalg.diagonal meshgrid movedim narrow permute
positive ravel real repeat_interleave reshape select split squeeze t tensor_split transpose unbind unflatten unsqueeze
view_as_complex view_as_real vsplit
F.alpha_dropout F.channel_shuffle F.dropout F.dropout1d F.dropout2d F.dropout3d F.feature_alpha_dropout F.pixel_shuffle
F.pixel_unshuffle F.unfold
""")

# texts that an argument may be
CHOICES = rows("""
reduction: none mean sum
F.kl_div.reduction: none mean sum batchmean
rounding_mode: trunc floor
F.gelu.approximate: none tanh
F.pad.mode: constant reflect replicate circular
F.interpolate.mode: nearest linear bilinear bicubic trilinear area nearest-exact
F.grid_sample.mode: bilinear nearest bicubic
F.grid_sample.padding_mode: zeros border reflection
F.embedding_bag.mode: sum mean max
linalg.qr.mode: reduced complete r
stft.pad_mode: constant reflect replicate circular
interpolation: linear lower higher midpoint nearest
indexing: ij xy
UPLO: L U
norm: forward backward ortho
scatter_reduce.reduce: sum prod mean amax amin
index_reduce.reduce: prod mean amax amin
side: left right
cdist.compute_mode: use_mm_for_euclid_dist_if_necessary use_mm_for_euclid_dist donot_use_mm_for_euclid_dist
driver: gels gelsy gelsd gelss
linalg.svd.driver: gesvd gesvdj gesvda
linalg.svdvals.driver: gesvd gesvdj gesvda
padding: same valid
p: fro nuc
ord: fro nuc
""")

# outputs of operations that return several tensors; "+name" exists if the argument after "if" was given, "*" means any
# number of outputs
OUTPUTS = rows("""
max: values +indices if dim
min: values +indices if dim
median: values +indices if dim
nanmedian: values +indices if dim
mode: values indices
kthvalue: values indices
topk: values indices
sort: values indices
cummax: values indices
cummin: values indices
aminmax: min max
std_mean: std mean
var_mean: var mean
frexp: mantissa exponent
unique: output +inverse_indices if return_inverse +counts if return_counts
unique_consecutive: output +inverse_indices if return_inverse +counts if return_counts
histogram: hist bin_edges
svd: U S V
qr: Q R
geqrf: a tau
triangular_solve: solution cloned_coefficient
lu: LU pivots +infos if get_infos
lu_unpack: P L U
svd_lowrank: U S V
pca_lowrank: U S V
linalg.slogdet: sign logabsdet
linalg.qr: Q R
linalg.svd: U S Vh
linalg.eig: eigenvalues eigenvectors
linalg.eigh: eigenvalues eigenvectors
linalg.lu: P L U
linalg.lu_factor: LU pivots
linalg.lu_factor_ex: LU pivots info
linalg.ldl_factor: LD pivots
linalg.ldl_factor_ex: LD pivots info
linalg.cholesky_ex: L info
linalg.inv_ex: inverse info
linalg.solve_ex: result info
linalg.lstsq: solution residuals rank singular_values
F.max_pool1d: result +indices if return_indices
F.max_pool2d: result +indices if return_indices
F.max_pool3d: result +indices if return_indices
F.adaptive_max_pool1d: result +indices if return_indices
F.adaptive_max_pool2d: result +indices if return_indices
F.adaptive_max_pool3d: result +indices if return_indices
F.fractional_max_pool2d: result +indices if return_indices
F.fractional_max_pool3d: result +indices if return_indices
split: *
chunk: *
unbind: *
tensor_split: *
hsplit: *
vsplit: *
dsplit: *
meshgrid: *
broadcast_tensors: *
unravel_index: *
""")
