// A strip of columns and wires. It is built once for each width; a step redraws only what changes.

import { svg, rect, path, put, fitted, titled, needed, measure, mark } from "./elements.js";
import { forms, shapeForms, shapeText, spoken } from "./numbers.js";
import { picture, pictured } from "./pictures.js";
import { began } from "./story.js";
import { geometry, arc, onArc, abreast, bandWidth } from "./geometry.js";

/** The marks before a column, by the position of the column. */
function marksBetween(view, strip) {
  const found = new Map();
  for (const mark of view.marks) {
    const k = strip.cols.findIndex((id, place) => place >= strip.outside && +id.slice(1) >= mark.at);
    const elsewhere = k < 0 || (view.fold && k === strip.outside && +strip.cols[k].slice(1) > mark.at);
    if (!elsewhere) found.set(k, [...(found.get(k) || []), mark]);
  }
  return found;
}

const CODE = 14; // the height of the labels for lines of code
const isPlain = ({ kind }) => kind === "source" || kind === "data";
const lookOf = (col) => ({ bold: true, family: isPlain(col) ? "mono" : "ui" });

export class Film {
  /** A strip of a story (a view with its steps), at a width in pixels. `folded`: it is a unit of a folded film. */
  constructor(inspector, story, strip, width, folded) {
    Object.assign(this, { inspector, story, strip, view: story.view });
    const gaps = marksBetween(story.view, strip), columns = strip.cols.map((one) => this.view.cols[one]);
    const least = columns.map((col, k) => Math.max(44, Math.min(110, 13 + needed(this.signs(col, k), { least: 9, ...lookOf(col) }, isPlain(col) ? 48 : 0))));
    const g = (this.g = geometry(strip, width, folded, gaps, least));
    this.element = svg("svg", {
      class: `film ${g.upright ? "upright" : "turned"}`, viewBox: `0 0 ${g.width} ${g.height}`, role: "group",
      "aria-label": "the film: each column is an array, above its value, below its gradient; Enter tells more of it", style: `width:${(g.width / width) * 100}%`,
    });
    this.place = new Map(strip.cols.map((one, k) => [one, k]));
    this.layers = ["under", "lower", "cells", "upper", "marks"].map((name) => svg("g", { class: name }));
    this.element.append(...this.layers);
    this.words();
    this.columns = columns.map((col, k) => this.column(col, k));
    this.knots = []; // the marks on wires
    this.wires = strip.wires.map((one) => this.wire(one));
    this.ribbons();
    if (g.upright) this.brackets();
    this.betweens(gaps);
    this.layers[4].append((this.bow = svg("g", { class: "turn" })));
  }

  words() {
    const { g } = this;
    [["value", "recorded →", "blue"], ["gradient", "← passed back", "orange"]].forEach(([word, way, tone], k) => {
      const [from, size] = k ? g.lanes.slope : g.lanes.value, middle = from + size / 2;
      if (!g.upright) this.layers[0].append(fitted(middle, 16, word, size, { size: 12, bold: true, anchor: "middle", class: tone }));
      else if (g.labels) this.layers[0].append(fitted(8, middle, word, 70, { size: 13, bold: true, class: tone }), fitted(8, middle + 15, way, 74, { size: 11, class: tone }));
    });
  }

  column(col, k) {
    const { g } = this; // the boxes are for its value, for its gradient, and for the whole column
    const boxes = Object.fromEntries(Object.entries(g.lanes).map(([name, [from, size]]) => [name, [...g.pair(g.start(k), from), ...g.pair(g.cell(k), size)]]));
    const outer = k < this.strip.outside && !isPlain(col);
    const look = `frame ${col.kind}${outer ? " outer" : ""}`, onclick = () => this.inspector.select(col.id, this.story);
    const group = svg("g", { class: look, role: "img", tabindex: -1, "data-id": col.id, onclick });
    const value = svg("g", { class: "written" }), slope = svg("g", { class: "read" });
    const ground = [rect(...boxes.all, { class: "whole" })];
    if (col.kind === "source") ground.push(rect(...boxes.all, { class: `box ${col.watched ? "watched" : "unwatched"}`, rx: 4 }));
    else if (col.kind === "data" || outer) ground.push(rect(...boxes.all, { class: "box none" }));
    else ground.push(rect(...boxes.value, { class: "box" }), ...(col.kind === "op" ? [rect(...boxes.slope, { class: "below" })] : []));
    if (col.kind === "crash") ground.push(this.tear(boxes.value));
    if (this.view.readings.some((one) => one.raised === col.id)) ground.push(this.tear(boxes.slope));
    this.title(value, col, boxes, k, outer);
    group.append(...ground, value, slope, rect(...boxes.all, { class: "edge", rx: 3 }));
    this.layers[2].append(group);
    if (outer && g.upright) group.append(fitted(boxes.all[0] + g.cell(k) / 2, CODE, this.origin(col), g.cell(k) + 4, { size: 11, least: 9, anchor: "middle", class: "quiet" }));
    return { col, k, boxes, group, value, slope, outer, drawn: false };
  }

