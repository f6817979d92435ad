import torch as t


def tried(text, ask):
    try:
        print(text, repr(ask()))
    except Exception as error:
        print(text, type(error).__name__, error)


tried("t.ones(2, memory_format=t.channels_last)", lambda: t.ones(2, memory_format=t.channels_last))
tried("t.ones(2, foo=1)", lambda: t.ones(2, foo=1))
tried(
    "t.zeros_like(t.ones(2), device='cpu', layout=t.strided, memory_format=t.preserve_format)",
    lambda: t.zeros_like(t.ones(2), device="cpu", layout=t.strided, memory_format=t.preserve_format),
)
tried(
    "t.rand(2, generator=t.Generator(), pin_memory=False)", lambda: t.rand(2, generator=t.Generator(), pin_memory=False)
)
tried("t.tensor([1.], device='cuda:1')", lambda: t.tensor([1.0], device="cuda:1"))
tried(
    "t.arange(3, device='cpu', layout=t.strided, pin_memory=False)",
    lambda: t.arange(3, device="cpu", layout=t.strided, pin_memory=False),
)
tried("t.full((2,), 1., layout=t.strided, out=None)", lambda: t.full((2,), 1.0, layout=t.strided, out=None))
tried("t.linspace(0,1,3,device='cpu',layout=t.strided)", lambda: t.linspace(0, 1, 3, device="cpu", layout=t.strided))
tried("t.eye(2, layout=t.strided, pin_memory=False)", lambda: t.eye(2, layout=t.strided, pin_memory=False))
tried(
    "t.empty(2, memory_format=t.contiguous_format, pin_memory=False).shape",
    lambda: t.empty(2, memory_format=t.contiguous_format, pin_memory=False).shape,
)
tried("t.ones(2).clone(memory_format=t.preserve_format)", lambda: t.ones(2).clone(memory_format=t.preserve_format))
tried(
    "t.ones(2).to('cpu', t.float64, non_blocking=True, copy=True)",
    lambda: t.ones(2).to("cpu", t.float64, non_blocking=True, copy=True),
)
tried("t.ones(2).to(t.ones(1,dtype=t.float64))", lambda: t.ones(2).to(t.ones(1, dtype=t.float64)))
tried(
    "t.randint(0, 5, (2,), layout=t.strided, pin_memory=False, generator=t.Generator().manual_seed(0))",
    lambda: t.randint(0, 5, (2,), layout=t.strided, pin_memory=False, generator=t.Generator().manual_seed(0)),
)
tried(
    "t.randperm(4, layout=t.strided, pin_memory=False, generator=t.Generator().manual_seed(0))",
    lambda: t.randperm(4, layout=t.strided, pin_memory=False, generator=t.Generator().manual_seed(0)),
)
tried(
    "t.normal(0., 1., (2,), layout=t.strided, generator=t.Generator().manual_seed(0))",
    lambda: t.normal(0.0, 1.0, (2,), layout=t.strided, generator=t.Generator().manual_seed(0)),
)
tried(
    "t.randint_like(t.ones(2), 3, layout=t.strided, memory_format=t.preserve_format, requires_grad=True).shape",
    lambda: t.randint_like(t.ones(2), 3, layout=t.strided, memory_format=t.preserve_format, requires_grad=True).shape,
)
tried("t.rand_like(t.ones(2), layout=t.strided).shape", lambda: t.rand_like(t.ones(2), layout=t.strided).shape)
tried("t.exp(t.ones(2), out=t.empty(2))", lambda: t.exp(t.ones(2), out=t.empty(2)))
tried("t.add(t.ones(2), 1, out=t.empty(2))", lambda: t.add(t.ones(2), 1, out=t.empty(2)))
tried(
    "t.matmul(t.ones(2,2), t.ones(2,2), out=t.empty(2,2))",
    lambda: t.matmul(t.ones(2, 2), t.ones(2, 2), out=t.empty(2, 2)),
)
tried("t.sum(t.ones(2,2), dim=0, out=t.empty(2))", lambda: t.sum(t.ones(2, 2), dim=0, out=t.empty(2)))
tried(
    "t.max(t.ones(2,2), 0, out=(t.empty(2), t.empty(2,dtype=t.long)))",
    lambda: t.max(t.ones(2, 2), 0, out=(t.empty(2), t.empty(2, dtype=t.long))),
)
tried("t.cat([t.ones(1), t.ones(1)], out=t.empty(2))", lambda: t.cat([t.ones(1), t.ones(1)], out=t.empty(2)))
tried("t.stack([t.ones(1), t.ones(1)], out=t.empty(2,1))", lambda: t.stack([t.ones(1), t.ones(1)], out=t.empty(2, 1)))
tried(
    "t.sort(t.tensor([2.,1.]), out=(t.empty(2), t.empty(2,dtype=t.long)))",
    lambda: t.sort(t.tensor([2.0, 1.0]), out=(t.empty(2), t.empty(2, dtype=t.long))),
)
tried(
    "t.topk(t.tensor([2.,1.]), 1, out=(t.empty(1), t.empty(1,dtype=t.long)))",
    lambda: t.topk(t.tensor([2.0, 1.0]), 1, out=(t.empty(1), t.empty(1, dtype=t.long))),
)
tried("t.mean(t.ones(2,2), dim=0, out=t.empty(2))", lambda: t.mean(t.ones(2, 2), dim=0, out=t.empty(2)))
tried("t.arange(3, out=t.empty(3))", lambda: t.arange(3, out=t.empty(3)))
tried("t.randn(2, out=t.empty(2)).shape", lambda: t.randn(2, out=t.empty(2)).shape)
tried("t.bernoulli(t.ones(2), out=t.empty(2))", lambda: t.bernoulli(t.ones(2), out=t.empty(2)))
tried(
    "t.multinomial(t.ones(2), 1, out=t.empty(1, dtype=t.long)).shape",
    lambda: t.multinomial(t.ones(2), 1, out=t.empty(1, dtype=t.long)).shape,
)
tried(
    "t.normal(t.ones(2), t.ones(2), out=t.empty(2)).shape", lambda: t.normal(t.ones(2), t.ones(2), out=t.empty(2)).shape
)
tried(
    "t.bmm(t.ones(1,2,2), t.ones(1,2,2), out=t.empty(1,2,2))",
    lambda: t.bmm(t.ones(1, 2, 2), t.ones(1, 2, 2), out=t.empty(1, 2, 2)),
)
tried("t.mm(t.ones(2,2), t.ones(2,2), out=t.empty(2,2))", lambda: t.mm(t.ones(2, 2), t.ones(2, 2), out=t.empty(2, 2)))
tried(
    "t.where(t.tensor([True]), t.ones(1), t.zeros(1), out=t.empty(1))",
    lambda: t.where(t.tensor([True]), t.ones(1), t.zeros(1), out=t.empty(1)),
)
tried(
    "t.gather(t.ones(2), 0, t.tensor([0]), out=t.empty(1))",
    lambda: t.gather(t.ones(2), 0, t.tensor([0]), out=t.empty(1)),
)
tried(
    "t.index_select(t.ones(2), 0, t.tensor([0]), out=t.empty(1))",
    lambda: t.index_select(t.ones(2), 0, t.tensor([0]), out=t.empty(1)),
)
tried(
    "t.masked_select(t.ones(2), t.tensor([True,False]), out=t.empty(1))",
    lambda: t.masked_select(t.ones(2), t.tensor([True, False]), out=t.empty(1)),
)
tried("t.clamp(t.ones(2), 0, 1, out=t.empty(2))", lambda: t.clamp(t.ones(2), 0, 1, out=t.empty(2)))
tried("t.cumsum(t.ones(2), 0, out=t.empty(2))", lambda: t.cumsum(t.ones(2), 0, out=t.empty(2)))
tried("t.prod(t.ones(2,2), 0, out=t.empty(2))", lambda: t.prod(t.ones(2, 2), 0, out=t.empty(2)))
tried("t.std(t.ones(2,2), 0, out=t.empty(2))", lambda: t.std(t.ones(2, 2), 0, out=t.empty(2)))
tried(
    "t.var(t.ones(2,2), dim=0, correction=1, out=t.empty(2))",
    lambda: t.var(t.ones(2, 2), dim=0, correction=1, out=t.empty(2)),
)
tried(
    "t.nonzero(t.ones(2), out=t.empty(2,1,dtype=t.long))", lambda: t.nonzero(t.ones(2), out=t.empty(2, 1, dtype=t.long))
)
tried("t.eq(t.ones(2), 1, out=t.empty(2, dtype=t.bool))", lambda: t.eq(t.ones(2), 1, out=t.empty(2, dtype=t.bool)))
tried("t.pow(2, t.ones(2), out=t.empty(2))", lambda: t.pow(2, t.ones(2), out=t.empty(2)))
tried("t.dot(t.ones(2), t.ones(2), out=t.tensor(0.))", lambda: t.dot(t.ones(2), t.ones(2), out=t.tensor(0.0)))
tried(
    "t.addmm(t.ones(2,2), t.ones(2,2), t.ones(2,2), out=t.empty(2,2))",
    lambda: t.addmm(t.ones(2, 2), t.ones(2, 2), t.ones(2, 2), out=t.empty(2, 2)),
)
tried("t.linalg.inv(t.eye(2), out=t.empty(2,2))", lambda: t.linalg.inv(t.eye(2), out=t.empty(2, 2)))
tried("t.linalg.norm(t.ones(2), out=t.tensor(0.))", lambda: t.linalg.norm(t.ones(2), out=t.tensor(0.0)))
tried("t.tril(t.ones(2,2), out=t.empty(2,2))", lambda: t.tril(t.ones(2, 2), out=t.empty(2, 2)))
tried("t.diag(t.ones(2), out=t.empty(2,2))", lambda: t.diag(t.ones(2), out=t.empty(2, 2)))
tried("t.flip(t.ones(2), dims=(0,))", lambda: t.flip(t.ones(2), dims=(0,)))
tried(
    "t.all(t.tensor([[True]]), dim=0, out=t.empty(1,dtype=t.bool))",
    lambda: t.all(t.tensor([[True]]), dim=0, out=t.empty(1, dtype=t.bool)),
)
tried("t.logsumexp(t.ones(2), 0, out=t.tensor(0.))", lambda: t.logsumexp(t.ones(2), 0, out=t.tensor(0.0)))
tried("t.norm(t.ones(2), out=t.tensor(0.))", lambda: t.norm(t.ones(2), out=t.tensor(0.0)))
tried(
    "t.complex(t.ones(1), t.ones(1), out=t.empty(1,dtype=t.complex64))",
    lambda: t.complex(t.ones(1), t.ones(1), out=t.empty(1, dtype=t.complex64)),
)
tried(
    "t.utils.data.DataLoader([1,2], num_workers=2, pin_memory=False, persistent_workers=True, prefetch_factor=2) and 1",
    lambda: (
        t.utils.data.DataLoader([1, 2], num_workers=2, pin_memory=False, persistent_workers=True, prefetch_factor=2)
        and 1
    ),
)
tried("t.utils.data.DataLoader([1,2], prefetch_factor=2)", lambda: t.utils.data.DataLoader([1, 2], prefetch_factor=2))
tried("t.Generator().device", lambda: t.Generator().device)
tried("t.Generator().get_state().dtype", lambda: t.Generator().get_state().dtype)
tried("t.set_default_dtype('x')", lambda: t.set_default_dtype("x"))
tried("t.set_default_dtype(t.int64)", lambda: t.set_default_dtype(t.int64))
tried("t.tensor([1.], dtype='float32')", lambda: t.tensor([1.0], dtype="float32"))
tried("t.ones(2).type('torch.DoubleTensor')", lambda: t.ones(2).type("torch.DoubleTensor"))
tried("t.ones(2).type(t.FloatTensor)", lambda: t.ones(2).type(t.FloatTensor))
tried("t.ones(2).type()", lambda: t.ones(2).type())
tried("t.finfo(t.float32)", lambda: t.finfo(t.float32))
tried("t.iinfo(t.int8)", lambda: t.iinfo(t.int8))
tried("t.finfo(t.int8)", lambda: t.finfo(t.int8))
tried("t.iinfo(t.float32)", lambda: t.iinfo(t.float32))
tried(
    "t.finfo(t.bfloat16).max, t.finfo().eps, t.iinfo('int16' if False else t.int16).min",
    lambda: (t.finfo(t.bfloat16).max, t.finfo().eps, t.iinfo("int16" if False else t.int16).min),
)
tried(
    "t.set_printoptions(precision=2, threshold=5, edgeitems=1, linewidth=40, sci_mode=True), t.rand(20).shape",
    lambda: (t.set_printoptions(precision=2, threshold=5, edgeitems=1, linewidth=40, sci_mode=True), t.rand(20).shape),
)
tried("str(t.arange(20.)/3)", lambda: str(t.arange(20.0) / 3))
tried("t.set_printoptions(profile='full')", lambda: t.set_printoptions(profile="full"))
tried(
    "t.set_printoptions(profile='short'), str(t.arange(3.)/3)",
    lambda: (t.set_printoptions(profile="short"), str(t.arange(3.0) / 3)),
)
tried("t.set_printoptions(profile='default')", lambda: t.set_printoptions(profile="default"))
tried("t.testing.assert_close(t.ones(2), t.ones(2)+1)", lambda: t.testing.assert_close(t.ones(2), t.ones(2) + 1))
tried(
    "t.testing.assert_close(t.ones(2), t.ones(2, dtype=t.double))",
    lambda: t.testing.assert_close(t.ones(2), t.ones(2, dtype=t.double)),
)
tried("t.testing.assert_close(1, 1.5)", lambda: t.testing.assert_close(1, 1.5))
tried(
    "t.testing.assert_close([t.ones(1), t.zeros(1)], [t.ones(1), t.ones(1)])",
    lambda: t.testing.assert_close([t.ones(1), t.zeros(1)], [t.ones(1), t.ones(1)]),
)
tried(
    "t.testing.assert_close({'a': t.ones(1)}, {'b': t.ones(1)})",
    lambda: t.testing.assert_close({"a": t.ones(1)}, {"b": t.ones(1)}),
)
tried("t.testing.assert_close(t.ones(2), [1., 1.])", lambda: t.testing.assert_close(t.ones(2), [1.0, 1.0]))
tried("t.testing.assert_close(t.ones(2), t.ones(3))", lambda: t.testing.assert_close(t.ones(2), t.ones(3)))
tried(
    "t.testing.assert_close(t.ones(2), t.ones(2)+1, msg='hello')",
    lambda: t.testing.assert_close(t.ones(2), t.ones(2) + 1, msg="hello"),
)
tried(
    "t.testing.assert_close(t.ones(2), t.ones(2)+1, msg=lambda m: 'A '+m)",
    lambda: t.testing.assert_close(t.ones(2), t.ones(2) + 1, msg=lambda m: "A " + m),
)
tried("t.testing.assert_close('a', 'b')", lambda: t.testing.assert_close("a", "b"))
tried("t.testing.assert_close(True, False)", lambda: t.testing.assert_close(True, False))
tried(
    "t.testing.assert_close(t.tensor(float('nan')), t.tensor(float('nan')))",
    lambda: t.testing.assert_close(t.tensor(float("nan")), t.tensor(float("nan"))),
)
tried(
    "t.testing.assert_close(t.tensor([1,2]), t.tensor([1,3]))",
    lambda: t.testing.assert_close(t.tensor([1, 2]), t.tensor([1, 3])),
)
tried(
    "t.testing.assert_close(t.ones(1), t.ones(1), rtol=0.1)",
    lambda: t.testing.assert_close(t.ones(1), t.ones(1), rtol=0.1),
)
tried(
    "t.testing.assert_close(t.ones(2,2), t.ones(2,2).t(), check_stride=True)",
    lambda: t.testing.assert_close(t.ones(2, 2), t.ones(2, 2).t(), check_stride=True),
)
tried(
    "t.testing.assert_close([t.ones(1)], [t.ones(1)]*2)", lambda: t.testing.assert_close([t.ones(1)], [t.ones(1)] * 2)
)
tried("t.testing.assert_close(None, None)", lambda: t.testing.assert_close(None, None))
tried("t.testing.assert_close(1, None)", lambda: t.testing.assert_close(1, None))
