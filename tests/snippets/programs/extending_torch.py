"""PyTorch's page "Extending PyTorch", its part on `__torch_function__`, and what else classes of tensors do."""

import torch
HANDLED_FUNCTIONS = {}
class ScalarTensor(object):
   def __init__(self, N, value):
       self._N = N
       self._value = value
   def __repr__(self):
       return "ScalarTensor(N={}, value={})".format(self._N, self._value)
   def tensor(self):
       return self._value * torch.eye(self._N)
   @classmethod
   def __torch_function__(cls, func, types, args=(), kwargs=None):
       if kwargs is None:
           kwargs = {}
       if func not in HANDLED_FUNCTIONS or not all(
           issubclass(t, (torch.Tensor, ScalarTensor))
           for t in types
       ):
           return NotImplemented
       return HANDLED_FUNCTIONS[func](*args, **kwargs)
d = ScalarTensor(5, 2)
print(d)
print(d.tensor())
import functools
def implements(torch_function):
    """Register a torch function override for ScalarTensor"""
    def decorator(func):
        functools.update_wrapper(func, torch_function)
        HANDLED_FUNCTIONS[torch_function] = func
        return func
    return decorator
@implements(torch.mean)
def mean(input):
    return float(input._value) / input._N
print(torch.mean(d))
try: torch.add(d, d)
except TypeError as e: print(e)
def ensure_tensor(data):
    if isinstance(data, ScalarTensor):
        return data.tensor()
    return torch.as_tensor(data)
@implements(torch.add)
def add(input, other):
   try:
       if input._N == other._N:
           return ScalarTensor(input._N, input._value + other._value)
       else:
           raise ValueError("Shape mismatch!")
   except AttributeError:
       return torch.add(ensure_tensor(input), ensure_tensor(other))
s = ScalarTensor(2, 2)
print(torch.add(s, s))
t = torch.tensor([[1, 1,], [1, 1]])
print(torch.add(s, t))
try: torch.mul(s, 3)
except TypeError as e: print(e)
class SubTensor(torch.Tensor): pass
print(type(torch.add(SubTensor([0]), SubTensor([1]))).__name__)
print(type(torch.add(SubTensor([0]), torch.tensor([1]))).__name__)
class SubTensor2(torch.Tensor): pass
class SubTensor3(SubTensor): pass
try: print(type(torch.add(SubTensor2([0]), SubTensor3([1]))).__name__)
except TypeError as e: print(e)
print(type(torch.add(SubTensor([0]), SubTensor3([1]))).__name__)
import logging
class LoggingTensor(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        # NOTE: Logging calls Tensor.__repr__, so we can't log __repr__ without infinite recursion
        if func is not torch.Tensor.__repr__:
            print(f"func: {func.__name__}, args: {args!r}, kwargs: {kwargs!r}")
        if kwargs is None:
            kwargs = {}
        return super().__torch_function__(func, types, args, kwargs)
a = LoggingTensor([1., 2.])
b = a + 1
c = (a * b).sum()
print(c)
w = LoggingTensor([1., 2.]).requires_grad_()
print(w, w.requires_grad)
class MetadataTensor(object):
    def __init__(self, data, metadata=None, **kwargs):
        self._t = torch.as_tensor(data, **kwargs)
        self._metadata = metadata
    def __repr__(self):
        return "Metadata:\n{}\n\ndata:\n{}".format(self._metadata, self._t)
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if kwargs is None:
            kwargs = {}
        metadatas = tuple(a._metadata for a in args if hasattr(a, '_metadata'))
        args = [getattr(a, '_t', a) for a in args]
        assert len(metadatas) > 0
        ret = func(*args, **kwargs)
        return MetadataTensor(ret, metadata=metadatas[0])
metadata = {'owner': 'Ministry of Silly Walks'}
m = MetadataTensor([[1, 2], [3, 4]], metadata=metadata)
t = torch.tensor([[1, 2], [1, 2]])
print(torch.add(t, m))
print(torch.mul(t, m))
for f in (lambda: t + m, lambda: m + t, lambda: torch.stack([t, m]), lambda: t.add(m), lambda: torch.nn.functional.relu(m), lambda: t @ m, lambda: t == m):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
from torch.overrides import has_torch_function, handle_torch_function, is_tensor_like, has_torch_function_unary
def my(x, k=2):
    if has_torch_function((x,)): return handle_torch_function(my, (x,), x, k=k)
    return x * k
print(my(torch.ones(2)), my(m), my(SubTensor([3.])), my(a))
print(is_tensor_like(m), is_tensor_like(3), is_tensor_like(a), has_torch_function_unary(m), has_torch_function((t,)), has_torch_function((1, a)))
with torch._C.DisableTorchFunctionSubclass():
    print(type(a + 1).__name__, type(torch.add(a, 1)).__name__, type(a.sum()).__name__, type(a.mean()).__name__)
class Named(torch.Tensor):
    __torch_function__ = torch._C._disabled_torch_function_impl
n = Named([1., 2.])
print(n, type(n + 1), type(n.sum()))
class Over(torch.Tensor):
    def __add__(self, o): print('add'); return super().__add__(o)
    def __repr__(self): return 'over:' + super().__repr__()
    def mean(self, *a, **k): print('mean'); return super().mean(*a, **k)
    @property
    def twice(self): return self * 2
    def __getitem__(self, i): print('get', i); return super().__getitem__(i)
o = Over([1., 2., 3.])
print(o + 1, o.mean(), o.twice, o[1:], torch.mean(o), 1 + o, o.max(), len(o), [v for v in o])
o.name2 = 'x'; print(o.name2, hasattr(o+1, 'name2'))
import copy
try: copy.deepcopy(o)
except RuntimeError as e: print(e)
print(copy.copy(o))
g = SubTensor([1., 2.]).requires_grad_(); l = (g * g).sum(); print(l, g.is_leaf, g.requires_grad); l.backward(); print(g.grad, type(g.grad))
print(torch.autograd.grad((g ** 3).sum(), g))
print(g.detach(), g.data, g.clone(), g.shape, g.dtype)
print(isinstance(g, torch.Tensor), issubclass(SubTensor, torch.Tensor))
x = torch.ones(2, 2).as_subclass(SubTensor); print(x, x._is_view(), x.grad_fn)
y = torch.ones(2, requires_grad=True); z = y.as_subclass(SubTensor); print(z, z.grad_fn.name(), z.is_leaf); (z * 2).sum().backward(); print(y.grad)
net = torch.nn.Linear(2, 2); torch.manual_seed(0); torch.nn.init.ones_(net.weight); torch.nn.init.zeros_(net.bias); print(net(x)); print(torch.nn.Sequential(net, torch.nn.ReLU(), torch.nn.Softmax(1))(x))
print(torch.nn.functional.mse_loss(x, torch.zeros(2, 2)), torch.nn.MSELoss()(x, torch.zeros(2, 2)), torch.nn.CrossEntropyLoss()(x, torch.tensor([0, 1])))
print(x.max(0), torch.sort(x), x.unbind(), x.split(1), list(x))
print(torch.cat([x, x]), torch.where(x > 0, x, 0), torch.einsum('ij,jk', x, x), x.new_zeros(2), torch.zeros_like(x))
x[0] = 5; x += 1; x.mul_(2); print(x)
p = torch.ones(2, 2); p += x; print(type(p), p); p = torch.ones(2); p[0] = x[0, 0]; print(p)
print(f'{x}', '{}'.format(x), str(x)); print(x.T, x.mT, x.H, x.real)