  /** The unit from which an array comes that was made outside this strip. */
  origin(col) {
    const unit = this.story.unitOf(Number(col.id.slice(1)));
    const { labels, iterations } = this.view.fold;
    return [`from ${labels?.[unit] ?? (iterations?.[unit] ? `iteration ${iterations[unit]}` : "before")}`, "from before", "before"];
  }

  tear([x, y, w, h]) {
    const teeth = Math.max(4, Math.round(h / 9));
    const steps = Array.from({ length: teeth }, (_, k) => `l${k % 2 ? 5 : -5} ${h / teeth}`);
    return path(`M${x + w} ${y}${steps.join("")}`, { class: "torn" });
  }

  /** The names of a column, from the longest to the shortest; an op outside this strip has that of its value. */
  signs(col, k) {
    return k < this.strip.outside && !isPlain(col) && col.name ? [col.name] : col.signs;
  }

  /** The symbol and the name at the head of a column, and its shape between value and gradient. */
  title(group, col, boxes, k, outer) {
    const { g } = this, [x, y, w] = g.upright ? boxes.value : boxes.all;
    const wide = g.upright ? w : boxes.value[0] - x, signs = this.signs(col, k);
    const room = wide - 7, look = { size: 14, least: 9, class: "sign", ...lookOf(col) };
    const both = !isPlain(col) && !outer && col.name && measure(signs[0], 14, "ui", true) + measure(col.name, 11, "mono") + 12 <= room;
    group.append(titled(x + 5, y + (g.upright ? 16 : 18), signs, room, look, isPlain(col) ? col.path || col.name : col.text || col.op));
    if (both) group.append(fitted(x + wide - 5, y + 16, col.name, room, { size: 11, family: "mono", anchor: "end", class: "quiet" }));
    if (!col.shape?.length && !col.outputs) return;
    const at = g.upright ? [x + w / 2, y + boxes.value[3] + 12, "middle"] : [x + 5, y + 34, "start"];
    group.append(fitted(at[0], at[1], col.outputs ?? shapeForms(col.shape), room, { size: 11, least: 8.5, family: "mono", anchor: at[2], class: "quiet" }));
  }

  picture([x, y, w, h], data, tone, shape = data.shape) {
    const { g } = this, other = String(shape) !== String(data.shape); // a Jacobian has another shape than its column
    const head = g.upright && tone === "value" ? 19 : other ? 14 : 3;
    const shown = picture(data, x + 4, y + head, w - 8, h - head - 3, tone, h > 40);
    return other ? svg("g", {}, fitted(x + w / 2, y + 11, shapeForms(data.shape), w - 8, { size: 11, least: 8.5, family: "mono", anchor: "middle" }), shown) : shown;
  }

  /** The matrix products that a picture is part of: the pictures of the two inputs and of the output of each. */
  products(group) {
    const shown = (one) => this.columns[this.place.get(one)]?.value.querySelector(".picture");
    const made = this.columns.filter(({ col }) => col.op === "matmul" && col.args.length === 2);
    const trios = made.map(({ col }) => [col.args[0].node, col.args[1].node, col.id].map(shown));
    return trios.filter((trio) => trio.includes(group) && trio.every((one) => pictured.has(one)));
  }

  // ---- wires

