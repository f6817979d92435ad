import random

random.seed(1)
n_states, actions = 5, ("left", "right")
Q = {(s, a): 0.0 for s in range(n_states) for a in actions}


def step(s, a):
    s2 = min(max(s + (1 if a == "right" else -1), 0), n_states - 1)
    return s2, float(s2 == n_states - 1), s2 == n_states - 1


for episode in range(30):
    s, done = 0, False
    while not done:
        a = random.choice(actions) if random.random() < 0.3 else max(actions, key=lambda a: Q[s, a])
        s2, r, done = step(s, a)
        Q[s, a] += 0.5 * (r + 0.9 * max(Q[s2, b] for b in actions) * (not done) - Q[s, a])
        s = s2
print([max(actions, key=lambda a: Q[s, a]) for s in range(n_states - 1)])
print({f"{s}:{a}": round(v, 2) for (s, a), v in Q.items() if v > 0.5})
