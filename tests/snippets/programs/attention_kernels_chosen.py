"""Which kernel of attention runs: chosen for a block, switched off, and what each refuses."""

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

torch.manual_seed(0)
q = torch.randn(1, 2, 3, 4, requires_grad=True)
kernels = torch.backends.cuda


def attempt(call):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, error)


def name(**options):
    return F.scaled_dot_product_attention(q, q, q, **options).grad_fn.name()


def switches():
    return [getattr(kernels, f"{kernel}_sdp_enabled")() for kernel in ("flash", "math", "mem_efficient", "cudnn")]


print(switches(), name())
with sdpa_kernel(SDPBackend.MATH):
    print(switches(), name())
    with sdpa_kernel([SDPBackend.FLASH_ATTENTION]):
        print(switches(), name())
        attempt(lambda: name(dropout_p=0.1))
    print(name())
with sdpa_kernel([SDPBackend.EFFICIENT_ATTENTION, SDPBackend.CUDNN_ATTENTION]):
    attempt(name)
print(name())
kernels.enable_flash_sdp(False)
print(switches(), name())
kernels.enable_flash_sdp(True)
with kernels.sdp_kernel(enable_flash=False):
    print(name())

causal = F.scaled_dot_product_attention(q, q, q, is_causal=True)
both = F.scaled_dot_product_attention(q, q, q, attn_mask=torch.zeros(3, 3), is_causal=True)
print(torch.equal(causal, both))
print(F.scaled_dot_product_attention(q, q, q, attn_mask=torch.ones(3, 3, dtype=torch.bool).triu(), is_causal=True))
for mask in (torch.zeros(3, 3), torch.zeros(3, 3, requires_grad=True)):
    attempt(lambda: name(attn_mask=mask, is_causal=True))
attempt(lambda: F.scaled_dot_product_attention(q[0], q[0], q[0], attn_mask=torch.zeros(3, 3), is_causal=True))
