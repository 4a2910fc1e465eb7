// SPDX-License-Identifier: GPL-2.0-or-later
// A place for a drawing of Observable Plot, drawn anew when its data or its width has changed.
import { Component, createRef, h } from "./vendor/preact/preact.js";

const WIDTH_MIN = 320;

export class Chart extends Component {
  place = createRef();

  componentDidMount() {
    this.observer = new ResizeObserver(() => this.draw());
    this.observer.observe(this.place.current);
  }

  componentWillUnmount() {
    this.observer.disconnect();
  }

  shouldComponentUpdate(next) {
    return next.signature !== this.props.signature;
  }

  componentDidUpdate() {
    this.drawn = null;
    this.draw();
  }

  draw() {
    const width = Math.max(WIDTH_MIN, Math.floor(this.place.current.clientWidth));
    if (this.drawn === width) return;
    this.drawn = width;
    const options = this.props.plot(width);
    const drawing = globalThis.Plot.plot({ width, style: { background: "none" }, ...options });
    drawing.setAttribute("aria-hidden", "true"); // the figure says what it is, the table has the numbers
    this.place.current.replaceChildren(drawing);
  }

  render({ label }) {
    return h("figure", { class: "chart", role: "img", "aria-label": label, ref: this.place });
  }
}
