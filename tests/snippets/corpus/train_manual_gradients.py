import torch

torch.manual_seed(0)
x = torch.randn(4, 3)
y = torch.randn(4, 2)
w1 = torch.randn(3, 5)
w2 = torch.randn(5, 2)
h = x.mm(w1)
h_relu = h.clamp(min=0)
y_pred = h_relu.mm(w2)
grad_y_pred = 2.0 * (y_pred - y)
grad_w2 = h_relu.t().mm(grad_y_pred)
grad_h = grad_y_pred.mm(w2.t())
grad_h[h < 0] = 0
grad_w1 = x.t().mm(grad_h)

a1 = w1.clone().requires_grad_()
a2 = w2.clone().requires_grad_()
(x.mm(a1).clamp(min=0).mm(a2) - y).pow(2).sum().backward()
print(torch.allclose(a1.grad, grad_w1, atol=1e-5), torch.allclose(a2.grad, grad_w2, atol=1e-5))
print(grad_w2)
