import torch
import torch.nn as nn

torch.manual_seed(0)
w = torch.empty(2, 3)
print(w.uniform_(-1, 1))
print(w.normal_(0, 0.01))
nn.init.xavier_uniform_(w)
print(w)
nn.init.kaiming_normal_(w)
print(w)
nn.init.constant_(w, 0.5)
print(w)
print(torch.normal(torch.zeros(2), torch.ones(2)))
print(torch.normal(0.0, 2.0, (2,)))
