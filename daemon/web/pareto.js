// SPDX-License-Identifier: GPL-2.0-or-later
// Throughput per GPU against what one user sees. Only points that passed are joined; what was
// measured in part stands hollow and unjoined.
import { h } from "./vendor/preact/preact.js";
import { Chart } from "./chart.js";
import { number } from "./format.js";

function measured(points) {
  return points.filter((p) => p.kind === "throughput" && p.output_tps_per_user !== null && p.total_tps_per_gpu !== null);
}

function tip(p) {
  return `${p.name}\n${number(p.total_tps_per_gpu)} tok/s per GPU\n${number(p.output_tps_per_user, 1)} tok/s per user\n` +
    `AL ${number(p.al, 2)}${p.class === "ok" ? "" : `\n${p.outcome}`}`;
}

// Written for the eye's help; `curves` of the API is what counts as frontier.
function options(points, width) {
  const Plot = globalThis.Plot;
  const good = points.filter((p) => p.class === "ok");
  const partial = points.filter((p) => p.class !== "ok");
  const axes = { x: "output_tps_per_user", y: "total_tps_per_gpu" };
  return {
    height: Math.min(420, Math.max(260, width * 0.5)),
    marginLeft: 60,
    grid: true,
    ariaLabel: "Throughput per GPU against output per user",
    x: { label: "output tok/s per user", zero: true },
    y: { label: "total tok/s per GPU", zero: true },
    color: { legend: true, domain: [...new Set(points.map((p) => p.arm))] },
    marks: [
      Plot.line([...good].sort((a, b) => a.conc - b.conc), { ...axes, z: "arm", stroke: "arm", strokeOpacity: 0.6 }),
      Plot.dot(partial, { ...axes, stroke: "arm", strokeDasharray: "2,2" }),
      Plot.dot(good, { ...axes, fill: "arm", r: 4 }),
      Plot.tip(points, Plot.pointer({ ...axes, title: tip })),
    ],
  };
}

export function Pareto({ points }) {
  const shown = measured(points);
  if (!shown.length) return h("p", { class: "empty" }, "No point has been measured yet.");
  return h(Chart, {
    label: "Throughput per GPU against output per user; the table of points has the numbers",
    signature: JSON.stringify(shown.map((p) => [p.name, p.outcome, p.total_tps_per_gpu, p.output_tps_per_user])),
    plot: (width) => options(shown, width),
  });
}
