// Many ops on one line: a linear axis of layers, iterations or ops, two curves or bars over it, and a funnel to the strip below.

import { svg, rect, path, put, fitted } from "./elements.js";
import { forms, number, spoken } from "./numbers.js";
import { picture } from "./pictures.js";

const HIGH = 46;

export class Overview {
  constructor(inspector, story, width) {
    const fold = story.view.fold;
    Object.assign(this, { inspector, story, fold, width });
    this.count = fold.first.length;
    this.left = width < 520 ? 46 : 118;
    this.room = width - this.left - 10;
    this.capsules = fold.layered && this.count <= 40 && width >= 520;
    const top = this.capsules ? 62 : 22 + HIGH;
    this.element = svg("svg", { class: "overview", viewBox: `0 0 ${width} ${top + HIGH + 66}`, role: "group", "aria-label": `overview: ${this.count} ${this.noun(2)}` });
    this.lit = rect(0, 0, 0, top + HIGH + 10, { class: "lit" });
    this.element.append(this.lit);
    if (this.capsules) this.drawCapsules();
    else this.curve(fold.above, 14, "blue");
    this.slopes = this.curve(fold.below, top + 8, "orange");
    this.axis(top + HIGH + 22);
    this.funnel = path("", { class: "funnel" });
    this.label = svg("text", { x: 12, y: top + HIGH + 58, "font-size": 12.5, class: "b" });
    this.element.append(this.funnel, this.label);
    this.bottom = top + HIGH + 66;
    this.element.addEventListener("click", (event) => {
      const capsule = event.target.closest(".capsule"), box = this.element.getBoundingClientRect();
      const x = ((event.clientX - box.left) / box.width) * width - this.left;
      if (capsule) this.inspector.open(this.story, Number(capsule.dataset.unit));
      else if (x >= 0) this.inspector.open(this.story, Math.min(this.count - 1, Math.max(0, Math.floor((x / this.room) * this.count))));
    });
  }

  noun(count) {
    const word = { layers: "layer", iterations: "iteration", calls: "call", ops: "stretch" }[this.fold.kind];
    return count === 1 ? word : word === "stretch" ? "stretches" : `${word}s`;
  }

  x(k) {
    return this.left + (k / this.count) * this.room;
  }

  nameOf(k) {
    if (this.fold.labels) return this.fold.labels[k];
    const iteration = this.fold.iterations?.[k];
    return iteration ? `iteration ${iteration}` : `${this.noun(1)} ${k + 1} of ${this.count}`;
  }

  /** For each layer its name and a picture of its output. */
  drawCapsules() {
    const wide = this.room / this.count;
    this.element.append(fitted(8, 40, "its output", this.left - 14, { size: 12, bold: true, class: "blue" }));
    for (let k = 0; k < this.count; k++) {
      const data = this.story.view.arrays[this.fold.pictures[k]];
      const group = svg(
        "g",
        { class: "capsule", role: "img", tabindex: 0, "aria-label": `${this.nameOf(k)}, ${spoken(data)}; Enter opens it`, "data-unit": k },
        rect(this.x(k) + 2, 18, wide - 4, 42, { class: "box" }),
        fitted(this.x(k) + wide / 2, 12, [this.nameOf(k), String(k + 1)], wide - 3, { size: 11.5, least: 9, bold: true, anchor: "middle", cut: false }),
        data ? picture(data, this.x(k) + 5, 20, wide - 10, 38, "value", false) : null,
        svg("title", {}, this.fold.paths?.[k] || this.nameOf(k)),
      );
      this.element.append(group);
    }
  }

