"""The guards of classes and their methods: what a method may get and set, with which object it is called, what a
class of a snippet may be."""

from __future__ import annotations

from tests.mutants.rows import READ, W, found, part, worker

_LEFT = W + "test_nothing_left.py::test_nothing_is_left_for_the_next_run"
_LETTERS = found("Found: texts that are equal to others")
_IN_PLACE = found("Found: in place of PyTorch's own methods")
_BY_ITS_NAME = found("Found: attributes of any object by their names")
_STAYING = found("Found: what stays for the next run")
_ON_ALL = found("Found: attributes set on what all runs share")

CLASSES = (
    worker(
        "guard",
        "`__init__` with an object of another class",
        "if not isinstance(each, subject):",
        "if False:",
        found("Found: objects of other classes that are initialized"),
    ),
    worker(
        "guard",
        "methods in place of PyTorch's own",
        "        if meets_arrays(thing if isinstance(thing, type) else cls, name):\n",
        "        if False:\n",
        _IN_PLACE,
    ),
    worker(
        "arguments", "methods with an object of another class", "if not isinstance(self, owner):", "if False:", _ON_ALL
    ),
    worker(
        "hardening",
        "methods of PyTorch's with an object of another class",
        " else keep_reaching_methods\n",
        " else type\n",
        _BY_ITS_NAME,
    ),
    worker(
        "arguments",
        "properties with an object of another class",
        "of_its_own(cls, each) if each and chosen(each) else each for",
        "each for",
        found("Found: classes made by the class of an object"),
    ),
    worker("arguments", "methods that write", "_writes(each) or ", "", _ON_ALL),
    worker("arguments", "methods that reach by a name", " or _BY_NAME.intersection(each.co_names)", "", _BY_ITS_NAME),
    worker(
        "hardening",
        "methods of Python's with an object of another class",
        "    for cls in _classes_of_python():\n",
        "    for cls in ():\n",
        found("Found: classes made by the class of an object"),
        _STAYING,
    ),
    worker(
        "hardening",
        "private keys of a table of parameters",
        ' or name.startswith("_"):\n',
        ":\n",
        found("Found: names that a container is given"),
    ),
    worker(
        "hardening",
        "back ends of one's own",
        "    type(root.backends.cudnn).__init__ = _none_more\n",
        "",
        found("Found: names that a container is given"),
    ),
    worker(
        "guard",
        "tables behind their keys",
        "            return isinstance(thing, _VIEWS)\n",
        "            return False\n",
        READ + "[the table behind a dictionary's keys]",
        found("Found: names that a container is given"),
    ),
    worker(
        "standard_modules",
        "marks on what is not the snippet's",
        "        if not made_here and not isinstance(function, _OF_FUNCTIONS):",
        "        if False:",
        _STAYING,
    ),
    worker(
        "hardening",
        "methods of optimizers and generators with an object of another class",
        "_HANDING_ON = (Optimizer, LRScheduler, Generator)",
        "_HANDING_ON = (LRScheduler,)",
        W + "test_hardening.py",
    ),
    worker(
        "hardening",
        "methods of schedulers with an object of another class",
        "_HANDING_ON = (Optimizer, LRScheduler, Generator)",
        "_HANDING_ON = (Optimizer, Generator)",
        W + "test_hardening.py",
    ),
    worker(
        "hardening",
        "classes that a decorator changes",
        'if isinstance(fn, type) and fn.__module__ != "__main__":',
        "if False:",
        _ON_ALL,
    ),
    worker(
        "command_line",
        "a parser over an object of the snippet's",
        "if not isinstance(real, argparse._ActionsContainer):",
        "if False:",
        W + "test_guard.py::test_a_parser_is_made_over_no_object_of_the_snippet",
    ),
    worker(
        "text_modules",
        "bytes of the snippet's class",
        "else bytes(text), *rest",
        "else text, *rest",
        _LEFT + "[a table of textwrap's by bytes]",
    ),
    part(
        "torch/nn/parameter",
        "the data of what is no tensor",
        "if not isinstance(tensor, Tensor):\n        raise TypeError(f\"expected a torch.Tensor, not '",
        "if False:\n        raise TypeError(f\"expected a torch.Tensor, not '",
        _ON_ALL,
    ),
    part(
        "torch/amp",
        "the context of what is no function",
        "if not isinstance(args[0], FunctionCtx):",
        "if False:",
        _ON_ALL,
    ),
    part(
        "torch/stateless",
        "names of a module that are no tensors",
        'if key.startswith("_") and (',
        "if False and (",
        found("Found: objects of other classes that get an array"),
    ),
    part(
        "torch/autograd/graph",
        "addresses of saved tensors",
        "return self._numbers.setdefault(id(thing), len(self._numbers))",
        "return id(thing)",
        found("Found: what a method tells its object"),
    ),
    worker(
        "classes",
        "operators that get NumPy's own",
        "    return {name: guarded(value) for name, value in operators.items() if not _is_harmless(name, value)}",
        "    return operators",
        W + "test_guard.py::test_the_operators_of_a_class_get_stand_ins",
    ),
    worker(
        "classes",
        "other base classes of tensors",
        "            self._check_alone(made)\n",
        "            pass\n",
        W + "test_guard.py::test_what_calls_methods_with_arrays_has_no_other_base_class",
    ),
    worker(
        "classes",
        "texts with a comparison of their own",
        "        check_text(made)\n        if type(made)",
        "        if type(made)",
        _LETTERS,
    ),
    worker(
        "classes",
        "methods of tensors by something else than def",
        "if type(value) is not types.FunctionType:",
        "if False:",
        _IN_PLACE,
    ),
    worker(
        "classes",
        "members of texts with a comparison of their own",
        "if any(issubclass(base, str) for base in mixed_in):",
        "if False:",
        _LETTERS,
    ),
    worker(
        "classes",
        "names of an Enum",
        "        _check_names(names)\n        mixed_in",
        "        mixed_in",
        found("Found: what an Enum holds"),
    ),
    worker(
        "classes",
        "classes of PyTorch's that are mixed into an Enum",
        "            if base.__module__.startswith(_PYTORCHS):",
        "            if False:",
        W + "test_guard.py::test_no_class_of_pytorch_is_mixed_into_an_enum",
    ),
    worker(
        "classes",
        "operators of an Enum",
        "            dict.__setitem__(names, key, method)\n",
        "            pass\n",
        W + "test_guard.py::test_the_operators_of_an_enum_get_stand_ins",
    ),
    worker(
        "snippet_builtins",
        "names that an import does not find",
        "            if not hasattr(found, each):\n",
        "            if False:\n",
        found("Found: modules by an import that finds nothing"),
    ),
)
