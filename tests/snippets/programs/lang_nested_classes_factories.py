class Graph:
    class Node:
        def __init__(self, name):
            self.name = name
            self.edges = []

        def __repr__(self):
            return f"{self.__class__.__qualname__}({self.name})"

    class Error(Exception):
        pass

    def __init__(self):
        self.nodes = {}

    def node(self, name):
        if not name:
            raise Graph.Error("no name")
        return self.nodes.setdefault(name, self.Node(name))

    def connect(self, a, b):
        self.node(a).edges.append(self.node(b))
        return self

    def topological(self):
        seen, order = set(), []

        def visit(node):
            if node.name in seen:
                return
            seen.add(node.name)
            for other in node.edges:
                visit(other)
            order.append(node)

        for node in self.nodes.values():
            visit(node)
        return order[::-1]


g = Graph().connect("x", "y").connect("y", "z").connect("x", "z")
print(g.topological(), Graph.Node.__name__, Graph.Node.__qualname__)
try:
    g.node("")
except Graph.Error as e:
    print(e)


def make_class(factor):
    class Scaler:
        k = factor

        def __call__(self, x):
            return x * self.k

    return Scaler


Twice = make_class(2)
print(Twice()(4), Twice.__name__, make_class(3)()(4), Twice is not make_class(2))
instances = [type(obj).__name__ for obj in (1, "a", [], g, Twice(), None, make_class, Graph)]
print(instances)


class Singleton:
    _instance = None

    @classmethod
    def get(cls):
        if cls._instance is None:
            cls._instance = cls()
        return cls._instance


print(Singleton.get() is Singleton.get())
