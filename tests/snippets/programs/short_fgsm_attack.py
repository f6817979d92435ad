import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))


def fgsm_attack(image, epsilon, data_grad):
    sign_data_grad = data_grad.sign()
    perturbed_image = image + epsilon * sign_data_grad
    return torch.clamp(perturbed_image, 0, 1)


image, label = torch.rand(1, 4), torch.tensor([0])
image.requires_grad = True
loss = nn.functional.nll_loss(nn.functional.log_softmax(model(image), dim=1), label)
model.zero_grad()
loss.backward()
for eps in [0, 0.05, 0.3]:
    adv = fgsm_attack(image, eps, image.grad.data)
    new = nn.functional.cross_entropy(model(adv), label)
    print(f"Epsilon: {eps}\tloss = {new.item():.4f} {'higher' if new > loss else 'same'}")
