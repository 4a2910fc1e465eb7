// SPDX-License-Identifier: GPL-2.0-or-later
// The small pieces that several pages are made of.
import { Component, h } from "./vendor/preact/preact.js";
import { post } from "./api.js";
import { GLYPHS, lookOf, number, percent, wordOf } from "./format.js";

export function Badge({ look, children }) {
  return h("span", { class: `badge ${look}` }, h("span", { "aria-hidden": "true" }, GLYPHS[look] || "", " "), children);
}

export function PointBadge({ point }) {
  return h(Badge, { look: lookOf(point) }, wordOf(point));
}

export function pointPath(sweep, name) {
  return `/sweeps/${encodeURIComponent(sweep)}/points/${encodeURIComponent(name)}`;
}

const BAR_ORDER = ["ok", "usable", "benchmark", "unclear", "infra", "other", "active"];

// Shares of the planned matrix by look; what is left is waiting.
export function ProgressBar({ counts, total, label }) {
  return h("div", { class: "bar", role: "img", "aria-label": label },
    BAR_ORDER.filter((look) => counts[look]).map((look) =>
      h("span", { key: look, class: look, style: { width: `${(100 * counts[look]) / total}%` } })));
}

// Of a sweep's document, whose outcomes carry no class: pass is ok, the others failed.
export function countsOf(sweep) {
  const ok = sweep.outcomes.pass || 0;
  return { ok, benchmark: sweep.points.done - ok, active: sweep.points.active };
}

export function sweepLabel(sweep) {
  const c = countsOf(sweep);
  return `${percent(sweep.progress)}: ${c.ok} passed, ${c.benchmark} not, ${c.active} at work, ` +
    `${sweep.points.waiting} waiting, of ${number(sweep.points_total)}`;
}

export function Facts({ rows }) {
  return h("dl", { class: "facts" }, rows.filter((row) => row && row[1] !== null && row[1] !== "").map(([name, value]) =>
    h("div", { key: name }, h("dt", null, name), h("dd", null, value))));
}

// The heading of a column of numbers.
export function ofNumbers(name) {
  return { name, class: "num" };
}

export function Table({ label, head, rows, empty }) {
  if (!rows.length) return h("p", { class: "empty" }, empty);
  return h("div", { class: "scroll", tabIndex: 0, role: "region", "aria-label": label },
    h("table", null,
      h("thead", null, h("tr", null, head.map((c) =>
        h("th", { key: c.name || c, scope: "col", class: c.class }, c.name || c)))),
      h("tbody", null, rows)));
}

// A button that changes something: asks first, shows the refusal where it was pressed.
export class Action extends Component {
  state = { busy: false, said: "" };

  run = async () => {
    const { ask, path, body, done } = this.props;
    if (ask && !window.confirm(ask)) return;
    this.setState({ busy: true, said: "" });
    try {
      await post(path, body);
      this.setState({ busy: false, said: done || "Done." });
    } catch (problem) {
      this.setState({ busy: false, said: `${problem.message} ${problem.fix || ""}`.trim() });
    }
  };

  render({ label, danger }, { busy, said }) {
    return h("span", { class: "action" },
      h("button", { type: "button", class: danger ? "danger" : "", disabled: busy, onClick: this.run }, label),
      h("span", { class: "said", role: "status" }, said));
  }
}
