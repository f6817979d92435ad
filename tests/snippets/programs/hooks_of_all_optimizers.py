import torch
from torch import nn
from torch.autograd.graph import GradientEdge, get_gradient_edge
from torch.nn.utils import stateless
from torch.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook

first, second = nn.Parameter(torch.ones(1)), nn.Parameter(torch.zeros(2))
one, other = torch.optim.SGD([first], lr=0.1), torch.optim.Adam([second], lr=0.1)
before = register_optimizer_step_pre_hook(lambda opt, args, kwargs: print("before", type(opt).__name__, len(args), kwargs))
after = register_optimizer_step_post_hook(lambda opt, args, kwargs: print("after", type(opt).__name__))
one.register_step_pre_hook(lambda opt, args, kwargs: print("its own, before"))
one.register_step_post_hook(lambda opt, args, kwargs: print("its own, after"))
(first.sum() + second.sum()).backward()
one.step()
other.step(closure=None)
before.remove()
other.step()
after.remove()
one.step()
print(first, second)

edge = get_gradient_edge(first)
print(type(edge).__name__, edge.node.name(), edge.node.variable is first, edge.output_nr)
loss = (first**2).sum()
first.grad = None
torch.autograd.backward(GradientEdge(loss.grad_fn, 0), torch.tensor(1.0), inputs=edge)
print(first.grad)

net = nn.Sequential(nn.Linear(2, 1), nn.BatchNorm1d(1))
print(net.state_dict()._metadata, list(net[1].state_dict()._metadata))
print(stateless.functional_call(net[0], {"weight": torch.ones(1, 2), "bias": torch.zeros(1)}, torch.ones(1, 2)))

pair = torch.ones(2, requires_grad=True)
for convert in (int, float, complex):
    try:
        convert(pair)
    except Exception as error:
        print(type(error).__name__, error)
print(float(pair[0]))
