import sys

try:
    sys.exit("bye")
except SystemExit as e:
    print("caught", e.code)
try:
    exit(3)
except SystemExit as e:
    print("caught", e.code)
for step in range(10):
    if step == 3:
        print("stopping early")
        sys.exit(0)
    print(step)
print("never")
