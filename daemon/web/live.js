// SPDX-License-Identifier: GPL-2.0-or-later
// A view of documents that follows the events: it shows what it has, and loads again when an
// event says that something has changed.
import { Component, h } from "./vendor/preact/preact.js";
import { get } from "./api.js";

const SETTLE_MS = 150; // events come in bunches
const IDLE_RELOAD_MS = 15000; // ages and ETAs move without events
const LOAD_SHARE = 4; // loading takes at most a fifth of the time
const listeners = new Set();

// app.js gives each event of the feed to all views that are open.
export function tell(event) {
  for (const listener of listeners) listener(event);
}

export function ProblemBox({ problem }) {
  return h("div", { class: "problem", role: "alert" },
    h("strong", null, problem.title || "Something is wrong"),
    h("p", null, problem.message),
    problem.fix && h("p", null, problem.fix));
}

// Subclasses say paths(): {name: "/path"}, and body(documents). concerns(event) may narrow what
// they reload for.
export class Live extends Component {
  state = { documents: null, problem: null };

  componentDidMount() {
    this.mounted = true;
    listeners.add(this.onEvent);
    this.load();
  }

  componentWillUnmount() {
    this.mounted = false;
    listeners.delete(this.onEvent);
    clearTimeout(this.timer);
  }

  concerns() {
    return true;
  }

  onEvent = (event) => {
    if (this.concerns(event)) this.soon(SETTLE_MS);
  };

  soon(ms) {
    const at = Date.now() + Math.max(ms, (this.notBefore || 0) - Date.now());
    if (this.timer && this.at <= at) return;
    clearTimeout(this.timer);
    this.at = at;
    this.timer = setTimeout(() => this.load(), at - Date.now());
  }

  load = async () => {
    clearTimeout(this.timer);
    this.timer = null;
    if (this.loading) {
      this.again = true;
      return;
    }
    const began = Date.now();
    this.loading = true;
    try {
      const paths = Object.entries(this.paths());
      const answers = await Promise.all(paths.map(([, path]) => get(path)));
      const documents = Object.fromEntries(paths.map(([name], i) => [name, answers[i]]));
      if (this.mounted) this.setState({ documents, problem: null });
    } catch (problem) {
      if (this.mounted) this.setState({ problem });
    }
    this.loading = false;
    this.notBefore = Date.now() + LOAD_SHARE * (Date.now() - began);
    if (this.mounted) this.soon(this.again ? SETTLE_MS : IDLE_RELOAD_MS);
    this.again = false;
  };

  render() {
    const { documents, problem } = this.state;
    if (!documents && !problem) return h("p", { class: "loading", role: "status" }, "Loading …");
    return h("div", null, problem && h(ProblemBox, { problem }), documents && this.body(documents));
  }
}
