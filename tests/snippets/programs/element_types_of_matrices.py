"""Which element types the functions of matrices, paddings and attention take, and in whose words they refuse the others."""

import warnings

import torch
import torch.nn.functional as F

warnings.simplefilter("ignore")


def tell(name, call):
    try:
        call()
        print(name, "fine")
    except Exception as error:
        print(name, type(error).__name__, error)


one = torch.eye(2)
for kind in (torch.bool, torch.int64, torch.float16, torch.bfloat16):
    a = one.to(kind)
    for name in "lu svd qr cholesky inverse det slogdet logdet pinverse matrix_exp geqrf cholesky_inverse".split():
        tell(f"{kind} {name}", getattr(a, name))
    for name in """lu_factor lu svd svdvals qr eig eigh eigvals eigvalsh cholesky inv det slogdet pinv matrix_rank
    matrix_norm cond ldl_factor matrix_exp cholesky_ex inv_ex lu_factor_ex ldl_factor_ex vector_norm norm""".split():
        tell(f"{kind} linalg.{name}", lambda name=name, a=a: getattr(torch.linalg, name)(a))
    calls = {
        "nuclear": lambda a=a: torch.linalg.matrix_norm(a, "nuc"),
        "spectral": lambda a=a: torch.linalg.matrix_norm(a, 2),
        "cond": lambda a=a: torch.linalg.cond(a, "fro"),
        "solve": lambda a=a: torch.linalg.solve(a, a),
        "lstsq": lambda a=a: torch.linalg.lstsq(a, a),
        "solve_triangular": lambda a=a: torch.linalg.solve_triangular(a, a, upper=True),
        "triangular_solve": lambda a=a: torch.triangular_solve(a, a),
        "cholesky_solve": lambda a=a: torch.cholesky_solve(a, a),
        "matrix_power": lambda a=a: torch.linalg.matrix_power(a, -1),
        "lu_solve": lambda a=a: torch.lu_solve(a, a, torch.ones(2, dtype=torch.int32)),
        "vander": lambda a=a: torch.linalg.vander(a[0]),
        "ormqr": lambda a=a: torch.ormqr(a, a[0], a),
        "stft": lambda a=a: torch.stft(a, 2, return_complex=True),
        "stft at once": lambda a=a: torch.stft(a, 2, return_complex=True, center=False),
        "attention": lambda a=a: F.scaled_dot_product_attention(a, a, a),
        "attention of four": lambda a=a: F.scaled_dot_product_attention(a[None, None], a[None, None], a[None, None]),
    }
    for name, act in calls.items():
        tell(f"{kind} {name}", act)
    for mode in ("reflect", "replicate", "circular"):
        for count in (1, 2, 3):
            x = torch.ones(1, 1, *[4] * count).to(kind)
            tell(f"{kind} {mode} {count}", lambda x=x, mode=mode, count=count: F.pad(x, (1, 1) * count, mode))
z = one.to(torch.complex64)[None, None]
tell("complex attention", lambda: F.scaled_dot_product_attention(z, z, z))
for x in (torch.ones(2, 3), torch.ones(2, 3, dtype=torch.long), torch.ones(2, 3, dtype=torch.bool)):
    for beta in (True, False, 1, 0.5):
        for alpha in (True, 1, 0.5):
            tell(
                f"addr {x.dtype} {beta} {alpha}",
                lambda x=x, beta=beta, alpha=alpha: torch.addr(x, x[:, 0], x[0], beta=beta, alpha=alpha),
            )
