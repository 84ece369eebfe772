// SPDX-License-Identifier: Apache-2.0
// What the timeline shows of the log: messages and spans in rows below what a lane executed, and missing records.
"use strict";
// `plot()`: the canvas' context, the colours, the view and x of a time in it; both change with the window.
function logRows(data, plot, { firstAfter, shown }) {
  const LEVELS = ["error", "warning", "info", "debug"], ROW = 13, CHARACTER = 5.6; // the width of one, in pixels
  const small = "10px system-ui, 'DejaVu Sans', sans-serif", normal = "12px system-ui, 'DejaVu Sans', sans-serif";
  const cut = (text, room) => text.length > room ? text.slice(0, room - 1) + "…" : text;
  const severity = message => LEVELS.indexOf(data.said[message][0]);

  // A tick each, of one column of pixels the most severe; its text where there is room.
  function drawMessages({ starts, details }, y) {
    const { context, colours, view, x, right } = plot();
    context.font = small; context.textAlign = "left";
    let i = firstAfter(starts, view.from - 1);
    while (i < starts.length && starts[i] <= view.to) {
      const px = Math.round(x(starts[i]));
      let worst = i;
      for (; i < starts.length && x(starts[i]) < px + 2; i++) if (severity(details[i]) < severity(details[worst])) worst = i;
      const [level, , text] = data.said[details[worst]];
      context.fillStyle = colours.levels[level] || colours.soft;
      context.fillRect(px - 1, y + 1, 2, ROW - 3);
      const room = Math.floor(((i < starts.length ? Math.min(x(starts[i]), right) : right) - px - 8) / CHARACTER);
      if (room >= 8) context.fillText(cut(text, room), px + 4, y + ROW / 2);
    }
    context.font = normal;
  }

  // One depth of the spans, with their names where there is room.
  function drawSpans({ starts, ends, details }, y) {
    const { context, colours, view, x, left, right } = plot();
    context.font = small; context.textAlign = "left";
    let until = -1;
    for (let i = firstAfter(ends, view.from - 1); i < starts.length && starts[i] < view.to; i++) {
      const from = Math.max(x(starts[i]), left), to = Math.min(Math.max(x(ends[i]), from + 1), right);
      if (to <= until) continue; // narrower than a pixel, which is drawn
      until = to;
      context.fillStyle = colours.span; context.globalAlpha = .3;
      context.fillRect(from, y + 1, to - from, ROW - 2);
      context.globalAlpha = 1;
      context.fillRect(from, y + 1, 1, ROW - 2);
      const name = data.said[details[i]][2], room = Math.floor((to - from - 8) / CHARACTER);
      context.fillStyle = colours.ink;
      if (room >= Math.min(name.length, 4)) context.fillText(cut(name, room), from + 4, y + ROW / 2 + .5);
    }
    context.font = normal;
  }

  // Where records of the trace are missing: hatched, as nothing is known there. `position`: x of a time.
  function drawGaps(y, h, position) {
    const { context, colours, left, right } = plot();
    context.strokeStyle = colours.soft; context.lineWidth = 1;
    for (const [start, end] of data.gaps || []) {
      const from = Math.max(position(start), left), to = Math.min(Math.max(position(end), position(start) + 2), right);
      if (to <= from) continue;
      context.save();
      context.beginPath(); context.rect(from, y, to - from, h); context.clip();
      context.globalAlpha = .45; context.beginPath();
      for (let px = Math.floor((from - h) / 8) * 8; px < to; px += 8) { context.moveTo(px, y + h); context.lineTo(px + h, y); }
      context.stroke(); context.restore();
    }
  }

  function describeGap(time, slack) {
    const gap = (data.gaps || []).find(([start, end]) => time >= start - slack && time <= end + slack);
    const missing = gap && gap[2] + (gap[2] === 1 ? " record of the trace is missing" : " records of the trace are missing");
    return gap ? missing + "\n" + shown(gap[0], 6) + " to " + shown(gap[1], 6) + "\nwhat happened here is not known" : "";
  }

  // Whether records are missing between two times: then what is not in the trace may have happened.
  const missingBetween = (from, to) => (data.gaps || []).some(([start, end]) => end >= from && !(start >= to));

  function describeMessages({ starts, details }, time, slack) {
    const first = firstAfter(starts, time - slack), behind = firstAfter(starts, time + slack), most = 8;
    const lines = [];
    for (let i = first; i < Math.min(behind, first + most); i++) {
      const [level, where, text] = data.said[details[i]];
      lines.push(shown(starts[i], 6) + "  " + (level ? level + "  " : "") + (where ? where + ": " : "") + text);
    }
    if (behind - first > most) lines.push("... " + (behind - first - most) + " more: zoom in");
    return lines.join("\n");
  }

  function describeSpan({ starts, ends, details }, time, slack) {
    const index = firstAfter(ends, time - slack);
    if (index >= starts.length || starts[index] > time + slack) return "";
    const [unended, , name] = data.said[details[index]];
    return name + "\n" + shown(starts[index], 6) + " for " + shown(ends[index] - starts[index]) + (unended ? "\nwithout its takt_mark_end" : "");
  }

  // `depth`: of a span; -1: a message.
  function describe({ messages, spans }, depth, time, slack) {
    return depth < 0 ? describeMessages(messages, time, slack) : depth < spans.length ? describeSpan(spans[depth], time, slack) : "";
  }

  return { LEVELS, ROW, drawMessages, drawSpans, drawGaps, missingBetween, describe, describeGap };
}
