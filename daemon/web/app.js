// SPDX-License-Identifier: GPL-2.0-or-later
// The frame: which page a URL shows, the state of the feed, who is signed in.
import { Component, h, render } from "./vendor/preact/preact.js";
import { feed, setToken, token } from "./api.js";
import { tell } from "./live.js";
import { NodesPage } from "./nodes.js";
import { PointPage } from "./point.js";
import { SweepPage } from "./sweep.js";
import { SweepsPage } from "./sweeps.js";

const ROUTES = [
  [/^\/$/, () => h(SweepsPage), () => "Sweeps"],
  [/^\/sweeps\/([^/]+)$/, ([id]) => h(SweepPage, { key: id, id }), ([id]) => id],
  [/^\/sweeps\/([^/]+)\/points\/([^/]+)$/, ([id, name]) => h(PointPage, { key: `${id}/${name}`, id, name }), ([id, name]) => `${name} of ${id}`],
  [/^\/nodes$/, () => h(NodesPage), () => "Nodes"],
];

const FEED_WORDS = { "": "connecting", live: "live", polling: "every 2 s", lost: "no connection" };

function pageOf(path) {
  for (const [pattern, view, title] of ROUTES) {
    const found = pattern.exec(path);
    if (!found) continue;
    const parts = found.slice(1).map(decodeURIComponent);
    return { view: () => view(parts), title: title(parts) };
  }
  return { view: () => h("p", { class: "empty" }, "There is no such page. ", h("a", { href: "/" }, "All sweeps")), title: "Not found" };
}

class App extends Component {
  state = { path: location.pathname, feed: "" };

  componentDidMount() {
    document.addEventListener("click", this.onClick);
    window.addEventListener("popstate", this.onMove);
    this.listen();
  }

  listen() {
    this.end?.();
    this.end = feed(tell, (state) => this.setState({ feed: state }));
  }

  onMove = () => {
    this.setState({ path: location.pathname });
  };

  onClick = (event) => {
    const link = event.target.closest?.("a[href]");
    if (!link || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey) return;
    if (link.origin !== location.origin || link.hash || link.pathname.startsWith("/api/")) return;
    event.preventDefault();
    history.pushState(null, "", link.href);
    this.onMove();
    window.scrollTo(0, 0);
    document.querySelector("main").focus({ preventScroll: true });
  };

  sign = () => {
    const given = token() ? "" : window.prompt("Access token (sweepctl token create):");
    if (given === null) return;
    setToken(given.trim());
    this.setState({ signed: Boolean(given) });
    this.listen();
  };

  render(_, { path, feed: state }) {
    const page = pageOf(path);
    const here = (href) => (path === href ? "page" : undefined);
    document.title = `${page.title} · sweepd`;
    return h("div", null,
      h("a", { class: "skip", href: "#main" }, "Skip to the content"),
      h("nav", { "aria-label": "Main" },
        h("a", { class: "brand", href: "/" }, "sweepd"),
        h("a", { href: "/", "aria-current": here("/") }, "Sweeps"),
        h("a", { href: "/nodes", "aria-current": here("/nodes") }, "Nodes"),
        h("span", { class: `feed-state ${state}`, role: "status" }, FEED_WORDS[state]),
        h("button", { type: "button", onClick: this.sign }, token() ? "Sign out" : "Sign in")),
      h("main", { id: "main", tabIndex: -1 }, page.view()));
  }
}

render(h(App), document.body);
