import io
import sys
import torch

buffer = io.StringIO()
print("captured", 1, file=buffer)
buffer.write("more\n")
print(repr(buffer.getvalue()))
b = io.BytesIO()
torch.save({"w": torch.arange(3.0), "epoch": 2}, b)
b.seek(0)
state = torch.load(b)
print(state["w"], state["epoch"])
for line in io.StringIO("1,2\n3,4"):
    print([int(v) for v in line.strip().split(",")])
