import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
teacher, student = nn.Linear(4, 3), nn.Linear(4, 3)
T, soft_w, ce_w = 2, 0.25, 0.75
opt = torch.optim.Adam(student.parameters(), lr=0.05)
teacher.eval()
x, labels = torch.randn(8, 4), torch.randint(0, 3, (8,))
for epoch in range(5):
    opt.zero_grad()
    with torch.no_grad():
        teacher_logits = teacher(x)
    student_logits = student(x)
    soft_targets = F.softmax(teacher_logits / T, dim=-1)
    soft_prob = F.log_softmax(student_logits / T, dim=-1)
    soft_loss = torch.sum(soft_targets * (soft_targets.log() - soft_prob)) / soft_prob.size()[0] * (T**2)
    loss = soft_w * soft_loss + ce_w * F.cross_entropy(student_logits, labels)
    loss.backward()
    opt.step()
    print(epoch, f"{loss.item():.4f}")
