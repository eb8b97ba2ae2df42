// page.js - the report's page: draws what the profile (the JSON in #data) has.
"use strict";
(() => {
const data = JSON.parse(document.getElementById("data").textContent);
const $ = (selector, from = document) => from.querySelector(selector);
const make = (tag, cls, text) => {
  const e = document.createElement(tag);
  if (cls) e.className = cls;
  if (text !== undefined) e.textContent = text;
  return e;
};
const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const tip = $("#tip");
const showTip = (event, text) => {
  tip.hidden = !text;
  if (!text) return;
  tip.textContent = text;
  tip.style.left = Math.max(0, Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8)) + "px";
  tip.style.top = Math.max(0, Math.min(event.clientY + 14, innerHeight - tip.offsetHeight - 8)) + "px";
};

// ---- how numbers are written
const time = us => us < 1 ? (us * 1e3).toFixed(0) + " ns" : us < 1e3 ? us.toPrecision(4) + " µs"
  : us < 1e6 ? (us / 1e3).toPrecision(4) + " ms" : (us / 1e6).toPrecision(4) + " s";
const count = n => Math.round(n).toLocaleString("en-US").replace(/,/g, "\u202f");
const bytes = n => n < 1024 ? n + " B" : n < 1 << 20 ? (n / 1024).toPrecision(3) + " KiB"
  : n < 2 ** 30 ? (n / 2 ** 20).toPrecision(3) + " MiB" : (n / 2 ** 30).toPrecision(3) + " GiB";
const value = m => m.unit === "percent" ? m.value.toFixed(2) + " %" : m.unit === "ratio" ? +m.value.toPrecision(6)
  : count(m.value);
const shape = v => v[2] > 1 ? v.join(" × ") : v[1] > 1 ? v[0] + " × " + v[1] : String(v[0]);
const base = file => file.replace(/.*\//, "");
const colors = ["#2f7d57", "#c2682c", "#8e5aa8", "#b0892f", "#a8434f", "#3d8f94", "#6b7a3a", "#7b5b4a", "#b1588f",
  "#4f6a4a"];
// Kernels that are launched in several shapes are told apart by these.
for (const g of data.groups)
  g.label = data.groups.filter(o => o.short === g.short).length < 2 ? g.short
    : `${g.short} <<<${shape(g.grid)}, ${shape(g.block)}>>>`;
const colorOf = group => colors[group % colors.length];

let chosen = 0;
const listeners = [];
const choose = (group, scroll) => {
  chosen = group;
  for (const f of listeners) f();
  if (scroll) $(scroll).scrollIntoView({ behavior: "smooth" });
};

// ---- head
for (const p of data.processes.slice(0, 4)) {
  const e = make("div");
  e.append(make("b", "", p.command), " on ", make("b", "", p.device || "no device"), `, process ${p.pid}`);
  $("#what").append(e);
}

$("#note").textContent = (data.times.startsWith("of the device") ? "Times are the device's, predicted. "
  : "Times here are those of the computer that ran Softwarp; device times are predicted. ") +
  "Counters are what the named device would count.";

// ---- tables: columns are [title, cell, key for sorting, class]
const table = (place, columns, rows, row) => {
  let key = null, down = true;
  const draw = () => {
    place.replaceChildren();
    const head = place.createTHead().insertRow();
    columns.forEach(c => {
      const th = make("th", (c[3] || "") + (c[2] ? " sorts" : ""), c[0] + (key === c ? (down ? " ▾" : " ▴") : ""));
      if (c[2]) th.onclick = () => {
        down = key === c ? !down : true;
        key = c;
        draw();
      };
      head.append(th);
    });
    const sorted = key ? [...rows].sort((a, b) => {
      const x = key[2](a), y = key[2](b);
      return (x < y ? -1 : x > y ? 1 : 0) * (down ? -1 : 1);
    }) : rows;
    const body = place.createTBody();
    for (const r of sorted) {
      const tr = body.insertRow();
      for (const c of columns) {
        const td = tr.insertCell();
        td.className = c[3] || "";
        const cell = c[1](r);
        td.append(cell === undefined || cell === null ? "" : cell);
      }
      if (row) row(tr, r);
    }
  };
  draw();
  return draw;
};

// ---- advice
{
  const list = $("#advice .list");
  const told = new Set();
  for (const a of data.advice) {
    // Of several shapes of one kernel the longest is told of.
    const key = a.line || a.ptx ? [data.groups[a.group].kernel, a.kind, a.file, a.line, a.ptx].join() : told.size;
    if (told.has(key)) continue;
    told.add(key);
    const e = make("div"), text = make("div"), g = data.groups[a.group];
    const at = make("div", "at", g ? g.short + (a.line ? `, ${base(a.file)}:${a.line}`
      : a.ptx ? `, PTX line ${a.ptx}` : ` <<<${shape(g.grid)}, ${shape(g.block)}>>>`) : "the program");
    if (g) at.onclick = () => choose(a.group, a.line || a.ptx ? "#source" : "#occupancy");
    text.append(at, make("p", "", a.text), make("div", "rule", a.rule));
    e.append(make("div", "kind", a.kind), text);
    list.append(e);
  }
  if (!data.advice.length) list.append(make("p", "hint", "Nothing to find fault with."));
}

// ---- timeline
{
  const canvas = $("#timeline canvas"), paint = canvas.getContext("2d");
  const tracks = new Map();
  const track = (key, name, order) => {
    if (!tracks.has(key)) tracks.set(key, { name, order, items: [] });
    return tracks.get(key).items;
  };
  const many = data.processes.length > 1;
  const of = x => many ? `${data.processes[x.process].pid}: ` : "";
  for (const c of data.calls)
    track(`t${c.process}.${c.thread}`, `${of(c)}thread ${c.thread}`, c.process * 1e6).push(
      { b: c.begin_us, e: c.begin_us + c.time_us, text: c.name, color: "#8b949e", o: c });
  const op = (x, text, color, extra) =>
    track(`s${x.process}.${x.device}.${x.stream}`, `${of(x)}${data.processes[x.process].device && x.device
      ? "device " + x.device + ", " : ""}${x.stream ? "stream " + x.stream : "default stream"}`,
      x.process * 1e6 + 1 + x.device * 1e3 + x.stream).push(
      { b: x.begin_us, e: x.begin_us + x.time_us, text, color, o: x, extra });
  for (const l of data.launches) {
    const g = data.groups[l.group];
    op(l, g.short, colorOf(l.group), `<<<${shape(g.grid)}, ${shape(g.block)}>>>`);
  }
  for (const c of data.copies) op(c, "copy " + c.kind, "#5d8bc0", `${bytes(c.bytes)}, ${c.from} to ${c.to}`);
  for (const f of data.fills) op(f, "memset", "#9aa7b4", bytes(f.bytes));
  const rows = [...tracks.values()].sort((a, b) => a.order - b.order);
  for (const r of rows) r.items.sort((a, b) => a.b - b.b);
  const left = 130, high = 26, top = 24;
  let from = 0, to = data.time_us || 1;
  const width = () => canvas.clientWidth - left;
  const x = us => left + (us - from) / (to - from) * width();
  const draw = () => {
    const ratio = devicePixelRatio || 1;
    canvas.style.height = top + rows.length * high + "px";
    canvas.width = canvas.clientWidth * ratio;
    canvas.height = (top + rows.length * high) * ratio;
    paint.setTransform(ratio, 0, 0, ratio, 0, 0);
    paint.clearRect(0, 0, canvas.clientWidth, canvas.clientHeight);
    paint.font = "12px system-ui, 'DejaVu Sans', sans-serif";
    paint.textBaseline = "middle";
    const rough = (to - from) / Math.max(2, width() / 120), unit = 10 ** Math.floor(Math.log10(rough));
    const step = unit * [1, 2, 5, 10].find(m => m * unit >= rough);
    for (let t = Math.ceil(from / step) * step; t <= to; t += step) {
      paint.fillStyle = css("--line");
      paint.fillRect(x(t), top - 6, 1, rows.length * high + 6);
      paint.fillStyle = css("--soft");
      paint.fillText(t ? time(t) : "0", x(t) + 3, top / 2);
    }
    rows.forEach((r, i) => {
      const y = top + i * high;
      paint.fillStyle = css("--soft");
      paint.fillText(r.name, 4, y + high / 2, left - 8);
      paint.save();
      paint.beginPath();
      paint.rect(left, y, width(), high);
      paint.clip();
      let drawn = -1;
      for (const s of r.items) {
        if (s.e < from || s.b > to) continue;
        const a = x(s.b), b = Math.max(x(s.e), a + 1);
        if (b < drawn + 0.5) continue; // nothing of it would be seen
        drawn = b;
        const mine = s.o.group !== undefined && s.o.group === chosen;
        paint.fillStyle = s.color;
        paint.globalAlpha = s.o.group === undefined || mine ? 1 : 0.72;
        paint.fillRect(a, y + 3, b - a, high - 6);
        paint.globalAlpha = 1;
        if (b - a > 34) {
          paint.fillStyle = "#fff";
          const room = Math.min(b, left + width()) - Math.max(a, left) - 8;
          if (room > 26) {
            let text = s.text;
            while (text.length > 2 && paint.measureText(text).width > room) text = text.slice(0, -2) + "…";
            paint.fillText(text, Math.max(a, left) + 4, y + high / 2);
          }
        }
      }
      paint.restore();
      paint.fillStyle = css("--line");
      paint.fillRect(0, y + high - 1, canvas.clientWidth, 1);
    });
  };
  const hit = event => {
    const box = canvas.getBoundingClientRect(), px = event.clientX - box.left;
    const r = rows[Math.floor((event.clientY - box.top - top) / high)];
    if (!r || px < left) return null;
    let best = null;
    for (const s of r.items) if (x(s.b) - 2 <= px && Math.max(x(s.e), x(s.b) + 1) + 2 >= px) best = s;
    return best;
  };
  const move = (a, b) => {
    const all = data.time_us || 1, span = Math.min(b - a, all * 1.02);
    from = Math.max(-0.01 * all, Math.min(a, all * 1.01 - span));
    to = from + span;
    draw();
  };
  canvas.addEventListener("wheel", event => {
    event.preventDefault();
    const at = from + (event.offsetX - left) / width() * (to - from), k = 1.0015 ** event.deltaY;
    const span = Math.max((to - from) * k, 0.05);
    move(at - (at - from) / (to - from) * span, at - (at - from) / (to - from) * span + span);
  }, { passive: false });
  let drag = null;
  canvas.onpointerdown = event => { drag = { x: event.clientX, from, to, moved: false }; };
  canvas.onpointermove = event => {
    if (drag && event.buttons) {
      const d = (drag.x - event.clientX) / width() * (drag.to - drag.from);
      drag.moved = drag.moved || Math.abs(drag.x - event.clientX) > 3;
      move(drag.from + d, drag.to + d);
      return showTip(event, "");
    }
    const s = hit(event);
    showTip(event, s ? `${s.text}\n${s.extra ? s.extra + "\n" : ""}${time(s.e - s.b)}, from ${time(s.b)}` : "");
  };
  canvas.onpointerup = event => {
    const s = drag && !drag.moved && hit(event);
    drag = null;
    if (s && s.o.group !== undefined) choose(s.o.group);
  };
  canvas.onpointerleave = event => showTip(event, "");
  canvas.ondblclick = () => move(0, data.time_us || 1);
  listeners.push(draw);
  addEventListener("resize", draw);
  move(0, data.time_us || 1);
}

// ---- kernels
{
  const all = data.groups.reduce((s, g) => s + g.time_us, 0) || 1;
  const has = data.groups.some(g => g.total);
  const ratio = (t, k) => t[k].ideal ? (sectors(t) ? t[k].sectors * 32 : t[k].moved) / (t[k].ideal * 32) : 0;
  const sectors = t => t.by_sectors;
  for (const g of data.groups) if (g.total) g.total.by_sectors = data.devices[g.device].cc >= 5;
  const num = (title, f, show) => [title, g => show(f(g)), f];
  const columns = [
    ["Kernel", g => g.short, g => g.short, "l"],
    ["Grid", g => shape(g.grid), g => g.grid[0] * g.grid[1] * g.grid[2]],
    ["Block", g => shape(g.block), g => g.block[0] * g.block[1] * g.block[2]],
    num("Launches", g => g.launches, count),
    ["Time here", g => {
      const e = make("span"), bar = make("span", "share");
      bar.style.width = 60 * g.time_us / all + "px";
      e.append(bar, time(g.time_us));
      return e;
    }, g => g.time_us],
    ...(data.groups.some(g => g.predicted) ? [
      ["Device time", g => g.predicted ? time(g.predicted.ns / 1e3) : "–", g => g.predicted ? g.predicted.ns : 0],
      ["Limited by", g => g.predicted ? g.predicted.limiter : "", g => g.predicted ? g.predicted.limiter : "", "l"]] : []),
    num("Occupancy", g => g.occupancy ? g.occupancy.percent : 0, v => v.toFixed(0) + " %"),
  ];
  if (has) columns.push(
    num("Warp instr.", g => g.total ? g.total.inst : 0, count),
    num("Lanes busy", g => g.total ? 100 * g.total.lanes / g.total.all_lanes : 0, v => v.toFixed(1) + " %"),
    num("Loads ×", g => g.total ? ratio(g.total, "ld") : 0, v => v ? v.toFixed(2) : "–"),
    num("Stores ×", g => g.total ? ratio(g.total, "st") : 0, v => v ? v.toFixed(2) : "–"),
    num("Bank conflicts", g => g.total ? g.total.conflicts : 0, count),
    num("Divergent", g => g.total ? g.total.divergent : 0, count));
  const draw = table($("#kernels table"), columns, data.groups, (tr, g) => {
    tr.classList.add("pick");
    tr.classList.toggle("chosen", data.groups[chosen] === g);
    tr.title = g.kernel + "\nLoads ×, Stores ×: bytes moved for each byte that is needed";
    tr.onclick = () => choose(data.groups.indexOf(g));
  });
  listeners.push(draw);
}

// ---- predicted time of the chosen kernel
{
  const place = $("#device"), shares = $(".shares", place);
  const bars = (title, values) => {
    const box = make("div");
    box.append(make("h3", "", title));
    for (const [name, share] of Object.entries(values)) {
      if (share < 0.005) continue;
      const line = make("div", "bar1"), bar = make("span", "fill");
      bar.style.width = 100 * Math.min(1, share) + "%";
      const track = make("span", "track");
      track.append(bar);
      line.append(make("span", "name", name), track, make("span", "n", (100 * share).toFixed(1) + " %"));
      box.append(line);
    }
    return box;
  };
  const draw = () => {
    const g = data.groups[chosen], t = g && g.predicted;
    shares.replaceChildren();
    $(".facts", place).textContent = !t ? "Nothing was predicted of this kernel."
      : `${time(t.ns / 1e3)} on ${data.devices[g.device].name} (${time(t.low_ns / 1e3)} to ${time(t.high_ns / 1e3)}), ` +
        `${count(t.clocks)} clocks, limited by ${t.limiter}; ${(100 * t.occupancy).toFixed(0)} % of the warps that fit ` +
        "are resident. Of its longest launch, alone, with an empty L2.";
    if (!t) return;
    const lines = {};
    for (const l of t.lines.slice(0, 10)) {
      const reason = Object.keys(l.stalls)[0];
      lines[`${base(l.file)}:${l.line} ${reason || ""}`] = l.share;
    }
    shares.append(bars("Of each resource's peak", t.used), bars("Warps' time, by reason", t.stalls));
    if (t.lines.length) shares.append(bars("Warps' time, by line", lines));
  };
  listeners.push(draw);
}

// ---- counters of the chosen kernel
{
  const place = $("#kernel"), filter = $("input", place);
  const draw = () => {
    const g = data.groups[chosen];
    for (const e of document.querySelectorAll(".chosen:not(tr)")) e.textContent = g ? g.label : "";
    if (!g) return;
    $(".facts", place).textContent = `${g.kernel}: ${g.registers} registers (estimated), ${g.static_smem} + ` +
      `${g.dynamic_smem} bytes of shared memory, ${g.local_bytes} of local memory; ${g.counted} of ${g.launches} ` +
      `launches counted${g.scale > 1 ? ", some blocks of each" : ""}. Values are of its first counted launch.`;
    const wanted = filter.value.toLowerCase();
    const rows = (g.metrics || []).filter(m => (m.name + m.text).toLowerCase().includes(wanted));
    table($("table", place), [["Counter", m => m.name, m => m.name, "l"], ["Value", value, m => m.value],
      ["What it counts", m => m.text, null, "l wrap"]], rows);
    if (!g.metrics) $("table", place).append(make("caption", "hint", "This kernel was not counted."));
  };
  filter.oninput = draw;
  listeners.push(draw);
}

// ---- source
{
  const place = $("#source"), heat = $(".heat", place), view = $(".view", place), file = $(".file", place);
  const sectors = () => data.devices[data.groups[chosen].device].cc >= 5;
  const traffic = (t, k) => sectors() ? t[k].sectors : t[k].transactions;
  const measures = [
    ["instructions", "Instructions", t => t.inst],
    ["idle", "Idle lanes", t => t.all_lanes - t.lanes],
    ["ld", "Loads", t => traffic(t, "ld")],
    ["st", "Stores", t => traffic(t, "st")],
    ["conflicts", "Bank conflicts", t => t.conflicts],
    ["divergent", "Divergent", t => t.divergent],
  ];
  if (data.groups.some(g => g.predicted))
    measures.unshift(["time", "Device time, ‰", t => t.device || 0]);
  for (const g of data.groups) {
    if (!g.predicted || !g.lines) continue;
    for (const l of g.lines) {
      const p = g.predicted.lines.find(q => q.line === l.line && q.file === l.file);
      l.device = p ? 1000 * p.share : 0;
    }
  }
  for (const m of measures) heat.append(new Option(m[1].toLowerCase(), m[0]));
  let shown = null, columns = measures;
  const rowOf = (body, text, numbers, t, most, by, label) => {
    const tr = body.insertRow();
    for (const m of columns) {
      const v = t ? m[2](t) : 0;
      const td = tr.insertCell();
      td.textContent = v ? count(v) : "";
      if (m === by && v && most) td.style.background = `rgba(${css("--heat")}, ${0.08 + 0.62 * v / most})`;
    }
    for (const n of numbers) {
      const td = tr.insertCell();
      td.className = "n";
      td.textContent = n || "";
    }
    const code = tr.insertCell();
    code.className = "text";
    code.textContent = text;
    if (by && t && most) code.style.background = `rgba(${css("--heat")}, ${0.28 * by[2](t) / most})`;
    if (label) tr.title = label;
    return tr;
  };
  const note = (body, tr, a) => {
    tr.classList.add("found");
    const n = body.insertRow();
    n.className = "note";
    n.insertCell().colSpan = columns.length;
    n.insertCell().colSpan = 2;
    n.cells[1].textContent = `▴ ${a.kind}: ${a.text}`;
  };
  const draw = () => {
    const g = data.groups[chosen], code = $("table", place);
    code.replaceChildren();
    if (!g || !g.instructions) return code.append(make("caption", "hint", "This kernel was not counted."));
    const files = [...new Set(g.lines.map(l => l.file))];
    if (shown !== g) {
      shown = g;
      file.replaceChildren(...files.map(f => new Option(base(f), f)));
      const best = f => g.lines.filter(l => l.file === f).reduce((s, l) => s + l.inst, 0);
      if (files.length) file.value = files.reduce((a, b) => best(a) >= best(b) ? a : b);
    }
    columns = measures.filter(m => g.instructions.some(i => m[2](i)) || g.lines.some(l => m[2](l)));
    const cuda = view.value === "cuda" && files.length > 0;
    $(".files", place).hidden = !cuda || files.length < 2;
    const by = measures.find(m => m[0] === heat.value);
    const head = code.createTHead().insertRow();
    for (const m of columns) {
      const th = make("th", "", m[1]);
      if (m[0] === "ld" || m[0] === "st")
        th.title = sectors() ? "sectors of 32 bytes in global memory" : "transactions with global memory";
      head.append(th);
    }
    for (const n of cuda ? ["Line"] : ["PTX", "Line"]) head.append(make("th", "", n));
    head.append(make("th", "l", cuda ? base(file.value) : g.symbol));
    const body = code.createTBody();
    const found = data.advice.filter(a => a.group === chosen);
    if (!cuda) {
      const most = Math.max(...g.instructions.map(by[2]));
      for (const i of g.instructions) rowOf(body, i.text, [i.ptx, i.line], i, most, by, i.function);
      return;
    }
    const lines = g.lines.filter(l => l.file === file.value), most = Math.max(...g.lines.map(by[2]));
    const text = (data.files || {})[file.value];
    const first = Math.max(1, Math.min(...lines.map(l => l.line)) - 3);
    const last = Math.max(...lines.map(l => l.line)) + 2;
    for (let n = first; n <= (text ? Math.min(last, text.length) : last); n++) {
      const t = lines.find(l => l.line === n);
      if (!text && !t) continue;
      const tr = rowOf(body, text ? text[n - 1] : "(the source cannot be read)", [n], t, most, by);
      for (const a of found) if (a.line === n && a.file === file.value) note(body, tr, a);
    }
  };
  heat.onchange = view.onchange = file.onchange = draw;
  listeners.push(draw);
}

// ---- charts, if their library is there
const charts = [];
const chart = (place, config) => {
  const canvas = make("canvas"), box = make("div");
  box.append(canvas);
  place.append(box);
  const color = css("--soft"), grid = { color: css("--line") };
  for (const s of Object.values(config.options.scales)) {
    s.grid = grid;
    s.ticks = { color, ...s.ticks };
    s.title.color = color;
  }
  config.options.animation = false;
  config.options.maintainAspectRatio = false;
  charts.push(new Chart(canvas, config));
  return charts[charts.length - 1];
};
const axis = (text, more) => ({ type: "linear", title: { display: true, text }, ...more });
const noCharts = place => place.replaceChildren(make("p", "hint",
  "No curves: Softwarp was built without the charting library (package libjs-chart.js)."));

{
  const place = $("#occupancy .charts"), names = { threads: "threads per block", registers: "registers per thread",
    smem: "shared memory per block, bytes" };
  let mine = [];
  listeners.push(() => {
    const g = data.groups[chosen];
    for (const c of mine) c.destroy();
    mine = [];
    place.replaceChildren();
    if (!g || !g.occupancy) return;
    const o = g.occupancy;
    $("#occupancy .facts").textContent = `${o.warps} of ${o.max_warps} warps fit on a multiprocessor ` +
      `(${o.percent.toFixed(0)} %), in ${o.blocks} blocks; ${o.limiter} stop the next block. The dot is this launch.`;
    if (!window.Chart) return noCharts(place);
    for (const c of o.curves) {
      const line = c.points.map(p => ({ x: p[0], y: p[1] }));
      const color = colorOf(chosen);
      mine.push(chart(place, { type: "scatter", data: { datasets: [
        { data: [{ x: c.at, y: o.warps }], backgroundColor: css("--mark"), pointRadius: 6, pointHoverRadius: 7, clip: false },
        { data: line, showLine: true, stepped: c.over === "threads" ? false : "after", borderColor: color,
          borderWidth: 2, pointRadius: c.over === "threads" ? 2 : 0, backgroundColor: color }] },
        options: { plugins: { legend: { display: false }, tooltip: { callbacks: {
          label: i => `${i.parsed.x} ${names[c.over]}: ${i.parsed.y} warps` } } },
          scales: { x: axis(names[c.over], { min: 0, max: line.length ? line[line.length - 1].x : 1 }),
            y: axis("resident warps", { min: 0, max: o.max_warps * 1.08, afterBuildTicks: a => {
              const step = o.max_warps / 8;
              a.ticks = [...Array(9).keys()].map(i => ({ value: i * step }));
            } }) } } }));
    }
  });
}

{
  const place = $("#roofline .charts");
  const draw = () => {
    if (!window.Chart) return noCharts(place);
    data.devices.forEach((d, index) => {
      const points = [];
      data.groups.forEach((g, i) => {
        if (g.device !== index || !g.total) return;
        const t = g.total, flop = t.fp32 + t.fp64 + t.fp16, peak = t.fp64 > t.fp32 ? d.fp64_gflops : d.fp32_gflops;
        const moved = t.dram_bytes || (t.by_sectors ? 32 * (t.ld.sectors + t.st.sectors) : t.ld.moved + t.st.moved);
        if (!flop || !moved) return;
        const roof = Math.min(peak, flop / moved * d.bandwidth_gbs);
        const each = flop / Math.max(1, g.counted);
        points.push({ i, x: flop / moved, y: g.predicted ? Math.min(roof, each / g.predicted.ns) : roof,
          predicted: !!g.predicted, cached: t.dram_bytes > 0 });
      });
      if (!d.bandwidth_gbs || !d.fp32_gflops) return;
      const ridge = d.fp32_gflops / d.bandwidth_gbs;
      const lo = Math.min(0.05, ...points.map(p => p.x / 2)), hi = Math.max(ridge * 8, ...points.map(p => p.x * 2));
      const roof = peak => [{ x: lo, y: lo * d.bandwidth_gbs }, { x: peak / d.bandwidth_gbs, y: peak }, { x: hi, y: peak }];
      const line = (label, peak, dash) => ({ label: `${label}: ${count(peak)} Gflop/s`, data: roof(peak), showLine: true,
        borderColor: css("--soft"), borderWidth: 2, borderDash: dash, pointRadius: 0, pointHitRadius: 0, pointStyle: "line" });
      const sets = points.map(p => ({ label: data.groups[p.i].label, data: [p], backgroundColor: colorOf(p.i),
        pointRadius: 7, pointHoverRadius: 8, clip: false }));
      sets.push(line("float", d.fp32_gflops, []));
      if (d.fp64_gflops) sets.push(line("double", d.fp64_gflops, [6, 5]));
      chart(place, { type: "scatter", data: { datasets: sets }, options: {
        plugins: { title: { display: true, color: css("--ink"), text: `${d.name}: ${count(d.bandwidth_gbs)} GB/s` },
          legend: { labels: { color: css("--soft"), usePointStyle: true, boxWidth: 8, boxHeight: 8 } },
          tooltip: { callbacks: { label: i => i.raw.i === undefined ? i.dataset.label :
            `${i.dataset.label}: ${i.parsed.x.toPrecision(3)} flop/byte, ${i.raw.predicted ? "predicted" : "at most"} ` +
            `${count(i.parsed.y)} Gflop/s` +
            (i.raw.cached ? "" : " (bytes before caches)") } } },
        scales: { x: axis("flop / byte", { type: "logarithmic", min: lo, max: hi }),
          y: axis("Gflop/s", { type: "logarithmic", min: lo * d.bandwidth_gbs,
            max: 2 * Math.max(d.fp32_gflops, d.fp64_gflops) }) } } });
    });
    if (!place.children.length) place.append(make("p", "hint", "No launch was counted."));
    else if (!data.groups.some(g => g.total && g.total.fp32 + g.total.fp64 + g.total.fp16 > 0))
      place.append(make("p", "hint", "No kernel here does floating-point arithmetic, so none stands on the roof."));
  };
  draw();
}

// ---- launches
{
  const names = data.launch_metrics || [];
  const columns = [["#", l => l.n, l => l.n], ["Kernel", l => data.groups[l.group].short,
    l => data.groups[l.group].short, "l"], ["Grid", l => shape(data.groups[l.group].grid)],
    ["Block", l => shape(data.groups[l.group].block)], ["Stream", l => l.stream, l => l.stream],
    ["Begin", l => time(l.begin_us), l => l.begin_us], ["Time here", l => time(l.time_us), l => l.time_us]];
  names.forEach((m, i) => {
    const th = [m.name.replace(/^.*?__/, "").replace(/_pipe_lsu_mem_/, " ").replace(/\.sum$/, ""),
      l => l.values ? value({ unit: m.unit, value: l.values[i] ?? NaN }) : "", l => l.values ? l.values[i] : -1];
    columns.push(th);
  });
  const most = 2000, rows = data.launches.map((l, n) => Object.assign(l, { n: n + 1 })).slice(0, most);
  const draw = table($("#launches table"), columns, rows, (tr, l) => {
    tr.classList.add("pick");
    tr.classList.toggle("chosen", l.group === chosen);
    tr.onclick = () => choose(l.group);
  });
  if (data.launches.length > most)
    $("#launches").append(make("p", "hint", `and ${data.launches.length - most} more`));
  listeners.push(draw);
}

choose(0);
document.body.dataset.ready = "1";
})();
