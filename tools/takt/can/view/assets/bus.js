/* SPDX-License-Identifier: Apache-2.0 */
"use strict";

/* The load of a bus over the whole time, and below it the frames of each message in what is shown of it. Frames that
 * fall on the same pixel of a row are drawn once. */
for (const section of document.querySelectorAll("section.bus")) {
  const data = JSON.parse(section.querySelector("script").textContent);
  const box = section.querySelector(".bus-picture"), canvas = box.querySelector("canvas");
  const tip = box.querySelector(".bus-tip"), context = canvas.getContext("2d");
  const ERROR = 32768, LEFT = 220, STRIP = 54, TOP = 84, ROW = 14;
  const dark = matchMedia("(prefers-color-scheme: dark)").matches && !document.body.classList.contains("bus-page");
  const INK = dark ? "#e4e9f0" : "#1b2430", SOFT = dark ? "#97a3b3" : "#5b6675", LINE = dark ? "#2c3542" : "#e2e6ec";
  const FRAME = "#2f6fdb", FAILED = "#d11a2a", LOAD = dark ? "#3d5f96" : "#b9cdf0";

  function column(text, kind) {
    return new kind(Uint8Array.from(atob(text), (one) => one.charCodeAt(0)).buffer);
  }
  const gaps = column(data.gaps, Uint32Array), lengths = column(data.lengths, Uint32Array);
  const indices = column(data.indices, Uint16Array), starts = new Float64Array(gaps.length);
  let longest = 0, sum = 0;
  for (let i = 0; i < gaps.length; i++) {
    sum += gaps[i];
    starts[i] = sum;
    longest = Math.max(longest, lengths[i]);
  }
  const line = new Int32Array(32768).fill(-1);
  data.drawn.forEach((index, number) => { line[index] = number; });
  const height = TOP + ROW * data.drawn.length + 6;
  const SOON = 50e6;
  let from = 0, to = data.end > 4 * SOON && gaps.length ? SOON : data.end, width = 0, held = null;

  function time(ns) {
    for (const [unit, size] of [["s", 1e9], ["ms", 1e6], ["us", 1e3]]) {
      if (Math.abs(ns) >= size) { return `${+(ns / size).toFixed(3)} ${unit}`; }
    }
    return `${Math.round(ns)} ns`;
  }
  const x = (ns) => LEFT + (ns - from) / (to - from) * (width - LEFT);
  const whole = (ns) => LEFT + ns / data.end * (width - LEFT);

  /* The first frame that may end after a time. */
  function first(ns) {
    let low = 0, high = starts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (starts[middle] + longest < ns) { low = middle + 1; } else { high = middle; }
    }
    return low;
  }

  function strip() {
    context.fillStyle = LOAD;
    data.load.forEach((load, number) => {
      const begin = whole(number * data.bin), end = whole(Math.min(data.end, (number + 1) * data.bin));
      context.fillRect(begin, STRIP - 44 * load, Math.max(1, end - begin), 44 * load);
    });
    context.strokeStyle = INK;
    context.strokeRect(whole(from), 6, Math.max(2, whole(to) - whole(from)), STRIP - 5);
    context.fillStyle = SOFT;
    context.textAlign = "right";
    context.fillText("load, whole time", LEFT - 8, 34);
  }

  function axis() {
    const rough = (to - from) / 8;
    const size = 10 ** Math.floor(Math.log10(rough)), step = [1, 2, 5, 10].find((one) => one * size >= rough) * size;
    context.textAlign = "center";
    for (let at = Math.ceil(from / step) * step; at <= to; at += step) {
      context.fillStyle = LINE;
      context.fillRect(x(at), TOP - 2, 1, height);
      context.fillStyle = SOFT;
      context.fillText(time(at), Math.min(width - 30, x(at)), TOP - 7);
    }
  }

  function frames() {
    const last = new Int32Array(data.drawn.length).fill(-1), failed = [];
    for (let i = first(from); i < starts.length && starts[i] <= to; i++) {
      const index = indices[i] & ~ERROR, row = line[index], wrong = (indices[i] & ERROR) !== 0;
      const begin = x(starts[i]), end = x(starts[i] + lengths[i]);
      if (wrong) { failed.push([begin, end, row]); continue; }
      if (row < 0 || end < LEFT || end <= last[row]) { continue; }
      const left = Math.max(LEFT, Math.floor(begin)), right = Math.max(left + 1, Math.floor(end));
      context.fillStyle = FRAME;
      context.fillRect(left, TOP + ROW * row + 2, right - left, ROW - 4);
      last[row] = right;
    }
    context.fillStyle = FAILED;
    let seen = -1;
    for (const [begin, end, row] of failed) {
      if (row >= 0) { context.fillRect(Math.max(LEFT, begin), TOP + ROW * row + 1, Math.max(2, end - begin), ROW - 2); }
      if (end >= LEFT && Math.floor(end) !== seen) {
        seen = Math.floor(end);
        context.fillRect(end - 1, STRIP + 2, 2, 7);
      }
    }
  }

  function names() {
    context.textAlign = "right";
    data.drawn.forEach((index, number) => {
      const [name, identifier, observed, proved, state] = data.rows[index];
      context.fillStyle = state ? FAILED : INK;
      const short = name.length > 24 ? `${name.slice(0, 23)}…` : name;
      context.fillText(`${short}  ${identifier}`, LEFT - 8, TOP + ROW * number + 11);
    });
  }

  function draw() {
    const scale = devicePixelRatio || 1;
    width = Math.max(400, box.clientWidth);
    canvas.width = width * scale;
    canvas.height = height * scale;
    canvas.style.height = `${height}px`;
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.font = "11px sans-serif";
    const begun = performance.now();
    strip();
    axis();
    if (data.kept !== null && to > data.kept) {
      context.fillStyle = LINE;
      context.globalAlpha = 0.5;
      context.fillRect(Math.max(LEFT, x(data.kept)), TOP, width, height);
      context.globalAlpha = 1;
    }
    frames();
    names();
    section.dataset.drawn = (performance.now() - begun).toFixed(1);
    section.querySelector(".bus-span").textContent = `${time(from)} to ${time(to)}`;
  }

  function show(begin, end) {
    const span = Math.min(data.end, Math.max(1000, end - begin));
    from = Math.max(0, Math.min(data.end - span, begin));
    to = from + span;
    draw();
  }

  function pointed(event) {
    const rect = canvas.getBoundingClientRect();
    return [event.clientX - rect.left, event.clientY - rect.top];
  }

  canvas.addEventListener("wheel", (event) => {
    const [left] = pointed(event);
    if (left < LEFT) { return; }
    event.preventDefault();
    const at = from + (left - LEFT) / (width - LEFT) * (to - from), factor = event.deltaY > 0 ? 1.3 : 1 / 1.3;
    show(at - (at - from) * factor, at + (to - at) * factor);
  }, { passive: false });
  canvas.addEventListener("pointerdown", (event) => {
    const [left, top] = pointed(event);
    if (top < STRIP && left > LEFT) {
      const at = (left - LEFT) / (width - LEFT) * data.end, half = (to - from) / 2;
      show(at - half, at + half);
    }
    held = [left, from, to];
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointerup", () => { held = null; });
  canvas.addEventListener("pointermove", (event) => {
    const [left, top] = pointed(event);
    if (held) {
      const moved = (left - held[0]) / (width - LEFT) * (held[2] - held[1]);
      show(held[1] - moved, held[2] - moved);
      return;
    }
    const at = from + (left - LEFT) / (width - LEFT) * (to - from), near = (to - from) / (width - LEFT);
    const index = data.drawn[Math.floor((top - TOP) / ROW)];
    tip.hidden = true;
    for (let i = first(at - near); left > LEFT && i < starts.length && starts[i] <= at + near; i++) {
      if ((indices[i] & ~ERROR) === index && starts[i] + lengths[i] >= at - near) {
        const [name, identifier, observed, proved] = data.rows[index];
        const against = observed === null ? "" : `\nobserved ${time(observed)}` + (proved === null ? "" : `, proved ${time(proved)}`);
        tip.textContent = `${name} ${identifier}${indices[i] & ERROR ? ": destroyed" : ""}\n${time(starts[i])}, ${time(lengths[i])}${against}`;
        tip.style.left = `${Math.min(left + 12, width - 240)}px`;
        tip.style.top = `${top + 12}px`;
        tip.hidden = false;
        break;
      }
    }
  });
  canvas.addEventListener("pointerleave", () => { tip.hidden = true; });
  section.querySelector(".bus-tools").addEventListener("click", (event) => {
    const what = event.target.dataset.to;
    if (what === "all") { show(0, data.end); }
    if (what === "first") { show(0, SOON); }
    if (what === "error") {
      const middle = (from + to) / 2 + 1, next = indices.findIndex((one, i) => (one & ERROR) !== 0 && starts[i] > middle);
      const found = next >= 0 ? next : indices.findIndex((one) => (one & ERROR) !== 0);
      if (found >= 0) { show(starts[found] - 2e6, starts[found] + 2e6); }
    }
  });
  if (!data.gaps.length) { section.querySelector(".bus-tools").hidden = true; }
  if (!indices.some((one) => (one & ERROR) !== 0)) { section.querySelector("[data-to=error]").disabled = true; }
  addEventListener("resize", draw);
  draw();
}
