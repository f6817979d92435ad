import torch
from torch import nn
import torch.nn.functional as F


class GCNLayer(nn.Module):
    def __init__(self, c_in, c_out):
        super().__init__()
        self.projection = nn.Linear(c_in, c_out)

    def forward(self, node_feats, adj_matrix):
        num_neighbours = adj_matrix.sum(dim=-1, keepdims=True)
        node_feats = self.projection(node_feats)
        node_feats = torch.bmm(adj_matrix, node_feats)
        node_feats = node_feats / num_neighbours
        return node_feats


node_feats = torch.arange(8, dtype=torch.float32).view(1, 4, 2)
adj_matrix = torch.Tensor([[[1, 1, 0, 0], [1, 1, 1, 1], [0, 1, 1, 1], [0, 1, 1, 1]]])
print("Node features:\n", node_feats)
print("\nAdjacency matrix:\n", adj_matrix)
layer = GCNLayer(c_in=2, c_out=2)
layer.projection.weight.data = torch.Tensor([[1.0, 0.0], [0.0, 1.0]])
layer.projection.bias.data = torch.Tensor([0.0, 0.0])
with torch.no_grad():
    out_feats = layer(node_feats, adj_matrix)
print("Adjacency matrix", adj_matrix)
print("Input features", node_feats)
print("Output features", out_feats)


class GAT(nn.Module):
    def __init__(self, c_in, c_out, alpha=0.2):
        super().__init__()
        self.proj = nn.Linear(c_in, c_out)
        self.a = nn.Parameter(torch.Tensor(1, 2 * c_out))
        self.act = nn.LeakyReLU(alpha)
        nn.init.constant_(self.a.data, 0.3)

    def forward(self, x, adj):
        h = self.proj(x)
        edges = adj.nonzero(as_tuple=False)
        src, dst = h[0, edges[:, 1]], h[0, edges[:, 2]]
        logits = self.act((torch.cat([src, dst], dim=-1) * self.a).sum(-1))
        att = adj.new_zeros(adj.shape).fill_(-9e15)
        att[adj == 1] = logits.reshape(-1)
        probs = F.softmax(att, dim=2)
        return torch.einsum("bij,bjc->bic", probs, h)


torch.manual_seed(0)
gat = GAT(2, 3)
out = gat(node_feats, adj_matrix)
out.sum().backward()
print(out.shape, gat.a.grad.shape)