  wire([key, i, n, j, m, level]) {
    const { g } = this, wire = this.view.wires[key];
    const [from, to] = [this.place.get(wire.from), this.place.get(wire.to)];
    const [a, b] = [g.port(from, i, n), g.port(to, j, m)];
    const high = g.high(level);
    const group = svg("g", { class: `wire ${wire.state}` }, path(arc(g, a, b, -1, high), { class: "way" }), path(this.head(b, -1, 4), { class: "head" }));
    this.layers[3].append(group);
    const places = [0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8].map((share) => g.pair(...onArc(g, a, b, -1, high, share)));
    const [x, y] = places.find((one) => this.knots.every((other) => Math.hypot(one[0] - other[0], one[1] - other[1]) > 18)) ?? places[0];
    this.knots.push([x, y]);
    const scissors = wire.state === "cut" || wire.state === "stop" ? mark(wire.state, x, y, 9) : null;
    const words = `the path breaks between ${this.story.name(wire.from)} and ${this.story.name(wire.to)}`;
    const asked = svg("g", { class: "ask", role: "button", tabindex: -1, "aria-label": words, onclick: () => this.inspector.judged({ wire }) });
    asked.append(svg("circle", { cx: x, cy: y, r: 9 }), svg("text", { x, y: y + 4, "text-anchor": "middle", "font-size": 11 }, "?"));
    this.layers[4].append(...(scissors ? [scissors, asked] : [asked]));
    const at = this.view.cols[wire.to].at;
    return { wire, from, to, a, b, high, group, scissors, asked, at, state: "" };
  }

  /** An arrowhead at a port. */
  head(t, side, size) {
    const { g } = this, base = side < 0 ? g.above : g.below;
    return `M${g.point(t, base)}L${g.point(t - size, base + side * size * 1.7)} ${g.point(t + size, base + side * size * 1.7)}Z`;
  }

  /** The ribbons: the wires again, below the columns, as wide as the gradients that they carry back. */
  ribbons() {
    const { g } = this, ends = new Map();
    const end = (k, ribbon, place) => ends.set(k, [...(ends.get(k) || []), { ribbon, place }]);
    const make = (wire, lost) => {
      const share = lost ? wire.wire.lostWidth : Math.max(0, ...wire.wire.sent.map((one) => one[3]));
      const ribbon = { wire, lost, high: wire.high + (lost ? 2 : 0), look: "ribbon lost", width: bandWidth(g, share), group: svg("g"), state: "" };
      end(wire.from, ribbon, wire.a), end(wire.to, ribbon, wire.b);
      return ribbon;
    };
    this.back = [], this.snips = [];
    for (const wire of this.wires) {
      if (wire.wire.sent.length) this.back.push(make(wire, false));
      if (wire.wire.lost != null) this.back.push(make(wire, true));
    }
    for (const [k, found] of ends) {
      found.sort((one, two) => one.place - two.place || one.ribbon.lost - two.ribbon.lost);
      const places = abreast(found.map((one) => one.place), found.map((one) => one.ribbon.width));
      found.forEach((one, n) => (one.ribbon[one.ribbon.wire.from === k && one.place === one.ribbon.wire.a ? "a" : "b"] = places[n]));
    }
    this.numbered = this.back.length <= 14 && g.upright;
    for (const ribbon of this.back) this.ribbon(ribbon);
    for (const ribbon of this.back)
      if (ribbon.lost && ribbon.wire.scissors) {
        const place = this.free(ribbon, [0.23, 0.77, 0.15, 0.85, 0.32, 0.68, 0.42, 0.58, 0.1, 0.9], 9) ?? onArc(g, ribbon.a, ribbon.b, 1, ribbon.high, 0.23);
        this.snips.push(place);
        this.layers[4].append((ribbon.scissors = mark(ribbon.wire.wire.state, ...g.pair(...place), 7)));
      }
    if (this.numbered) this.sums(ends);
  }

  ribbon(ribbon) {
    const { wire, group, a, b, high, width, lost } = ribbon;
    const d = arc(this.g, a, b, 1, high);
    const name = lost ? "lost: would have come here" : `${this.story.name(wire.wire.to)} to ${this.story.name(wire.wire.from)}`;
    const edge = lost ? path(d, { class: "rim" }) : path("", { class: "head" });
    group.append(path(d, { class: "band", "stroke-width": width.toFixed(1) }), edge, svg("title", {}, name));
    this.layers[1].append(group);
    this.dress(ribbon, wire.wire.sent.at(-1));
  }

