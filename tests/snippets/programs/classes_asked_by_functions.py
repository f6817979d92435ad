"""What functions, operators and attributes ask a class of tensors."""

import torch
class Log(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        print('F', func.__name__, [t.__name__ for t in types], len(args), kwargs)
        return super().__torch_function__(func, types, args, kwargs)
def T(s):
    print('>>',s)
    try: r=eval(s)
    except Exception as e: print('   ',type(e).__name__,str(e)[:200]); return
    if isinstance(r,torch.Tensor): print('   ',type(r).__name__, r.as_subclass(torch.Tensor) if not type(r) is torch.Tensor else r)
    else: print('   ',type(r), repr(r)[:200] if not isinstance(r,Log) else '')
torch.manual_seed(0)
x=Log([1.,2.]); p=torch.ones(2)
import torch.nn.functional as F, torch.nn as nn
for s in ['x+1','1+x','x+p','p+x','x-1','1-x','p-x','x*x','2/x','x/2','x//2','x%2','2%x','x**2','2**x','-x','abs(x)','~(x>1)','x>1','x==p','p==x','x@x','p@x','x[0]','x[0:1]','len(x)','float(x[0])','bool(x[0])','int(x[0])','x.shape','x.dtype','x.device','x.grad','x.requires_grad','x.data','x.is_leaf','x.grad_fn','x.ndim','x.size()','x.dim()','x.add(1)','x.add_(1)','torch.add(x,1)','torch.mean(x)','x.mean()','x.sum()','torch.stack([x,p])','torch.cat([p,x])','F.relu(x)','F.softmax(x,0)','F.mse_loss(x,p)','F.linear(x,torch.ones(3,2))','nn.Linear(2,1)(x)','nn.ReLU()(x)','torch.max(x,0)','x.max(0)','x.unbind()','list(x)','x.numpy()','x.tolist()','x[0].item()','x.clone()','x.detach()','torch.zeros_like(x)','x.new_zeros(2)','torch.tensor(x)','torch.as_tensor(x)','torch.is_tensor(x)','isinstance(x,torch.Tensor)','x.numel()','x.requires_grad_()','x.to(torch.float64)','x.half()','x.float()','x.long()','x.view(1,2)','x.reshape(-1)','x.type()','x.is_floating_point()','torch.is_floating_point(x)','torch.where(x>1,x,p)','torch.einsum("i,i",x,p)','x.split(1)','torch.allclose(x,p)','torch.equal(x,p)','x.contiguous()','x.stride()','x.__len__()','2 in x','x.norm()','x.std()','x.var()','x.argmax()','x.abs()','x.is_cuda','x.layout','x.name','x.itemsize','x.nbytes','x.mT','x.real','x.storage_offset()','x.is_contiguous()','torch.Tensor.add(x,1)','reversed(x)','x.__repr__()','str(x)','repr(x)','f"{x}"','x.square().sum()','x.unsqueeze(0)','x.expand(2,2)','torch.sort(x)','torch.linalg.norm(x)','torch.fft.fft(x)','torch.special.erf(x)','x & 1', 'x and 1', 'round(x)', 'divmod(x,2)', 'x<<1','x^1','torch.nn.init.ones_(x)','x.apply_(lambda v: v)','x.map_(p, lambda a,b:a)','torch.broadcast_tensors(x,p)','torch.atleast_1d(x)','x.unique()','torch.norm(x)','torch.tensordot(x,p,1)','torch.cdist(x[None],p[None])','torch.split(x,1)','torch.bernoulli(x*0)','torch.rand_like(x)','p.add_(x)','p.copy_(x)','p.__iadd__(x)']:
    T(s)
x = x.detach()
p[0] = x[0]
x[0] = 3
x += 1
p += x
