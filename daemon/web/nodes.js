// SPDX-License-Identifier: GPL-2.0-or-later
// The nodes that points run on, and why one is left out.
import { h } from "./vendor/preact/preact.js";
import { Live } from "./live.js";
import { Badge, ofNumbers, Table } from "./parts.js";

function row(node) {
  return h("tr", { key: node.name },
    h("th", { scope: "row" }, node.name),
    h("td", null, node.usable ? h(Badge, { look: "ok" }, "usable") : h(Badge, { look: "infra" }, "left out")),
    h("td", null, [node.state, ...node.flags].join(" ")),
    h("td", { class: "num" }, `${node.gpus_used} of ${node.gpus_total}`),
    h("td", null, node.points.join(", ")),
    h("td", null, [node.why_not, node.slurm_reason].filter(Boolean).join("; ")));
}

export class NodesPage extends Live {
  paths() {
    return { list: "/nodes" };
  }

  body({ list }) {
    return h("section", null, h("h1", null, "Nodes"),
      h(Table, { label: "Nodes", head: ["Node", "For sweeps", "Slurm", ofNumbers("GPUs used"), "Points", "Why"],
        rows: list.nodes.map(row), empty: "No fleet has a node in Slurm." }));
  }
}
