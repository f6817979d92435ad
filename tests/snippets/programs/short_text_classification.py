import torch
from torch import nn
from collections import Counter

torch.manual_seed(0)
train = [("good great fine", 1), ("bad awful", 0), ("great movie", 1), ("awful bad plot", 0)]
counter = Counter(tok for text, _ in train for tok in text.split())
vocab = {
    "<pad>": 0,
    "<unk>": 1,
    **{w: i + 2 for i, (w, _) in enumerate(sorted(counter.items(), key=lambda kv: (-kv[1], kv[0])))},
}
itos = {v: k for k, v in vocab.items()}
print(list(vocab.items())[:5])


def collate_batch(batch):
    texts, labels, offsets = [], [], [0]
    for text, label in batch:
        ids = torch.tensor([vocab.get(t, vocab["<unk>"]) for t in text.split()], dtype=torch.int64)
        texts.append(ids)
        labels.append(label)
        offsets.append(ids.size(0))
    return torch.tensor(labels), torch.cat(texts), torch.tensor(offsets[:-1]).cumsum(dim=0)


class Model(nn.Module):
    def __init__(self, vocab_size, dim, classes):
        super().__init__()
        self.embedding = nn.EmbeddingBag(vocab_size, dim, sparse=False)
        self.fc = nn.Linear(dim, classes)
        self.init_weights()

    def init_weights(self):
        self.embedding.weight.data.uniform_(-0.5, 0.5)
        self.fc.bias.data.zero_()

    def forward(self, text, offsets):
        return self.fc(self.embedding(text, offsets))


model = Model(len(vocab), 4, 2)
opt = torch.optim.SGD(model.parameters(), lr=1.0)
for epoch in range(4):
    for label, text, offsets in torch.utils.data.DataLoader(train, batch_size=2, collate_fn=collate_batch):
        opt.zero_grad()
        loss = nn.functional.cross_entropy(model(text, offsets), label)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 0.1)
        opt.step()
print(f"{loss.item():.4f}", model(*collate_batch([("good unknown", 1)])[1:]).shape)
