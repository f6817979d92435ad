import torch

torch.manual_seed(0)


def gram_matrix(x):
    a, b, c, d = x.size()
    f = x.view(a * b, c * d)
    return torch.mm(f, f.t()).div(a * b * c * d)


target = gram_matrix(torch.rand(1, 3, 4, 4)).detach()
img = torch.rand(1, 3, 4, 4, requires_grad=True)
optimizer = torch.optim.LBFGS([img])
run = [0]
while run[0] <= 20:

    def closure():
        with torch.no_grad():
            img.clamp_(0, 1)
        optimizer.zero_grad()
        loss = 1e3 * torch.nn.functional.mse_loss(gram_matrix(img), target)
        loss.backward()
        run[0] += 1
        return loss

    loss = optimizer.step(closure)
print(run[0] > 20, loss.item() < 50, img.grad is not None)