  /** Give a ribbon the width, the colour and the number of what it carries in one reading. */
  dress(ribbon, sent) {
    const { group, a, b, lost } = ribbon, [reading, , array, share] = sent || [];
    ribbon.sent = sent;
    if (!lost) {
      const width = bandWidth(this.g, share);
      ribbon.look = `ribbon${this.view.arrays[array].state === "nan" ? " bad" : ""}`;
      put(group.querySelector(".band"), "stroke-width", width.toFixed(1));
      put(group.querySelector(".head"), "d", this.head(a, 1, Math.max(4, width * 0.62)));
    }
    ribbon.label = ribbon.label?.remove(); // it is in nobody's way any more
    ribbon.label = this.numbered && Math.abs(b - a) > 34 ? this.amount(ribbon, reading) : null;
  }

  /** The first of some places on a ribbon at which a mark of this half width covers no number and no other mark, if there is one. */
  free(ribbon, shares, half, lower = 0) {
    const { a, b, high } = ribbon, labels = this.back.map((one) => one.label).filter((one) => one?.textContent);
    const places = shares.map((share) => onArc(this.g, a, b, 1, high, share));
    const apart = (label, [x, y]) => Math.abs(label.getAttribute("x") - x) > half + measure(label.textContent, 11, "mono", true) / 2 || Math.abs(label.getAttribute("y") - 4 - y - lower) > 11;
    const clear = ([x, y]) => this.snips.every((other) => Math.hypot(x - other[0], y - other[1]) > 15);
    return places.find((place) => clear(place) && labels.every((label) => apart(label, place)));
  }

  /** The number on a ribbon; ribbons from one op to the same array share one text on the outermost, because they add up. */
  amount(ribbon, reading) {
    const { wire, a, b, lost } = ribbon, sentBy = (one) => one.wire.wire.sent.findLast(([r]) => r === reading);
    const parallel = this.back.filter((one) => one.lost === lost && one.wire.from === wire.from && one.wire.to === wire.to && one.wire.wire.output === wire.wire.output && (lost || sentBy(one)));
    const arrays = parallel.map((one) => this.view.arrays[lost ? one.wire.wire.lost : sentBy(one)[2]]);
    if (parallel.some((one) => one.wire.high > wire.high) || arrays.some((data) => data.n !== 1)) return null;
    const each = arrays.map((data) => forms(data.picture ? data.picture.v[0] : Number(data.text) || data.text));
    const texts = each[0].map((_, k) => each.map((one) => one[k] ?? one.at(-1)).join(" + ") + (lost ? " lost" : "") + (wire.wire.output == null ? "" : ` to [${wire.wire.output}]`));
    const lower = lost && parallel.some((one) => one.wire.wire.sent.length) ? 13 : 0;
    const look = { size: 11, least: 9, family: "mono", bold: true, anchor: "middle", cut: false, class: `amount${lost ? " lost" : ""}` };
    const place = this.free(ribbon, [0.5, 0.42, 0.58, 0.35, 0.65, 0.28, 0.72], measure(texts[0], 11, "mono", true) / 2 + 2, lower);
    if (!place) return null;
    return this.layers[4].appendChild(fitted(place[0], place[1] + lower + 4, texts, Math.abs(b - a) - 8, look));
  }

  /** The gradients that arrive at a source and those lost there, as one sum. */
  sums(ends) {
    const { g } = this, { full } = this.view.verdict;
    for (const [k, found] of ends) {
      const here = found.filter((one) => one.ribbon.wire.from === k);
      const col = this.view.cols[this.strip.cols[k]];
      if (!g.upright || !full || col.kind !== "source" || !col.asked || !here.some((one) => one.ribbon.lost) || full.startsWith("[")) continue;
      const [a, b] = [Math.min(...here.map((one) => one.ribbon.a)) - 5, Math.max(...here.map((one) => one.ribbon.a)) + 5];
      this.full = svg("g", { class: "sum" }, path(`M${a} ${g.below - 1}v-4h${b - a}v4`), fitted((a + b) / 2, g.below - 7, [`${full} full`, full], g.cell(k), { size: 10.5, least: 9, family: "mono", anchor: "middle" }));
      this.layers[4].append(this.full);
    }
  }

