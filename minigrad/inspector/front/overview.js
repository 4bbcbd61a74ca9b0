// The overview of many ops: a linear axis of layers, iterations or ops, two curves or bars over it, and a funnel to the strip below.
// It shows all units, or only those from `first` to `end`, magnified.

import { svg, rect, path, put, fitted, titled } from "./elements.js";
import { forms, number, spoken } from "./numbers.js";
import { picture } from "./pictures.js";

const HIGH = 46;

export class Overview {
  /** `before`: the overview at another width, which this one replaces; it is magnified as that was. */
  constructor(inspector, story, width, before) {
    const { fold } = story.view, { first, end, power } = before?.story === story ? before : { first: 0, end: fold.first.length, power: 0 };
    Object.assign(this, { inspector, story, fold, width, first, end, power });
    this.left = width < 520 ? 46 : 118;
    this.room = width - this.left - 10;
    this.capsules = fold.layered && fold.first.length <= 40 && width >= 520;
    this.above = width < 520 ? 20 : 14; // a narrow one has its names over the numbers
    this.top = this.capsules ? 62 : this.above + 8 + HIGH;
    const nested = fold.labels?.some((one) => one.includes(", "));
    this.bottom = this.top + HIGH + (nested ? 80 : 66);
    this.element = svg("svg", { class: "overview", viewBox: `0 0 ${width} ${this.bottom}`, role: "group", "aria-label": `overview: ${fold.first.length} ${this.noun(2)}` });
    this.element.addEventListener("click", (event) => {
      const capsule = event.target.closest(".capsule"), box = this.element.getBoundingClientRect();
      const x = ((event.clientX - box.left) / box.width) * width - this.left;
      if (capsule) this.inspector.open(this.story, Number(capsule.dataset.unit));
      else if (x >= 0 && !event.target.closest("[role=button]")) this.inspector.open(this.story, Math.max(this.first, Math.min(this.end - 1, this.first + Math.floor(x / this.wide))));
    });
    this.draw();
  }

  draw() {
    const { top } = this, held = this.element.contains(document.activeElement) && document.activeElement.getAttribute("aria-label");
    this.opened = undefined;
    this.lit = rect(0, 0, 0, top + HIGH + 10, { class: "lit" });
    this.element.replaceChildren(this.lit);
    if (this.capsules) this.drawCapsules();
    else this.curve(this.fold.above, this.above, "blue");
    this.slopes = this.curve(this.fold.below, top + 8, "orange");
    this.axis(top + HIGH + 22);
    this.funnel = path("", { class: "funnel" });
    this.label = svg("text");
    this.named = this.width - 24 - (this.fold.first.length > 40 ? this.buttons(this.bottom - 8) : 0); // the room for its name
    this.element.append(this.funnel, this.label);
    if (held) [...this.element.querySelectorAll("[tabindex]")].find((one) => one.getAttribute("aria-label") === held)?.focus();
  }

  /** Zoom in ten times around the open unit, or zoom out by as much. */
  zoom(closer) {
    const all = this.fold.first.length;
    this.power = Math.max(0, Math.min(Math.ceil(Math.log10(all / 10)), this.power + (closer ? 1 : -1)));
    this.show(this.opened, Math.min(all, Math.max(10, Math.round(all / 10 ** this.power))));
    this.inspector.draw();
  }

  /** Show this many units around one of them. */
  show(open, count) {
    this.first = Math.max(0, Math.min(this.fold.first.length - count, Math.round(open - count / 2)));
    this.end = this.first + count;
    this.draw();
  }

  buttons(y) {
    [["+", "magnify the axis ten times (+)", true, 44], ["−", "the axis ten times as long (−)", false, 18]].forEach(([sign, says, closer, right]) => {
      const look = { class: "zoom", role: "button", tabindex: 0, "aria-label": says, onclick: () => this.zoom(closer) };
      this.element.append(svg("g", look, rect(this.width - right - 12, y - 16, 24, 22, { class: "box", rx: 4 }), fitted(this.width - right, y, sign, 20, { size: 15, bold: true, anchor: "middle" })));
    });
    const each = Math.round((this.end - this.first) / this.room);
    const shown = `units ${this.first + 1} to ${this.end} of ${this.fold.first.length}${each > 1 ? `, ${each} on each pixel` : ""}`;
    const room = this.width * (this.width < 520 ? 0.25 : 0.4);
    this.element.append(fitted(this.width - 62, y, [shown, `${this.first + 1} to ${this.end}`], room, { size: 11, anchor: "end", class: "quiet" }));
    return room + 50;
  }

