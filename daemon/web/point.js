// SPDX-License-Identifier: GPL-2.0-or-later
// One point: its attempts, and for each what it was judged by.
import { h } from "./vendor/preact/preact.js";
import { between, clock, number } from "./format.js";
import { Live } from "./live.js";
import { Facts, PointBadge, Table } from "./parts.js";

function Evidence({ attempt }) {
  return h(Table, { label: `Evidence of attempt ${attempt.number}`, head: ["Rule", "Holds", "Value", "Limit", "Read from"],
    empty: "Not judged yet.",
    rows: attempt.evidence.map((e, i) => h("tr", { key: i, class: e.holds ? "" : "broken" },
      h("th", { scope: "row" }, e.rule), h("td", null, e.holds ? "yes" : "no"),
      h("td", null, e.value), h("td", null, e.limit), h("td", null, e.source))) });
}

function Attempt({ attempt }) {
  return h("section", { "aria-label": `Attempt ${attempt.number}` },
    h("h2", null, `Attempt ${attempt.number}`, " ", h("small", null, attempt.outcome || attempt.state)),
    h(Facts, { rows: [
      ["Why", attempt.reason],
      ["Charged to", attempt.blame],
      ["Job", attempt.job_id && `${attempt.job_id} on ${attempt.node || "no node yet"}`],
      ["Slurm says", attempt.slurm_state],
      ["Phase", attempt.phase],
      ["Intent", clock(attempt.intent_at)],
      ["Submitted", clock(attempt.submitted_at)],
      ["Started", clock(attempt.started_at)],
      ["Ended", clock(attempt.ended_at)],
      ["Took", attempt.started_at && between(attempt.started_at, attempt.ended_at)],
      ["Folder", h("code", null, attempt.folder)],
    ] }),
    h(Evidence, { attempt }));
}

export class PointPage extends Live {
  paths() {
    return { doc: `/sweeps/${encodeURIComponent(this.props.id)}/points/${encodeURIComponent(this.props.name)}` };
  }

  concerns(event) {
    return event.sweep === this.props.id && (!event.point || event.point === this.props.name);
  }

  body({ doc }) {
    const p = doc.point;
    return h("div", null,
      h("p", { class: "path" }, h("a", { href: `/sweeps/${doc.sweep}` }, doc.sweep)),
      h("h1", null, p.name, " ", h(PointBadge, { point: p })),
      p.reason && h("p", { class: "summary" }, p.reason),
      h(Facts, { rows: [
        ["Parallelism", `TP ${p.tp}, EP ${p.ep}${p.dp_attn ? ", DP attention" : ""}, ${p.gpus} GPUs`],
        ["Concurrency", number(p.conc)],
        ["AL", number(p.al, 3)],
        ["Total tok/s per GPU", number(p.total_tps_per_gpu, 1)],
        ["Output tok/s per user", number(p.output_tps_per_user, 1)],
        ["TTFT p90", p.ttft_p90_s === null ? null : `${number(p.ttft_p90_s, 2)} s`],
        ["Requests", p.requests === null ? null : number(p.requests)],
      ] }),
      [...p.attempts].reverse().map((attempt) => h(Attempt, { key: attempt.number, attempt })),
      !p.attempts.length && h("p", { class: "empty" }, "No attempt yet: the point waits for a node."));
  }
}
