import numpy as np


class Tensor:
    def __init__(self, data, parents=(), backward=lambda g: ()):
        self.data, self.parents, self._backward = np.array(data, dtype=np.float64), parents, backward
        self.grad = np.zeros_like(self.data)

    def __matmul__(self, o):
        return Tensor(self.data @ o.data, (self, o), lambda g: (g @ o.data.T, self.data.T @ g))

    def __add__(self, o):
        return Tensor(self.data + o.data, (self, o), lambda g: (g, g.sum(axis=0) if o.data.ndim == 1 else g))

    def relu(self):
        return Tensor(np.maximum(self.data, 0), (self,), lambda g: (g * (self.data > 0),))

    def sum(self):
        return Tensor(self.data.sum(), (self,), lambda g: (np.ones_like(self.data) * g,))

    def backward(self):
        order, seen = [], set()

        def visit(t):
            if id(t) not in seen:
                seen.add(id(t))
                for p in t.parents:
                    visit(p)
                order.append(t)

        visit(self)
        self.grad = np.ones_like(self.data)
        for t in reversed(order):
            for p, g in zip(t.parents, t._backward(t.grad)):
                p.grad = p.grad + g


np.random.seed(0)
x, w, b = Tensor(np.random.randn(3, 2)), Tensor(np.random.randn(2, 4)), Tensor(np.zeros(4))
loss = (x @ w + b).relu().sum()
loss.backward()
print(w.grad.round(3), b.grad, loss.data.round(4))
