"""Runs the reference noise model on a known sequence instead of chance, for the
check of its Go port:  python3 export.py > noise.json  (needs numpy)."""
import json, sys
import numpy as np
import noise

class Known:
    """Stands in for numpy's generator: the k-th value is the fraction of k golden ratios."""
    def __init__(self): self.k = 0
    def next(self):
        self.k += 1
        return (self.k * 0.6180339887498949) % 1.0
    def random(self, size):
        return np.array([self.next() for _ in range(size)])
    def standard_normal(self, size):
        n = int(np.prod(size))
        return np.array([(self.next() - 0.5) * 3.4641016151377544 for _ in range(n)]).reshape(size)

T = 300
out = {}
for name in noise.SC:
    e = noise.env(name, 1, T, Known())
    out[name] = dict(env=e[0].tolist(), runs=noise.runs(e, np.arange(0, T - 10, 10), 10)[0].tolist())
json.dump(out, sys.stdout)
