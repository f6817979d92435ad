import heapq, bisect

h = []
for x in [5, 1, 4]:
    heapq.heappush(h, x)
print(
    heapq.heappop(h), h, heapq.nlargest(2, [1, 5, 3]), heapq.nsmallest(2, [(2, "b"), (1, "a")]), heapq.heappushpop(h, 9)
)
a = [1, 3, 5]
bisect.insort(a, 4)
print(a, bisect.bisect(a, 3), bisect.bisect_left(a, 3))


class Node:
    def __init__(self, p):
        self.p = p

    def __lt__(self, o):
        return self.p < o.p

    def __repr__(self):
        return f"N{self.p}"


q = [Node(3), Node(1), Node(2)]
heapq.heapify(q)
print([heapq.heappop(q) for _ in range(3)])
