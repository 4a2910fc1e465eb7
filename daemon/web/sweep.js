// SPDX-License-Identifier: GPL-2.0-or-later
// One sweep: how far it is, the matrix, the curve, who ran what, what happened.
import { h } from "./vendor/preact/preact.js";
import { clock, duration, number, plural } from "./format.js";
import { Feed } from "./feed.js";
import { Grid } from "./grid.js";
import { Live } from "./live.js";
import { Pareto } from "./pareto.js";
import { Action, countsOf, Facts, ofNumbers, PointBadge, pointPath, ProgressBar, sweepLabel, Table } from "./parts.js";
import { Timeline } from "./timeline.js";

function hours(h4) {
  const causes = Object.entries(h4.failed_by || {}).map(([cause, n]) => `${cause} ${number(n, 1)}`).join(", ");
  return `${number(h4.useful, 1)} useful, ${number(h4.failed, 1)} failed${causes ? ` (${causes})` : ""}, ` +
    `${number(h4.idle, 1)} idle, ${number(h4.running, 1)} running`;
}

function Head({ sweep }) {
  const active = sweep.state === "active";
  return h("header", null,
    h("h1", null, sweep.id, " ", h("small", null, sweep.key)),
    h(ProgressBar, { counts: countsOf(sweep), total: sweep.points_total, label: sweepLabel(sweep) }),
    h("p", { class: "summary" }, sweepLabel(sweep), "."),
    h(Facts, { rows: [
      ["State", sweep.reason ? `${sweep.state}: ${sweep.reason}` : sweep.state],
      [sweep.state === "done" ? "Ended" : "Expected end", clock(sweep.state === "done" ? sweep.ended_at : sweep.eta)],
      ["Submitted", `${clock(sweep.created_at)} by ${sweep.owner}`],
      ["GPU-hours", hours(sweep.gpu_hours)],
      ["Runs", `${sweep.on_failure}, ${sweep.placement}${sweep.fast ? ", fast" : ""}`],
      ["Image", sweep.image],
      ["Bundle", h("code", { title: sweep.bundle }, sweep.bundle.slice(0, 12))],
    ] }),
    active && h("div", { class: "actions" },
      h(Action, { label: "Cancel the sweep", danger: true, path: `/sweeps/${sweep.id}/cancel`,
        ask: `Cancel ${sweep.id}? Its running jobs are ended.`, done: "Cancelled." })));
}

function Evaluations({ sweep, points }) {
  const rows = points.filter((p) => p.kind !== "throughput");
  if (!rows.length) return null;
  return h("section", { "aria-label": "Evaluations" }, h("h2", null, "Evaluations"),
    h(Table, { label: "Evaluations", head: ["Point", "Outcome", "Why"], rows: rows.map((p) =>
      h("tr", { key: p.name },
        h("th", { scope: "row" }, h("a", { href: pointPath(sweep, p.name) }, p.name)),
        h("td", null, h(PointBadge, { point: p })), h("td", null, p.reason))) }));
}

function Numbers({ sweep, points }) {
  const rows = points.map((p) => h("tr", { key: p.name },
    h("th", { scope: "row" }, h("a", { href: pointPath(sweep, p.name) }, p.name)),
    h("td", null, p.node || ""),
    h("td", null, h(PointBadge, { point: p })),
    h("td", { class: "num" }, number(p.al, 2)),
    h("td", { class: "num" }, number(p.total_tps_per_gpu, 1)),
    h("td", { class: "num" }, number(p.output_tps_per_user, 1)),
    h("td", { class: "num" }, number(p.ttft_p90_s, 2)),
    h("td", { class: "num" }, p.started_at ? duration((Date.parse(p.ended_at || new Date().toISOString()) - Date.parse(p.started_at)) / 1000) : "–")));
  return h(Table, { label: "Points", rows, empty: "The sweep has no points.",
    head: ["Point", "Node", "Outcome", ...["AL", "tok/s per GPU", "tok/s per user", "TTFT p90, s", "Took"].map(ofNumbers)] });
}

export class SweepPage extends Live {
  paths() {
    const id = encodeURIComponent(this.props.id);
    return { one: `/sweeps/${id}`, list: `/sweeps/${id}/points` };
  }

  concerns(event) {
    return event.sweep === this.props.id;
  }

  body({ one, list }) {
    const sweep = one.sweep;
    const points = list.points;
    return h("div", null,
      h(Head, { sweep }),
      h("section", { "aria-label": "Matrix" }, h("h2", null, "Matrix"), h(Grid, { sweep: sweep.id, points })),
      h(Evaluations, { sweep: sweep.id, points }),
      h("div", { class: "columns" },
        h("section", { "aria-label": "Curve" }, h("h2", null, "Throughput and interactivity"), h(Pareto, { points })),
        h("section", { "aria-label": "Events" }, h("h2", null, "Events"), h(Feed, { sweep: sweep.id }))),
      h("section", { "aria-label": "Timeline" }, h("h2", null, "Nodes by time"), h(Timeline, { points })),
      h("section", { "aria-label": "Points" }, h("h2", null, plural(points.length, "point")), h(Numbers, { sweep: sweep.id, points })));
  }
}
