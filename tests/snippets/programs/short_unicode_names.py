import torch

α, β, θ = 0.1, 0.9, torch.tensor(1.0, requires_grad=True)
σ = torch.sigmoid
for шаг in range(2):
    потеря = (σ(θ) - β) ** 2
    потеря.backward()
    with torch.no_grad():
        θ -= α * θ.grad
        θ.grad = None
print(f"θ = {θ.item():.4f}", "naïve café ✓ 日本語 🎉", "Δx", len("日本語"))
