import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence, pack_padded_sequence, pad_packed_sequence, pack_sequence

torch.manual_seed(1)
for cls in (nn.RNN, nn.GRU, nn.LSTM):
    rnn = cls(3, 4, num_layers=2, batch_first=True, bidirectional=True)
    out, h = rnn(torch.randn(2, 5, 3))
    print(cls.__name__, out.shape, (h[0] if isinstance(h, tuple) else h).shape, f"{out.mean().item():.4f}")
lstm = nn.LSTM(3, 3)
inputs = [torch.randn(1, 3) for _ in range(5)]
hidden = (torch.randn(1, 1, 3), torch.randn(1, 1, 3))
for i in inputs:
    out, hidden = lstm(i.view(1, 1, -1), hidden)
inputs = torch.cat(inputs).view(len(inputs), 1, -1)
out, (hn, cn) = lstm(inputs, (torch.zeros(1, 1, 3), torch.zeros(1, 1, 3)))
print(out[-1], torch.equal(out[-1], hn[0]))
seqs = [torch.ones(3, 3), torch.ones(1, 3)]
packed = pack_padded_sequence(pad_sequence(seqs, batch_first=True), [3, 1], batch_first=True)
out, _ = nn.GRU(3, 2, batch_first=True)(packed)
padded, lengths = pad_packed_sequence(out, batch_first=True)
print(padded.shape, lengths)
cell = nn.LSTMCell(3, 2)
h, c = torch.zeros(1, 2), torch.zeros(1, 2)
for t in range(3):
    h, c = cell(torch.ones(1, 3), (h, c))
print(h.shape, c.requires_grad)


class LSTMTagger(nn.Module):
    def __init__(self, embedding_dim, hidden_dim, vocab_size, tagset_size):
        super(LSTMTagger, self).__init__()
        self.hidden_dim = hidden_dim
        self.word_embeddings = nn.Embedding(vocab_size, embedding_dim)
        self.lstm = nn.LSTM(embedding_dim, hidden_dim)
        self.hidden2tag = nn.Linear(hidden_dim, tagset_size)

    def forward(self, sentence):
        embeds = self.word_embeddings(sentence)
        lstm_out, _ = self.lstm(embeds.view(len(sentence), 1, -1))
        tag_space = self.hidden2tag(lstm_out.view(len(sentence), -1))
        return torch.log_softmax(tag_space, dim=1)


training_data = [
    ("The dog ate the apple".split(), ["DET", "NN", "V", "DET", "NN"]),
    ("Everybody read that book".split(), ["NN", "V", "DET", "NN"]),
]
word_to_ix = {}
for sent, tags in training_data:
    for word in sent:
        if word not in word_to_ix:
            word_to_ix[word] = len(word_to_ix)
tag_to_ix = {"DET": 0, "NN": 1, "V": 2}
model = LSTMTagger(6, 6, len(word_to_ix), len(tag_to_ix))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(3):
    for sentence, tags in training_data:
        model.zero_grad()
        loss = nn.NLLLoss()(
            model(torch.tensor([word_to_ix[w] for w in sentence])), torch.tensor([tag_to_ix[t] for t in tags])
        )
        loss.backward()
        optimizer.step()
    print(epoch, f"{loss.item():.4f}")
