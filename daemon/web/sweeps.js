// SPDX-License-Identifier: GPL-2.0-or-later
// All sweeps, newest first.
import { h } from "./vendor/preact/preact.js";
import { clock, number, percent } from "./format.js";
import { Live } from "./live.js";
import { countsOf, ofNumbers, ProgressBar, sweepLabel, Table } from "./parts.js";

function stateWords(sweep) {
  if (sweep.state !== "done") return sweep.state;
  return sweep.outcomes.pass === sweep.points_total ? "all passed" : `${sweep.outcomes.pass || 0} of ${sweep.points_total} passed`;
}

function row(sweep) {
  return h("tr", { key: sweep.id },
    h("th", { scope: "row" }, h("a", { href: `/sweeps/${sweep.id}` }, sweep.id), h("div", { class: "sub" }, sweep.key)),
    h("td", null, h(ProgressBar, { counts: countsOf(sweep), total: sweep.points_total, label: sweepLabel(sweep) }),
      h("div", { class: "sub" }, sweep.state === "done" ? stateWords(sweep) : `${percent(sweep.progress)}, ${stateWords(sweep)}`)),
    h("td", null, sweep.state === "done" ? `ended ${clock(sweep.ended_at)}` : `about ${clock(sweep.eta)}`),
    h("td", { class: "num" }, number(sweep.gpu_hours.useful, 1)),
    h("td", { class: "num" }, number(sweep.gpu_hours.failed, 1)),
    h("td", null, sweep.owner),
    h("td", null, clock(sweep.created_at)));
}

export class SweepsPage extends Live {
  paths() {
    return { list: "/sweeps" };
  }

  body({ list }) {
    return h("section", null,
      h("h1", null, "Sweeps"),
      h(Table, {
        label: "Sweeps",
        head: ["Sweep", "Points", "End", ofNumbers("GPU-hours useful"), ofNumbers("failed"), "Owner", "Submitted"],
        rows: list.sweeps.map(row),
        empty: "No sweep yet. Submit one: sweepctl submit KEY",
      }));
  }
}
