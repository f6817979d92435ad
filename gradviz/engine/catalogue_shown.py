"""How operations are shown in the catalogue (`catalogue`): "symbol | what it does | formula", with nothing where the
row of the engine or the docstring of the function has it. "F." stands for "nn.functional."."""

from __future__ import annotations

from gradviz.engine.catalogue_tables import rows

SHOWN = rows("""
add: | Adds element by element.
sub: | Subtracts element by element.
div: | Divides element by element.
pow: xʸ | Each element to a power.
matmul: @ | Matrix product; of vectors the dot product; in batches with broadcasting. | A B
square: x² | | x²
float_power: xʸ | To a power, in double precision. | xʸ
positive: +x
Tensor.T: Aᵀ | Rows and columns exchanged; all dimensions in reverse. | Aᵀ
Tensor.mT: Aᵀ | The last two dimensions exchanged. | Aᵀ
Tensor.H: Aᴴ | The conjugate transpose of a matrix. | Aᴴ
Tensor.mH: Aᴴ | The conjugate transpose of matrices in a batch. | Aᴴ
adjoint: Aᴴ | | Aᴴ
Tensor.__getitem__: […] | A part of it: x[0], x[:, 1], x[..., ::2]. | x[i]
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
unique: unique | The different elements in order.
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
nanmedian: median | The middle of what is not NaN; along a dimension also where it is.
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
