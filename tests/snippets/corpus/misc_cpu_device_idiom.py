import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
print(device)
x = torch.ones(2, device=device, requires_grad=True)
y = (x.to(device) * 2).cpu()
print(y)
print(torch.ones(1).to("cpu").device)
