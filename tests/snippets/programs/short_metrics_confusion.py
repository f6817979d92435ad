import torch

pred = torch.tensor([0, 1, 2, 1, 0, 2])
true = torch.tensor([0, 1, 1, 1, 2, 2])
cm = torch.zeros(3, 3, dtype=torch.int64)
for t, p in zip(true, pred):
    cm[t, p] += 1
print(cm, cm.diag().sum().item() / cm.sum().item())
tp = cm.diag().float()
precision = tp / cm.sum(0)
recall = tp / cm.sum(1)
for i, (p, r) in enumerate(zip(precision.tolist(), recall.tolist())):
    print(f"class {i}: precision {p:.2f} recall {r:.2f} f1 {2 * p * r / (p + r):.2f}")
print((pred == true).float().mean(), torch.eq(pred, true).all(), true.unique(return_counts=True))
