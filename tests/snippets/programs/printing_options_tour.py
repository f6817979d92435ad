import torch, math

print(torch.tensor([1.0, 1e-8, 1e8]))
print(torch.tensor([0.00001, 1]))
print(torch.tensor([1e10, 1]))
print(torch.tensor([1.5, float("nan"), float("inf"), -float("inf")]))
print(torch.tensor([1.0, 2.0, 3.0]))
print(torch.tensor([1.0, float("nan")]))
print(torch.tensor(3), torch.tensor(3.0), torch.tensor(True), torch.tensor(math.pi, dtype=torch.float64))
print(torch.tensor([True, False]), torch.tensor([1, -20, 300]), torch.tensor([], dtype=torch.int32))
print(torch.tensor([1, 2], dtype=torch.uint8), torch.tensor([1, 2], dtype=torch.int16))
print(torch.tensor([1.5, 2], dtype=torch.float16), torch.tensor([1.5, 2], dtype=torch.bfloat16))
print(torch.tensor([1 + 2j, 3.5 - 1j]))
print(torch.zeros(0, 3), torch.empty(2, 0))
print(torch.arange(1001))
print(torch.arange(1001.0).view(-1, 7))
print(torch.arange(10000.0).view(100, 100))
print(torch.arange(24.0).view(2, 3, 4))
print(torch.ones(2, 3, requires_grad=True) * 2)
print(torch.nn.Parameter(torch.ones(2)))
torch.set_printoptions(precision=2)
print(torch.tensor([math.pi, math.e]))
torch.set_printoptions(precision=8, sci_mode=True)
print(torch.tensor([math.pi, math.e]))
torch.set_printoptions(profile="default")
torch.set_printoptions(threshold=5, edgeitems=2, linewidth=40)
print(torch.arange(20))
print(torch.eye(8))
torch.set_printoptions(profile="full")
print(torch.arange(50))
torch.set_printoptions(profile="short")
print(torch.rand(3).shape, torch.linspace(0, 1, 12))
torch.set_printoptions(profile="default", sci_mode=False)
print(torch.tensor([1e-10, 1e5]))
torch.set_printoptions(sci_mode=None)
print(
    repr(torch.tensor([1.0])),
    str(torch.tensor([[1]])),
    f"{torch.tensor(2.5)}",
    f"{torch.tensor(2.5):.3f}",
    "%s" % torch.tensor([2.5]),
)
print(f"{torch.tensor(7):5d}|{torch.tensor(0.123456).item():.2%}|{torch.tensor([1.0, 2.0])}")
print("{:.2f} {}".format(torch.tensor(1.234), torch.Size([2, 3])))
print(torch.float32, torch.device("cpu"), torch.strided, torch.Size([1]), torch.Size([]))
print([torch.tensor(1), torch.tensor([2.0])], {"a": torch.zeros(1)}, (torch.ones(1),))
try:
    print(f"{torch.tensor([1.0, 2.0]):.2f}")
except TypeError as e:
    print(e)
