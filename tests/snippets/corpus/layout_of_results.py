"""How results lie in memory: indexing, putting together, reductions and sorting of transposed tensors; and the
gradient of a convolution of complex numbers."""

import torch

x = torch.arange(24.0).reshape(2, 3, 4)
at = torch.tensor([0, 1])
for y in (x, x.permute(2, 0, 1), x.permute(1, 2, 0), x.transpose(1, 2), x[:, :, ::2]):
    print([y[:, at[:1]].stride(), y[..., at].stride(), y[at].stride(), y[at, :, at].stride(), y[:, at, at].stride()])
    print(
        [y.sum(1).stride(), y.sum(2, keepdim=True).stride(), y.amax(0).stride(), y.mean(1).stride(), y.std(1).stride()]
    )
    print([y.cumsum(0).stride(), y.max(1).values.stride(), y.argmax(2).stride(), y.logsumexp(0).stride()])
    print(torch.cat([y, y]).stride(), torch.stack([y, y], 1).stride(), y.sort(1).values.stride(), y.flip(0).stride())
print(x.permute(2, 0, 1)[:, at].is_contiguous(), x[:, :, at].view(-1))
print(torch.cat([x.transpose(1, 2), x.transpose(1, 2)]).view(4, -1))
try:
    x.transpose(1, 2).sort(1).values.view(-1)
except RuntimeError as error:
    print(error)
images = torch.ones(2, 3, 4, 5).contiguous(memory_format=torch.channels_last)
print(torch.cat([images, images], 1).stride(), torch.cat([images, torch.ones(2, 3, 4, 5)], 1).stride())

z = torch.tensor([[[1 + 2j, 3 - 1j, 0.5j, 2]]], requires_grad=True)
w = torch.tensor([[[1j, 2 - 1j]]], requires_grad=True)
for result in (torch.conv1d(z, w), torch.nn.functional.conv_transpose1d(z, w, torch.tensor([1j]), stride=2)):
    print(result)
    z.grad = w.grad = None
    result.abs().sum().backward()
    print(z.grad, w.grad)
