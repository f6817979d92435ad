import torch

w = torch.tensor(5.0, requires_grad=True)
history = []
for step in range(8):
    loss = (w - 2) ** 2
    loss.backward()
    with torch.no_grad():
        w -= 0.2 * w.grad
    w.grad.zero_()
    history.append((step, round(w.item(), 3), round(loss.item(), 3)))
for step, value, loss in history[::2]:
    print(f"{step:>2} | w={value:<6} | loss={loss}")
print(min(history, key=lambda row: row[2]))