  noun(count) {
    const word = { layers: "layer", iterations: "iteration", calls: "call", ops: "stretch" }[this.fold.kind];
    return count === 1 ? word : word === "stretch" ? "stretches" : `${word}s`;
  }

  /** The width of a unit, and its start. */
  get wide() {
    return this.room / (this.end - this.first);
  }

  x(k) {
    return this.left + (k - this.first) * this.wide;
  }

  nameOf(k) {
    const { labels, iterations, loops } = this.fold;
    if (labels) return labels[k];
    if (iterations?.[k]) return `iteration ${iterations[k]} of ${loops.findLast(([first]) => first <= k)[1]}`;
    return `${this.noun(1)} ${k + 1} of ${this.fold.first.length}`;
  }

  /** The name of each layer and a picture of its output. */
  drawCapsules() {
    const { wide } = this, look = { size: 11.5, least: 9, bold: true, anchor: "middle", cut: false };
    this.element.append(fitted(8, 40, "its output", this.left - 14, { size: 12, bold: true, class: "blue" }));
    for (let k = this.first; k < this.end; k++) {
      const name = this.nameOf(k), data = this.story.view.arrays[this.fold.pictures[k]];
      const group = svg("g", { class: "capsule", role: "img", tabindex: 0, "aria-label": `${name}, ${spoken(data)}; Enter opens it`, "data-unit": k },
        rect(this.x(k) + 2, 22, wide - 4, 38, { class: "box" }),
        titled(this.x(k) + wide / 2, 18, [name, String(k + 1)], wide - 3, look, this.fold.paths?.[k] || name),
        data ? picture(data, this.x(k) + 5, 23, wide - 10, 36, "value", false) : null,
      );
      this.element.append(group);
    }
  }

  /** Plot numbers over the axis: as a line, or as bars if the scale is logarithmic. What is nan or inf goes from bottom to top. */
  curve({ name, numbers, bad, log, low, high }, top, tone) {
    const [x, y0, room] = this.width < 520 ? [this.left + 4, top - 9, this.room] : [8, top + HIGH / 2 + 4, this.left - 52];
    this.element.append(fitted(x, y0, name, room, { size: 12, least: 9, bold: true, class: tone }));
    const odd = new Set(bad), none = numbers.every((one) => one == null);
    if (none && !bad.length) return null;
    const y = (one) => top + HIGH - (HIGH * ((log ? Math.log10(Math.abs(one)) : one) - low) / (high - low));
    const group = svg("g", { class: `curve ${tone}` }), decade = Math.max(1, Math.ceil((high - low) / 4));
    const ticks = none ? [] : log ? Array.from({ length: Math.floor((high - low) / decade) + 1 }, (_, k) => high - k * decade) : [...new Set([low, HIGH * Math.min(-low, high) > 10 * (high - low) ? 0 : low, high])];
    for (const tick of ticks) {
      const at = top + HIGH - (HIGH * (tick - low)) / (high - low);
      group.append(path(`M${this.left} ${at}H${this.left + this.room}`, { class: "axis" }));
      group.append(fitted(this.left - 5, at + 3.5, log ? number(10 ** tick, 1, true).replace(/^1(\.0)?·/, "") : forms(tick), Math.min(48, this.left - 7), { size: 9.5, least: 8, family: "mono", anchor: "end", cut: false, class: tone === "orange" ? "quiet spoils" : "quiet" }));
    }
    const { wide } = this, shown = [], thick = Math.max(1, Math.min(26, wide * 0.5));
    const marks = (some) => path(some.map((k) => `M${this.x(k + 0.5).toFixed(1)} ${top}v${HIGH}`).join(""), { class: "bad", "stroke-width": thick });
    if (log && wide >= 2.5) {
      numbers.slice(this.first, this.end).forEach((one, place) => {
        const k = this.first + place, x = this.x(k + 0.5) - thick / 2;
        if (!one && !odd.has(k)) return shown.push(null);
        const bar = svg("g", {}, odd.has(k) ? marks([k]) : rect(x, Math.min(y(one), top + HIGH - 2), thick, Math.max(2, top + HIGH - y(one)), { class: "bar" }));
        if (wide >= 46 && !odd.has(k)) bar.append(fitted(x + thick / 2, Math.max(top + 4, y(one)) - 3, forms(one).slice(1), wide - 2, { size: 10, least: 8, family: "mono", anchor: "middle", cut: false, class: "amount" }));
        shown.push(bar);
        group.append(bar);
      });
    } else { // a line through neighbouring numbers that the axis can show, a dash for one without neighbours
      const places = numbers.map((one, k) => k).slice(this.first, this.end).filter((k) => numbers[k] != null && !(log && !numbers[k]));
      const d = places.map((k, n) => `${places[n - 1] === k - 1 ? "L" : "M"}${this.x(k + 0.5).toFixed(1)} ${y(numbers[k]).toFixed(1)}${places[n - 1] === k - 1 || places[n + 1] === k + 1 ? "" : "m-3 0h6"}`);
      group.append(path(d.join(""), { class: "line" }), marks(bad.filter((k) => k >= this.first && k < this.end)));
    }
    this.element.append(group);
    return { shown, group };
  }

