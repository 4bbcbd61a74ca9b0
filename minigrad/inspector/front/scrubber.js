// Time as a line.

import { svg, rect, path, label, measure } from "./elements.js";
import { bytesText } from "./values.js";

/** Time as a line that one can drag: its height is the memory the tape holds. */
export class Scrubber {
  constructor(inspector) {
    this.inspector = inspector;
    this.element = svg("svg", {
      class: "scrubber",
      role: "slider",
      tabindex: 0,
      "aria-label": "Time, drawn as the memory the tape holds",
      "aria-valuemin": 0,
    });
    const drag = (event) => {
      const box = this.element.getBoundingClientRect();
      inspector.go(
        Math.round(
          ((((event.clientX - box.left) / box.width) * this.width) / (this.width - 24)) * inspector.end -
            (12 / (this.width - 24)) * inspector.end,
        ),
      );
    };
    this.element.addEventListener("pointerdown", (event) => {
      this.element.setPointerCapture(event.pointerId);
      drag(event);
    });
    this.element.addEventListener("pointermove", (event) => this.element.hasPointerCapture(event.pointerId) && drag(event));
  }

  x(t) {
    return 12 + (t / Math.max(1, this.inspector.end)) * (this.width - 24);
  }

  draw(story, width) {
    const { view } = story;
    const times = this.inspector.timesOf(story);
    this.width = width;
    const top = 20,
      base = 58;
    const most = Math.max(
      1,
      ...[view.peak || 0],
      view.bytes.reduce((a, b) => Math.max(a, b), 0),
    );
    this.y = (bytes) => base - (bytes / most) * (base - top);
    this.story = story;
    const reading = (k) => story.turnAt.some((turn, id) => k + 1 > turn && k + 1 <= (story.doneAt[id] ?? story.end));
    const stride = Math.max(1, Math.floor(story.end / 1200));
    const spans = [];
    let before = 0;
    view.bytes.forEach((bytes, k) => {
      if (k % stride && k !== view.bytes.length - 1) return;
      const kind = reading(k) ? "read" : "written";
      if (spans.at(-1)?.kind !== kind)
        spans.push({ kind, d: `M${this.x(k ? times[k] : 0)} ${this.y(before)}`, start: this.x(k ? times[k] : 0) });
      const span = spans.at(-1);
      span.d += stride > 1 ? `L${this.x(times[k + 1])} ${this.y(bytes)}` : `V${this.y(bytes)}H${this.x(times[k + 1])}`;
      span.end = this.x(times[k + 1]);
      before = bytes;
    });
    const turns = story.turnAt.map((turn, id) => ({
      x: this.x(times[turn]),
      text:
        story.turnAt.length === 1
          ? "turn"
          : view.tapes.length > 1
            ? `${view.tapes.find((tape) => tape.id === view.readings[id].tape).name} turns`
            : `reading ${id + 1}`,
    }));
    let free = measure("memory", 12) + 20;
    this.element.setAttribute("viewBox", `0 0 ${width} 70`);
    this.element.setAttribute("aria-valuemax", this.inspector.end);
    this.pin = path("", { class: "pin" });
    this.knob = svg("circle", { r: 6.5, cy: base, class: "knob" });
    this.tag = svg("g", { class: "tag" }, rect(0, 0, 10, 17), label(0, 0, "", { class: "m", "font-size": 12.5, "font-weight": 600 }));
    this.element.replaceChildren(
      rect(0, 0, width, 70, { class: "catch" }),
      label(12, 13, "memory", { class: "quiet", "font-size": 12 }),
      ...spans.flatMap((span) => [
        path(`${span.d}V${base}H${span.start}Z`, { class: `area ${span.kind}` }),
        path(span.d, { class: `edge ${span.kind}` }),
      ]),
      path(`M${this.x(0)} ${base}H${this.x(this.inspector.end)}`, { class: "base" }),
      ...turns
        .slice(0, 12)
        .map(({ x, text }) => {
          const half = measure(text, 12.5, "ui", 700) / 2;
          const fits = x - half > free && x + half < width;
          if (fits) free = x + half + 8;
          return [
            path(`M${x} 17V${base}`, { class: "turn-line" }),
            fits && label(x, 13, text, { "text-anchor": "middle", "font-size": 12.5, "font-weight": 700 }),
          ];
        })
        .flat(),
      this.pin,
      this.knob,
      this.tag,
    );
  }

  move(t, text) {
    const x = this.x(t);
    const bytes = this.inspector.bytesAt(this.story, t);
    const word = bytesText(bytes);
    const wide = measure(word, 12.5, "mono", 600) + 12;
    const left = x + wide + 10 < this.width ? x + 7 : x - wide - 7;
    this.pin.setAttribute("d", `M${x} 18V58`);
    this.knob.setAttribute("cx", x);
    const [box, words] = this.tag.children;
    const y = Math.max(24, Math.min(38, this.y(bytes) + 4));
    box.setAttribute("x", left);
    box.setAttribute("y", y);
    box.setAttribute("width", wide);
    words.setAttribute("x", left + 6);
    words.setAttribute("y", y + 13);
    words.textContent = word;
    this.element.setAttribute("aria-valuenow", t);
    this.element.setAttribute("aria-valuetext", text);
  }
}
