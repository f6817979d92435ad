# inference_mode switched off sets gradients on, and inference mode tracks nothing whatever the grad mode says
import torch

x = torch.ones(2, requires_grad=True)
with torch.no_grad():
    with torch.inference_mode(False):
        print(torch.is_grad_enabled(), (x * 2).requires_grad, torch.exp(x).requires_grad)
    print(torch.is_grad_enabled())
with torch.inference_mode():
    with torch.inference_mode(False):
        print(torch.is_grad_enabled(), (x * 2).requires_grad, torch.is_inference_mode_enabled())
    with torch.enable_grad():
        y, z, v = x * 2, x.exp(), x.view(2, 1)
        print(torch.is_grad_enabled(), y.requires_grad, z.requires_grad, v.requires_grad)
        print(y.is_inference(), z.is_inference(), v.is_inference())


@torch.inference_mode(False)
def enabled():
    return torch.is_grad_enabled()


with torch.no_grad():
    print(enabled(), torch.is_grad_enabled())
