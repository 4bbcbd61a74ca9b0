// The lines of the user, beside the film.

import { html, icon } from "./elements.js";

export class Code {
  constructor(inspector) {
    this.inspector = inspector;
    this.note = html("span");
    this.list = html("ol", { class: "lines" });
    this.element = html("section", { class: "code", "aria-label": "Code" }, html("h4", {}, "Code", this.note), this.list);
    this.list.addEventListener("keydown", (event) => this.key(event));
  }

  set(story) {
    const cuts = new Set(story.cuts.map((cut) => cut.line));
    const ghosts = new Set([...story.frames.values()].filter((frame) => story.isGhost(frame)).map((frame) => frame.line));
    this.lines = new Map();
    for (const { n, text } of story.view.code || []) {
      const gutter = cuts.has(n) ? "cut" : ghosts.has(n) ? "ghost" : null;
      const says = { cut: ", the path is cut here", ghost: ", ran without being written" }[gutter] || "";
      const item = html(
        "li",
        {
          role: "button",
          tabindex: -1,
          class: gutter || "",
          "aria-label": `line ${n}: ${text.trim()}${says}`,
          onclick: () => this.choose(story, n),
        },
        html("span", { class: "n" }, n),
        html("span", { class: "gutter" }, gutter && icon(gutter, gutter === "cut" ? 15 : 13)),
        html("span", { class: "text" }, text),
      );
      this.lines.set(n, item);
    }
    this.cut = [...this.lines.values()].find((item) => item.classList.contains("cut")); // shown where no line is the current one
    this.list.replaceChildren(...this.lines.values());
    if (!this.lines.size)
      this.list.append(html("li", { class: "empty" }, html("span"), html("span"), html("span", {}, "no source lines are known")));
  }

  choose(story, n) {
    const first = story.steps.findIndex((_, k) => story.at(k + 1).line === n);
    if (first >= 0) this.inspector.goTo(story, first + 1);
  }

  draw(line) {
    this.note.textContent = line ? `line ${line}` : "";
    for (const [n, item] of this.lines) {
      const current = n === line;
      item.classList.toggle("current", current);
      item.tabIndex = current ? 0 : -1;
      if (current) item.setAttribute("aria-current", "step");
      else item.removeAttribute("aria-current");
    }
    const item = this.lines.get(line) || this.cut || this.lines.values().next().value;
    if (!item) return;
    if (!this.lines.has(line)) item.tabIndex = 0;
    if (this.lines.has(line) || item === this.cut) this.list.scrollTop = item.offsetTop - (this.list.clientHeight - item.clientHeight) / 2;
  }

  key(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || event.shiftKey) return;
    const items = [...this.lines.values()];
    const item = items[items.indexOf(document.activeElement) + step];
    if (!item) return;
    event.preventDefault();
    event.stopPropagation();
    item.focus({ preventScroll: true });
    this.inspector.line(step);
  }
}
