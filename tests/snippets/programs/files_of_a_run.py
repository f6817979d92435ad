import os, glob, shutil, tempfile, pickle, csv, io, json, os.path as osp
from pathlib import Path
from os import path
import numpy as np, torch

root = tempfile.mkdtemp()
os.chdir(root)
os.makedirs("a/b/c", exist_ok=True)
with open("a/x.txt", "w") as f:
    f.write("one\ntwo\n")
    print("three", file=f)
    f.writelines(["4\n"])
print(open("a/x.txt").read().splitlines(), os.path.getsize("a/x.txt"))
for line in open("a/x.txt", encoding="utf-8"):
    print(repr(line))
with open("a/b/y.bin", "wb") as f:
    print(f.write(b"\x00\x01\xff"))
with open("a/b/y.bin", "rb") as f:
    print(f.read(2), f.tell(), f.read(), f.read())
    f.seek(-1, 2)
    print(f.read())
with open("a/x.txt", "a+") as f:
    f.write("five")
    f.seek(0)
    print(f.readline(), f.readlines())
with open("a/x.txt", "r+") as f:
    f.write("ONE")
    f.seek(0)
    print(f.read())
print(
    sorted(os.listdir("a")),
    os.path.exists("a/b"),
    os.path.isfile("a/b"),
    os.path.isdir("a/b"),
    osp.join("a", "..", "b"),
    path.splitext("x.tar.gz"),
)
print(sorted(glob.glob("a/*")), sorted(glob.glob("a/**/*", recursive=True)), glob.glob("a/*.txt"))
for top, dirs, files in os.walk("a"):
    print(top, sorted(dirs), sorted(files))
shutil.copy("a/x.txt", "a/b/z.txt")
os.rename("a/b/z.txt", "a/q.txt")
print(sorted(os.listdir("a")), os.listdir("a/b/c"))
p = Path("a")
print(
    sorted(str(q) for q in p.iterdir()),
    [str(q) for q in p.glob("*.txt")] != [],
    (p / "x.txt").read_text()[:5],
    (p / "new").exists(),
)
(p / "new").mkdir()
(p / "new" / "f.txt").write_text("hé")
print((p / "new" / "f.txt").read_bytes(), (p / "new" / "f.txt").stat().st_size)
for bad in (
    lambda: open("nope"),
    lambda: open("no/x", "w"),
    lambda: os.mkdir("a"),
    lambda: os.rmdir("a"),
    lambda: open("a"),
    lambda: os.remove("zz"),
    lambda: open("a/x.txt", "zz"),
    lambda: open("a/x.txt").write("x"),
    lambda: os.listdir("nope"),
    lambda: open("a/x.txt", "x"),
):
    try:
        bad()
        print("fine")
    except Exception as e:
        print(type(e).__name__, e)
d = {"a": [1, 2], "b": torch.ones(2)}
with open("d.pkl", "wb") as f:
    pickle.dump(d, f)
    pickle.dump([1], f)
with open("d.pkl", "rb") as f:
    print(pickle.load(f), pickle.load(f))
print(pickle.loads(pickle.dumps((1, "x"))))
with open("t.csv", "w", newline="") as f:
    w = csv.writer(f)
    w.writerow(["a", "b c", 1.5])
    w.writerows([["x,y", 'q"', None]])
print(open("t.csv").read())
with open("t.csv") as f:
    print(list(csv.reader(f)))
with open("t.csv") as f:
    print(list(csv.DictReader(f)))
with open("j.json", "w") as f:
    json.dump({"x": [1, 2]}, f, indent=1)
print(json.load(open("j.json")))
np.save("arr", np.arange(6).reshape(2, 3))
print(np.load("arr.npy"), os.path.exists("arr.npy"))
np.savez("many.npz", a=np.ones(2), b=3)
z = np.load("many.npz")
print(sorted(z.files), z["a"], z["b"])
np.savetxt("m.txt", np.eye(2), fmt="%.2f", delimiter=",")
print(open("m.txt").read(), np.loadtxt("m.txt", delimiter=","))
print(np.genfromtxt(io.StringIO("1,2\n3,"), delimiter=","), np.frombuffer(b"\x01\x00\x02\x00", dtype=np.int16))
torch.save({"m": torch.arange(3)}, "ck.pt")
print(torch.load("ck.pt"), Path("ck.pt").exists())
with open("ck2.pt", "wb") as f:
    torch.save(d, f)
with open("ck2.pt", "rb") as f:
    print(torch.load(f))
os.environ["X"] = "1"
print(os.environ.get("X"), os.getenv("Y", "z"), os.environ.get("CUDA_VISIBLE_DEVICES"))
shutil.rmtree("a")
print(os.path.exists("a"))
with tempfile.TemporaryDirectory() as t:
    print(os.path.isdir(t))
print(os.path.isdir(t), os.path.basename("/x/y.z"), os.path.dirname("/x/y.z"), os.path.split("a/b"))
f = open("w", "w")
f.write("x" * 20000)
f.close()
print(os.path.getsize("w"), f.closed, f.name, f.mode)
folder = Path("run"); folder.mkdir()
part = folder / "state.json.tmp"
with open(part, "w") as f:
    f.write(json.dumps({"step": 3}))
    f.flush()
    os.fsync(f.fileno())
os.replace(part, folder / "state.json")
fd = os.open(str(folder), os.O_RDONLY)
try:
    os.fsync(fd)
finally:
    os.close(fd)
print(sorted(os.listdir(folder)), (folder / "state.json").read_text())
f.close()
for wrong in (f.fileno, lambda: os.open("nothing", os.O_RDONLY), lambda: os.fsync(99), lambda: os.close(77)):
    try:
        print(wrong())
    except (OSError, ValueError) as e:
        print(type(e).__name__, e)
