"""The curve at the end of a training

The loop that every tutorial has: forward, backward, step, and the loss goes into a list. At its end the list is drawn
with matplotlib, and the curve appears in the tab Plots beside the inspector.

Look at: the tab Plots. Step back before the last line, and the curve is not there yet.
"""
import torch
import matplotlib.pyplot as plt

x = torch.linspace(-1., 1., 9)
y = 2 * x - 0.5
w = torch.tensor(0., requires_grad=True)
b = torch.tensor(0., requires_grad=True)
optimizer = torch.optim.SGD([w, b], lr=0.3)

losses = []
for epoch in range(12):
    optimizer.zero_grad()
    loss = ((w * x + b - y) ** 2).mean()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())

print(f"w = {w.item():.3f}, b = {b.item():.3f}")
plt.plot(losses, marker="o", label="mean squared error")
plt.title("Training")
plt.xlabel("epoch")
plt.ylabel("loss")
plt.legend()
plt.show()
