"""The tables of the language policy: which syntax, names, attributes and modules a snippet may use, and what to do
instead.

`policy` walks the syntax tree with these; `guard` uses the same names at run time."""

from __future__ import annotations

import ast
import types

HERE = "available in GradViz snippets"
LOOKED_FOR = "This run looked for files named"  # begins a sentence about files that are not attached

ALLOWED_NODES = frozenset(
    getattr(ast, name)
    for name in """ Module Expr FunctionDef ClassDef Return Delete Assign AugAssign AnnAssign For While If With Raise
    Try Assert Import ImportFrom Global Nonlocal Pass Break Continue BoolOp NamedExpr BinOp UnaryOp Lambda IfExp Dict
    Set ListComp SetComp DictComp GeneratorExp Yield YieldFrom Compare Call FormattedValue JoinedStr Constant
    Attribute Subscript Starred Name List Tuple Slice Load Store Del And Or Add Sub Mult MatMult Div Mod Pow LShift
    RShift BitOr BitXor BitAnd FloorDiv Invert Not UAdd USub Eq NotEq Lt LtE Gt GtE Is IsNot In NotIn comprehension
    ExceptHandler arguments arg keyword alias withitem Match match_case MatchValue MatchSingleton MatchSequence
    MatchMapping MatchClass MatchStar MatchAs MatchOr """.split()
)

REFUSED_NODES = {
    "AsyncFunctionDef": "async functions are",
    "AsyncFor": "async for is",
    "AsyncWith": "async with is",
    "Await": "await is",
    "TryStar": "except* is",
    "TypeAlias": "the type statement is",
    "TypeVar": "a type parameter in brackets is",
    "ParamSpec": "a type parameter in brackets is",
    "TypeVarTuple": "a type parameter in brackets is",
}

# names that learners give to methods of their own, in which Python and the packages see nothing
OWN_DUNDERS = frozenset("__forward__ __backward__ __train__ __test__ __step__ __predict__ __loss__ __fit__".split())
# special methods that a class may define, and that may be read (as in super().__init__())
DEFINABLE_DUNDERS = OWN_DUNDERS | frozenset(
    """ __init__ __call__ __len__ __getitem__ __setitem__ __delitem__ __iter__ __next__ __contains__ __reversed__
    __missing__ __repr__ __str__ __format__ __enter__ __exit__ __eq__ __ne__ __lt__ __le__ __gt__ __ge__ __hash__
    __bool__ __float__ __int__ __index__ __complex__ __round__ __neg__ __pos__ __abs__ __invert__ __add__ __radd__
    __iadd__ __sub__ __rsub__ __isub__ __mul__ __rmul__ __imul__ __truediv__ __rtruediv__ __itruediv__ __floordiv__
    __rfloordiv__ __ifloordiv__ __mod__ __rmod__ __imod__ __divmod__ __pow__ __rpow__ __ipow__ __matmul__ __rmatmul__
    __imatmul__ __and__ __rand__ __iand__ __or__ __ror__ __ior__ __xor__ __rxor__ __ixor__ __lshift__ __rlshift__
    __rshift__ __rrshift__ __copy__ __post_init__ __slots__ __match_args__ __constants__ __torch_function__ """.split()
)
READABLE_DUNDERS = DEFINABLE_DUNDERS | frozenset(
    """ __name__ __doc__ __version__ __qualname__ __module__ __cause__ __context__ __suppress_context__
    __notes__ """.split()
)
MODULE_NAMES = frozenset(  # what a file says of itself, and the name under which old scripts import builtins
    """ __all__ __author__ __authors__ __contact__ __copyright__ __credits__ __date__ __doc__ __email__ __license__
    __maintainer__ __status__ __title__ __url__ __version__ __builtin__ """.split()
)
READABLE_NAMES = MODULE_NAMES | {"__name__", "__file__", "__debug__", "__package__"}

# what Python itself puts into a finished class
CLASS_FURNITURE = frozenset(
    """
    __module__ __qualname__ __doc__ __dict__ __weakref__ __annotations__ __match_args__ __classcell__ __firstlineno__
    __static_attributes__ __orig_bases__ __classdictcell__ __annotate_func__ __annotations_cache__ __annotate__
    __parameters__ __type_params__ __abstractmethods__ __conditional_annotations__
    """.split()
)

# What a snippet may use of Python's own internals; every other public attribute of their classes is refused, those of
# later versions of Python, too.
_INSIDES = (
    *(types.FrameType, types.CodeType, types.TracebackType, types.CellType, type, property, BaseException),
    *(types.GeneratorType, types.CoroutineType, types.AsyncGeneratorType),
)
_OFFERED = frozenset("add_note args clear close deleter getter replace send setter throw".split())
FORBIDDEN_ATTRIBUTES = frozenset(
    name for kind in _INSIDES for name in dir(kind) if not name.startswith("_") and name not in _OFFERED
)

# public names of the engine's classes that PyTorch's do not have, by class; some give access to NumPy or raw memory
_OF_NODES = frozenset(
    """ apply captured class_name dirty for_forward freed metas next params parent plan post_hooks pre_hooks release
    retained row saved saved_items sequence_nr slots stack tensor_hooks unpack written """.split()
)
ENGINE_ATTRIBUTES = {
    "Node": _OF_NODES,
    "Function": _OF_NODES - {"apply"},  # an object of it forwards to its node
    "dtype": frozenset("cpp label name np rank title".split()),
    "Generator": frozenset("load_bytes next_normal raw32 raw64 state_bytes".split()),
    "RemovableHandle": frozenset({"hooks"}),
}

