import torch


def attempt(label, action):
    try:
        print(label, action())
    except Exception as error:
        print(label, type(error).__name__, error)


# a hook on an output that no gradient reaches sees None
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
parts = x.unbind()
parts[0].register_hook(lambda grad: print("  saw", grad))
parts[0].backward(retain_graph=True)
parts[1].backward(retain_graph=True)
print(x.grad)
handle = parts[2].register_hook(lambda grad: torch.ones(()))
attempt("from nothing", lambda: parts[1].backward())
handle.remove()

# the order around a leaf; `.grad` is the gradient itself where nobody else holds that
leaf = torch.ones(2, requires_grad=True)
sink = leaf.view_as(leaf).grad_fn.next_functions[0][0]


def after(grads_in, grads_out):
    print("  node, after", grads_in, grads_out)
    leaf.grad = grads_out[0] * 10


def accumulated(tensor):
    tensor.grad += 0.5


leaf.register_hook(lambda grad: grad - 2)
sink.register_prehook(lambda grads: (grads[0] / 5,))
leaf.register_post_accumulate_grad_hook(accumulated)
sink.register_hook(after)
leaf.sum().backward()
print(leaf.grad)
for returned in (lambda tensor: 3, lambda tensor: tensor.grad, lambda tensor: tensor):
    odd = torch.ones(1, requires_grad=True)
    odd.register_post_accumulate_grad_hook(returned)
    attempt("returns something", lambda: odd.sum().backward())

# retained gradients follow a tensor through writes, and keep nothing alive
base = torch.ones(2, requires_grad=True) * 1
view = base[:1]
for each in (base, view):
    each.retain_grad()
view.mul_(4)
base *= 2
(base.sum() + view.sum()).backward()
print(base.grad, view.grad)
