import torch
from torch.autograd import Variable
import torch.nn.functional as F

x = Variable(torch.ones(2, 2), requires_grad=True)
y = x + 2
print(y, y.grad_fn is not None)
z = y * y * 3
out = z.mean()
print(z, out)
out.backward()
print(x.grad, x.data, x.grad.data)
v = Variable(torch.FloatTensor([1, 2, 3]))
print(v, type(v).__name__, torch.LongTensor([1]), torch.Tensor(2, 3).shape, torch.DoubleTensor([1.5]))
w = torch.zeros(3).type(torch.LongTensor)
print(
    w.dtype, torch.ones(2).float().dtype, F.sigmoid(torch.zeros(1)), F.tanh(torch.zeros(1)), torch.rand(2).cpu().shape
)
loss = F.mse_loss(Variable(torch.ones(2), requires_grad=True), torch.zeros(2))
loss.backward()
print(loss.data.item(), torch.cuda.is_available(), torch.cuda.device_count())
