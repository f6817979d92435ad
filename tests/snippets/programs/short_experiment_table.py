results = {"sgd": [0.9, 0.5, 0.3], "adam": [0.8, 0.2, 0.1], "a_longer_name": [1, 1, 1]}
width = max(map(len, results))
print(f"{'name':<{width}} | {'first':>6} | {'last':>6} | bar")
print("-" * (width + 26))
for name, losses in sorted(results.items(), key=lambda kv: kv[1][-1]):
    first, *_, last = losses
    print(f"{name:<{width}} | {first:>6.2f} | {last:>6.2%} | {'#' * int(10 * last):10}|")
best, _ = min(results.items(), key=lambda kv: sum(kv[1]))
print("best:", best.upper(), "%.2f" % min(min(v) for v in results.values()))
