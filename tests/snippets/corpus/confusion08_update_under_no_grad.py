import torch

w = torch.tensor(5.0, requires_grad=True)
lr = 0.1
for step in range(4):
    loss = (w - 1) ** 2
    loss.backward()
    with torch.no_grad():
        w -= lr * w.grad
    print(f"step {step}: loss={loss.item():.4f} w={w.item():.4f} grad={w.grad.item():.4f}")
    w.grad.zero_()
print(w)
