from dataclasses import dataclass
from typing import Optional


@dataclass
class Node:
    value: int
    left: Optional["Node"] = None
    right: Optional["Node"] = None

    def insert(self, v):
        side = "left" if v < self.value else "right"
        child = getattr(self, side)
        if child:
            child.insert(v)
        else:
            setattr(self, side, Node(v))
        return self

    def __iter__(self):
        if self.left:
            yield from self.left
        yield self.value
        if self.right:
            yield from self.right

    def depth(self):
        return 1 + max((c.depth() for c in (self.left, self.right) if c), default=0)


root = Node(5)
for v in (3, 8, 1, 4, 9):
    root.insert(v)
print(list(root), root.depth(), 4 in root, root.left, sep="\n")
