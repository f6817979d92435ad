import torch
import torch.nn as nn
import math

torch.manual_seed(1111)
text = "the cat sat on the mat . the dog sat on the log . the cat saw the dog ."
words = text.split()
vocab = {w: i for i, w in enumerate(dict.fromkeys(words))}
data = torch.tensor([vocab[w] for w in words])


def batchify(data, bsz):
    nbatch = data.size(0) // bsz
    data = data.narrow(0, 0, nbatch * bsz)
    return data.view(bsz, -1).t().contiguous()


bptt = 4


def get_batch(source, i):
    seq_len = min(bptt, len(source) - 1 - i)
    return source[i : i + seq_len], source[i + 1 : i + 1 + seq_len].view(-1)


class RNNModel(nn.Module):
    def __init__(self, rnn_type, ntoken, ninp, nhid, nlayers, dropout=0.2, tie_weights=False):
        super(RNNModel, self).__init__()
        self.ntoken = ntoken
        self.drop = nn.Dropout(dropout)
        self.encoder = nn.Embedding(ntoken, ninp)
        self.rnn = getattr(nn, rnn_type)(ninp, nhid, nlayers, dropout=dropout)
        self.decoder = nn.Linear(nhid, ntoken)
        if tie_weights:
            self.decoder.weight = self.encoder.weight
        self.init_weights()
        self.rnn_type, self.nhid, self.nlayers = rnn_type, nhid, nlayers

    def init_weights(self):
        initrange = 0.1
        nn.init.uniform_(self.encoder.weight, -initrange, initrange)
        nn.init.zeros_(self.decoder.bias)
        nn.init.uniform_(self.decoder.weight, -initrange, initrange)

    def forward(self, input, hidden):
        emb = self.drop(self.encoder(input))
        output, hidden = self.rnn(emb, hidden)
        decoded = self.decoder(self.drop(output)).view(-1, self.ntoken)
        return nn.functional.log_softmax(decoded, dim=1), hidden

    def init_hidden(self, bsz):
        weight = next(self.parameters())
        if self.rnn_type == "LSTM":
            return weight.new_zeros(self.nlayers, bsz, self.nhid), weight.new_zeros(self.nlayers, bsz, self.nhid)
        return weight.new_zeros(self.nlayers, bsz, self.nhid)


def repackage_hidden(h):
    """Wraps hidden states in new Tensors, to detach them from their history."""
    if isinstance(h, torch.Tensor):
        return h.detach()
    return tuple(repackage_hidden(v) for v in h)


train = batchify(data, 2)
for kind in ("LSTM", "GRU"):
    model = RNNModel(kind, len(vocab), 6, 6, 2, tie_weights=True)
    criterion = nn.NLLLoss()
    hidden = model.init_hidden(2)
    lr = 5.0
    for epoch in range(3):
        model.train()
        total = 0.0
        for batch, i in enumerate(range(0, train.size(0) - 1, bptt)):
            x, y = get_batch(train, i)
            model.zero_grad()
            hidden = repackage_hidden(hidden)
            out, hidden = model(x, hidden)
            loss = criterion(out, y)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 0.25)
            for p in model.parameters():
                p.data.add_(p.grad, alpha=-lr)
            total += loss.item()
        print("| {} epoch {:3d} | loss {:5.2f} | ppl {:8.2f}".format(kind, epoch, total / 3, math.exp(total / 3)))
    print(sum(p.numel() for p in model.parameters()), model.decoder.weight is model.encoder.weight)
print(model)
