import torch

print(torch.strided, torch.ones(2).layout, [torch.channels_last, torch.preserve_format], torch.contiguous_format)
print(torch.ones(2).layout == torch.strided, isinstance(torch.strided, torch.layout))
torch.use_deterministic_algorithms(True, warn_only=True)
print(torch.are_deterministic_algorithms_enabled(), torch.get_deterministic_debug_mode())
torch.set_deterministic_debug_mode("default")
print(torch.are_deterministic_algorithms_enabled(), torch.is_deterministic_algorithms_warn_only_enabled())
try:
    torch.set_deterministic_debug_mode("x")
except RuntimeError as error:
    print(error)
print(torch.get_float32_matmul_precision())
torch.set_float32_matmul_precision("high")
print(torch.get_float32_matmul_precision())
torch.set_num_threads(1)
print(torch.get_num_threads())
for wrong in (0, 1.5):
    try:
        torch.set_num_threads(wrong)
    except RuntimeError as error:
        print(error)
print(torch.is_autocast_enabled(), torch.is_autocast_enabled("cpu"), torch.get_autocast_dtype("cpu"))
torch.manual_seed(0)
with torch.random.fork_rng():
    inside = torch.rand(2)
print(torch.equal(inside, torch.rand(2)))
print(torch.cuda.is_available(), torch.cuda.device_count(), torch.cuda.memory_allocated(), torch.cuda.is_initialized())
torch.cuda.manual_seed_all(0)
torch.cuda.empty_cache()
for ask in (torch.cuda.current_device, torch.cuda.get_device_name, torch.cuda.synchronize):
    try:
        ask()
    except AssertionError as error:
        print(error)
print(torch.accelerator.is_available(), torch.accelerator.current_accelerator())
try:
    torch.accelerator.synchronize()
except RuntimeError as error:
    print(error)
print(torch.cpu.is_available(), torch.cpu.device_count())
print(torch.compiler.is_compiling(), torch.jit.is_scripting())
print(torch.CharTensor([1, 2]), torch.BFloat16Tensor([1.5]))


@torch.compiler.disable
def plain(x):
    return x * 2


@torch.jit.ignore
def left(x):
    return x + 1


print(plain(torch.ones(1)), left(torch.ones(1)))
torch.set_default_tensor_type(torch.DoubleTensor)
print(torch.ones(1).dtype)
torch.set_default_tensor_type("torch.FloatTensor")
print(torch.ones(1).dtype)
