import torch
from torch import nn
from typing import Callable, Dict, List


class Callback:
    def on_epoch_end(self, trainer: "Trainer", logs: Dict[str, float]) -> None: ...


class History(Callback):
    def __init__(self):
        self.logs: List[float] = []

    def on_epoch_end(self, trainer, logs):
        self.logs.append(round(logs["loss"], 4))


class StopAt(Callback):
    def __init__(self, loss):
        self.loss = loss

    def on_epoch_end(self, trainer, logs):
        if logs["loss"] < self.loss:
            trainer.should_stop = True


class Trainer:
    def __init__(self, model: nn.Module, optimizer, loss_fn: Callable, callbacks=()):
        self.model, self.optimizer, self.loss_fn, self.callbacks = model, optimizer, loss_fn, list(callbacks)
        self.should_stop = False

    def fit(self, loader, epochs: int = 5):
        for self.epoch in range(epochs):
            total = sum(self._step(*batch) for batch in loader)
            logs = {"loss": total / len(loader)}
            for cb in self.callbacks:
                cb.on_epoch_end(self, logs)
            if self.should_stop:
                break
        return self

    def _step(self, x, y):
        self.optimizer.zero_grad()
        loss = self.loss_fn(self.model(x), y)
        loss.backward()
        self.optimizer.step()
        return loss.item()


torch.manual_seed(0)
x = torch.randn(12, 2)
loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, x.sum(1, keepdim=True)), batch_size=4)
model = nn.Linear(2, 1)
history = History()
trainer = Trainer(model, torch.optim.SGD(model.parameters(), lr=0.3), nn.MSELoss(), [history, StopAt(0.01)]).fit(
    loader, 20
)
print(history.logs, trainer.epoch)
