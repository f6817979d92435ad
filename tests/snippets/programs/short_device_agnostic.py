import torch

device = torch.device("cuda:0" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu")
print(device, device.type, torch.device("cpu") == device, str(device))
x = torch.ones(2, device=device).to(device, non_blocking=True)
print(x.device, x.is_cuda, x.cpu().numpy(), torch.get_num_threads() >= 1)
if torch.cuda.is_available():
    torch.cuda.manual_seed_all(0)
    print(torch.cuda.get_device_name(0), torch.cuda.memory_allocated())
torch.backends.cudnn.deterministic = True
torch.backends.cudnn.benchmark = False
torch.use_deterministic_algorithms(False)
