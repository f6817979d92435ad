import torch

w = torch.tensor(5.0, requires_grad=True)
velocity = 0.0
for step in range(5):
    loss = 0.5 * w**2
    loss.backward()
    velocity = 0.9 * velocity + w.grad.item()
    w.data -= 0.1 * velocity
    w.grad.data.zero_()
    print(step, f"{w.item():.5f}")
