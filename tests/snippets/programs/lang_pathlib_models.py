from pathlib import Path
import torch
from torch import nn

MODEL_PATH = Path("models")
MODEL_PATH.mkdir(parents=True, exist_ok=True)
MODEL_NAME = "01_pytorch_workflow_model_0.pth"
MODEL_SAVE_PATH = MODEL_PATH / MODEL_NAME
print(f"Saving model to: {MODEL_SAVE_PATH}")
torch.manual_seed(0)
model = nn.Linear(1, 1)
torch.save(obj=model.state_dict(), f=MODEL_SAVE_PATH)
loaded = nn.Linear(1, 1)
loaded.load_state_dict(torch.load(f=MODEL_SAVE_PATH))
print(
    torch.equal(model.weight, loaded.weight),
    MODEL_SAVE_PATH.name,
    MODEL_SAVE_PATH.suffix,
    MODEL_SAVE_PATH.stem,
    MODEL_SAVE_PATH.parent,
)
print(
    MODEL_SAVE_PATH.parts,
    MODEL_SAVE_PATH.with_suffix(".pt"),
    str(MODEL_PATH),
    MODEL_PATH.joinpath("a", "b"),
    "x" / Path("y"),
)
print(repr(MODEL_PATH), Path("a/b") == Path("a") / "b", Path("none_such_file").exists(), sorted([Path("b"), Path("a")]))
