"use strict";
(() => {
  const data = JSON.parse(document.getElementById("numbers").textContent);
  const { commits, curves } = data, step = 1e-5;
  const byId = id => document.getElementById(id);
  const rows = Array.from(document.querySelectorAll("#list tbody tr"));
  // Without a script, #b7 is a row; with it, the curve.
  rows.forEach((tr, i) => { tr.dataset.i = i; tr.removeAttribute("id"); });
  const svgOf = (name, attributes, parent) => {
    const e = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const k in attributes) e.setAttribute(k, attributes[k]);
    if (parent) parent.append(e);
    return e;
  };
  const percent = v => 100 * Math.expm1(v);
  const signed = (v, digits) => (v > 0 ? "+" : v < 0 ? "\u2212" : "") + Math.abs(v).toFixed(digits) + "%";
  const digitsOf = span => span < 0.05 ? 3 : span < 0.5 ? 2 : span < 5 ? 1 : 0;
  // A curve by the commits where its level is known.
  const known = c => c.known ||= c.l.flatMap((v, k) => v === null ? [] : [k]);

  // The small curves of the list, each drawn when it comes into view.
  function small(cell, c) {
    const at = known(c), w = 180, h = 26;
    if (at.length < 2) return;
    let lo = 0, hi = 0;
    for (const k of at) { lo = Math.min(lo, c.l[k]); hi = Math.max(hi, c.l[k]); }
    const x = k => 2 + (w - 4) * k / Math.max(1, commits.length - 1), y = v => hi === lo ? h / 2 : 3 + (h - 6) * (hi - v) / (hi - lo);
    let path = "", before = "";
    for (const k of at) {
      const point = x(k).toFixed(1) + " " + y(c.l[k]).toFixed(1);
      if (point !== before) path += (path ? "L" : "M") + point;
      before = point;
    }
    const svg = svgOf("svg", { viewBox: `0 0 ${w} ${h}`, "aria-hidden": "true" });
    svgOf("path", { class: "level", d: path }, svg);
    for (const k of c.c) if (c.l[k] !== null) svgOf("circle", { class: "flag " + side(c, k), cx: x(k), cy: y(c.l[k]), r: 3 }, svg);
    cell.replaceChildren(svg);
  }
  const side = (c, k) => {
    const at = known(c), i = at.indexOf(k);
    return i > 0 && (c.l[k] < c.l[at[i - 1]]) === c.b ? "faster" : "slower";
  };
  const watch = new IntersectionObserver(entries => {
    for (const e of entries) if (e.isIntersecting) {
      watch.unobserve(e.target);
      small(e.target, curves[+e.target.parentNode.dataset.i]);
    }
  }, { rootMargin: "300px" });
  for (const tr of rows) watch.observe(tr.cells[2]);

  // Filter.
  if (rows.length) {
    const input = byId("filter"), changed = byId("changed"), shown = byId("shown");
    byId("tools").hidden = false;
    const names = rows.map(tr => tr.cells[0].textContent.toLowerCase());
    const filter = () => {
      const words = input.value.toLowerCase().split(/\s+/).filter(w => w), only = changed.getAttribute("aria-pressed") === "true";
      let n = 0;
      rows.forEach((tr, i) => {
        const keep = words.every(w => names[i].includes(w)) && (!only || curves[i].c.length > 0);
        if (tr.hidden === keep) tr.hidden = !keep;
        n += keep;
      });
      shown.textContent = n === rows.length ? "" : n + " of " + rows.length + " benchmarks";
    };
    input.addEventListener("input", filter);
    changed.addEventListener("click", () => {
      changed.setAttribute("aria-pressed", changed.getAttribute("aria-pressed") !== "true");
      filter();
    });
  }

  // The large curve.
  const plot = byId("plot"), readout = byId("readout"), remarks = byId("remarks");
  const left = 62, right = 12, top = 16, bottom = 26;
  let curve = null, from = 0, to = 1, cursor = -1, width = 0, height = 0, low = 0, high = 1, drag = null;
  const last = () => Math.max(1, commits.length - 1);
  const xOf = k => left + (width - left - right) * (k - from) / (to - from);
  const yOf = v => top + (height - top - bottom) * (high - v) / (high - low);
  const commitAt = px => {
    const want = from + (px - left) / (width - left - right) * (to - from);
    let best = -1;
    for (const k of known(curve)) if (k >= from && k <= to && (best < 0 || Math.abs(k - want) < Math.abs(best - want))) best = k;
    return best;
  };

  function draw() {
    if (!curve || !plot.clientWidth) return;
    width = plot.clientWidth;
    height = width < 600 ? 240 : 320;
    const at = known(curve), seen = at.filter(k => k >= from && k <= to);
    const svg = svgOf("svg", { viewBox: `0 0 ${width} ${height}`, height, "aria-hidden": "true" });
    // Numbers are drawn as percentages of the logarithm's exponential.
    low = Infinity; high = -Infinity;
    for (const k of seen) {
      low = Math.min(low, curve.l[k] - curve.w[k]);
      high = Math.max(high, curve.l[k] + curve.w[k]);
    }
    if (!(high > low)) { const middle = seen.length ? curve.l[seen[0]] : 0; low = middle - 500; high = middle + 500; }
    const margin = Math.max(20, 0.08 * (high - low));
    low -= margin; high += margin;
    const ticks = ticksOf(percent(low * step), percent(high * step), height / 55);
    for (const v of ticks.values) {
      const y = yOf(Math.log1p(v / 100) / step);
      svgOf("path", { class: Math.abs(v) < 1e-9 ? "zero" : "rule", d: `M${left} ${y}H${width - right}` }, svg);
      svgOf("text", { x: left - 6, y: y + 4, "text-anchor": "end" }, svg).textContent = Math.abs(v) < 1e-9 ? "0" : signed(v, ticks.digits);
    }
    const labels = Math.max(2, Math.min(6, Math.floor(width / 150)));
    for (let i = 0; i < labels; i++) {
      const k = Math.round(from + (to - from) * i / (labels - 1)), c = commits[Math.min(k, commits.length - 1)];
      if (!c) continue;
      svgOf("text", { x: xOf(k), y: height - 6, "text-anchor": i === 0 ? "start" : i === labels - 1 ? "end" : "middle" }, svg).textContent = c.d || c.h.slice(0, 7);
    }
    // The band of intervals and the curve, with the neighbors out of view.
    const clip = svgOf("clipPath", { id: "inside" }, svgOf("defs", {}, svg));
    svgOf("rect", { x: left, y: 0, width: width - left - right, height: height - bottom }, clip);
    const inside = svgOf("g", { "clip-path": "url(#inside)" }, svg);
    const first = Math.max(0, at.findIndex(k => k >= from) - 1), end = at.findLastIndex(k => k <= to) + 2;
    const near = at.slice(first, end);
    const path = (value, list) => list.map(k => xOf(k).toFixed(1) + " " + yOf(value(k)).toFixed(1)).join("L");
    if (near.length) {
      svgOf("path", { class: "band", d: "M" + path(k => curve.l[k] + curve.w[k], near) + "L" + path(k => curve.l[k] - curve.w[k], near.slice().reverse()) + "Z" }, inside);
      svgOf("path", { class: "level", d: "M" + path(k => curve.l[k], near) }, inside);
    }
    for (const k of curve.c) if (k >= from && k <= to) {
      const x = xOf(k);
      svgOf("path", { class: "mark", d: `M${x} ${top}V${height - bottom}` }, svg);
      svgOf("path", { class: "flag " + side(curve, k), d: `M${x - 6} 3h12l-6 11Z` }, svg);
    }
    for (const k of curve.o || []) if (k >= from && k <= to) svgOf("circle", { class: "open", cx: xOf(k), cy: 9, r: 5 }, svg);
    if (cursor >= from && cursor <= to && curve.l[cursor] !== null) {
      svgOf("path", { class: "cursor", d: `M${xOf(cursor)} ${top}V${height - bottom}` }, svg);
      svgOf("circle", { class: "dot", cx: xOf(cursor), cy: yOf(curve.l[cursor]), r: 5 }, svg);
    }
    if (drag && drag.moved) svgOf("rect", { class: "chosen", x: Math.min(drag.from, drag.to), y: top, width: Math.abs(drag.to - drag.from), height: height - top - bottom }, svg);
    plot.replaceChildren(svg);
  }

  function ticksOf(lo, hi, most) {
    const raw = (hi - lo) / Math.max(2, most), size = 10 ** Math.floor(Math.log10(raw));
    const by = size * [1, 2, 5, 10].find(m => m * size >= raw), values = [];
    for (let v = Math.ceil(lo / by) * by; v <= hi + by * 1e-9; v += by) values.push(v);
    return { values, digits: Math.max(0, -Math.floor(Math.log10(by) + 1e-9)) };
  }

  function say() {
    readout.replaceChildren();
    if (cursor < 0 || curve.l[cursor] === null) return;
    const c = commits[cursor], v = curve.l[cursor] * step, w = curve.w[cursor] * step;
    const digits = digitsOf(percent(2 * w) || 1) + (w === 0 ? 0 : 1);
    const range = w === 0 ? "" : ` (${signed(percent(v - w), digits).slice(0, -1)} \u2026 ${signed(percent(v + w), digits)})`;
    const name = document.createElement(c.k ? "a" : "b");
    name.textContent = c.h;
    if (c.k) { name.href = data.site + c.f; name.rel = "noreferrer"; }
    readout.append(name, ` ${c.s} `, Object.assign(document.createElement("small"), { textContent: c.d }), document.createElement("br"), `level ${signed(percent(v), digits)}${range}`);
    const i = curve.c.indexOf(cursor);
    if (i >= 0) readout.append("; change ", Object.assign(document.createElement("b"), { textContent: curve.t[i] }));
    else if ((curve.o || []).includes(cursor)) readout.append("; candidate for a change");
  }

  function move(k) { cursor = k; draw(); say(); }
  function zoom(a, b) {
    if (b - a < 4) { const m = (a + b) / 2; a = m - 2; b = m + 2; }
    from = Math.max(0, a); to = Math.min(last(), b);
    if (to - from < 1) { from = 0; to = last(); }
    draw();
  }
  function scale(by) {
    const center = cursor >= from && cursor <= to ? cursor : (from + to) / 2, half = (to - from) * by / 2;
    zoom(center - half, center + half);
  }
  function go(k) {
    if (k === undefined) return;
    const half = (to - from) / 2;
    if (k < from || k > to) zoom(k - half, k + half);
    move(k);
  }
  const nextChange = () => go(curve.c.find(k => k > cursor));
  const previousChange = () => go(curve.c.findLast(k => cursor < 0 || k < cursor));
  function walk(by) {
    const at = known(curve);
    if (!at.length) return;
    const i = cursor < 0 ? (by > 0 ? -1 : at.length) : at.indexOf(cursor);
    go(at[Math.max(0, Math.min(at.length - 1, i + by))]);
  }

  plot.addEventListener("keydown", e => {
    const at = known(curve), keys = {
      ArrowLeft: () => walk(e.shiftKey ? -10 : -1), ArrowRight: () => walk(e.shiftKey ? 10 : 1),
      Home: () => go(at[0]), End: () => go(at[at.length - 1]),
      PageUp: previousChange, PageDown: nextChange,
      "+": () => scale(0.5), "=": () => scale(0.5), "-": () => scale(2), Escape: () => zoom(0, last()),
    };
    if (!keys[e.key] || e.ctrlKey || e.altKey || e.metaKey) return;
    e.preventDefault();
    keys[e.key]();
  });
  const px = e => e.clientX - plot.getBoundingClientRect().left;
  plot.addEventListener("pointerdown", e => { drag = { from: px(e), to: px(e), moved: false }; });
  plot.addEventListener("pointermove", e => {
    if (!curve) return;
    if (drag) {
      drag.to = px(e);
      drag.moved ||= Math.abs(drag.to - drag.from) > 8;
    }
    const k = commitAt(px(e));
    if (k !== cursor || drag) move(k);
  });
  const drop = e => {
    if (!drag) return;
    const { from: a, to: b, moved } = drag;
    drag = null;
    if (!moved) { move(commitAt(px(e))); return; }
    const k = x => from + (x - left) / (width - left - right) * (to - from);
    zoom(k(Math.min(a, b)), k(Math.max(a, b)));
  };
  window.addEventListener("pointerup", drop);
  window.addEventListener("pointercancel", () => { drag = null; draw(); });
  plot.addEventListener("dblclick", () => zoom(0, last()));
  byId("in").addEventListener("click", () => scale(0.5));
  byId("out").addEventListener("click", () => scale(2));
  byId("whole").addEventListener("click", () => zoom(0, last()));
  byId("before").addEventListener("click", previousChange);
  byId("after").addEventListener("click", nextChange);

  // The address names the benchmark.
  function open() {
    const asked = /^#b(\d+)$/.exec(location.hash);
    let i = asked ? +asked[1] - 1 : curves.findIndex(c => c.c.length > 0);
    if (i < 0) i = 0;
    if (!curves[i]) return;
    curve = curves[i];
    from = 0; to = last(); cursor = -1; drag = null;
    byId("chart").hidden = false;
    const title = byId("which");
    title.textContent = curve.n;
    plot.setAttribute("aria-label", "Curve of " + curve.n + ", " + known(curve).length + " commits, " + curve.c.length + " changes");
    remarks.replaceChildren(...(curve.r || []).map(text => Object.assign(document.createElement("li"), { textContent: text })));
    for (const tr of rows) tr.removeAttribute("aria-current");
    rows[i].setAttribute("aria-current", "true");
    byId("before").disabled = byId("after").disabled = curve.c.length === 0;
    readout.replaceChildren();
    draw();
    if (asked) { byId("chart").scrollIntoView(); title.focus({ preventScroll: true }); }
  }
  window.addEventListener("hashchange", open);
  new ResizeObserver(draw).observe(plot);
  open();
})();
