import argparse
import sys


def parse():
    p = argparse.ArgumentParser("trainer", description="train")
    p.add_argument("--lr", type=float, default=1e-3)
    p.add_argument("--epochs", "-e", type=int, default=2)
    p.add_argument("--opt", choices=["sgd", "adam"], default="sgd")
    p.add_argument("--layers", nargs="+", type=int, default=[4, 2])
    p.add_argument("--quiet", action="store_true")
    return p


def main():
    args = parse().parse_args()
    print(args.lr, args.epochs, args.opt, args.layers, args.quiet)
    print(parse().parse_args(["--lr", "0.5", "-e", "7", "--layers", "1", "2", "--quiet"]))
    known, rest = parse().parse_known_args(["--other", "1"])
    print(rest, vars(known)["opt"], len(sys.argv))


if __name__ == "__main__":
    main()