  // ---- labels around the strip

  /** The lines of code, each above the ops that it ran. */
  brackets() {
    const { g } = this, groups = [];
    for (const one of this.columns) {
      const { col } = one;
      if (one.outer || col.line == null || isPlain(col)) continue;
      const last = groups.at(-1);
      if (last && last.line === col.line && last.end === one.k - 1 && last.by === (col.by ?? null)) last.end = one.k;
      else groups.push({ line: col.line, text: col.text, start: one.k, end: one.k, by: col.by ?? null });
    }
    this.lines = groups.map((one) => {
      const [a, b] = [g.start(one.start), g.start(one.end) + g.cell(one.end)], text = `${one.line} ${one.text}`;
      const label = fitted((a + b) / 2, CODE, [text, one.text, `line ${one.line}`, String(one.line)].filter((form, k) => k > 1 || measure(form, 11, "mono") <= b - a + 30 || k === 0), b - a, { size: 11, least: 10, family: "mono", anchor: "middle" });
      const element = svg("g", { class: one.by != null ? "line nested" : "line" }, path(`M${a} ${CODE + 8}v-4h${b - a}v4`), label, svg("title", {}, text));
      this.layers[0].append(element);
      return { ...one, element };
    });
  }

  /** A mark between two columns, such as a watch or a pause of the tape, drawn along the gap. */
  betweens(gaps) {
    const { g } = this;
    for (const [k, marks] of gaps) {
      const t = g.start(k) - 4, [x, y] = g.pair(t - 4, (g.above + g.below) / 2);
      const look = { size: 10.5, least: 9, anchor: "middle", ...(g.upright ? { transform: `rotate(-90 ${x} ${y})` } : {}) };
      const label = fitted(x, y, marks.map((one) => one.label).join(", "), g.below - g.above, look);
      this.layers[4].append(svg("g", { class: `between ${marks.at(-1).kind}` }, path(`M${g.point(t, g.above - 4)}L${g.point(t, g.below)}`), label, svg("title", {}, marks.map((one) => one.say).join(" "))));
    }
  }

  /** The turn, where the backward pass of a reading begins; if it begins in another strip, what comes after this one. */
  turn(reading, seen) {
    const { g } = this, last = this.strip.cols.length - 1, t = g.start(last) + g.cell(last) + 4, far = t + (g.upright ? 44 : 22);
    const [a, b] = [g.lanes.value, g.lanes.slope].map(([from, size]) => from + size / 2); // the middles of the lanes
    if (this.view.fold && !reading?.targets.some((one) => this.place.get(one) >= this.strip.outside)) {
      const ways = [[a, "goes on", "blue", `M${t + 2} 0h26`, `M${t + 36} 0l-9 -5v10z`], [b, "comes back", "orange", `M${t + 10} 0h26`, `M${t + 2} 0l9 -5v10z`]];
      return ways.filter((_, k) => g.ends && this.strip.onward[k]).map(([y, word, tone, way, head]) => svg("g", { class: `onward ${tone}`, transform: `translate(0 ${y})` }, path(way, { class: "way" }), path(head, { class: "head" }), fitted(t + 2, 18, word, g.width - t - 2, { size: 11, least: 9, class: tone })));
    }
    if (!seen || last < 0 || !began(reading)) return [];
    const at = reading.targets[0] === this.strip.cols[last], data = reading.seed == null ? null : this.view.arrays[reading.seed];
    const names = [...(at ? [] : [`from ${reading.name}`]), "backward", "back"], x = t + 38, y = (a + b) / 2;
    const seeds = data ? (data.n === 1 && reading.targets.length < 2 ? forms(Number(data.text)).map((one) => `seed ${one}`) : ["seeds", "seed"]) : [""];
    const words = [fitted(x, y - 2, names, 54, { size: 12, bold: true }), fitted(x, y + 13, seeds, 52, { size: 11, least: 9, class: "quiet" })];
    const head = reading.targets.includes(this.strip.cols[last]) ? path(`M${g.point(t, b)}L${g.point(t + 9, b - 6)} ${g.point(t + 9, b + 6)}Z`, { class: "head" }) : ""; // nothing comes to what was computed later
    return [path(`M${g.point(t, a)}C${g.point(far, a)} ${g.point(far, b)} ${g.point(t + 7, b)}`, { class: "way" }), head, ...(g.ends ? words : [])];
  }

