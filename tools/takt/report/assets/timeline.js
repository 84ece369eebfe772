// SPDX-License-Identifier: Apache-2.0
// The schedule's timeline on a canvas: a lane per task, executions, releases, deadlines and misses, messages of the log
// and spans; zoom, drag, tips.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const box = document.getElementById("timeline");
  if (!box) return;
  const canvas = box.querySelector("canvas");
  const tip = document.getElementById("tip");
  const context = canvas.getContext("2d");
  const AXIS = 26, LANE = 26, SMALL = 18, GAP = 8, MAP = 44;
  const whole = document.querySelector("[data-view=all]").textContent;
  let left = 120;
  const log = logRows(data, () => ({ context, colours, view, x, left, right: width - 8 }), { firstAfter, shown });

  // Lanes from top to bottom: interrupts, the tasks band by band, idle. `source` is the index in the data's lists.
  const count = data.tasks.length;
  const lanes = [];
  const used = source => data.windows.some(window => window.lanes[source].pieces.length > 0);
  const logs = source => data.windows.some(window => window.lanes[source].messages || window.lanes[source].spans);
  if (used(count) || logs(count)) lanes.push({ name: used(count) ? "interrupts" : "no task", source: count, kind: "interrupt", height: SMALL });
  const order = [...data.tasks.keys()].sort((a, b) => data.tasks[a].band - data.tasks[b].band || data.tasks[a].position - data.tasks[b].position);
  let before = null;
  for (const index of order) {
    const task = data.tasks[index];
    lanes.push({ name: task.name, source: index, kind: "task", task, height: LANE, gap: before !== task.band ? GAP + 12 : 0 });
    before = task.band;
  }
  lanes.push({ name: "idle", source: count + 1, kind: "idle", height: SMALL, gap: GAP });
  if (data.windows[0].lanes.length > count + 2) lanes.push({ name: "not known", source: count + 2, kind: "rest", height: 4 });
  // Below what a lane executed: a row of messages, if it has any, and one for each depth of its spans.
  let top = AXIS;
  for (const lane of lanes) {
    top += lane.gap || 0; lane.top = top; lane.base = lane.height;
    lane.log = data.windows.some(window => window.lanes[lane.source].messages) ? log.ROW : 0;
    lane.rows = Math.max(...data.windows.map(window => (window.lanes[lane.source].spans || []).length), 0);
    lane.height += lane.log + lane.rows * log.ROW;
    top += lane.height;
  }
  const height = top + GAP + MAP;

  // Undo the differences of report/lanes.py.
  function unpack(list, from) {
    const starts = [], ends = [], details = [];
    let at = from, detail = 0;
    for (let i = 0; i < list.length; i += 3) {
      at += list[i]; starts.push(at);
      at += list[i + 1]; ends.push(at);
      detail += list[i + 2]; details.push(detail);
    }
    return { starts, ends, details };
  }
  for (const window of data.windows) {
    for (const lane of window.lanes) {
      lane.pieces = unpack(lane.pieces, window.from);
      for (const name of ["holds", "states", "heirs"]) lane[name] = unpack(lane[name], window.from);
      lane.messages = unpack(lane.messages || [], window.from);
      lane.spans = (lane.spans || []).map(row => unpack(row, window.from));
      if (lane.numbers) lane.indices = new Map(lane.numbers.map((number, index) => [number, index]));
      let at = window.from;
      lane.releases = lane.releases.map(gap => at += gap);
      lane.missed = new Set(lane.missed);
    }
  }

  const numberOf = (stored, index) => stored.numbers ? stored.numbers[index] : stored.firstJob + index;
  const indexOf = (stored, job) => stored.indices ? stored.indices.get(job) ?? -1 : job - stored.firstJob;

  const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  let colours = {};
  function readColours() {
    for (const name of ["paper", "card", "ink", "soft", "line", "faint", "bad", "idle", "interrupt", "rest", "shade", "warn", "mutex", "other", "span"]) colours[name] = css("--" + name);
    colours.bands = [0, 1, 2, 3, 4].map(number => css("--band" + number));
    colours.levels = Object.fromEntries(log.LEVELS.map(level => [level, css("--" + level)]));
  }
  const bandColour = band => band < 0 ? colours.rest : colours.bands[band % colours.bands.length];
  const colourOf = lane => lane.kind === "task" ? bandColour(lane.task.band) : colours[lane.kind];

  // The view: times in ns at both edges of the plot.
  const periods = data.tasks.map(task => task.period).filter(Boolean);
  const startSpan = Math.min(data.end, periods.length ? Math.max(5 * Math.min(...periods), 1000) : data.end / 20 || 1);
  let view = { from: 0, to: startSpan };
  let width = 0;
  const x = time => left + (time - view.from) / (view.to - view.from) * (width - left - 8);
  const timeAt = px => view.from + (px - left) / (width - left - 8) * (view.to - view.from);

  function show(from, to) {
    const least = 200, span = Math.min(Math.max(to - from, least), Math.max(data.end, least));
    const middle = (from + to) / 2;
    from = Math.min(Math.max(middle - span / 2, 0), Math.max(data.end - span, 0));
    view = { from, to: from + span };
    request();
  }
  let asked = false;
  function request() {
    if (!asked) { asked = true; requestAnimationFrame(() => { asked = false; draw(); }); }
  }

  function shown(ns, digits) {
    const size = Math.abs(ns);
    if (size >= 1e9) return (ns / 1e9).toFixed(digits ?? 3) + " s";
    if (size >= 1e6 || size === 0) return (ns / 1e6).toFixed(digits ?? 3) + " ms";
    return (ns / 1e3).toFixed(digits ?? 3) + " us";
  }

  function firstAfter(list, value) { // the first index whose entry is > value
    let low = 0, high = list.length;
    while (low < high) { const middle = (low + high) >> 1; if (list[middle] > value) high = middle; else low = middle + 1; }
    return low;
  }

  function ticks() {
    const room = Math.max(2, Math.floor((width - left) / 110));
    const rough = (view.to - view.from) / room;
    const power = Math.pow(10, Math.floor(Math.log10(rough)));
    const step = [1, 2, 5, 10].map(factor => factor * power).find(size => size >= rough);
    const found = [];
    for (let time = Math.ceil(view.from / step) * step; time <= view.to; time += step) found.push(time);
    const unit = view.to >= 2e9 && step >= 1e6 ? [1e9, "s"] : view.to >= 2e6 || step >= 1e5 ? [1e6, "ms"] : [1e3, "us"];
    const decimals = Math.max(0, Math.ceil(-Math.log10(step / unit[0]) - 1e-9));
    return { found, label: time => (time / unit[0]).toFixed(decimals) + " " + unit[1] };
  }

  function draw() {
    const ratio = window.devicePixelRatio || 1;
    width = box.clientWidth;
    canvas.width = width * ratio; canvas.height = height * ratio;
    canvas.style.height = height + "px";
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.font = "12px system-ui, 'DejaVu Sans', sans-serif";
    context.textBaseline = "middle";
    left = Math.min(200, Math.max(104, ...lanes.map(lane => context.measureText(lane.name).width + 26)));
    context.clearRect(0, 0, width, height);
    drawAxis();
    lanes.forEach(drawLabel);
    context.save();
    context.beginPath(); context.rect(left, 0, width - left - 8, top); context.clip();
    log.drawGaps(AXIS, top - AXIS, x);
    lanes.forEach(drawCoarse);
    for (const window of data.windows) if (window.to > view.from && window.from < view.to) lanes.forEach(lane => drawDetail(window, lane));
    context.restore();
    drawMap();
    document.getElementById("span").textContent = shown(view.from) + " to " + shown(view.to);
  }

  function drawAxis() {
    const { found, label } = ticks();
    context.textAlign = "center";
    for (const time of found) {
      const px = Math.round(x(time)) + .5;
      context.strokeStyle = colours.line;
      context.beginPath(); context.moveTo(px, AXIS - 6); context.lineTo(px, top); context.stroke();
      context.fillStyle = colours.soft;
      if (px < width - 30) context.fillText(label(time), px, 9);
    }
    const end = x(data.end);
    if (end < width) { context.fillStyle = colours.faint; context.fillRect(end, AXIS, width - end, top - AXIS); }
  }

  function drawLabel(lane, index) {
    const middle = lane.top + lane.base / 2;
    if (lane.kind === "task" && (index === 0 || lanes[index - 1].kind !== "task" || lanes[index - 1].task.band !== lane.task.band)) {
      context.textAlign = "left"; context.fillStyle = colours.soft; context.font = "10px system-ui, sans-serif";
      const kind = lane.task.band < 0 ? "no band" : "band " + (lane.task.band + 1) + " · " + data.bands[lane.task.band];
      context.fillText(kind, 0, lane.top - 7);
      context.font = "12px system-ui, 'DejaVu Sans', sans-serif";
    }
    context.fillStyle = colourOf(lane);
    context.fillRect(0, lane.top + 3, 3, lane.height - 6);
    context.fillStyle = lane.kind === "task" ? colours.ink : colours.soft;
    context.textAlign = "left";
    let name = lane.name;
    while (context.measureText(name).width > left - 14 && name.length > 4) name = name.slice(0, -2) + "…";
    context.fillText(name, 9, middle);
    context.strokeStyle = colours.line;
    context.beginPath(); context.moveTo(left, lane.top + lane.height - .5); context.lineTo(width - 8, lane.top + lane.height - .5); context.stroke();
  }

  const boxOf = lane => ({ y: lane.top + (lane.kind === "task" ? 8 : 4), h: lane.base - (lane.kind === "task" ? 10 : 8) });
  const isDetailed = time => data.windows.some(window => time >= window.from && time < window.to);

  // Where no single executions were kept: the share of the processor, as height.
  function drawCoarse(lane) {
    const { width: size, shares } = data.bins, { y, h } = boxOf(lane);
    const last = Math.min(shares[lane.source].length - 1, Math.floor(view.to / size));
    context.fillStyle = colourOf(lane); context.globalAlpha = .55;
    for (let bin = Math.max(0, Math.floor(view.from / size)); bin <= last; bin++) {
      const share = shares[lane.source][bin];
      if (share === 0 || isDetailed((bin + .5) * size)) continue;
      const from = x(bin * size), to = x((bin + 1) * size), tall = Math.max(1, h * share / 99);
      context.fillRect(from, y + h - tall, Math.max(1, to - from), tall);
    }
    context.globalAlpha = 1;
  }

  function drawDetail(window, lane) {
    const stored = window.lanes[lane.source], { y, h } = boxOf(lane);
    const scale = (width - left - 8) / (view.to - view.from);
    if (lane.kind === "task") drawStates(stored, lane, y, h);
    drawPieces(stored, lane, y, h, scale);
    if (lane.kind === "task") {
      drawHeirs(stored.heirs, y);
      drawHolds(stored.holds, y + h - 3);
      drawJobs(stored, lane, y, h, scale);
    }
    log.drawMessages(stored.messages, lane.top + lane.base);
    stored.spans.forEach((row, depth) => log.drawSpans(row, lane.top + lane.base + lane.log + depth * log.ROW));
  }

  // Executions. Those thinner than a pixel are gathered into columns whose height is their share.
  function drawPieces(stored, lane, y, h, scale) {
    const { starts, ends, details } = stored.pieces;
    const colour = colourOf(lane);
    let column = -1, filled = 0;
    const flush = () => {
      if (column >= 0) { const tall = Math.max(1.5, h * Math.min(1, filled)); context.fillStyle = colour; context.fillRect(column, y + h - tall, 1, tall); }
      column = -1; filled = 0;
    };
    for (let i = firstAfter(ends, view.from); i < starts.length && starts[i] < view.to; i++) {
      const from = x(starts[i]), wide = (ends[i] - starts[i]) * scale;
      if (wide < 1.2) {
        const px = Math.floor(from);
        if (px !== column) { flush(); column = px; }
        filled += wide;
        continue;
      }
      flush();
      context.fillStyle = colour;
      context.fillRect(from, y, Math.max(wide - (wide > 4 ? .6 : 0), 1), h);
      if (lane.kind === "task") drawLate(stored, lane, starts[i], ends[i], details[i], y, h);
      if (lane.kind === "task" && wide > 34) {
        context.fillStyle = colours.card; context.textAlign = "center";
        context.fillText(String(details[i]), from + wide / 2, y + h / 2 + .5);
      }
    }
    flush();
  }

  // A task that would go on: ready as a thin bar of its colour, waiting for an object, a time or its resumption as a line.
  const READY = 0, SUSPENDED = 1, DELAYED = 2, BLOCKED = 3; // report/lanes.py
  const stateColour = (state, lane) => state === READY ? colourOf(lane) : state === SUSPENDED ? colours.soft : state === DELAYED ? colours.idle
    : data.kinds[state - BLOCKED] === "mutex" ? colours.mutex : colours.other;
  const stateText = state => ["ready, but others run", "suspended", "waits for a time"][state]
    || "waits for " + ((data.kinds[state - BLOCKED] || "object") + " " + (data.objects[state - BLOCKED] ?? state - BLOCKED));
  function drawStates(stored, lane, y, h) {
    const { starts, ends, details } = stored.states;
    let until = -1;
    for (let i = firstAfter(ends, view.from); i < starts.length && starts[i] < view.to; i++) {
      const from = Math.max(x(starts[i]), left), to = Math.min(Math.max(x(ends[i]), from + 1), width);
      if (to <= until) continue; // narrower than a pixel, which is drawn
      until = to;
      context.fillStyle = stateColour(details[i], lane);
      context.globalAlpha = details[i] === READY ? .28 : 1;
      const tall = details[i] === READY ? h * .5 : 3;
      context.fillRect(from, y + (h - tall) / 2, to - from, tall);
    }
    context.globalAlpha = 1;
  }

  // While a task has the priority of another: a line above it.
  function drawHeirs({ starts, ends }, y) {
    context.fillStyle = colours.warn;
    for (let i = firstAfter(ends, view.from); i < starts.length && starts[i] < view.to; i++) {
      context.fillRect(x(starts[i]), y - 3, Math.max(x(ends[i]) - x(starts[i]), 1), 2);
    }
  }

  const deadlineOf = (stored, index) => stored.deadlines[index] == null ? NaN : stored.releases[index] + stored.deadlines[index];

  // The part of an execution that comes after its job's deadline.
  function drawLate(stored, lane, start, end, job, y, h) {
    const deadline = deadlineOf(stored, indexOf(stored, job));
    if (!stored.missed.has(job) || !(end > deadline)) return;
    const from = x(Math.max(start, deadline));
    context.fillStyle = colours.bad;
    context.fillRect(from, y, Math.max(x(end) - from, 1), h);
  }

  function drawHolds(holds, y) {
    context.fillStyle = colours.ink;
    for (let i = firstAfter(holds.ends, view.from); i < holds.starts.length && holds.starts[i] < view.to; i++) {
      context.fillRect(x(holds.starts[i]), y, Math.max(x(holds.ends[i]) - x(holds.starts[i]), 1), 2);
    }
  }

  // Releases point up, deadlines down; only misses are left when there is no room for them.
  function drawJobs(stored, lane, y, h, scale) {
    const room = lane.task.period ? lane.task.period * scale : Infinity;
    const reach = stored.deadlines.reduce((most, one) => Math.max(most, one || 0), 0);
    for (let i = firstAfter(stored.releases, view.from - reach - 1); i < stored.releases.length && stored.releases[i] <= view.to; i++) {
      const missed = stored.missed.has(numberOf(stored, i));
      if (room > 9) arrow(x(stored.releases[i]), lane.top + 1, y + h, colours.ink, true);
      if (stored.deadlines[i] != null && (room > 9 || missed)) {
        const px = x(deadlineOf(stored, i));
        arrow(px, lane.top + 1, y + h, missed ? colours.bad : colours.soft, false);
        if (missed) cross(px, y + h / 2);
      }
    }
  }

  function arrow(px, from, to, colour, up) {
    context.strokeStyle = colour; context.fillStyle = colour; context.lineWidth = 1;
    px = Math.round(px) + (up ? .5 : -.5);
    context.beginPath(); context.moveTo(px, from); context.lineTo(px, to); context.stroke();
    const tipY = up ? from : to, back = up ? 5 : -5;
    context.beginPath(); context.moveTo(px, tipY); context.lineTo(px - 3, tipY + back); context.lineTo(px + 3, tipY + back); context.fill();
  }

  function cross(px, py) {
    context.strokeStyle = colours.bad; context.lineWidth = 2.4;
    context.beginPath();
    context.moveTo(px - 5, py - 5); context.lineTo(px + 5, py + 5);
    context.moveTo(px + 5, py - 5); context.lineTo(px - 5, py + 5);
    context.stroke(); context.lineWidth = 1;
  }

  // The whole run below: load of all tasks, misses in red, the view as a frame.
  const mapX = time => left + time / (data.end || 1) * (width - left - 8);
  function drawMap() {
    const y = top + GAP + 4, h = MAP - 8, { width: size, shares } = data.bins;
    context.fillStyle = colours.faint; context.fillRect(left, y, width - left - 8, h);
    const wide = Math.max(1, mapX(size) - left);
    for (let bin = 0; bin < (shares[0] || []).length; bin++) {
      let base = y + h;
      for (const lane of [...lanes].reverse()) {
        if (lane.kind === "idle") continue;
        const tall = h * shares[lane.source][bin] / 99;
        if (tall > 0) { context.fillStyle = colourOf(lane); base -= tall; context.fillRect(mapX(bin * size), Math.max(base, y), wide, Math.min(tall, base + tall - y)); }
      }
    }
    log.drawGaps(y, h, mapX);
    context.fillStyle = colours.bad;
    for (const miss of data.bins.misses) context.fillRect(mapX(miss[0]) - 1, y - 3, 2, h + 3);
    context.fillStyle = colours.soft; context.textAlign = "left"; context.fillText(whole, 9, y + h / 2);
    const from = mapX(view.from), to = Math.max(mapX(view.to), from + 3);
    context.strokeStyle = colours.ink; context.lineWidth = 1.5; context.strokeRect(from, y - 2, to - from, h + 4); context.lineWidth = 1;
  }

  // What lies under the pointer.
  function describe(px, py) {
    const lane = lanes.find(one => py >= one.top && py < one.top + one.height);
    if (!lane || px < left) return "";
    const time = timeAt(px), slack = 3 * (view.to - view.from) / (width - left);
    const gap = log.describeGap(time, slack / 3);
    if (gap) return gap;
    const window = data.windows.find(one => time >= one.from && time < one.to);
    if (!window) {
      const share = data.bins.shares[lane.source][Math.floor(time / data.bins.width)];
      return share === undefined ? "" : lane.name + "\n" + Math.round(share / .99) + " % around " + shown(time) + "\n(single executions are kept only for part of the run)";
    }
    const stored = window.lanes[lane.source], { starts, ends, details } = stored.pieces;
    const below = py - lane.top - lane.base;
    if (below >= 0) return log.describe(stored, below < lane.log ? -1 : Math.floor((below - lane.log) / log.ROW), time, slack);
    const index = firstAfter(ends, time - slack);
    const hit = index < starts.length && starts[index] <= time + slack;
    if (lane.kind === "task") {
      const job = hit ? describeJob(lane, stored, details[index], starts[index], ends[index]) : describeNext(lane, stored, time, slack);
      const more = [hit ? "" : describePiece(stored.states, time, stateText), describePiece(stored.heirs, time, heir => "has the priority of " + (data.tasks[heir] || { name: "a message or a ceiling" }).name),
        describePiece(stored.holds, time, mutex => "holds " + (data.objects[mutex] ?? "mutex " + mutex))].filter(Boolean);
      return more.length ? [job || lane.name, ...more].join("\n") : job;
    }
    if (!hit) return "";
    const name = lane.kind === "interrupt" ? data.interrupts[details[index]] || "interrupt " + details[index] : "idle";
    return name + "\n" + shown(starts[index], 6) + " for " + shown(ends[index] - starts[index]);
  }

  // Of states, holds and inheritance: the values at a time.
  function describePiece({ starts, ends, details }, time, text) {
    const index = firstAfter(ends, time);
    return index < starts.length && starts[index] <= time ? text(details[index]) + " for " + shown(ends[index] - starts[index]) : "";
  }

  function describeNext(lane, stored, time, slack) {
    const index = firstAfter(stored.releases, time + slack) - 1;
    return index >= 0 && Math.abs(stored.releases[index] - time) < slack ? describeJob(lane, stored, numberOf(stored, index)) : "";
  }

  function describeJob(lane, stored, job, start, end) {
    const lines = [lane.name + ", job " + job], index = indexOf(stored, job);
    if (start !== undefined) lines.push("executes " + shown(start, 6) + " for " + shown(end - start));
    if (index >= 0 && index < stored.releases.length) {
      lines.push("released " + shown(stored.releases[index], 6));
      const reach = stored.deadlines[index];
      if (reach != null) lines.push("deadline " + shown(deadlineOf(stored, index), 6));
      const response = stored.responses[index];
      const gone = log.missingBetween(stored.releases[index], stored.releases[index + 1]);
      lines.push(response === null ? (gone ? "its end is among missing records" : "not complete") : "response " + shown(response) + (reach != null ? " of " + shown(reach) : ""));
      if (stored.missed.has(job)) lines.push("MISSED ITS DEADLINE");
    }
    return lines.join("\n");
  }

  function hover(event) {
    const area = canvas.getBoundingClientRect(), px = event.clientX - area.left, py = event.clientY - area.top;
    const text = describe(px, py);
    tip.hidden = !text;
    if (!text) return;
    tip.textContent = text;
    tip.style.left = Math.min(px + 14, width - tip.offsetWidth - 4) + "px";
    tip.style.top = Math.min(py + 14, height - tip.offsetHeight) + "px";
  }

  const zoom = (factor, at) => show(at - (at - view.from) * factor, at + (view.to - at) * factor);
  const centre = () => (view.from + view.to) / 2;
  canvas.addEventListener("wheel", event => {
    event.preventDefault();
    const px = event.clientX - canvas.getBoundingClientRect().left;
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      const move = (event.deltaX || event.deltaY) / (width - left) * (view.to - view.from);
      show(view.from + move, view.to + move);
    } else zoom(Math.exp(Math.max(-1, Math.min(1, event.deltaY / 300))), timeAt(Math.max(px, left)));
  }, { passive: false });

  let held = null;
  canvas.addEventListener("pointerdown", event => {
    const area = canvas.getBoundingClientRect();
    held = { x: event.clientX, view: { ...view }, map: event.clientY - area.top > top + GAP / 2 };
    canvas.setPointerCapture(event.pointerId); canvas.classList.add("held"); tip.hidden = true;
    if (held.map) moveMap(event);
  });
  function moveMap(event) {
    const px = event.clientX - canvas.getBoundingClientRect().left, half = (view.to - view.from) / 2;
    const time = (px - left) / (width - left - 8) * data.end;
    show(time - half, time + half);
  }
  canvas.addEventListener("pointermove", event => {
    if (!held) { hover(event); return; }
    if (held.map) { moveMap(event); return; }
    const move = (held.x - event.clientX) / (width - left - 8) * (held.view.to - held.view.from);
    show(held.view.from + move, held.view.to + move);
  });
  for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, () => { held = null; canvas.classList.remove("held"); });
  canvas.addEventListener("pointerleave", () => { tip.hidden = true; });

  const firstMiss = () => { const span = Math.max(startSpan / 2, 1000); show(data.miss.time - span * 1.2, data.miss.time + span * .8); };
  const views = { start: () => show(0, startSpan), miss: firstMiss, all: () => show(0, data.end), in: () => zoom(.5, centre()), out: () => zoom(2, centre()) };
  for (const button of document.querySelectorAll("[data-view]")) {
    button.addEventListener("click", views[button.dataset.view]);
    if (button.dataset.view === "miss" && !data.miss) button.hidden = true;
  }
  box.addEventListener("keydown", event => {
    const step = (view.to - view.from) / 5;
    const keys = { ArrowLeft: () => show(view.from - step, view.to - step), ArrowRight: () => show(view.from + step, view.to + step), "+": views.in, "=": views.in, "-": views.out, Home: views.start };
    if (keys[event.key]) { event.preventDefault(); keys[event.key](); }
  });

  function legend() {
    const entries = data.bands.map((kind, band) => ["band " + (band + 1) + ", " + kind, "--band" + band % 5]);
    if (lanes[0].kind === "interrupt") entries.push(["interrupts", "--interrupt"]);
    entries.push(["after the deadline", "--bad"], ["idle, or waits for a time", "--idle"]);
    const blocked = data.windows.flatMap(window => window.lanes.flatMap(lane => lane.states.details)).filter(state => state >= BLOCKED);
    if (blocked.some(state => data.kinds[state - BLOCKED] === "mutex")) entries.push(["waits for a mutex", "--mutex"]);
    if (blocked.some(state => data.kinds[state - BLOCKED] !== "mutex")) entries.push(["waits for another object", "--other"]);
    if (data.windows.some(window => window.lanes.some(lane => lane.heirs.starts.length))) entries.push(["has another's priority", "--warn"]);
    const levels = new Set(data.windows.flatMap(window => window.lanes.flatMap(lane => lane.messages.details)).map(message => data.said[message][0]));
    for (const level of log.LEVELS) if (levels.has(level)) entries.push(["log: " + level, "--" + level]);
    if (lanes.some(lane => lane.rows)) entries.push(["span", "--span"]);
    if (data.gaps) entries.push(["hatched: records are missing", "--soft"]);
    const list = document.getElementById("legend");
    for (const [text, colour] of entries) {
      const item = document.createElement("span");
      item.textContent = text; item.style.setProperty("--c", "var(" + colour + ")");
      list.append(item);
    }
    list.append("\u2191 release · \u2193 deadline · \u2715 miss · pale: ready · black: holds a mutex");
  }

  readColours();
  legend();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { readColours(); request(); });
  new ResizeObserver(request).observe(box);
  if (data.miss) firstMiss(); else show(0, startSpan);
  draw(); // at once: the first frame is not an empty one
})();
