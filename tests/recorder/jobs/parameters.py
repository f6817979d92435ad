import torch
import torch.nn.functional as F

x = torch.tensor([[1., -2., 3.], [4., 5., -6.]], requires_grad=True)
t = torch.tensor([[1., 0., 3.], [3., 5., -6.]])
picture = torch.arange(16., requires_grad=True)
two, classes, places = torch.tensor(2.), torch.tensor([0, 2]), torch.tensor([[0], [2]])
kernel, ones, zeros = torch.full((1, 2, 2, 2), 0.5), torch.ones(3), torch.zeros(3)
norm = torch.nn.BatchNorm1d(3)
kept = norm.running_mean.clone()
square = picture.view(1, 2, 2, 4)
found = [
    x.mean(dim=1),
    x.mean(dim=(0, 1)),
    square.mean((2, 3)),
    x.sum(0, keepdim=True),
    torch.cat([x, t]),
    torch.cat([x, t], -1),
    torch.stack([x, t]),
    F.mse_loss(x, t),
    F.mse_loss(x, t, reduction='sum'),
    F.smooth_l1_loss(x, t),
    F.cross_entropy(x, classes),
    F.binary_cross_entropy_with_logits(x, t),
    F.elu(x),
    F.leaky_relu(x),
    F.gelu(x),
    F.softplus(x),
    F.layer_norm(x, (3,)),
    F.group_norm(square, 1),
    F.batch_norm(x, zeros, ones, training=True),
    F.batch_norm(x, zeros, ones),
    norm(x),
    x.std(1),
    x.var(),
    x.norm(),
    torch.linalg.norm(x, dim=1),
    x.max(1).values,
    x.amax(0),
    x.clamp(-1, 2),
    x ** 3,
    2 ** x,
    x.permute(1, 0),
    x[:, 1:],
    x.gather(1, places),
    x.cumsum(1),
    x.logsumexp(1),
    x.softmax(-1),
    torch.addmm(t, x, torch.eye(3), beta=2, alpha=3),
    torch.add(x, t, alpha=3),
    F.conv2d(square, kernel, padding=1),
    F.max_pool2d(square, 2),
    F.avg_pool2d(square, 2),
    x.roll(1, 0),
    x.flip(0),
    x.unbind(0)[0],
    x.diagonal(),
    x.tril(),
]
loss = sum(each.sum() for each in found)
loss.backward()
print(x.grad, picture.grad)
