// SPDX-License-Identifier: GPL-2.0-or-later
// The last events of a sweep, newest first.
import { h } from "./vendor/preact/preact.js";
import { clock } from "./format.js";
import { Live } from "./live.js";
import { pointPath } from "./parts.js";

const SHOWN_MAX = 50;

export class Feed extends Live {
  paths() {
    return { page: `/events?limit=5000&sweep=${encodeURIComponent(this.props.sweep)}` };
  }

  concerns(event) {
    return event.sweep === this.props.sweep;
  }

  body({ page }) {
    const events = page.events.slice(-SHOWN_MAX).reverse();
    if (!events.length) return h("p", { class: "empty" }, "Nothing has happened yet.");
    return h("ol", { class: "feed", "aria-label": "Events, newest first" }, events.map((e) =>
      h("li", { key: e.id },
        h("time", { dateTime: e.at }, clock(e.at)), " ",
        e.point && h("a", { href: pointPath(e.sweep, e.point) }, e.point), " ",
        h("span", null, e.text || e.kind.replaceAll("_", " ")))));
  }
}
