import random


class Perceptron:
    def __init__(self, n, lr=0.1):
        self.w, self.b, self.lr = [0.0] * n, 0.0, lr

    def __call__(self, x):
        return 1 if sum(wi * xi for wi, xi in zip(self.w, x)) + self.b > 0 else 0

    def fit(self, data, epochs=10):
        for epoch in range(epochs):
            errors = 0
            for x, t in data:
                if delta := t - self(x):
                    errors += 1
                    self.w = [wi + self.lr * delta * xi for wi, xi in zip(self.w, x)]
                    self.b += self.lr * delta
            if errors == 0:
                print(f"converged after {epoch} epochs")
                break
        return self


gate = {(0, 0): 0, (0, 1): 0, (1, 0): 0, (1, 1): 1}
p = Perceptron(2).fit(gate.items())
print({x: p(x) for x in gate}, [round(w, 2) for w in p.w])
