"""Two losses over one trunk

Both losses use the same tanh. The first backward frees the buffers of everything below it, the shared part included,
and the second loss finds them gone. Add the losses and call backward once, or retain on all but the last call.

Look at: which nodes are freed by the first call, and where the second one stops.
"""
import torch

x = torch.tensor([0.5, -1.0], requires_grad=True)
trunk = torch.tanh(x)
loss_a = trunk.sum()
loss_b = (trunk ** 2).sum()

loss_a.backward()
print(x.grad)
loss_b.backward()