  // ---- one step

  /** Show the film after a step; only elements that differ from what is drawn are changed. */
  update(now, hiding) {
    const { step, reading } = now;
    this.tabbed = [this.inspector.selected, now.id].find((id) => this.place.has(id)) ?? this.strip.cols[0]; // the column that Tab leads to
    for (const one of this.columns) this.updateColumn(one, now, hiding);
    for (const one of this.wires) {
      const active = now.kind === "write" && now.id === one.wire.to;
      const state = `wire ${hiding ? "hidden-kind" : one.wire.state}${one.at > step ? " later" : ""}${active ? " now" : ""}`;
      if (one.state !== state) put(one.group, "class", (one.state = state));
      const told = !hiding && one.at <= step && (one.wire.state === "stop" || now.asked);
      if (one.scissors) put(one.scissors, "visibility", told ? "visible" : "hidden");
      put(one.asked, "visibility", hiding && now.kind === "turn" && one.at <= step ? "visible" : "hidden");
    }
    const last = now.over && reading === this.story.lastTurn; // what is lost is known of this one
    for (const one of this.back) {
      const sent = one.wire.wire.sent.findLast(([r, at]) => r === reading && at <= step);
      if (sent && !one.lost && sent !== one.sent) this.dress(one, sent);
      const seen = !hiding && (one.lost ? last : sent);
      const active = !one.lost && sent && now.kind === "read" && sent[1] === step;
      const state = `${one.look}${seen ? "" : " later"}${active ? " now" : ""}`;
      if (one.state !== state) put(one.group, "class", (one.state = state));
      for (const part of [one.label, one.scissors]) if (part) put(part, "visibility", seen ? "visible" : "hidden");
    }
    if (this.full) put(this.full, "visibility", last && !hiding ? "visible" : "hidden");
    for (const one of this.lines || []) one.element.classList.toggle("current", now.line === one.line && now.id != null);
    const { view, story } = this, seen = reading >= 0;
    if (this.turned !== reading) {
      this.turned = reading;
      this.bow.replaceChildren(...this.turn(view.readings[seen ? reading : story.lastTurn], seen && !now.unheard));
    }
    this.bow.classList.toggle("now", now.kind === "turn");
  }

  updateColumn(one, now, hiding) {
    const { col } = one, { step, reading } = now, written = col.at <= step;
    if (written !== one.drawn) {
      one.drawn = written;
      one.group.classList.toggle("later", !written);
      if (written && !one.value.querySelector(".picture") && col.value != null) one.value.append(this.picture(one.boxes.value, this.view.arrays[col.value], "value"));
      if (written && col.kind === "crash" && !one.shapes) this.misfit(one);
    }
    const slope = written && !hiding && col.slopes.findLast(([r, at]) => r === reading && at <= step);
    const data = slope && slope[2] != null ? this.view.arrays[slope[2]] : null;
    const silent = !written || hiding || data ? "" : slope ? (now.failed ? "incomplete" : "adding up") : this.silence(one, now);
    if (one.shown !== (data || silent)) {
      one.shown = data || silent;
      one.slope.replaceChildren(...(data ? [this.picture(one.boxes.slope, data, "slope", col.shape ?? undefined)] : silent ? [this.word(one, silent)] : []));
      one.group.classList.toggle("reached", Boolean(slope));
    }
    const current = now.id === col.id ? (now.kind === "read" ? "slope" : "value") : "";
    if (current !== one.current) {
      one.current = current;
      one.group.classList.toggle("now", Boolean(current));
      one.group.classList.toggle("back", current === "slope");
      one.cursor = one.cursor?.remove(); // the ink frame around the cell of this step
      if (current) one.group.append((one.cursor = rect(...one.boxes[current], { class: "cursor" })));
    }
    const raised = written && !hiding && now.failed?.raised === col.id;
    one.group.classList.toggle("raised", raised);
    const words = this.described(one, written, `${slope ? `gradient ${data ? spoken(data) : silent}` : silent}${raised ? ", raised" : ""}`, hiding);
    if (words !== one.words) put(one.group, "aria-label", (one.words = words));
    const tab = col.id === this.tabbed ? 0 : -1;
    if (one.tab !== tab) put(one.group, "tabindex", (one.tab = tab));
  }

