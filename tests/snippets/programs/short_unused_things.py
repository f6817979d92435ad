import torch
from torch import nn

_ = torch.manual_seed(0)
for _ in range(2):
    pass
if False:
    raise SystemExit
x = 5 if torch.ones(1).item() else None
"""a string statement"""
# -*- a comment -*-
lambda: None
print(x)
print(_)


class Empty:
    pass


class Doc:
    """only a docstring"""


def todo(): ...
def later():
    raise NotImplementedError("later")


try:
    later()
except NotImplementedError as e:
    print("later:", e)
print(Empty() is not None, Doc.__doc__, todo())
