// SPDX-License-Identifier: Apache-2.0
// The plant's plots as SVG: a map and curves over time, one cursor for all of them.
"use strict";
(() => {
  const plant = JSON.parse(document.getElementById("data").textContent).plant;
  const container = document.getElementById("plots");
  if (!plant || !container) return;
  const W = 640, H = 240, LEFT = 52, RIGHT = 12, TOP = 10, BOTTOM = 30;
  const COLOURS = ["--band0", "--second", "--band1", "--band2", "--band3"];
  const make = (name, attributes, parent) => {
    const node = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    if (parent) parent.append(node);
    return node;
  };
  const cursors = [];

  function steps(low, high, room) {
    const rough = (high - low) / room || 1, power = Math.pow(10, Math.floor(Math.log10(rough)));
    const step = [1, 2, 5, 10].map(factor => factor * power).find(size => size >= rough);
    const found = [];
    for (let value = Math.ceil(low / step) * step; value <= high + step * 1e-9; value += step) found.push(Number(value.toPrecision(12)));
    return found;
  }
  function range(values, least) {
    const known = values.filter(value => value !== null);
    let low = Math.min(...known), high = Math.max(...known);
    const pad = Math.max((high - low) * .06, least || 1e-9);
    return [low - pad, high + pad];
  }
  function frame(title, unit, series, h) {
    const figure = document.createElement("figure"), caption = document.createElement("figcaption");
    caption.textContent = title[0].toUpperCase() + title.slice(1) + (unit ? ", " + unit : "");
    const labels = series.map(one => {
      const label = document.createElement("small");
      label.style.setProperty("--c", "var(" + one.colour + ")");
      label.textContent = one.name; caption.append(label);
      return label;
    });
    if (h > H) figure.className = "tall";
    figure.append(caption);
    const svg = make("svg", { viewBox: `0 0 ${W} ${h}`, role: "img" });
    figure.append(svg); container.append(figure);
    return { svg, labels };
  }
  function axes(svg, h, [x0, x1], [y0, y1], xUnit) {
    const x = value => LEFT + (value - x0) / (x1 - x0) * (W - LEFT - RIGHT);
    const y = value => h - BOTTOM - (value - y0) / (y1 - y0) * (h - TOP - BOTTOM);
    for (const value of steps(y0, y1, h / 45)) {
      make("line", { class: "axis", x1: LEFT, x2: W - RIGHT, y1: y(value), y2: y(value) }, svg);
      make("text", { x: LEFT - 6, y: y(value) + 4, "text-anchor": "end" }, svg).textContent = value;
    }
    for (const value of steps(x0, x1, 8)) {
      make("line", { class: "axis", x1: x(value), x2: x(value), y1: TOP, y2: h - BOTTOM }, svg);
      make("text", { x: x(value), y: h - BOTTOM + 15, "text-anchor": "middle" }, svg).textContent = value;
    }
    make("text", { x: W - RIGHT, y: h - 3, "text-anchor": "end" }, svg).textContent = xUnit;
    make("rect", { class: "frame", x: LEFT, y: TOP, width: W - LEFT - RIGHT, height: h - TOP - BOTTOM }, svg);
    return { x, y };
  }
  const path = (xs, ys, x, y) => {
    let text = "", pen = "M";
    for (let i = 0; i < xs.length; i++) {
      if (ys[i] === null) { pen = "M"; continue; }
      text += pen + x(xs[i]).toFixed(1) + " " + y(ys[i]).toFixed(1); pen = "L";
    }
    return text;
  };

  function timePlot(plot) {
    let next = 0;
    const series = plot.series.map(one => ({ ...one, colour: one.commanded ? "--second" : COLOURS[next++ === 1 ? 2 : next > 2 ? next : 0] }));
    const { svg, labels } = frame(plot.title, plot.unit, series, H);
    const { x, y } = axes(svg, H, [plot.t[0], plot.t[plot.t.length - 1]], range(series.flatMap(one => one.y), 1e-3), "s");
    for (const span of plant.windows) {
      const from = Math.max(span.from_s, plot.t[0]), to = Math.min(span.to_s, plot.t[plot.t.length - 1]);
      if (to <= from) continue;
      make("rect", { class: "window", x: x(from), y: TOP, width: x(to) - x(from), height: H - TOP - BOTTOM }, svg);
      make("text", { x: x(from) + 5, y: H - BOTTOM - 6 }, svg).textContent = span.name;
    }
    for (const one of series) {
      const style = "stroke:var(" + one.colour + ")" + (one.commanded ? ";stroke-dasharray:6 4" : "");
      make("path", { class: "curve", d: path(plot.t, one.y, x, y), style }, svg);
    }
    const line = make("line", { class: "cursor", y1: TOP, y2: H - BOTTOM, visibility: "hidden" }, svg);
    cursors.push(at => {
      line.setAttribute("visibility", at === null ? "hidden" : "visible");
      let i = 0;
      if (at !== null) { while (i < plot.t.length - 1 && plot.t[i] < at) i++; line.setAttribute("x1", x(plot.t[i])); line.setAttribute("x2", x(plot.t[i])); }
      series.forEach((one, n) => { labels[n].textContent = one.name + (at === null || one.y[i] === null ? "" : " " + one.y[i].toFixed(2)); });
    });
    follow(svg, px => plot.t[0] + (px - LEFT) / (W - LEFT - RIGHT) * (plot.t[plot.t.length - 1] - plot.t[0]));
  }
  function follow(svg, timeAt) {
    svg.addEventListener("pointermove", event => {
      const area = svg.getBoundingClientRect(), at = timeAt((event.clientX - area.left) / area.width * W);
      cursors.forEach(move => move(at));
    });
    svg.addEventListener("pointerleave", () => cursors.forEach(move => move(null)));
  }

  // North up, both axes to one scale.
  function map(track) {
    const h = 500, { svg } = frame("track", "m, north up", [{ name: "flown", colour: "--band0" }], h);
    let [x0, x1] = range(track.x, 2), [y0, y1] = range(track.y, 2);
    const wide = W - LEFT - RIGHT, tall = h - TOP - BOTTOM, scale = Math.max((x1 - x0) / wide, (y1 - y0) / tall);
    const grow = (low, high, size) => { const extra = (size - (high - low)) / 2; return [low - extra, high + extra]; };
    [x0, x1] = grow(x0, x1, scale * wide); [y0, y1] = grow(y0, y1, scale * tall);
    const { x, y } = axes(svg, h, [x0, x1], [y0, y1], "east");
    for (const span of plant.windows) {
      const keep = track.t.map(t => t >= span.from_s && t <= span.to_s);
      const ys = track.y.map((value, i) => keep[i] ? value : null);
      make("path", { class: "curve", d: path(track.x, ys, x, y), style: "stroke:var(--band0);stroke-width:9;opacity:.18;stroke-linecap:round" }, svg);
    }
    make("path", { class: "curve", d: path(track.x, track.y, x, y), style: "stroke:var(--band0)" }, svg);
    const ends = [[0, "start", "--good"], [track.x.length - 1, "end", "--bad"]];
    for (const [i, name, colour] of ends) {
      make("circle", { cx: x(track.x[i]), cy: y(track.y[i]), r: 4.5, style: "fill:var(" + colour + ")" }, svg);
      make("text", { x: x(track.x[i]) + 9, y: y(track.y[i]) - 7 }, svg).textContent = name;
    }
    const dot = make("circle", { r: 5, visibility: "hidden", style: "fill:none;stroke:var(--ink);stroke-width:2" }, svg);
    cursors.push(at => {
      dot.setAttribute("visibility", at === null ? "hidden" : "visible");
      if (at === null) return;
      let i = 0;
      while (i < track.t.length - 1 && track.t[i] < at) i++;
      dot.setAttribute("cx", x(track.x[i])); dot.setAttribute("cy", y(track.y[i]));
    });
  }

  if (plant.map) map(plant.map);
  plant.times.forEach(timePlot);
})();