# private methods and properties of PyTorch's classes that ours have, too, and that classes derived from them may use
PYTORCHS_METHODS = frozenset(
    """ _apply _asdict _call _check_input_dim _extended_shape _flat_weights _get_closed_form_lr _get_name
    _infer_parameters _initial_step _inv_call _inverse _is_better _load_from_state_dict _log_normalizer _make
    _make_layer _named_members _pad_mixture_dimensions _param _register_load_state_dict_pre_hook
    _register_state_dict_hook _replace _reset_parameters _save_to_state_dict _update_lr _validate_sample """.split()
)

# Attributes that lead from a NumPy object to its memory or to other NumPy objects. A snippet should never
# hold one; if it does, these are of no use to it.
NUMPY_ATTRIBUTES = frozenset(
    """ accumulate astype at base bit_generator capsule cffi choose ctypes data dtype dump dumps fields flags flat
    getfield lock metadata newbyteorder outer reduce reduceat resize seed_seq setfield setflags spawn subdtype
    to_device tofile type view """.split()
)

# read through a hook, because their meaning depends on the object
PYTHON_ATTRIBUTES = frozenset("format format_map groupindex obj register __hash__".split())
HOOKED_ATTRIBUTES = PYTHON_ATTRIBUTES.union({"mapping"}, *ENGINE_ATTRIBUTES.values())

# read through hooks of their own: what `getattr` and `setattr` would do, what an optimizer does when it is loaded, what
# a base class does with a new class, what makes a tensor of a derived class, only the names of a function's code, and
# those base classes that have names here
METHODS = {"__getattr__": "<getter>", "__setattr__": "<setter>", "__setstate__": "<restorer>"}
METHODS |= {"__init_subclass__": "<welcome>", "__new__": "<maker>"}
ASKED = {**METHODS, "__code__": "<code>", "__mro__": "<mro>", "__bases__": "<bases>"}
OF_CODE = frozenset({"co_varnames", "co_argcount"})

REFUSED_BUILTINS = {
    "compile": "write the code where it is needed",
    "memoryview": "use a list, bytes or a tensor",
    "breakpoint": "GradViz itself steps through the snippet; leave the line out",
}

_MACHINE = "a snippet starts no programs and knows nothing about the computer; leave it out"
_FILES = "a snippet can't open such files; write the numbers into the snippet, or read a text file"
_NETWORK = "a snippet has no network; put the data in the snippet itself"
_THREADS = "a snippet runs in one thread and one process; call the function directly"
_INNARDS = "a snippet can't reach Python's internals; leave it out"
_DRAWS = "GradViz draws the graph itself; leave it out"
_DATASETS = "datasets and pretrained models can't be downloaded; make a batch with torch.randn or write numbers down"
_NOTEBOOK = "it belongs to a notebook; leave it out"
_NUMBERS = "write the numbers into the snippet or make them with torch or numpy"
_COMPUTED = "compute it with torch or numpy, or leave it out"

_HINTS = {
    _MACHINE: "os subprocess platform getpass",
    _FILES: "shelve sqlite3 h5py yaml",
    _NETWORK: "socket urllib requests http ssl ftplib smtplib wget httpx",
    _THREADS: "threading multiprocessing concurrent asyncio signal queue _thread",
    _INNARDS: """ctypes gc inspect importlib builtins types weakref ast dis code marshal pdb runpy site
    cffi""",
    _DRAWS: """graphviz pydot hiddenlayer tensorboard tensorboardX torchview netron
    visdom wandb""",
    _NOTEBOOK: "IPython google ipywidgets nbformat ipykernel",
    _DATASETS: "torchvision torchaudio torchtext datasets transformers timm huggingface_hub",
    _NUMBERS: "pandas sklearn scipy PIL cv2 imageio skimage seaborn.load_dataset sympy tensorflow jax",
    "draw it with matplotlib.pyplot": "seaborn",
    "open it with PIL.Image.open": "matplotlib.pyplot.imread",
    "give the options to make(), or create an object of the game's class": "gym.envs gymnasium.envs",
    "use np.array; @ multiplies arrays as matrices": "numpy.matrix numpy.asmatrix numpy.bmat",
    "use datetime.timezone(datetime.timedelta(hours=…))": "zoneinfo pytz",
    "use resnet18, vgg16, alexnet, mobilenet_v2 or squeezenet1_1, or write the layers down": "torchvision.models",
    "use TrivialAugmentWide": "torchvision.transforms.AutoAugment torchvision.transforms.RandAugment",
    _COMPUTED: "torchvision.transforms torchvision.ops sklearn.metrics sklearn.preprocessing sklearn.utils",
}
MODULE_HINTS = {name: hint for hint, names in _HINTS.items() for name in names.split()}


# PyTorch's part finds a tensor's memory under this name: in the objects of a snippet the name is replaced by another
# one
# that looks the same, so that no object of another class is taken for a tensor.
MEMORY = "_data"
OWN_NAMES = {MEMORY: f"{MEMORY}\u200b"}


def is_dunder(name: str) -> bool:
    """Whether a name begins and ends with two underscores."""
    return len(name) > 4 and name.startswith("__") and name.endswith("__")