  /** The outer fold, if folds are nested: a line below the units of each of its parts. */
  outer(y) {
    const of = (k) => /^(.*), /.exec(this.fold.labels?.[k] ?? "")?.[1];
    for (let k = this.first, next; k < this.end; k = next) {
      for (next = k + 1; next < this.end && of(next) === of(k); ) next++;
      const [a, b] = [this.x(k) + 1, this.x(next) - 1];
      if (of(k)) this.element.append(path(`M${a} ${y - 9}H${b}`, { class: "span" }), fitted((a + b) / 2, y, [of(k), of(k).split(" ").at(1) ?? ""], b - a, { size: 10, least: 8, anchor: "middle", cut: false, class: "quiet" }));
    }
  }

  /** The label of a unit: the name of a layer, the number of an iteration, or else its position. */
  tick(k) {
    if (this.fold.layered) return [this.nameOf(k), String(k + 1)];
    const name = this.nameOf(k);
    return this.fold.kind === "iterations" && !name.includes(", ") ? /^iteration (\d+)/.exec(name)?.[1] : String(k + 1);
  }

  axis(y) {
    this.outer(y + 14);
    if (this.capsules) return;
    const { wide } = this, stride = Math.ceil(56 / wide);
    const round = stride <= 1 ? 1 : [2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000].find((one) => one >= stride) || stride;
    this.element.append(fitted(8, y, this.fold.kind === "ops" ? "ops" : this.noun(2), this.left - 52, { size: 10.5, least: 8, class: "quiet" }));
    for (let k = this.first ? Math.ceil((this.first + 1) / round) * round - 1 : 0; k < this.end && this.x(k) + wide / 2 < this.width - 16; k += round)
      this.element.append(fitted(this.x(k) + wide / 2, y, this.tick(k), Math.max(30, wide * round - 4), { size: 10, least: 8, anchor: "middle", class: "quiet", family: "mono" }));
  }

  /** Mark the unit that the strip below shows, and how far the backward pass has come. */
  update(now, open, hiding) {
    if (open < this.first || open >= this.end) this.show(open, this.end - this.first);
    if (this.opened !== open) {
      this.opened = open;
      const [a, b] = [this.x(open), Math.max(this.x(open + 1), this.x(open) + 1.5)];
      for (const [name, value] of [["x", a], ["width", b - a]]) put(this.lit, name, value.toFixed(1));
      const { fold, bottom: y } = this;
      put(this.funnel, "d", `M${a} ${y - 36}L4 ${y - 24}V${y - 2}M${b} ${y - 36}L${this.width - 4} ${y - 24}V${y - 2}M4 ${y - 24}`);
      const built = fold.built?.[open] ?? 0, ops = fold.ops[open], module = fold.paths?.[open];
      const name = this.nameOf(open), count = `(${ops} op${ops === 1 ? "" : "s"}${built ? ", built here" : ""})`, path = module && module !== name ? `  ${module}` : "";
      const label = fitted(12, y - 8, [`${name}${path}   ${count}`, `${name}   ${count}`, name], this.named, { size: 12.5, least: 10, bold: true });
      this.label.replaceWith(label);
      this.label = label;
    }
    this.slopes?.shown.forEach((bar, k) => bar && put(bar, "visibility", !hiding && now.reached(this.fold.lead[this.first + k]) ? "visible" : "hidden"));
    if (this.slopes && !this.slopes.shown.length) put(this.slopes.group, "visibility", !hiding && now.over ? "visible" : "hidden");
  }
}
