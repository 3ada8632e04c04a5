# A load for soak.sh: each line N on stdin is N calls; the answer is the number of collections of garbage
# among them, and a checksum.
import gc
import os
import sys


def step(n, total):
    return (total * 31 + n) & 0xFFFFFFFF


gc.disable()
print("ready", os.getpid(), 20000, flush=True)
for line in sys.stdin:
    total, collected = 1, 0
    for n in range(int(line)):
        total = step(n, total)
        if n % 100 == 0:
            try:
                kept = [[n], {n: None}]
                kept[0].append(kept)
                raise ValueError(n)
            except ValueError as error:
                total += error.args[0] & 1
            total += sum(map(step, range(10), range(10)))
            gc.collect(0)
            collected += 1
    print(collected, total, flush=True)
