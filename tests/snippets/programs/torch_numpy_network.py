import numpy as np

np.random.seed(1)
N, D_in, H, D_out = 8, 5, 4, 2
x = np.random.randn(N, D_in)
y = np.random.randn(N, D_out)
w1 = np.random.randn(D_in, H)
w2 = np.random.randn(H, D_out)
learning_rate = 1e-3
for t in range(20):
    h = x.dot(w1)
    h_relu = np.maximum(h, 0)
    y_pred = h_relu.dot(w2)
    loss = np.square(y_pred - y).sum()
    if t % 5 == 0:
        print(t, round(float(loss), 4))
    grad_y_pred = 2.0 * (y_pred - y)
    grad_w2 = h_relu.T.dot(grad_y_pred)
    grad_h_relu = grad_y_pred.dot(w2.T)
    grad_h = grad_h_relu.copy()
    grad_h[h < 0] = 0
    grad_w1 = x.T.dot(grad_h)
    w1 -= learning_rate * grad_w1
    w2 -= learning_rate * grad_w2


class NN:
    def __init__(self, sizes):
        self.W = [np.random.randn(a, b) * np.sqrt(2 / a) for a, b in zip(sizes, sizes[1:])]
        self.b = [np.zeros((1, b)) for b in sizes[1:]]

    @staticmethod
    def softmax(z):
        e = np.exp(z - z.max(axis=1, keepdims=True))
        return e / e.sum(axis=1, keepdims=True)

    def forward(self, X):
        self.a = [X]
        for i, (W, b) in enumerate(zip(self.W, self.b)):
            z = self.a[-1] @ W + b
            self.a.append(np.tanh(z) if i < len(self.W) - 1 else self.softmax(z))
        return self.a[-1]

    def backward(self, Y, lr=0.1):
        delta = (self.a[-1] - Y) / len(Y)
        for i in reversed(range(len(self.W))):
            dW, db = self.a[i].T @ delta, delta.sum(axis=0, keepdims=True)
            delta = (delta @ self.W[i].T) * (1 - self.a[i] ** 2)
            self.W[i] -= lr * dW
            self.b[i] -= lr * db


X = np.random.rand(12, 2)
labels = (X[:, 0] > X[:, 1]).astype(int)
Y = np.eye(2)[labels]
net = NN([2, 6, 2])
for epoch in range(30):
    out = net.forward(X)
    net.backward(Y)
print((out.argmax(axis=1) == labels).mean() > 0.4, -np.log(out[np.arange(12), labels]).mean().round(3))
order = np.random.permutation(12)
for start in range(0, 12, 5):
    batch = X[order[start : start + 5]]
    print(batch.shape, end=" ")
print(
    np.argsort(X[:, 0])[:3],
    np.unique(labels, return_counts=True),
    np.vstack([X[:1], X[1:2]]).shape,
    np.hstack([X, X]).shape,
    np.where(labels == 1)[0][:2],
)
