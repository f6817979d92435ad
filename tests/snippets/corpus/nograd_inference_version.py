import torch

with torch.inference_mode():
    a = torch.ones(2)
print(a._version)
