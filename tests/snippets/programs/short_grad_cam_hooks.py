import torch
from torch import nn

torch.manual_seed(0)


class CAM:
    def __init__(self, layer):
        self.gradients = self.activations = None
        layer.register_forward_hook(self._save_activation)
        layer.register_full_backward_hook(self._save_gradient)

    def _save_activation(self, module, inp, out):
        self.activations = out.detach()

    def _save_gradient(self, module, grad_in, grad_out):
        self.gradients = grad_out[0].detach()

    def heatmap(self):
        weights = self.gradients.mean(dim=(2, 3), keepdim=True)
        return torch.relu((weights * self.activations).sum(1))


net = nn.Sequential(nn.Conv2d(1, 3, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(3, 2))
cam = CAM(net[0])
net(torch.rand(1, 1, 6, 6))[0, 1].backward()
print(cam.heatmap().shape, cam.gradients.shape, cam.activations.shape)
