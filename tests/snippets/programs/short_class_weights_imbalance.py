from collections import Counter
import torch

labels = [0] * 6 + [1] * 3 + [2]
counts = Counter(labels)
weights = torch.tensor([len(labels) / counts[c] for c in sorted(counts)])
print(
    weights,
    torch.nn.functional.cross_entropy(torch.zeros(3, 3), torch.tensor([0, 1, 2]), weight=weights / weights.sum()),
)
sample = torch.utils.data.WeightedRandomSampler(
    [1 / counts[l] for l in labels], 8, generator=torch.Generator().manual_seed(1)
)
print([labels[i] for i in sample])
