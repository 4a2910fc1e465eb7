// SPDX-License-Identifier: GPL-2.0-or-later
// The matrix as it was planned: arms by concurrency, one cell a point.
import { Component, h } from "./vendor/preact/preact.js";
import { GLYPHS, LOOKS, lookOf, number, wordOf } from "./format.js";
import { pointPath } from "./parts.js";

class Cell extends Component {
  shouldComponentUpdate(next) {
    return next.signature !== this.props.signature;
  }

  render({ sweep, point }) {
    const look = lookOf(point);
    const al = point.al === null ? "" : number(point.al, 2);
    return h("td", { class: `cell ${look}` },
      h("a", { href: pointPath(sweep, point.name), title: `${point.name}: ${wordOf(point)}${point.reason ? `. ${point.reason}` : ""}` },
        h("span", { class: "hidden" }, `${point.name}, `),
        h("span", { "aria-hidden": "true" }, GLYPHS[look]),
        h("span", { class: "word" }, wordOf(point)),
        h("span", { class: "al" }, al && h("span", { class: "hidden" }, ", AL "), al)));
  }
}

function signature(point) {
  return [point.state, point.outcome, point.phase, point.attempt_state, point.al, point.reason].join("|");
}

function Legend({ points }) {
  const present = new Set(points.map(lookOf));
  return h("ul", { class: "legend" }, Object.keys(LOOKS).filter((look) => present.has(look)).map((look) =>
    h("li", { key: look }, h("span", { class: `swatch ${look}`, "aria-hidden": "true" }, GLYPHS[look]), LOOKS[look])));
}

export function Grid({ sweep, points }) {
  const arms = [...new Set(points.map((p) => p.arm))];
  const concs = [...new Set(points.map((p) => p.conc))].sort((a, b) => a - b);
  const at = new Map(points.map((p) => [`${p.arm}|${p.conc}|${p.kind}`, p]));
  const cell = (arm, conc) => {
    const point = at.get(`${arm}|${conc}|throughput`);
    return point
      ? h(Cell, { key: conc, sweep, point, signature: signature(point) })
      : h("td", { key: conc, class: "cell none" });
  };
  return h("div", null,
    h("div", { class: "scroll", tabIndex: 0, role: "region", "aria-label": "Matrix" },
      h("table", { class: "grid" },
        h("caption", { class: "hidden" }, "Points by arm and concurrency"),
        h("thead", null, h("tr", null, h("th", { scope: "col" }, "arm"),
          concs.map((conc) => h("th", { key: conc, scope: "col" }, `c${conc}`)))),
        h("tbody", null, arms.map((arm) =>
          h("tr", { key: arm }, h("th", { scope: "row" }, arm), concs.map((conc) => cell(arm, conc))))))),
    h(Legend, { points }));
}
