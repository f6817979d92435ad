import torch

x = torch.zeros(2, 3)
print(x.shape, x.size(), x.size(0), x.dim(), x.ndim, x.numel(), len(x))
print(x.dtype, x.device, x.layout)
print(x.stride(), x.t().stride(), x.is_contiguous(), x.t().is_contiguous())
print(x.type(), torch.zeros(1).long().type())
print(torch.Size([2, 3]), torch.Size([2, 3]).numel(), tuple(x.shape))
print(x.element_size(), x.storage_offset())