  /** Numbers over the axis: a line, or bars where it is logarithmic. */
  curve({ name, numbers, log, low, high }, top, tone) {
    this.element.append(fitted(8, top + HIGH / 2 + 4, name, this.left - 52, { size: 12, least: 9, bold: true, class: tone }));
    if (numbers.every((one) => one == null)) return null;
    const y = (one) => top + HIGH - (HIGH * ((log ? Math.log10(Math.abs(one)) : one) - low) / (high - low));
    const group = svg("g", { class: `curve ${tone}` });
    const decade = Math.max(1, Math.ceil((high - low) / 4));
    const ticks = log ? Array.from({ length: Math.floor((high - low) / decade) + 1 }, (_, k) => high - k * decade) : [...new Set([low, low < 0 && high > 0 ? 0 : low, high])];
    for (const tick of ticks) {
      const at = top + HIGH - (HIGH * (tick - low)) / (high - low);
      group.append(path(`M${this.left} ${at}H${this.left + this.room}`, { class: "axis" }));
      group.append(fitted(this.left - 5, at + 3.5, log ? number(10 ** tick, 1, true).replace(/^1(\.0)?·/, "") : forms(tick), 48, { size: 9.5, least: 8, family: "mono", anchor: "end", class: "quiet" }));
    }
    const wide = this.room / this.count;
    const shown = [];
    if (log && wide >= 2.5) {
      numbers.forEach((one, k) => {
        if (!one) return shown.push(null);
        const x = this.x(k) + wide * 0.25, width = Math.max(1, Math.min(26, wide * 0.5));
        const bar = svg("g", {}, rect(x, y(one), width, top + HIGH - y(one), { class: "bar" }));
        if (wide >= 46) bar.append(fitted(x + width / 2, Math.max(top + 4, y(one)) - 3, forms(one).slice(1), wide - 2, { size: 10, least: 8, family: "mono", anchor: "middle", class: "amount" }));
        shown.push(bar);
        group.append(bar);
      });
    } else group.append(this.band(numbers, y, log));
    this.element.append(group);
    return { shown, group };
  }

  /** A line through all numbers; where several fall on one pixel, from the least of them to the largest. */
  band(numbers, y, log) {
    let d = "";
    const per = Math.max(1, Math.ceil(this.count / this.room));
    for (let k = 0; k < this.count; k += per) {
      const some = numbers.slice(k, k + per).filter((one) => one != null && !(log && !one));
      if (!some.length) continue;
      const x = this.x(k + Math.min(per, this.count - k) / 2).toFixed(1);
      const [a, b] = [y(Math.min(...some)), y(Math.max(...some))];
      d += `${d ? "L" : "M"}${x} ${a.toFixed(1)}${Math.abs(a - b) > 1 ? `V${b.toFixed(1)}` : ""}`;
    }
    return path(d, { class: "line" });
  }

  axis(y) {
    if (this.capsules) return;
    const wide = this.room / this.count, stride = Math.ceil(56 / wide);
    const round = stride <= 1 ? 1 : [2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000].find((one) => one >= stride) || stride;
    this.element.append(fitted(8, y, this.fold.kind === "ops" ? "ops" : this.noun(2), this.left - 52, { size: 10.5, least: 8, class: "quiet" }));
    for (let k = 0; k < this.count && this.x(k) + wide / 2 < this.width - 16; k += round)
      this.element.append(fitted(this.x(k) + wide / 2, y, this.fold.layered ? [this.nameOf(k), String(k + 1)] : String(k + 1), Math.max(30, wide * round - 4), { size: 10, least: 8, anchor: "middle", class: "quiet", family: "mono" }));
  }

  /** Which unit the strip below shows, and how far the backward pass has come. */
  update(now, open, hiding) {
    if (this.opened !== open) {
      this.opened = open;
      const [a, b] = [this.x(open), Math.max(this.x(open + 1), this.x(open) + 1.5)];
      for (const [name, value] of [["x", a], ["width", b - a]]) put(this.lit, name, value.toFixed(1));
      const { fold, bottom: y } = this;
      put(this.funnel, "d", `M${a} ${y - 36}L4 ${y - 24}V${y - 2}M${b} ${y - 36}L${this.width - 4} ${y - 24}V${y - 2}M4 ${y - 24}`);
      const ops = fold.end[open] - fold.first[open], module = fold.paths?.[open], built = fold.built?.[open] ? ", built here" : "";
      this.label.textContent = `${this.nameOf(open)}${module && module !== this.nameOf(open) ? `  ${module}` : ""}   (${ops} op${ops === 1 ? "" : "s"}${built})`;
    }
    this.slopes?.shown.forEach((bar, k) => bar && put(bar, "visibility", !hiding && now.reached(this.fold.lead[k]) ? "visible" : "hidden"));
    if (this.slopes && !this.slopes.shown.length) put(this.slopes.group, "visibility", !hiding && now.over ? "visible" : "hidden");
  }
}
