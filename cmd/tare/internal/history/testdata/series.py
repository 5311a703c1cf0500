# Writes otava.json: series and what apache-otava 0.8.0 names in them.
#   pip install apache-otava==0.8.0 && python3 series.py > otava.json
import json
import random

from otava.analysis import compute_change_points

random.seed(19)
out = []
for i in range(14):
    n = [60, 130, 200][i % 3]
    steps = {random.randrange(5, n - 5): random.choice([-0.05, 0.02, 0.1]) for _ in range(i % 5)}
    level, load, series = 1.0, 0.0, []
    for k in range(n):
        level *= 1 + steps.get(k, 0)
        load = [0, 0.9][i % 2] * load + random.gauss(0, 0.01)
        series.append(round(level * (1 + load), 5))
    changes, _ = compute_change_points(series, window_len=50, max_pvalue=0.001, min_magnitude=0.0)
    out.append({"series": series, "changes": [int(c.index) for c in changes]})
print("[" + ",\n".join(json.dumps(s) for s in out) + "]")
