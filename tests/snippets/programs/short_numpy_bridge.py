import numpy as np
import torch

a = np.linspace(0, 1, 4)
t = torch.from_numpy(a)
a *= 2
print(t, t.dtype, torch.tensor(a).dtype, torch.as_tensor(a).dtype, torch.from_numpy(a.astype(np.float32)).dtype)
print(
    np.sin(t.numpy()),
    t.numpy().mean(),
    np.array([1, 2]) * torch.tensor([3, 4]).numpy(),
    torch.tensor(np.float64(2.5)),
    np.asarray(t).shape,
    torch.Tensor(np.eye(2)),
    np.stack([t.numpy()] * 2).shape,
)
print(
    t.tolist(),
    list(t)[0],
    float(t[1]),
    [x.item() for x in t][:2],
    np.concatenate([a, a]).reshape(2, -1).T.shape,
    a[a > 1],
    a.argmax(),
    np.round(a, 1),
    a[::-1],
    a.sum(),
    a.dtype,
    isinstance(a, np.ndarray),
)
