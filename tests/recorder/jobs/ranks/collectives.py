"""Collective operations by hand, in the forward pass and on gradients, with one rank that has other weights."""

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
torch.manual_seed(rank)
net = torch.nn.Linear(3, 2)
for parameter in net.parameters():
    dist.broadcast(parameter.data, 0)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(2):
    loss = net(torch.randn(4, 3)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    for parameter in net.parameters():
        dist.all_reduce(parameter.grad)
        parameter.grad /= world
    if step == 1 and rank == 1:
        net.bias.grad.zero_()
    optimizer.step()
    every = [torch.zeros(()) for _ in range(world)]
    dist.all_gather(every, loss.detach())
    work = dist.all_reduce(loss.detach().clone(), async_op=True)
    work.wait()
    print(rank, step, [each.item() for each in every], net.bias.tolist())
parts = torch.zeros(2)
dist.reduce_scatter_tensor(parts, torch.arange(2.0 * world))
dist.barrier()
box = [rank]
dist.broadcast_object_list(box)
print(parts.tolist(), box)
dist.destroy_process_group()
