// SPDX-License-Identifier: GPL-2.0-or-later
// Nodes by time: what ran where, and where the plan puts what waits.
import { h } from "./vendor/preact/preact.js";
import { Chart } from "./chart.js";
import { lookOf, wordOf } from "./format.js";

const ROW_HEIGHT = 26;

function bars(points, now) {
  return points.filter((p) => p.node && p.started_at).map((p) => ({
    node: p.node,
    name: p.name,
    look: lookOf(p),
    word: wordOf(p),
    start: new Date(p.started_at),
    end: p.ended_at ? new Date(p.ended_at) : now,
  }));
}

function ghosts(points) {
  return points.filter((p) => p.planned).map((p) => ({
    node: p.planned.node,
    name: p.name,
    start: new Date(p.planned.start),
    end: new Date(p.planned.end),
  }));
}

function colour(look) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${look}`).trim() || "gray";
}

function options(done, planned) {
  const Plot = globalThis.Plot;
  const nodes = [...new Set([...done, ...planned].map((b) => b.node))].sort();
  const axes = { x1: "start", x2: "end", y: "node" };
  return {
    height: 60 + ROW_HEIGHT * nodes.length,
    marginLeft: 130,
    x: { type: "time", label: null, grid: true },
    y: { domain: nodes, label: null },
    marks: [
      Plot.barX(planned, { ...axes, fill: "none", stroke: "currentColor", strokeOpacity: 0.45, strokeDasharray: "3,3", inset: 2 }),
      Plot.barX(done, { ...axes, fill: (b) => colour(b.look), inset: 2 }),
      Plot.tip([...planned, ...done], Plot.pointer({ x1: "start", x2: "end", y: "node",
        title: (b) => `${b.name}: ${b.word || "planned"}\n${b.start.toLocaleTimeString()} to ${b.end.toLocaleTimeString()}` })),
    ],
  };
}

export function Timeline({ points }) {
  const done = bars(points, new Date());
  const planned = ghosts(points);
  if (!done.length && !planned.length) return h("p", { class: "empty" }, "Nothing has started yet.");
  return h(Chart, {
    label: "What ran on which node, by time; dashed: where the plan puts what waits",
    signature: JSON.stringify([done, planned]),
    plot: () => options(done, planned),
  });
}
