import torch
import numpy as np
import matplotlib.pyplot as plt
xs = torch.linspace(-3, 3, 50, requires_grad=True)
ys = torch.sin(xs)
ys.sum().backward()
fig, ax = plt.subplots(figsize=(6, 4))
ax.plot(xs.detach().numpy(), ys.detach().numpy(), label="sin")
ax.plot(xs.detach().numpy(), xs.grad.numpy(), "--", label="derivative")
ax.set_xlabel("x"); ax.set_ylabel("y"); ax.set_title("a title"); ax.legend(); ax.grid(True)
plt.tight_layout()
plt.savefig("plot.png")
plt.show()
losses = [1 / (i + 1) for i in range(10)]
plt.figure(figsize=(10, 5)); plt.subplot(1, 2, 1); plt.plot(losses); plt.yscale("log"); plt.xlabel("epoch"); plt.ylim(0.1, 1)
plt.subplot(122); plt.hist(np.random.randn(20), bins=5); plt.imshow(np.eye(3), cmap="gray"); plt.colorbar(); plt.axis("off")
plt.show()
plt.close("all")
print("done", round(sum(losses), 3))
