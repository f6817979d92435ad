"""What multinomial and narrow_copy refuse, and with which words."""

import torch

inf, nan = float("inf"), float("nan")
for weights in ([0.0, 0.0], [1.0, -1.0], [1.0, inf], [1.0, -inf], [1.0, nan]):
    for replacement in (False, True):
        for count in (1, 2):
            try:
                torch.multinomial(torch.tensor(weights), count, replacement)
            except RuntimeError as error:
                print(weights, replacement, count, error)
x = torch.arange(3.0)
for asked in ((0, 0, -1), (3, 0, 1), (0, 2, 4), (-1, 5, 1), (0, -2, 2)):
    try:
        print(x.narrow_copy(*asked), torch.narrow_copy(x, *asked))
    except (RuntimeError, IndexError) as error:
        print(asked, type(error).__name__, error)