  /** The text in place of a missing gradient. */
  silence({ col, outer }, now) {
    const words = { data: "data", crash: "raised", assign: "assigned", ghost: col.ghost?.why }[col.kind];
    if (col.kind !== "source" && (words || outer)) return outer && col.kind !== "data" ? "" : words;
    if (!now.over) return "";
    if (col.kind === "source") return !col.asked ? "not asked" : now.given?.[col.id] === null ? "None" : "";
    return now.unheard ? "unknown" : "not reached";
  }

  word(one, text) {
    const [x, y, w, h] = one.boxes.slope, middle = x + w / 2, look = { size: 11, least: 8, anchor: "middle", class: "quiet" };
    const [size, r] = w < 62 ? [11, 5] : [14, 7];
    if (text === "None") return svg("g", { class: "none" }, w < 48 ? null : mark("none", middle - size * 1.35 - 2, y + h / 2, r), fitted(w < 48 ? middle : middle + r + 2, y + h / 2 + size * 0.35, text, w, { size, family: "mono", bold: true, anchor: "middle" }));
    const parts = measure(text, 9) > w - 4 && h >= 12 * text.split(" ").length ? text.split(" ") : [text];
    if (parts.some((part) => measure(part, look.least) > w)) return ""; // the accessible name of the column has it in any case
    return svg("g", {}, parts.map((part, k) => fitted(middle, y + h / 2 + 4 + 12 * (k - (parts.length - 1) / 2), part, w, look)));
  }

  /** The two shapes that an op did not accept, and the pairs of lengths that do not fit. */
  misfit(one) {
    const { col } = one, [x, y, w, h] = one.boxes.value;
    one.shapes = svg("g", { class: "shapes" });
    const size = Math.max(9, Math.min(13, w / 9));
    const [head, line] = this.g.upright ? [34, h > 60 ? 24 : 16] : [h / 2 - 5, 20];
    col.given.forEach((shape, k) => {
      const text = shapeText(shape), cy = y + head + k * line, left = x + (w - measure(text, size, "mono", true)) / 2;
      one.shapes.append(svg("text", { x: left, y: cy, "font-size": size, class: "m b" }, text));
      for (const [i, end] of col.misfit.map((pair) => pair[k])) {
        const before = measure(`(${shape.slice(0, i).map((length) => `${length}, `).join("")}`, size, "mono", true);
        const own = measure(shape.slice(i, end).join(", "), size, "mono", true);
        one.shapes.append(svg("ellipse", { cx: left + before + own / 2, cy: cy - size * 0.35, rx: own / 2 + (end - i === 1 ? 4 : size), ry: size * 0.72, class: "ring" }));
      }
    });
    one.shapes.append(fitted(one.boxes.slope[0] + w / 2, one.boxes.slope[1] + 16, col.unequal, w, { size: 13, bold: true, family: "mono", anchor: "middle", class: "crimson" }));
    one.value.append(one.shapes);
  }

  described({ col }, written, gradient, hiding) {
    const kind = hiding ? "" : { source: "source", data: "data", ghost: "not on the tape:", assign: "assignment:", crash: "raised:", op: "op" }[col.kind];
    const name = isPlain(col) ? col.name : `${col.signs[0]}${col.name ? `, ${col.name}` : ""}`;
    if (!written) return `${kind} ${name}, not yet`.trim();
    const several = col.outputs ? `${col.outputs}, ` : "", value = col.value == null ? (col.shape ? `shape ${shapeText(col.shape)}` : "no value") : `value ${spoken(this.view.arrays[col.value])}`;
    return `${kind} ${name}, ${several}${value}${hiding ? "" : `, ${gradient || "no gradient yet"}`}`.trim();
  }
}
