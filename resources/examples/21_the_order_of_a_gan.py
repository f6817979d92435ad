"""The order of the two steps in a GAN

The discriminator's step changes its weights in place. The generator's loss was computed with the old ones, which are
saved in the graph. backward() finds them at another version and refuses. Run both backwards first, or score again.

Look at: the weights of D at opt_d.step(): their version goes up, and the tab that holds them turns red.
"""
import torch
import torch.nn as nn

torch.manual_seed(0)
G = nn.Linear(2, 3)
D = nn.Linear(3, 1)
opt_d = torch.optim.SGD(D.parameters(), lr=0.1)

fake = G(torch.ones(4, 2))
score = D(fake)
d_loss = score.mean()
g_loss = -score.mean()

d_loss.backward(retain_graph=True)
opt_d.step()
g_loss.backward()
