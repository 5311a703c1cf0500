"use strict";
(() => {
  const all = (selector, root = document) => Array.from(root.querySelectorAll(selector));
  const tables = all("table.list:not(.blind)").map(table => ({
    body: table.tBodies[0],
    heads: all("th[data-k]", table),
    rows: Array.from(table.tBodies[0].rows).map(tr => ({
      tr,
      name: tr.cells[0].textContent,
      low: ((table.querySelector("th span+span")?.textContent ?? "") + tr.cells[0].textContent).toLowerCase(),
      verdict: tr.className,
      numbers: tr.dataset.s.split("|").map(s => s === "" ? NaN : +s),
    })),
  }));

  // Filter: by name, and by verdict.
  const input = document.getElementById("filter"), picks = all("button.pick"), shown = document.getElementById("shown");
  document.querySelector(".tools").hidden = false;
  function filter() {
    const words = input.value.toLowerCase().split(/\s+/).filter(w => w);
    const wanted = picks.filter(b => b.getAttribute("aria-pressed") === "true").map(b => b.dataset.v);
    let n = 0, total = 0;
    for (const { rows } of tables) for (const row of rows) {
      const keep = words.every(w => row.low.includes(w)) && (wanted.length === 0 || wanted.includes(row.verdict));
      if (row.tr.hidden === keep) row.tr.hidden = !keep;
      n += keep; total++;
    }
    shown.textContent = n === total ? "" : n + " of " + total + " rows";
  }
  input.addEventListener("input", filter);
  for (const b of picks) b.addEventListener("click", () => {
    b.setAttribute("aria-pressed", b.getAttribute("aria-pressed") !== "true");
    filter();
  });

  // Sort: a click on a head; unknown numbers stay last.
  const order = { failed: 0, slower: 1, faster: 2, undecided: 3, same: 4 };
  const collator = new Intl.Collator("en", { numeric: true });
  for (const table of tables) for (const th of table.heads) {
    const key = th.dataset.k, handle = th.firstElementChild;
    handle.setAttribute("role", "button");
    handle.tabIndex = 0;
    const compare = key === "name" ? (a, b) => collator.compare(a.name, b.name)
      : key === "verdict" ? (a, b) => order[a.verdict] - order[b.verdict]
      : (a, b) => a.numbers[+key] - b.numbers[+key];
    const unknown = row => key !== "name" && key !== "verdict" && isNaN(row.numbers[+key]);
    const sort = () => {
      const up = th.getAttribute("aria-sort") !== "ascending";
      for (const other of table.heads) other.removeAttribute("aria-sort");
      th.setAttribute("aria-sort", up ? "ascending" : "descending");
      table.rows.sort((a, b) => unknown(a) - unknown(b) || (unknown(a) ? 0 : up ? compare(a, b) : compare(b, a)));
      const fragment = document.createDocumentFragment();
      for (const { tr } of table.rows) fragment.append(tr);
      table.body.append(fragment);
    };
    th.addEventListener("click", sort);
    handle.addEventListener("keydown", e => { if (e.key === "Enter" || e.key === " ") { e.preventDefault(); sort(); } });
  }

  // Pictures of one benchmark, drawn when it is opened.
  const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  function read(article) {
    const sides = article.dataset.sides.split("\t"), values = sides.map(() => []), blocks = [];
    let block = -1;
    for (const line of article.querySelector(".raw").textContent.split("\n")) {
      if (line === "") continue;
      if (line[0] === "@") { block = +line.slice(1).split(" ")[0]; continue; }
      line.split("\t").forEach((s, v) => values[v].push(s === "-" ? null : +s));
      blocks.push(block);
    }
    return { sides, values, blocks, unit: article.dataset.unit };
  }
  const present = list => list.filter(v => v !== null).sort((a, b) => a - b);
  const quantile = (sorted, q) => sorted[Math.max(0, Math.min(sorted.length - 1, Math.ceil(q * sorted.length) - 1))];
  const median = list => { const s = present(list); return s.length ? (s[(s.length - 1) >> 1] + s[s.length >> 1]) / 2 : NaN; };

  const charts = new WeakMap();
  // room is the width of a vertical axis: that of its longest label.
  const room = (u, labels) => 24 + 8 * Math.max(4, ...(labels || []).map(l => String(l ?? "").length));
  function chart(root, title, data, series, extra) {
    const h = document.createElement("h3");
    h.textContent = title;
    root.append(h);
    const axis = { stroke: css("--muted"), grid: { stroke: css("--grid"), width: 1 }, ticks: { stroke: css("--grid"), width: 1 } };
    const options = {
      width: root.clientWidth, height: extra.height || 240, series,
      axes: [Object.assign({}, axis, extra.x), Object.assign({ size: room }, axis, extra.y)],
      scales: Object.assign({ x: { time: false } }, extra.scales), hooks: extra.hooks || {},
    };
    const drawn = new uPlot(options, data, root);
    charts.set(root, (charts.get(root) || []).concat(drawn));
  }
  // A time on an axis has the unit that suits it, whatever unit the data have.
  const times = { ns: 1e-9, "µs": 1e-6, ms: 1e-3, s: 1 };
  const quantity = (v, unit, digits) => {
    const factor = times[unit.split("/")[0]];
    if (v == null) return "";
    if (!factor || v === 0) return (+v.toPrecision(digits)).toString();
    const seconds = v * factor, name = Object.keys(times).findLast(n => times[n] <= Math.abs(seconds) * 1.0000001) || "ns";
    return +(seconds / times[name]).toPrecision(digits) + " " + name;
  };
  // ticks labels an axis with even steps: one unit, and the digits of a step.
  const ticks = (list, step, unit) => {
    const factor = times[unit.split("/")[0]] || 0, most = Math.max(...list.map(Math.abs)) * factor * 1.0000001;
    const name = factor ? Object.keys(times).findLast(n => times[n] <= most) || "ns" : "";
    const scale = factor ? factor / times[name] : 1, exponent = Math.floor(Math.log10(step * scale) + 1e-9), lead = step * scale / 10 ** exponent;
    const digits = Math.max(0, (Math.abs(lead - Math.round(lead)) > 0.01 ? 1 : 0) - exponent);
    return list.map(v => v === 0 ? "0" : (v * scale).toFixed(digits) + (name && " " + name));
  };
  function draw(article) {
    const root = article.querySelector(".plots");
    if (!root || root.firstChild) return;
    const { sides, values, blocks, unit } = read(article);
    const colors = sides.length === 1 ? [css("--new")] : [css("--old"), css("--new"), css("--c2"), css("--c3")];
    const color = v => colors[v % colors.length];
    const x = blocks.map((_, i) => i + 1);
    const edges = x.filter((_, i) => i > 0 && blocks[i] !== blocks[i - 1]).map(v => v - 0.5);
    const verticals = { draw: [u => {
      u.ctx.save(); u.ctx.strokeStyle = css("--grid"); u.ctx.lineWidth = 1;
      for (const e of edges) { const at = u.valToPos(e, "x", true); u.ctx.beginPath(); u.ctx.moveTo(at, u.bbox.top); u.ctx.lineTo(at, u.bbox.top + u.bbox.height); u.ctx.stroke(); }
      u.ctx.restore();
    }] };
    const digits = (u, v) => v == null ? "–" : quantity(v, unit, 5);
    const of = unit.split("/")[0] in times ? "" : " [" + unit + "]";
    const points = v => ({ label: sides[v], stroke: color(v), paths: () => null, points: { show: true, size: 4, fill: color(v), width: 0 }, value: digits });
    // A long tail would crush the rest on a linear axis.
    const pooled = present(values.flat()), log = pooled[0] > 0 && pooled[pooled.length - 1] > 10 * quantile(pooled, 0.5);
    const scales = { x: { time: false }, y: log ? { distr: 3 } : {} };
    const y = { values: (u, list, axis, space, step) => log ? list.map(v => v == null ? null : quantity(v, unit, 3)) : ticks(list, step, unit) };
    chart(root, "Each round, in the order it ran" + (edges.length ? "; lines part the blocks" : "") + of,
      [x, ...values], [{ label: "round" }, ...sides.map((_, v) => points(v))], { hooks: verticals, scales, y });

    // Density: a Gaussian kernel with Silverman's bandwidth, up to the 97% quantile,
    // of logarithms if the axis is logarithmic. No time is below zero.
    const sorted = values.map(present), some = sorted.filter(s => s.length);
    const lo = Math.min(...some.map(s => s[0])), hi = Math.max(...some.map(s => quantile(s, log ? 1 : 0.97)));
    if (hi > lo) {
      const to = log ? Math.log : v => v, from = log ? Math.exp : v => v, wide = to(hi) - to(lo), n = 240;
      const low = lo >= 0 && !log ? Math.max(0, lo - wide * 0.05) : to(lo) - wide * 0.05;
      const grid = Array.from({ length: n }, (_, i) => low + (to(hi) + wide * 0.05 - low) * i / (n - 1));
      const curves = sorted.map(s => {
        if (!s.length) return grid.map(() => null);
        const at = q => to(quantile(s, q)), iqr = (at(0.75) - at(0.25)) / 1.34, spread = (at(0.95) - at(0.05)) / 3.29;
        const h = Math.max(0.9 * (iqr > 0 ? Math.min(iqr, spread) : spread) * s.length ** -0.2, wide / 150);
        return grid.map(g => s.reduce((sum, v) => sum + Math.exp(-0.5 * ((g - to(v)) / h) ** 2), 0) / (s.length * h * Math.sqrt(2 * Math.PI)));
      });
      chart(root, "Distribution of the rounds" + of, [grid.map(from), ...curves],
        [{ label: "value", value: digits }, ...sides.map((s, v) => ({ label: s, stroke: color(v), fill: color(v) + "33", width: 2, value: (u, v) => v == null ? "–" : (+v.toPrecision(3)).toString(), points: { show: false } }))],
        { x: Object.assign({ space: 80 }, y), y: { show: false }, height: 200, scales: { x: { time: false, distr: log ? 3 : 1 } } });
      tail(root, sides, sorted, color, digits, scales, y);
    }
    if (sides.length === 2 && edges.length) changes(root, values, blocks);
  }
  // Percentiles on an axis that stretches the tail.
  function tail(root, sides, sorted, color, digits, scales, y) {
    const n = Math.max(...sorted.map(s => s.length)), steps = 200, x = [];
    for (let i = 0; i <= steps; i++) x.push(Math.log10(n) * i / steps);
    const data = sorted.map(s => x.map(t => s.length ? s[Math.min(s.length - 1, Math.floor(s.length * (1 - 10 ** -t) + 1e-9))] : null));
    const name = t => { const p = 100 * (1 - 10 ** -t); return "p" + (p < 99 ? +p.toFixed(0) : +p.toFixed(Math.ceil(t) - 1)); };
    const marks = [0, Math.log10(2), 1, 2, 3, 4, 5].filter(t => t <= Math.log10(n));
    chart(root, "Percentiles", [x, ...data],
      [{ label: "percentile", value: (u, t) => t == null ? "–" : name(t) }, ...sides.map((s, v) => ({ label: s, stroke: color(v), width: 2, value: digits, points: { show: false } }))],
      { x: { splits: () => marks, values: (u, list) => list.map(name) }, height: 200, scales, y });
  }
  // The change of each block against the band of ±δ.
  function changes(root, [old, fresh], blocks) {
    const byBlock = new Map();
    blocks.forEach((b, i) => {
      if (old[i] > 0 && fresh[i] > 0) byBlock.set(b, (byBlock.get(b) || []).concat(Math.log(fresh[i] / old[i])));
    });
    const x = Array.from(byBlock.keys()), y = x.map(b => 100 * (Math.exp(median(byBlock.get(b))) - 1));
    if (x.length < 2) return;
    const delta = 100 * +document.getElementById("details").dataset.delta;
    const band = { drawClear: [u => {
      const top = u.valToPos(delta, "y", true), bottom = u.valToPos(-delta, "y", true), zero = u.valToPos(0, "y", true);
      u.ctx.save(); u.ctx.fillStyle = css("--band"); u.ctx.fillRect(u.bbox.left, top, u.bbox.width, bottom - top);
      u.ctx.strokeStyle = css("--muted"); u.ctx.beginPath(); u.ctx.moveTo(u.bbox.left, zero); u.ctx.lineTo(u.bbox.left + u.bbox.width, zero); u.ctx.stroke(); u.ctx.restore();
    }] };
    const reach = Math.max(1.5 * delta, ...y.map(Math.abs)) * 1.1;
    chart(root, "Change of each block, new over old [%]; the band is ±δ", [x, y],
      [{ label: "block" }, { label: "change", stroke: css("--new"), paths: () => null, points: { show: true, size: 7, fill: css("--new"), width: 0 }, value: (u, v) => v == null ? "–" : (v > 0 ? "+" : "") + v.toFixed(2) + "%" }],
      { height: 200, hooks: band, scales: { y: { range: [Math.max(-100, -reach), reach] } }, x: { incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000] } });
  }
  // A panel has no size before the browser has laid it out, which on a link to
  // it is after this script: draw when it has one, and again when it changes.
  const sizes = new ResizeObserver(entries => {
    for (const { target, contentRect: { width } } of entries) {
      if (width === 0) continue;
      if (!target.firstChild) draw(target.closest("article"));
      else for (const c of charts.get(target) || []) if (c.width !== width) c.setSize({ width, height: c.height });
    }
  });
  function open() {
    const article = /^#b\d+$/.test(location.hash) && document.getElementById(location.hash.slice(1));
    const plots = article && article.querySelector(".plots");
    if (plots) { sizes.unobserve(plots); sizes.observe(plots); }
  }
  addEventListener("hashchange", open);
  addEventListener("keydown", e => { if (e.key === "Escape" && location.hash) history.back(); });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    for (const plots of all(".plots")) { plots.replaceChildren(); charts.delete(plots); }
    open();
  });
  open();
})();
