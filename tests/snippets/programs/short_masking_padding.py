import torch
from torch.nn.utils.rnn import pad_sequence

seqs = [torch.tensor([1, 2, 3]), torch.tensor([4]), torch.tensor([5, 6])]
lengths = torch.tensor([len(s) for s in seqs])
padded = pad_sequence(seqs, batch_first=True)
mask = torch.arange(padded.size(1))[None, :] < lengths[:, None]
scores = padded.float().masked_fill(~mask, float("-inf"))
print(padded, mask, torch.softmax(scores, -1), (padded * mask).sum(1) / lengths)
