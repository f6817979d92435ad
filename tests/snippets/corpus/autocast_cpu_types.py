import torch
import torch.nn as nn, torch.nn.functional as F

T = torch
b = lambda *s: T.ones(*s, dtype=T.bfloat16) * 0.5
f = lambda *s: T.ones(*s) * 0.5
C = {}


def c(name, fn):
    C[name] = fn


for mk, t in ((b, "b"), (f, "f")):
    c(t + "conv1", lambda mk=mk: F.conv1d(mk(1, 1, 4), mk(1, 1, 2)))
    c(t + "convt", lambda mk=mk: F.conv_transpose2d(mk(1, 1, 4, 4), mk(1, 1, 2, 2)))
    c(t + "conv3", lambda mk=mk: F.conv3d(mk(1, 1, 4, 4, 4), mk(1, 1, 2, 2, 2)))
    c(t + "prelu", lambda mk=mk: F.prelu(mk(3), mk(1)))
    c(t + "sdpa", lambda mk=mk: F.scaled_dot_product_attention(mk(1, 2, 3), mk(1, 2, 3), mk(1, 2, 3)))
    for n in "mse_loss l1_loss smooth_l1_loss huber_loss binary_cross_entropy binary_cross_entropy_with_logits soft_margin_loss hinge_embedding_loss poisson_nll_loss".split():
        c(t + n, lambda mk=mk, n=n: getattr(F, n)(mk(3), mk(3)))
    c(t + "kl_div", lambda mk=mk: F.kl_div(mk(3), mk(3), reduction="sum"))
    c(t + "gnll", lambda mk=mk: F.gaussian_nll_loss(mk(3), mk(3), mk(3)))
    c(t + "ce", lambda mk=mk: F.cross_entropy(mk(2, 3), T.tensor([0, 1])))
    c(t + "nll2", lambda mk=mk: F.nll_loss(mk(1, 2, 3, 3), T.zeros(1, 3, 3, dtype=T.int64)))
    c(t + "mm", lambda mk=mk: F.multi_margin_loss(mk(2, 3), T.tensor([0, 1])))
    c(t + "mlm", lambda mk=mk: F.multilabel_margin_loss(mk(3), T.tensor([0, 1, -1])))
    c(t + "mlsm", lambda mk=mk: F.multilabel_soft_margin_loss(mk(1, 3), mk(1, 3)))
    c(t + "cos", lambda mk=mk: F.cosine_embedding_loss(mk(2, 3), mk(2, 3), T.ones(2)))
    c(t + "cossim", lambda mk=mk: F.cosine_similarity(mk(2, 3), mk(2, 3)))
    c(t + "marg", lambda mk=mk: F.margin_ranking_loss(mk(2), mk(2), mk(2)))
    c(t + "trip", lambda mk=mk: F.triplet_margin_loss(mk(2, 3), mk(2, 3), mk(2, 3)))
    c(t + "tripd", lambda mk=mk: F.triplet_margin_with_distance_loss(mk(2, 3), mk(2, 3), mk(2, 3)))
    c(t + "ctc", lambda mk=mk: F.ctc_loss(mk(5, 1, 3), T.tensor([[1]]), (5,), (1,)))
    for m in ("reflect", "replicate", "circular", "constant"):
        c(t + "pad1" + m, lambda mk=mk, m=m: F.pad(mk(1, 2, 4), (1, 1), mode=m))
        c(t + "pad2" + m, lambda mk=mk, m=m: F.pad(mk(1, 2, 4, 4), (1, 1, 1, 1), mode=m))
        c(t + "pad3" + m, lambda mk=mk, m=m: F.pad(mk(1, 2, 4, 4, 4), (1, 1, 1, 1, 1, 1), mode=m))
    for n in "avg_pool3d max_pool3d avg_pool2d max_pool2d".split():
        c(
            t + n,
            lambda mk=mk, n=n: getattr(F, n)(
                mk(*[2] * int(n[-2]) + [2] * 2) if False else mk(1, *[4] * (int(n[-2]) + 0)), 2
            ),
        )
    for n in "adaptive_avg_pool3d adaptive_max_pool3d adaptive_avg_pool2d".split():
        c(t + n, lambda mk=mk, n=n: getattr(F, n)(mk(1, *[4] * int(n[-2])), 2))
    c(t + "frac", lambda mk=mk: F.fractional_max_pool2d(mk(1, 4, 4), 2, output_size=2))
    c(t + "unp", lambda mk=mk: F.max_unpool2d(mk(1, 2, 2), T.tensor([[[0, 1], [2, 3]]]), 2))
    c(t + "grid", lambda mk=mk: F.grid_sample(mk(1, 1, 4, 4), mk(1, 2, 2, 2)))
    for n in "trace pinverse inverse cholesky cumprod prod sum mean var std norm exp log softmax logsumexp cumsum svd".split():
        c(
            t + n,
            lambda mk=mk, n=n: (lambda r: r[0] if not hasattr(r, "dtype") else r)(
                (
                    getattr(T, n)(
                        (mk(3, 3) * T.eye(3, dtype=mk(1).dtype)),
                        *((0,) if n in ("softmax", "logsumexp", "cumsum", "cumprod") else ()),
                    )
                )
            ),
        )
    c(t + "proddim", lambda mk=mk: mk(3, 3).prod(0))
    c(t + "qu", lambda mk=mk: mk(3, 3).quantile(0.5))
    c(t + "nqu", lambda mk=mk: T.nanquantile(mk(3, 3), 0.5))
    c(t + "cdist", lambda mk=mk: T.cdist(mk(3, 3), mk(3, 3)))
    c(t + "pwd", lambda mk=mk: F.pairwise_distance(mk(3, 3), mk(3, 3)))
    c(t + "polar", lambda mk=mk: T.polar(mk(3), mk(3)))
    c(t + "vac", lambda mk=mk: T.view_as_complex(mk(3, 2)))
    c(t + "fft", lambda mk=mk: T.fft.fft(mk(3)))
    c(t + "rfft", lambda mk=mk: T.fft.rfft(mk(3)))
    c(t + "stft", lambda mk=mk: T.stft(mk(16), 8, window=T.ones(8), return_complex=True))
    for n in "cholesky inv eigvalsh svdvals cond matrix_rank norm".split():
        c(
            t + "la." + n,
            lambda mk=mk, n=n: (lambda r: r[0] if not hasattr(r, "dtype") else r)(
                (getattr(T.linalg, n)(mk(3, 3) * T.eye(3, dtype=mk(1).dtype)))
            ),
        )
    c(t + "la.solve", lambda mk=mk: T.linalg.solve(mk(2, 2) * T.eye(2), mk(2)))
    c(t + "la.vecdot", lambda mk=mk: T.linalg.vecdot(mk(2), mk(2)))
    c(t + "la.multi_dot", lambda mk=mk: T.linalg.multi_dot([mk(2, 2)] * 3))
    c(t + "la.matmul", lambda mk=mk: T.linalg.matmul(mk(2, 2), mk(2, 2)))
    c(t + "la.matpow", lambda mk=mk: T.linalg.matrix_power(mk(2, 2), 2))
    c(t + "chain", lambda mk=mk: T.chain_matmul(mk(2, 2), mk(2, 2), mk(2, 2)))
    c(t + "tdot", lambda mk=mk: T.tensordot(mk(2, 2), mk(2, 2), 1))
    c(t + "ein", lambda mk=mk: T.einsum("ij,jk", mk(2, 2), mk(2, 2)))
    c(t + "ein2", lambda mk=mk: T.einsum("i,i", mk(2), mk(2)))
    c(t + "ein3", lambda mk=mk: T.einsum("ij->j", mk(2, 2)))
    c(t + "ein4", lambda mk=mk: T.einsum("i,j->ij", mk(2), mk(2)))
    c(t + "ein5", lambda mk=mk: T.einsum("bi,bj->bij", mk(2, 2), mk(2, 2)))
    c(t + "addmv", lambda mk=mk: T.addmv(mk(2), mk(2, 2), mk(2)))
    c(t + "addmm", lambda mk=mk: T.addmm(mk(2, 2), mk(2, 2), mk(2, 2)))
    c(t + "addbmm", lambda mk=mk: T.addbmm(mk(2, 2), mk(1, 2, 2), mk(1, 2, 2)))
    c(t + "baddbmm", lambda mk=mk: T.baddbmm(mk(1, 2, 2), mk(1, 2, 2), mk(1, 2, 2)))
    c(t + "bmm", lambda mk=mk: mk(1, 2, 2).bmm(mk(1, 2, 2)))
    c(t + "addr", lambda mk=mk: T.addr(mk(2, 2), mk(2), mk(2)))
    c(t + "mmm", lambda mk=mk: mk(2, 2).mm(mk(2, 2)))
    c(t + "@", lambda mk=mk: mk(2, 2) @ mk(2, 2))
    c(t + "@1", lambda mk=mk: mk(2) @ mk(2))
    c(t + "addmm_", lambda mk=mk: mk(2, 2).addmm_(f(2, 2), f(2, 2)))
    c(t + "idxcopy", lambda mk=mk: f(3, 2).index_copy(0, T.tensor([0]), mk(1, 2)))
    c(t + "cat", lambda mk=mk: T.cat([f(2), mk(2)]))
    c(t + "hstack", lambda mk=mk: T.hstack([f(2), b(2)]))
    c(t + "catd", lambda mk=mk: T.cat([mk(2), mk(2).double()]))
    c(t + "bil", lambda mk=mk: F.bilinear(mk(2, 2), mk(2, 2), mk(1, 2, 2)))
    c(t + "emb", lambda mk=mk: F.embedding(T.tensor([0]), mk(2, 2)))
    c(t + "ln", lambda mk=mk: F.layer_norm(mk(2, 2), (2,)))
    c(t + "bn", lambda mk=mk: F.batch_norm(mk(2, 2), f(2), f(2)))
    c(t + "gn", lambda mk=mk: F.group_norm(mk(2, 2), 1))
    c(t + "rms", lambda mk=mk: F.rms_norm(mk(2, 2), (2,)))
    c(t + "corr", lambda mk=mk: T.corrcoef(mk(2, 2)))
    c(t + "cov", lambda mk=mk: T.cov(mk(2, 2)))
    c(t + "unfold", lambda mk=mk: F.unfold(mk(1, 1, 3, 3), 2))
    c(t + "interp", lambda mk=mk: F.interpolate(mk(1, 1, 3, 3), scale_factor=2))
    c(t + "lincross", lambda mk=mk: T.cross(mk(3), mk(3), 0))
    for L in (nn.LSTM, nn.GRU, nn.RNN):
        c(t + L.__name__, lambda mk=mk, L=L: L(3, 2)(f(2, 1, 3))[0])
        c(t + L.__name__ + "h", lambda mk=mk, L=L: L(3, 2, num_layers=2, bidirectional=True)(f(2, 1, 3))[1][0])
    for L in (nn.LSTMCell, nn.GRUCell, nn.RNNCell):
        c(t + L.__name__, lambda mk=mk, L=L: (lambda r: r if hasattr(r, "dtype") else r[0])(L(3, 2)(f(1, 3))))
    c(t + "mha", lambda mk=mk: nn.MultiheadAttention(4, 2)(*[f(2, 1, 4)] * 3)[0])
    c(t + "mhaw", lambda mk=mk: nn.MultiheadAttention(4, 2)(*[f(2, 1, 4)] * 3)[1])
    c(t + "tel", lambda mk=mk: nn.TransformerEncoderLayer(4, 2)(f(2, 1, 4)))
    c(t + "emb", lambda mk=mk: nn.Bilinear(2, 2, 2)(f(1, 2), f(1, 2)))
with torch.autocast("cpu"):
    for k, fn in C.items():
        try:
            r = fn()
            print(k, r.dtype)
        except Exception as e:
            print(k, type(e).__name__, str(e).split("\n")[0][:150])
