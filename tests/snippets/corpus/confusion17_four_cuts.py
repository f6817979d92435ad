import torch

x = torch.tensor([1.0, 2.0])
try:
    (x * x).sum().backward()
except RuntimeError as e:
    print("no requires_grad:", e)

w = torch.tensor([1.0, 2.0], requires_grad=True)
with torch.no_grad():
    y = (w * w).sum()
try:
    y.backward()
except RuntimeError as e:
    print("no_grad:", e)

try:
    w.argmax().backward()
except RuntimeError as e:
    print("argmax:", e)

loss = (w * w).sum()
loss = torch.tensor(loss.item())
try:
    loss.backward()
except RuntimeError as e:
    print("item:", e)
