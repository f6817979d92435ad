try:
    from torch.utils.tensorboard import SummaryWriter

    writer = None
except ImportError:
    writer = None
try:
    import some_package_that_is_missing as sp

    HAS = True
except ImportError:
    sp, HAS = None, False
try:
    import another_missing
except ModuleNotFoundError as e:
    print("missing:", type(e).__name__)
print(HAS, sp, writer)
