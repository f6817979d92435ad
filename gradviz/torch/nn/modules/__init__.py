"""The layers of `torch.nn`, one file per kind, as in PyTorch's package of the same name.

Note [Names in modules] Users derive from these classes and name their methods as they like. So a method that PyTorch's
class does not have is a function beside the class, or ends in `_impl`."""
