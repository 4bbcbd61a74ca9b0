// The memory of the tapes over time: the height of a named block is its bytes, its width its lifetime. It is also the time slider.

import { svg, rect, path, put, fitted } from "./elements.js";
import { bytesText } from "./numbers.js";
import { pictured } from "./pictures.js";
import { began } from "./story.js";

const TOP = 16, BASE = 58;

export class Memory {
  constructor(inspector) {
    this.inspector = inspector;
    const drag = (event) => {
      const box = this.element.getBoundingClientRect();
      const share = (((event.clientX - box.left) / box.width) * this.width - 12) / (this.width - 24);
      inspector.go(inspector.stepFor(this.story, Math.round(share * (this.count + 1)) - 1));
    };
    const onpointerdown = (event) => (this.element.setPointerCapture(event.pointerId), drag(event));
    const onpointermove = (event) => this.element.hasPointerCapture(event.pointerId) && drag(event);
    this.element = svg("svg", { class: "scrubber", role: "slider", tabindex: 0, "aria-label": "time, drawn as the memory that the tape keeps", "aria-valuemin": 0, onpointerdown, onpointermove });
  }

  x(step) {
    return 12 + ((step + 1) / (this.count + 1)) * (this.width - 24);
  }

  draw(story, width) {
    const { memory, readings, tapes } = story.view, passes = readings.filter(began), turns = passes.map((one) => one.at), own = passes.filter((one) => one.tape === tapes[0]?.id);
    Object.assign(this, { story, width, count: story.count });
    put(this.element, "viewBox", `0 0 ${width} 70`);
    put(this.element, "aria-valuemax", this.count);
    this.element.replaceChildren();
    const unit = (BASE - TOP) / (memory.peak || 1);
    let last = -1e9;
    for (const at of turns) {
      const x = this.x(at);
      this.element.append(path(`M${x} ${TOP - 6}V${BASE}`, { class: "turn-line" }));
      if (x - last > 90) this.element.append(fitted(Math.min(x + 3, width - 88), 11, ["backward pass", "backward"], 84, { size: 10.5, least: 9, bold: true, class: "halo" }));
      last = x;
    }
    if (memory.blocks.length) this.blocks(memory.blocks, unit, own);
    else if (memory.peak) this.curve(unit, own);
    this.element.append(path(`M12 ${BASE}H${width - 12}`, { class: "axis" }));
    if (memory.why) this.element.append(fitted(14, 11, memory.why, this.x(turns[0] ?? this.count) - 30, { size: 11, class: "quiet halo secret" }));
    this.hand = svg("g", { class: "hand" }, path(`M0 ${TOP - 6}V${BASE}`), svg("circle", { cx: 0, cy: BASE + 2, r: 6 }));
    this.element.append(this.hand);
  }

  /** Stack blocks on those that live longer. */
  blocks(blocks, unit, readings) {
    const lanes = [];
    for (const block of [...blocks].sort((one, two) => one.from - two.from)) {
      const to = block.to ?? this.count;
      const under = Math.max(0, ...lanes.filter((one) => one.to > block.from && one.block.from < to).map((one) => one.top));
      lanes.push({ block, to, top: under + block.bytes * unit, under });
    }
    const highest = Math.max(...lanes.map((one) => one.top));
    const press = highest > BASE - TOP ? (BASE - TOP) / highest : 1;
    for (const { block, to, top, under } of lanes) {
      const [a, b] = [this.x(block.from), this.x(to)];
      const [y, high] = [BASE - top * press, (top - under) * press - 0.6];
      const edges = [a, ...readings.flatMap(({ at, end }) => [at, end ?? to].map((step) => Math.min(b, Math.max(a, this.x(step))))), b]; // alternately kept and read
      const group = svg("g", { class: "block picture secret" }, edges.slice(1).map((edge, k) => rect(edges[k], y, edge - edges[k], high, { class: k % 2 ? "freed" : "kept" })));
      if (high >= 11) group.append(fitted(a + 4, y + high / 2 + 4, [`${block.name} ${block.text}`, block.name, ""], b - a - 6, { size: 11, least: 9, family: "mono", cut: false }));
      pictured.set(group, { block, text: `${block.name}: ${block.bytes} B`, rows: 1, cols: 1, x: a, y, w: b - a, h: high });
      this.element.append(group);
    }
  }

  curve(unit, readings) {
    const part = (from, to, name) => {
      if (to <= from) return;
      const stride = Math.max(1, Math.floor((to - from) / 900));
      let d = `M${this.x(from)} ${BASE}`;
      for (let k = from; k <= to; k += k + stride > to && k < to ? to - k : stride) d += `V${(BASE - this.story.bytes(k) * unit).toFixed(1)}H${this.x(Math.min(k + stride, to)).toFixed(1)}`;
      this.element.append(path(`${d}V${BASE}Z`, { class: `${name} secret` }));
    };
    const end = this.count - 1;
    const edges = [0, ...readings.flatMap((one) => [one.at, one.end ?? end].map((step) => Math.min(step, end))), end];
    edges.slice(1).forEach((edge, k) => part(edges[k], edge, k % 2 ? "freed" : "kept"));
  }

  update(step, text) {
    put(this.hand, "transform", `translate(${this.x(step).toFixed(1)} 0)`);
    put(this.element, "aria-valuenow", step + 1);
    put(this.element, "aria-valuetext", `step ${step + 1} of ${this.count}${this.inspector.predict ? "" : `, the tape keeps ${bytesText(this.story.bytes(step))}`}. ${text}`);
  }
}
