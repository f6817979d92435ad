import torch

print(torch.empty_strided((2, 3), (1, 2)).stride(), torch.ones(1).new_empty_strided((2, 3), (1, 2)).stride())
x = torch.arange(8.0).reshape(1, 4, 2)
print(torch.native_channel_shuffle(x, 2), torch.nn.functional.native_channel_shuffle(x, 4))
print(torch.empty_permuted((2, 3), (1, 0)).stride())
image = torch.arange(16.0).reshape(1, 2, 2, 4)
last = image.contiguous(memory_format=torch.channels_last)
print(
    last.stride(), torch.zeros_like(last).stride(), torch.empty(1, 2, 3, 4, memory_format=torch.channels_last).stride()
)
print(torch.zeros_like(last, memory_format=torch.contiguous_format).stride())
for wrong in (
    lambda: torch.empty(2, memory_format=torch.channels_last),
    lambda: torch.ones(2, memory_format=torch.channels_last),
    lambda: torch.zeros(2, foo=1),
):
    try:
        print(wrong())
    except (RuntimeError, TypeError) as error:
        print(error)
