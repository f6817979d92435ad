"""Texts that are run, NumPy arrays that meet tensors, and names of which scripts use one or two."""

import numpy as np
import torch
from torch import nn
from torch.optim.optimizer import required

exec("x = 3\ndef f(): return g() + x\ndef g(): return 1")
print(x, f())
table = {"a": 2}
exec("def h(): return a * k()\ndef k(): return 5\nb = h()", table)
print(table["b"], sorted(name for name in table if name[0] != "_"))


def inner(n):
    m = 4
    return eval("n * m + x"), [eval("n + i", {"n": n, "i": i}) for i in range(2)], eval("m", {}, {"m": 7})


print(inner(5), eval("nn." + "ReLU" + "()"), eval("lambda t: t * x")(4))
for text in ("1 +", "undefined_name", "x = 1"):
    try:
        eval(text)
    except (SyntaxError, NameError) as error:
        print(type(error).__name__, error)
with open("settings.py", "w") as file:
    file.write("lr = 0.5\n")
exec(open("settings.py").read())
print(lr)

a, t = np.zeros(3), torch.ones(3)
tried = ("b = a.copy(); b += t", "b = a.copy(); b -= t", "b = a.copy(); b **= t", "a + t", "a @ t", "a / t", "a // t")
for text in tried:
    try:
        exec(text)
        print(text, b)
    except TypeError as error:
        print(text, error)
a.fill(torch.tensor(2.0))
print(a)
a = np.arange(6)
a.shape = (2, 3)
print(a)
a.resize((3, 2))
print(a)
p = np.poly1d([1, 2, 3])
print(p(2), p.deriv(), repr(p + 1), p.order)
print(p)
view = torch.arange(4.0).numpy()
view.shape = (2, 2)
print(view)

print(torch.distributed.is_available(), torch.distributed.is_initialized(), required)
print(nn.functional.mse_loss(torch.ones(2), torch.zeros(2), reduction="elementwise_mean"))
with open("numbers.bin", "wb") as file:
    file.write(np.arange(5, dtype=np.uint16).tobytes())
print(np.fromfile("numbers.bin", np.uint16, count=2, offset=2), np.memmap("numbers.bin", np.uint16, "r")[1:4] + 1)
