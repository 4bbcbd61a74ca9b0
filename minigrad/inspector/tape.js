// The tape inspector in the browser: it draws the view model that Python computes, and moves one cursor through its time.
//
// Order of this file: elements, numbers as pictures, Story (what happened when), columns (what is folded), film, scrubber,
// graph, code, pane, head, and at the end Inspector, which holds the state and hears keys and clicks.
// Lengths are design pixels: 13 of them are one em of the root, which grows with its container.
// Whatever comes from the user's program enters the page as a text node or as an attribute, never as markup.

// ---------------------------------------------------------------------------------------------------------- elements

const SVG = "http://www.w3.org/2000/svg";

function build(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value == null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value);
  }
  element.append(...children.flat(Infinity).filter((child) => child != null && child !== false));
  return element;
}
const html = (tag, attributes = {}, ...children) => build(document.createElement(tag), attributes, children);
const svg = (tag, attributes = {}, ...children) => build(document.createElementNS(SVG, tag), attributes, children);

const rect = (x, y, width, height, attributes = {}) => svg("rect", { x, y, width: Math.max(0, width), height: Math.max(0, height), rx: 3, ...attributes });
const path = (d, attributes = {}) => svg("path", { d, ...attributes });
const label = (x, y, text, attributes = {}) => svg("text", { x, y, ...attributes }, String(text));
const cell = (value) => (value == null ? "" : String(value));

const canvas = document.createElement("canvas").getContext("2d");
const widths = new Map();
const families = { ui: "sans-serif", mono: "monospace" };

/** The width of a text, in design pixels. */
function measure(text, size, family = "ui", weight = 400) {
  const font = `${weight} 100px ${families[family]}`;
  const key = font + text;
  if (!widths.has(key)) {
    if (widths.size > 5000) widths.clear();
    canvas.font = font;
    widths.set(key, canvas.measureText(text).width / 100);
  }
  return widths.get(key) * size;
}

/** As much of a text as fits, with an ellipsis where it ends too early. */
function clip(text, room, size, family, weight) {
  text = cell(text);
  if (measure(text, size, family, weight) <= room) return text;
  let end = Math.min(text.length, Math.floor(room / (size * 0.4)));
  while (end > 0 && measure(text.slice(0, end) + "…", size, family, weight) > room) end--;
  return end > 0 ? text.slice(0, end).trimEnd() + "…" : "";
}

// -------------------------------------------------------------------------------------------------------------- marks

/** Four states of a number and four of an answer; each has its own shape, so none leans on colour. */
function mark(kind, x, y, r = 8) {
  r = Math.max(2, r);
  const inner = r - 1;
  const tick = (d) => path(d, { class: "stroke" });
  const ring = (className) => svg("circle", { cx: x, cy: y, r: inner, class: className });
  const shapes = {
    notyet: () => [ring("stroke dots")],
    none: () => [rect(x - inner, y - inner, 2 * inner, 2 * inner, { rx: 0, class: "stroke" }), tick(`M${x - inner} ${y + inner}L${x + inner} ${y - inner}`)],
    zero: () => [ring("stroke"), tick(`M${x - r * 0.5} ${y}h${r}`)],
    nan: () => [path(`M${x} ${y - r}L${x + r} ${y + r - 1}L${x - r} ${y + r - 1}Z`, { class: "solid" }), path(`M${x} ${y - r * 0.3}V${y + r * 0.25}M${x} ${y + r * 0.58}v.1`, { class: "on-solid" })],
    complete: () => [svg("circle", { cx: x, cy: y, r, class: "solid" }), path(`M${x - r * 0.45} ${y}l${r * 0.35} ${r * 0.4} ${r * 0.6} ${-r * 0.75}`, { class: "on-solid" })],
    partial: () => [ring("stroke"), path(`M${x} ${y - inner}a${inner} ${inner} 0 0 0 0 ${2 * inner}z`, { class: "solid" })],
    spent: () => [ring("stroke"), tick(`M${x - r * 0.4} ${y - r * 0.4}l${r * 0.8} ${r * 0.8}m0 ${-r * 0.8}l${-r * 0.8} ${r * 0.8}`)],
    cut: () => scissors(x, y, r),
    ghost: () => [rect(x - r, y - r * 0.6, 2 * r, r * 1.2, { rx: 2, class: "stroke dashes" })],
  };
  return svg("g", { class: `mark ${kind}` }, (shapes[kind] || (() => []))());
}

function scissors(x, y, r) {
  const blades = "M-6 -4.6a2.6 2.6 0 1 1 .1 .1M-6 4.6a2.6 2.6 0 1 0 .1 -.1M-4 -3L7 4.6M-4 3L7 -4.6";
  return [svg("circle", { cx: x, cy: y, r, class: "solid" }), path(blades, { class: "on-solid", transform: `translate(${x} ${y}) scale(${r / 12})` })];
}

/** A mark as a picture of its own, for lines of text. */
const icon = (kind, size = 18) => svg("svg", { class: "icon", viewBox: "0 0 20 20", style: `width:${size / 13}em;height:${size / 13}em`, "aria-hidden": "true" }, mark(kind, 10, 10, 9));

function torn(x, y, height, direction) {
  const teeth = Math.max(2, Math.round(height / 8));
  const zigzag = Array.from({ length: teeth }, (_, k) => `l${(k % 2 ? -4 : 4) * direction} ${height / teeth}`).join("");
  return path(`M${x} ${y}${zigzag}`, { class: "torn" });
}

// ------------------------------------------------------------------------------------------------ numbers as pictures

const stateOf = (value) => (value === undefined ? "notyet" : value === null ? "none" : value.state);
const isScalar = (value) => value?.shape?.length === 0;
const shapeText = (shape) => (!shape ? "" : shape.length === 1 ? `(${shape[0]},)` : `(${shape.join(", ")})`);
const sizeOf = (value) => (value && Number.isFinite(Number(value.norm)) ? Math.abs(Number(value.norm)) : 0);
const bytesText = (count) => (count < 1024 ? `${count} B` : count < 1048576 ? `${+(count / 1024).toPrecision(3)} KiB` : `${+(count / 1048576).toPrecision(3)} MiB`);

/** A value in a few characters: the number itself, or its shape. */
function brief(value) {
  if (value == null) return value === null ? "None" : "…";
  if (value.state === "unknown") return cell(value.text) || "?";
  if (isScalar(value)) return cell(value.first[0] ?? value.text);
  return value.state === "nan" ? "nan" : value.state === "zero" ? `0 ${shapeText(value.shape)}` : shapeText(value.shape);
}

/** Hinton squares: area is size, filled is positive, hollow is negative, a dot is 0, a cross is nan. */
function picture(value, x, y, width, height) {
  const { rows, cols, q } = value.thumb;
  const cells = Uint8Array.from(atob(q), (letter) => letter.charCodeAt(0));
  const side = Math.min(width / cols, height / rows, 11);
  const left = x + (width - side * cols) / 2;
  const top = y + (height - side * rows) / 2;
  const filled = [], hollow = [], dots = [], crosses = [];
  cells.forEach((byte, k) => {
    const level = (byte << 24) >> 24;
    const cx = left + ((k % cols) + 0.5) * side, cy = top + (Math.floor(k / cols) + 0.5) * side;
    const half = (Math.sqrt(Math.abs(level) / 127) * side * 0.88) / 2;
    if (level === -128) crosses.push(`M${cx - side * 0.3} ${cy - side * 0.3}l${side * 0.6} ${side * 0.6}m0 ${-side * 0.6}l${-side * 0.6} ${side * 0.6}`);
    else if (half < 0.35) dots.push(`M${cx - 0.6} ${cy - 0.6}h1.2v1.2h-1.2z`);
    else if (level > 0) filled.push(`M${cx - half} ${cy - half}h${2 * half}v${2 * half}h${-2 * half}z`);
    else { const inset = Math.max(0.3, half - 0.5); hollow.push(`M${cx - inset} ${cy - inset}h${2 * inset}v${2 * inset}h${-2 * inset}z`); }
  });
  const shape = (list, className) => list.length > 0 && path(list.join(""), { class: className });
  return svg("g", { class: "picture" },
    rect(left - 1.5, top - 1.5, side * cols + 3, side * rows + 3, { rx: 1, class: "paper" }),
    shape(filled.concat(dots), "filled"), shape(hollow, "hollow"), shape(crosses, "crosses"));
}

/** A value inside a box of an SVG: picture, mark with its word, or number. */
function shown(value, x, y, width, height, { size = 14, align = "middle", weight = 400 } = {}) {
  const state = stateOf(value);
  const middle = y + height / 2;
  if (["notyet", "none", "zero", "nan"].includes(state)) {
    const word = { notyet: "not yet", none: "None", zero: "0", nan: (isScalar(value) && brief(value)) || "nan" }[state];
    const r = Math.max(2, Math.min(8, width / 2 - 1, height / 2 - 1));
    const long = measure(word, size, "mono", weight) + 2 * r + 6;
    if (long > width) return mark(state, x + width / 2, middle, r);
    const start = align === "end" ? x + width - long : align === "start" ? x : x + (width - long) / 2;
    return svg("g", {}, mark(state, start + r, middle, r), label(start + 2 * r + 6, middle + size * 0.35, word, { class: "m", "font-size": size, "font-weight": weight }));
  }
  if (value.thumb && !isScalar(value) && height >= 9) {
    const wide = Math.min(width, value.thumb.cols * Math.min(11, (height - 4) / value.thumb.rows));
    return picture(value, align === "start" ? x + 2 : align === "end" ? x + width - wide - 2 : x, y + 2, align === "middle" ? width : wide, height - 4);
  }
  const text = brief(value);
  const small = [size, size - 1.5, 11.5, 11].find((s) => measure(text, s, "mono", weight) <= width) || 11;
  const at = align === "end" ? x + width : align === "start" ? x : x + width / 2;
  return label(at, middle + small * 0.35, clip(text, width, small, "mono", weight), { class: "m", "text-anchor": align, "font-size": small, "font-weight": weight });
}

/** A value as a piece of HTML. */
function valueBox(value, width = 64, height = 34, size = 14) {
  const drawn = svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "value", style: `width:${width / 13}em;height:${height / 13}em`, role: "img", "aria-label": stateOf(value) === "notyet" ? "not yet" : brief(value) });
  drawn.append(shown(value, 0, 0, width, height, { size }));
  return drawn;
}

// -------------------------------------------------------------------------------------------------------------- Story

/** What is said of a Variable that was assigned after it was read. */
function stale({ version, now }) {
  return version != null && now !== version ? `◆ v${version}, now v${now}` : "";
}

/** What one view model says, and when. Time t counts the steps done: 0 is before the first, story.end after the last. */
class Story {
  constructor(view) {
    this.view = view;
    this.sources = [...(view.sources || [])].sort((a, b) => (b.asked ?? true) - (a.asked ?? true));
    this.folds = view.folds || [];
    this.cuts = view.cuts || [];
    this.code = new Map((view.code || []).map((line) => [line.n, line.text]));
    this.frames = new Map(view.frames.map((frame) => [frame.id, frame]));
    this.reads = view.readings.map((reading) => new Map(reading.reads.map((read) => [read.frame, read])));
    this.steps = view.steps;
    this.end = this.steps.length;
    this.writtenAt = new Map();
    this.readAt = view.readings.map(() => new Map());
    this.turnAt = [];
    this.doneAt = [];
    this.steps.forEach(([kind, a, b], k) => {
      if (kind === "write" || kind === "ghost") this.writtenAt.set(a, k + 1);
      else if (kind === "read") this.readAt[a].set(b, k + 1);
      else if (kind === "turn") this.turnAt[a] = k + 1;
      else if (kind === "done" || kind === "error") this.doneAt[a] = k + 1;
    });
    this.order = [...this.writtenAt.keys()];
    this.place = new Map(this.order.map((id, k) => [id, k]));
    this.homeAt = this.readAt.map((times) => {  // when the reading line passes a place: the first reading of it or of a frame before it
      let least = Infinity;
      return Float64Array.from(this.order, (id) => (least = Math.min(least, times.get(id) ?? Infinity)));
    });
    this.largest = Math.max(1e-30, ...this.reads.flatMap((reads) => [...reads.values()].map((read) => sizeOf(read.up))));
    this.answered = Math.max(0, ...this.doneAt.filter(Boolean)) || this.end;
  }

  at(t) {
    const [kind, a, b] = this.steps[t - 1] || ["start"];
    if (kind === "write" || kind === "ghost") return { kind, frame: a, line: this.frame(a).line };
    if (kind === "read") return { kind, reading: a, frame: b, line: this.frame(b).line };
    if (kind === "cut") return { kind, cut: a, line: this.cuts[a]?.line };
    if (kind === "release") return { kind, tape: a };
    if (kind === "start") return { kind };
    return { kind, reading: a, line: this.view.readings[a].line };
  }

  foldOf(id) {
    return this.folds.find((fold) => id >= fold.first && id < fold.first + fold.per * (fold.turns || 1));
  }

  /** A frame; one of a turn that was not sent has the form of the same frame in a turn that was, and no value. */
  frame(id) {
    return this.frames.get(id) || this.imagined(id, (twin) => this.frames.get(twin), (frame, shift) => ({ ...frame, in: frame.in.map(shift), value: undefined, keeps: [] }));
  }

  read(reading, id) {
    if (!this.readAt[reading].has(id)) return undefined;
    const unsaid = (part, shift) => ({ ...part, to: shift(part.to), product: undefined, total: undefined, local: { ...part.local, value: undefined } });
    return this.reads[reading].get(id) || this.imagined(id, (twin) => this.reads[reading].get(twin), (read, shift) => ({ up: undefined, parts: read.parts.map((part) => unsaid(part, shift)) }));
  }

  imagined(id, known, form) {
    const fold = this.foldOf(id);
    const blank = form({ id, op: "", glyph: "…", name: "", line: fold?.line, in: [], tapes: [], parts: [] }, (ref) => ref);
    if (!fold) return { ...blank, id, missing: true };
    const turn = Math.floor((id - fold.first) / fold.per);
    const twin = [fold.open ?? 0, 0, fold.turns - 1].map((n) => id + (n - turn) * fold.per).find(known);
    if (twin === undefined) return { ...blank, id, missing: true };
    const inside = (n) => n >= fold.first && n < fold.first + fold.per * fold.turns;
    const shift = (ref) => (typeof ref === "string" && ref[0] === "f" && inside(+ref.slice(1)) ? `f${+ref.slice(1) + id - twin}` : ref);
    return { ...form(known(twin), shift), id, frame: id, missing: true };
  }

  isGhost(frame) {
    return frame.ghost != null || frame.tapes.length === 0;
  }

  /** The gradient of a source so far: undefined, or what it has received; complete only when its reading has returned. */
  answer(reading, source, t) {
    const { answers, error } = this.view.readings[reading];
    if (!error && t >= this.doneAt[reading]) return { value: answers[source], final: true };
    if (!this.totals) this.totals = this.view.readings.map(() => new Map());
    const totals = this.totals[reading];
    if (!totals.has(source)) {
      const received = [];
      for (const [id, read] of this.reads[reading])
        for (const part of read.parts) if (part.to === source) received.push([this.readAt[reading].get(id), part]);
      totals.set(source, received);
    }
    const latest = totals.get(source).filter(([when]) => when <= t).at(-1);
    return { value: latest?.[1].total ?? latest?.[1].product, final: false };
  }

  contributions(reading, source) {
    this.answer(reading, source, 0);
    return this.totals[reading].get(source).map(([when, part]) => ({ when, part, frame: this.at(when).frame }));
  }

  nameOf(ref) {
    if (!ref) return "";
    if (ref[0] === "s") return this.sources.find((source) => source.id === ref)?.name || ref;
    const frame = this.frame(+ref.slice(1));
    return frame.name || frame.glyph || frame.op;
  }

  inputs(frame) {
    return (frame.args || frame.in.map((node) => ({ node }))).map(({ node, text }) => text || this.nameOf(node) || "number");
  }

  /** "1.0 × 3.0 = 3.0", when all three are single numbers. */
  equation(read, part) {
    const [up, local, product] = [read.up, part.local?.value, part.product];
    return isScalar(up) && isScalar(local) && isScalar(product) ? `${brief(up)} × ${brief(local)} = ${brief(product)}` : "";
  }

  /** The sentence of a moment: pieces of text, those in lists are strong. */
  sentence(t) {
    const now = this.at(t);
    const line = now.line ? ` (line ${now.line})` : "";
    const frame = now.frame != null && this.frame(now.frame);
    const reading = now.reading != null && this.view.readings[now.reading];
    if (now.kind === "start") return ["Nothing has run yet."];
    if (now.kind === "write") return ["Written: ", [frame.op], line, frame.value ? `, ${frame.name ? frame.name + " = " : "value "}${brief(frame.value)}.` : "."];
    if (now.kind === "ghost") return [[frame.op], ` ran${line} and is not written: `, cell(frame.ghost?.why) || "no tape watched it", "."];
    if (now.kind === "turn") return ["The turn", line, ": reading starts at ", [reading.targetName || this.nameOf(reading.target)], ` with the seed ${brief(reading.seed)}.`];
    if (now.kind === "cut") return [[cell(this.cuts[now.cut]?.say)]];
    if (now.kind === "error") return [[cell(reading.error)]];
    if (now.kind === "release") return ["The tape lets go of what it kept."];
    if (now.kind === "done") return ["Read to the end", line, ": ", this.sources.slice(0, 4).map((s) => `${s.name} gets ${brief(reading.answers[s.id] ?? null)}`).join(", "), "."];
    const parts = (this.read(now.reading, now.frame)?.parts || []).filter((part) => part.to);
    const said = parts.slice(0, 2).flatMap((part, k) => [k ? "; " : "", this.equation(this.read(now.reading, now.frame), part) || (isScalar(part.product) ? brief(part.product) : part.product ? `a ${shapeText(part.product.shape)} gradient` : "a gradient"), " goes to ", [part.name || this.nameOf(part.to)]]);
    return ["Read back ", [frame.op], line, ": ", ...(said.length ? said : ["nothing needs it"]), "."];
  }

  /** Where the trouble is: the cut, else the first nan; else the end. */
  trouble() {
    const { steps } = this;
    const cut = steps.findIndex(([kind]) => kind === "cut" || kind === "error");
    if (cut >= 0) return cut + 1;
    const bad = steps.findIndex(([kind, a, b]) => kind === "read" && (this.reads[a].get(b)?.parts || []).some((part) => part.product?.state === "nan"));
    return bad < 0 ? this.end : bad + 1;
  }
}

const mendOf = (mend) => cell(mend.code || mend.text);
const plain = (pieces) => pieces.flat().join("");
const rich = (pieces) => pieces.map((piece) => (Array.isArray(piece) ? html("b", {}, piece.join("")) : piece));

// ------------------------------------------------------------------------------------------------------------ columns

/** The columns of a film: single frames, and bars for what is folded. `room` says how many may stand open. */
function columnsOf(story, cursor, room, overrides) {
  const { order, folds } = story;
  const here = cursor == null ? null : story.place.get(cursor);
  const crowded = order.length > Math.min(60, room);
  const columns = [];
  const open = (from, to, extra = {}) => { for (let k = from; k < to; k++) columns.push({ frame: order[k], ...extra }); };
  let next = 0;
  folds.forEach((fold, index) => {
    const first = story.place.get(fold.first);
    if (first === undefined || first < next) return;
    const turns = fold.turns || 1, last = first + turns * fold.per;
    const inside = here != null && here >= first && here < last;
    const folded = overrides.get(index) ?? (crowded && (turns > 2 || !inside));
    open(next, first);
    next = last;
    if (!folded) return open(first, last, { fold: index });
    if (turns <= 2) return columns.push({ fold: index, from: first, to: last, capsule: true });
    if (inside) fold.shown = Math.floor((here - first) / fold.per);
    const turn = fold.shown ?? fold.open ?? 0;
    const group = Math.ceil(turns / 90);
    const opened = Math.floor(turn / group) * group;
    const bar = (a, b) => columns.push({ fold: index, turnA: a, turnB: b, from: first + a * fold.per, to: first + b * fold.per });
    for (let k = 0; k < turns; k += group) {
      if (k !== opened) { bar(k, Math.min(k + group, turns)); continue; }
      for (let j = k; j < Math.min(k + group, turns); j++) {
        if (j === turn) open(first + j * fold.per, first + (j + 1) * fold.per, { fold: index, turn: j });
        else bar(j, j + 1);
      }
    }
  });
  open(next, order.length);
  return thinned(columns, here ?? order.length - 1, room, story);
}

/** Too many open frames: those far from the cursor go into bars. */
function thinned(columns, here, room, story) {
  const single = columns.filter((column) => column.frame != null);
  if (single.length <= room) return columns;
  const keep = Math.max(8, Math.floor(room * 0.6));
  const middle = Math.max(0, single.findIndex((column) => story.place.get(column.frame) >= here));
  const start = Math.max(0, Math.min(single.length - keep, middle - Math.floor(keep / 2)));
  const kept = new Set(single.slice(start, start + keep).map((column) => column.frame));
  const group = Math.max(2, Math.ceil((single.length - keep) / 60));
  const out = [];
  for (const column of columns) {
    const k = story.place.get(column.frame), last = out.at(-1);
    if (column.frame == null || kept.has(column.frame)) out.push(column);
    else if (last?.loose && last.to === k && last.to - last.from < group) last.to = k + 1;
    else out.push({ loose: true, from: k, to: k + 1 });
  }
  return out;
}

/** Gives every column its x and width; the column under the cursor is wide. */
function spread(columns, x0, room, cursor, gaps) {
  const wide = (column) => column.frame != null && column.frame === cursor;
  const single = columns.filter((column) => column.frame != null || column.capsule || column.empty).length;
  const bars = columns.length - single;
  const has = columns.some(wide);
  room -= gaps.size * GAP;
  const most = bars ? 46 : single > 3 ? 190 : 260;
  let big = bars ? 126 : 150;
  let width = Math.min(most, (bars ? room * 0.62 : room) / Math.max(1, single));
  if (has && width < big) width = Math.min(most, ((bars ? room * 0.62 : room) - big) / Math.max(1, single - 1));
  else big = width;
  const bar = bars ? Math.min(14, (room - (has ? big - width : 0) - width * single) / bars) : 0;
  let x = x0;
  for (const column of columns) {
    column.gap = gaps.has(column) ? GAP : 0;
    x += column.gap;
    column.x = x;
    column.width = wide(column) ? big : column.frame != null || column.capsule || column.empty ? width : bar;
    x += column.width;
  }
  return x;
}

const GAP = 38;
const space = (column) => (column.width >= 92 ? 6 : column.width >= 40 ? 3 : column.width >= 9 ? 2 : 0.5);
const detail = (column) => (column.width >= 92 ? 3 : column.width >= 40 ? 2 : 1);

/** Columns of two films in which frames that belong together have the same place; pairs come from Python. */
function aligned(left, right, pairs) {
  const rows = [[], []];
  let i = 0, j = 0;
  for (const [a, b] of pairs) {
    const first = a != null && left[i]?.frame === a, second = b != null && right[j]?.frame === b;
    if (!first && !second) continue;
    rows[0].push(first ? left[i++] : { empty: true });
    rows[1].push(second ? right[j++] : { empty: true });
  }
  return i === left.length && j === right.length ? rows : [left, right];
}

// --------------------------------------------------------------------------------------------------------------- film

/** The film: written from left to right on top, read back from right to left underneath, one lane for each tape. */
class Film {
  constructor(inspector, story, t, width) {
    Object.assign(this, { inspector, story, t, width, now: story.at(t), uid: inspector.uid });
    this.lanes = this.arrange();
    this.two = this.lanes.length > 1;
    this.many = story.sources.length > 1;
    this.left = 12 + (this.two ? 104 : 96);
    this.sourceWidth = this.many ? 150 : 122;
    this.right = 108;
    this.room = width - this.left - this.sourceWidth - 10 - this.right - 12;
    this.capacity = Math.floor((this.room - 134) / 16);
    this.cursor = this.now.frame ?? null;
    this.gapped = new Map(story.cuts.map((cut, k) => [+cell(cut.edge?.[1]).slice(1), k]).filter(([id]) => story.writtenAt.has(id)));
    this.columns = columnsOf(story, this.cursor ?? inspector.lastFrame, this.capacity, inspector.folding);
    this.gaps = new Set(this.columns.filter((column) => this.gapped.has(column.frame)));
  }

  /** Lanes from the innermost tape to the outermost, each with the rows of its readings. */
  arrange() {
    const { view } = this.story;
    const depth = (tape) => { let n = 0; for (let id = tape.outer, seen = 0; id && seen < 20; seen++) { n++; id = view.tapes.find((other) => other.id === id)?.outer; } return n; };
    const tapes = [...view.tapes].sort((a, b) => depth(b) - depth(a));
    const current = this.now.reading != null ? view.readings[this.now.reading].tape : this.now.tape;
    return (tapes.length ? tapes : [{ id: "", name: "" }]).map((tape) => {
      const all = view.readings.filter((reading) => reading.tape === tape.id);
      const last = all.findLastIndex((reading) => this.t >= this.story.turnAt[reading.id]);
      const readings = all.length <= 3 ? all : all.slice(Math.max(0, last), Math.max(0, last) + 1);
      return { tape, readings, hidden: all.length - readings.length, closed: tapes.length > 2 && tape.id !== current && depth(tape) !== 0 };
    });
  }

  draw() {
    spread(this.columns, this.left + this.sourceWidth + 10, this.room, this.cursor, this.gaps);
    let y = 28;
    const rowsOf = Math.max(...this.lanes.map((lane) => lane.readings.length));
    const high = this.two ? [38, 34] : rowsOf > 1 ? [50, 40] : [62, 54];
    for (const lane of this.lanes) {
      lane.y = y + (this.two ? 7 : 3);
      lane.h = lane.closed ? 14 : high[0];
      lane.rows = lane.closed ? [] : lane.readings.map((reading, k) => ({ reading, y: lane.y + lane.h + 6 + k * (high[1] + 5), h: high[1] }));
      lane.bottom = lane.rows.length ? lane.rows.at(-1).y + high[1] : lane.y + lane.h;
      y = lane.bottom + (this.two ? 8 : 0);
    }
    this.height = y + (this.two ? 6 : 14);
    const drawing = svg("svg", { class: "film", viewBox: `0 0 ${this.width} ${this.height}`, style: `width:${this.width / 13}em`, role: "group", "aria-label": "Film of the tape: written from left to right, read back from right to left" });
    drawing.append(this.hatch(), ...this.brackets().filter(Boolean), ...this.nests().filter(Boolean), ...this.lanes.flatMap((lane) => this.lane(lane)).filter(Boolean));
    if (!drawing.querySelector("[tabindex='0']")) drawing.setAttribute("tabindex", "0");
    return drawing;
  }

  hatch() {
    const stripes = svg("pattern", { id: `hatch-${this.uid}`, width: 7, height: 7, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" }, path("M0 0V7", { class: "hatching" }));
    return svg("defs", {}, stripes);
  }

  /** Brackets join neighbours of one source line and say as much of it as fits. */
  brackets() {
    const groups = [];
    for (const column of this.columns) {
      if (column.empty) { groups.push({}); continue; }
      const frame = column.frame != null && this.story.frame(column.frame);
      const key = frame ? (frame.by != null ? `reading ${frame.by}` : `line ${frame.line} ${column.turn ?? ""}`) : column.capsule ? `capsule ${column.fold}` : `bars ${column.fold ?? "loose"}`;
      const last = groups.at(-1);
      const end = column.x + column.width;
      if (last?.key === key && !column.gap) Object.assign(last, { end, turnB: column.turnB, to: column.to });
      else groups.push({ ...column, key, start: column.x, end, frame });
    }
    return groups.filter((group) => group.key).flatMap((group) => {
      const room = group.end - group.start;
      const lit = group.frame && group.frame.by == null && group.frame.line === this.now.line;
      const text = this.bracketText(group, room);
      if (!text && room < 14) return [];
      return [
        path(`M${group.start + 3} 24v-3h${Math.max(1, room - 6)}v3`, { class: lit ? "bracket lit" : "bracket" }),
        text && label(group.start + room / 2, 16, text, { class: `m ${lit ? "lit" : "quiet"}`, "text-anchor": "middle", "font-size": 11.5 }),
      ];
    });
  }

  bracketText(group, room) {
    const fits = (text) => measure(text, 11.5, "mono") <= room - 2;
    if (!group.frame) {
      const fold = this.story.folds[group.fold];
      const texts = group.capsule ? [fold.label, ""] : group.turnA != null ? [`turns ${group.turnA + 1}–${group.turnB}`, `${group.turnA + 1}–${group.turnB}`] : [`${group.to - group.from} more`, `${group.to - group.from}`];
      return texts.find(fits) || (group.capsule ? clip(fold.label, room, 11.5, "mono") : "");
    }
    const { by, line } = group.frame;
    if (by != null) return [`reading frame ${by + 1} back`, `reading ${by + 1}`, `← ${by + 1}`].find(fits) || "";
    if (line == null) return "";
    const code = cell(this.story.code.get(line)).trim();
    return room >= 66 ? clip(`${line}  ${code}`, room - 4, 11.5, "mono") : fits(String(line)) ? String(line) : "";
  }

  /** Boxes around the lanes of tapes that stand inside one another, and the arrow of what a reading wrote on the outer tape. */
  nests() {
    if (!this.two) return [];
    const out = [];
    this.lanes.forEach((lane, k) => {
      const inset = 4 * (this.lanes.length - 1 - k);
      const nested = lane.tape.outer != null && lane.tape.outer !== "";
      const end = nested ? Math.min(this.width - 8 - inset, this.endOf(lane) + 56) : this.width - 6;
      const top = nested || !this.lanes.some((other) => other.tape.outer === lane.tape.id) ? lane.y - 5 : this.lanes[0].y - 9;
      out.unshift(rect(6 + inset / 2, top, end - 6 - inset / 2, lane.bottom - top + (nested ? 4 : 7), { rx: 5, class: nested ? "nest inner" : "nest" }));
      if (nested && !lane.closed) out.push(...this.handover(lane, this.lanes[k + 1], end));
    });
    return out;
  }

  handover(lane, outer, end) {
    const ran = this.columns.filter((column) => column.frame != null && this.story.frame(column.frame).by != null);
    if (!ran.length || !outer || !lane.rows.length) return [];
    const target = (ran[0].x + ran.at(-1).x + ran.at(-1).width) / 2;
    const done = this.t >= this.story.writtenAt.get(ran[0].frame);
    const y = lane.rows[0].y + lane.rows[0].h / 2 + 6;
    const words = this.width - end > 330;
    return [
      path(`M${end} ${y}H${target}V${outer.y - 12}`, { class: done ? "track read" : "track waiting" }),
      path(`M${target - 6} ${outer.y - 13}h12l-6 9z`, { class: done ? "tip read" : "tip waiting" }),
      words && label(end + 24, lane.y + 14, "Reading back is itself work:", { "font-size": 14, "font-weight": 600 }),
      words && label(end + 24, lane.y + 32, `it ran ${ran.length} ops, and ${outer.tape.name || "the outer tape"}, still open, wrote them down.`, { "font-size": 13.5 }),
    ];
  }

  inLane(column, lane) {
    if (column.empty) return false;
    if (column.frame == null) return true;
    const frame = this.story.frame(column.frame);
    return frame.tapes.includes(lane.tape.id) || (this.story.isGhost(frame) && lane === this.lanes.at(-1));
  }

  endOf(lane) {
    const mine = this.columns.filter((column) => this.inLane(column, lane));
    return mine.length ? mine.at(-1).x + mine.at(-1).width : this.left + this.sourceWidth + 10;
  }

  lane(lane) {
    const mine = this.columns.filter((column) => this.inLane(column, lane));
    const bars = this.columns.some((column) => column.frame == null && !column.empty && !column.capsule);
    const x = this.two ? 18 : 12;
    const gutter = (y, h, title, quiet, className) => [
      label(x, y + h / 2 - 1, title, { class: className, "font-size": 13, "font-weight": 700 }),
      label(x, y + h / 2 + 14, clip(quiet, 96, 11.5, "mono"), { class: "m quiet", "font-size": 11.5 }),
    ];
    const name = lane.tape.name || "tape";
    const small = mine.some((column) => column.frame != null && detail(column) === 1);
    const carried = this.story.folds.find((fold) => fold.carry != null && (fold.turns || 1) > 2);
    const carriedName = carried ? this.story.frame(carried.first + carried.carry).name : "";
    const out = lane.closed
      ? [label(x, lane.y + 11, clip(`${name} →`, 92, 11.5), { class: "written", "font-size": 11.5, "font-weight": 700 })]
      : gutter(lane.y, lane.h, "written →", bars ? `bar = |${carriedName || "value"}|` : name, "written");
    lane.rows.forEach((row) => {
      const quiet = lane.hidden ? `line ${row.reading.line}, ${lane.hidden} more` : bars ? "bar = |grad|" : small ? "size = |grad|" : `line ${row.reading.line}`;
      out.push(...gutter(row.y, row.h, "← read back", quiet, "read"));
    });
    if (mine.length) {
      out.push(...this.tracks(mine, lane));
      lane.readings.forEach((reading, k) => lane.closed || out.push(this.turn(lane, lane.rows[k], k)));
    }
    out.push(...this.sources(lane));
    for (const run of this.runs(mine)) out.push(this.bars(run, lane));
    for (const column of mine) {
      if (column.capsule) out.push(this.capsule(column, lane));
      else if (column.frame != null) {
        out.push(this.written(column, lane));
        lane.rows.forEach((row) => out.push(this.readBack(column, lane, row)));
      }
    }
    if (lane === this.lanes.at(-1)) out.push(...this.cutsOf(lane), ...this.marks(lane));
    if (!mine.length) out.push(label(this.left + this.sourceWidth + 22, lane.y + lane.h / 2 + 5, "nothing is written on this tape", { class: "quiet i", "font-size": 13 }));
    return out;
  }

  /** The lines that run behind the frames. */
  tracks(mine, lane) {
    const out = [];
    const begin = this.left + this.sourceWidth;
    mine.forEach((column, k) => {
      const before = mine[k - 1];
      if (column.frame == null || (before && before.frame == null)) return;
      const from = before ? before.x + before.width - space(before) : begin;
      const to = column.x + space(column);
      const ghost = [column, before].some((one) => one && this.story.isGhost(this.story.frame(one.frame)));
      const y = lane.y + lane.h / 2;
      const reached = this.t >= this.story.writtenAt.get(column.frame);
      const kind = ghost ? "ghost" : reached ? "written" : "waiting";
      out.push(path(`M${from} ${y}H${to}`, { class: `track ${kind}` }));
      if (column.width >= 92 && !this.gapped.has(column.frame)) out.push(path(`M${to} ${y}l-7 -5v10z`, { class: `tip ${kind}` }));
      for (const row of lane.rows) {
        const { id } = row.reading;
        if (row.reading.error || (this.wholeCut() && !this.story.readAt[id].size)) continue;
        const done = this.t >= Math.min(this.story.homeAt[id][this.story.place.get(column.frame)], this.story.doneAt[id] ?? Infinity);
        const middle = row.y + row.h / 2;
        out.push(path(`M${from} ${middle}H${to}`, { class: `track ${done ? "read" : "waiting"}` }));
        if (column.width >= 92 && done) out.push(path(`M${from} ${middle}l7 -5v10z`, { class: "tip read" }));
      }
    });
    return out;
  }

  wholeCut() {
    return this.story.cuts.some((cut) => cut.whole);
  }

  /** Something that can be clicked, spoken, and focused: what stands for one moment. */
  spot({ when, selected = "", says, current, twin, className }, ...children) {
    return svg("g", {
      class: className, role: "button", tabindex: current ? 0 : -1, "aria-label": says, "aria-current": current ? "step" : null, "data-frame": twin, "data-step": when,
      onclick: () => this.inspector.go(this.inspector.timeIn(this.story, when), selected),
      onpointerenter: twin != null && (() => this.inspector.hover(twin)), onpointerleave: twin != null && (() => this.inspector.hover(null)),
    }, children);
  }

  phase(when) {
    return this.t < when ? "future" : this.t === when ? "now" : "past";
  }

  written(column, lane) {
    const { story } = this;
    const frame = story.frame(column.frame);
    const ghost = story.isGhost(frame);
    const when = story.writtenAt.get(frame.id);
    const phase = this.phase(when);
    const pad = space(column), x = column.x + pad, w = column.width - 2 * pad, { y, h } = lane;
    const known = phase !== "future";
    const now = phase === "now" && (!this.two || frame.tapes.includes(lane.tape.id) || ghost);
    const found = this.inspector.found.has(frame.id);
    const classes = `spot frame ${ghost ? "ghost" : "written"} ${phase}${found ? " found" : ""}${this.inspector.state.selected === `f${frame.id}` ? " picked" : ""}`;
    const says = `${ghost ? "ran, not written" : "written"}: ${frame.op}${frame.name ? ` ${frame.name}` : ""}, line ${frame.line}${ghost && frame.ghost ? `, ${frame.ghost.why}` : ""}`;
    return this.spot({ when, selected: `f${frame.id}`, says, current: now, twin: frame.id, className: classes },
      rect(x, y, w, h, { class: "box" }),
      ghost && known && phase !== "now" && rect(x, y, w, h, { fill: `url(#hatch-${this.uid})`, class: "hatched" }),
      lane.closed ? null : this.writtenInside(frame, ghost, known, { x, y, w, h }, detail(column)),
      phase === "now" && path(`M${x + w / 2 - 7} ${y - 8}h14l-7 7z`, { class: "pointer" }));
  }

  writtenInside(frame, ghost, known, { x, y, w, h }, level) {
    const tall = h >= 50;
    const glyph = frame.glyph || frame.op;
    const value = known ? frame.value : undefined;
    if (level === 3) {
      const size = (tall ? [20, 17, 15, 13.5] : [15, 13.5]).find((one) => measure(glyph, one, "ui", 600) <= w - 16) || 12.5;
      const array = value && !isScalar(value) && value.thumb;
      const name = frame.name || "";
      const text = array || !known ? name : value === undefined ? name : name ? `${name} = ${brief(value)}` : `= ${brief(value)}`;
      const shownName = measure(text, 12.5, "mono") <= w - 14 - (array ? 44 : 0) ? text : array || !known ? clip(name, w - 56, 12.5, "mono") : clip(`= ${brief(value)}`, w - 14, 12.5, "mono");
      const note = ghost ? "not written" : String(this.story.place.get(frame.id) + 1);
      const noteFits = measure(glyph, size, "ui", 600) + measure(note, 11.5) + 26 < w && (tall || !array);
      return [
        label(x + 9, y + (tall ? 25 : 17), clip(glyph, w - 16, size, "ui", 600), { "font-size": size, "font-weight": 600 }),
        label(x + 9, y + h - (tall ? 12 : 6), shownName, { class: "m", "font-size": 12.5 }),
        array && picture(value, x + w - 50, tall ? y + (noteFits ? 20 : 8) : y + 3, 42, tall ? h - (noteFits ? 26 : 16) : h - 6),
        noteFits && label(x + w - 8, y + 15, note, { class: ghost ? "i" : "number", "text-anchor": "end", "font-size": 11.5 }),
      ];
    }
    if (level === 2) {
      const size = (tall ? [17, 15, 13, 11.5] : [15, 13, 11.5]).find((s) => measure(glyph, s, "ui", 600) <= w - 8) || 11.5;
      const both = !tall && known && value && w >= 50;
      return [
        label(x + w / 2, y + (tall ? 25 : both ? 16 : h / 2 + 5), clip(glyph, w - 4, size, "ui", 600), { "text-anchor": "middle", "font-size": size, "font-weight": 600 }),
        both && shown(value, x + 3, y + h - 19, w - 6, 17, { size: 12 }),
        tall && known && value && shown(value, x + 3, y + h - 27, w - 6, 22, { size: 12 }),
      ];
    }
    return this.upright(glyph, x, y, w, h);
  }

  /** A name in a narrow frame: level when it fits, else turned. */
  upright(text, x, y, w, h) {
    if (w < 9) return null;
    const lying = [13, 11.5].find((size) => measure(text, size, "ui", 600) <= w - 5);
    if (lying) return label(x + w / 2, y + h / 2 + 4.5, text, { "text-anchor": "middle", "font-size": lying, "font-weight": 600 });
    return svg("text", { transform: `translate(${x + w / 2 + 4} ${y + h / 2}) rotate(-90)`, "text-anchor": "middle", "font-size": 11.5, "font-weight": 600 }, clip(text, h - 4, 11.5, "ui", 600));
  }

  readBack(column, lane, row) {
    const { story } = this;
    const { reading, y, h } = row;
    const frame = story.frame(column.frame);
    const pad = space(column), x = column.x + pad, w = column.width - 2 * pad;
    const level = detail(column);
    const over = this.t >= (story.doneAt[reading.id] ?? Infinity);
    if (reading.error) return this.failed(column, row, x, w);
    if (story.isGhost(frame)) {
      const words = over || this.wholeCut() ? "nothing to read" : "";
      const dotted = path(`M${column.x} ${y + h / 2}h${column.width}`, { class: `track ${!this.wholeCut() && over ? "read" : "waiting"}` });
      const long = measure(words, 12.5) + 10;
      return long > w || !words ? dotted : svg("g", {}, dotted, rect(x + w / 2 - long / 2, y + h / 2 - 9, long, 18, { class: "paper" }), label(x + w / 2, y + h / 2 + 4, words, { class: "quiet i", "text-anchor": "middle", "font-size": 12.5 }));
    }
    const when = story.readAt[reading.id].get(frame.id);
    if (when === undefined) {
      const kind = !over ? "notyet" : this.wholeCut() ? "none" : "off";
      const word = !over ? "not yet" : this.wholeCut() ? "never reached" : "not on the way";
      const worded = measure(word, 12.5) + 36 <= w;
      const inside = worded ? x + 17 : x + w / 2;
      return svg("g", { class: "unread" }, rect(x, y, w, h, { class: "box dotted" }),
        kind === "off" ? path(`M${inside - Math.min(7, w / 4)} ${y + h / 2}h${Math.min(14, w / 2)}`, { class: "dash" }) : mark(kind, inside, y + h / 2, Math.min(8, w / 2)),
        worded && label(x + 32, y + h / 2 + 4.5, word, { class: "quiet", "font-size": 12.5 }));
    }
    const phase = this.phase(when);
    const read = story.read(reading.id, frame.id);
    const box = { x, y, w, h };
    return this.spot({ when, selected: `f${frame.id}`, says: `read back: ${frame.op}, line ${frame.line}`, current: phase === "now", twin: frame.id, className: `spot frame read ${phase}` },
      rect(x, y, w, h, { class: "box" }),
      phase === "future"
        ? [mark("notyet", level === 3 ? x + 17 : x + w / 2, y + h / 2, Math.min(8, w / 2)), level === 3 && label(x + 32, y + h / 2 + 4.5, "not yet", { class: "quiet", "font-size": 12.5 })]
        : this.readInside(read, box, level),
      phase === "now" && path(`M${x + w / 2 - 7} ${y + h + 8}h14l-7 -7z`, { class: "pointer" }));
  }

  readInside(read, { x, y, w, h }, level) {
    const parts = (read?.parts || []).filter((part) => part.to);
    const products = parts.map((part) => part.product);
    if (!parts.length) return path(`M${x + w / 2 - 6} ${y + h / 2}h12`, { class: "dash" });
    if (read.missing) return label(x + w / 2, y + h / 2 + 5, "…", { "text-anchor": "middle", "font-size": 14 });
    const states = products.map(stateOf);
    if (level === 3) {
      const rows = parts.slice(0, 2);
      if (products.every(isScalar) && parts.some((part) => this.story.equation(read, part))) return rows.map((part, k) => this.line(read, part, { x, y: y + (h / rows.length) * k, w, h: h / rows.length }, rows.length));
      const each = w / rows.length;
      return rows.map((part, k) => {
        const name = `→ ${part.name || this.story.nameOf(part.to)}`;
        const left = x + k * each;
        const beside = each > 88;
        return [shown(part.product, left + 5, y + 3, beside ? Math.min(52, each * 0.5) : each - 10, h - 6, { size: 12.5 }),
          beside && label(left + Math.min(52, each * 0.5) + 10, y + h / 2 + 4.5, clip(name, each - Math.min(52, each * 0.5) - 14, 12.5), { "font-size": 12.5 })];
      });
    }
    const worst = states.includes("nan") ? "nan" : states.every((state) => state === "zero") ? "zero" : null;
    if (worst) return mark(worst, x + w / 2, y + h / 2, Math.min(8, w / 2 - 0.5));
    const first = products.find((product) => product && product.state === "value") || products[0];
    if (level === 2 && isScalar(first) && measure(brief(first), 12, "mono", 600) <= w - 3) return shown(first, x + 1, y, w - 2, h, { size: w > 60 ? 14 : 12, weight: 600 });
    if (level === 2 && first?.thumb && !isScalar(first)) return shown(first, x + 3, y + 3, w - 6, h - 6);
    const decades = Math.log10(sizeOf(first) / this.story.largest);
    const side = Math.max(2, Math.min(w - 3, 14) * Math.min(1, Math.max(0.15, 1 + decades / 4)));
    return rect(x + w / 2 - side / 2, y + h / 2 - side / 2, side, side, { rx: 0, class: "dot" });
  }

  /** One product in a wide frame, as an equation if there is room, else the product and where it goes. */
  line(read, part, { x, y, w, h }, count) {
    const product = brief(part.product);
    const state = stateOf(part.product);
    const to = `→ ${part.name || this.story.nameOf(part.to)}`;
    const whole = this.story.equation(read, part);
    const sizes = count > 1 ? [12.5] : [16, 15, 14, 13, 12.5, 12];
    const marked = state === "nan" || state === "zero" ? 20 : 0;
    const size = sizes.find((one) => measure(whole, one, "mono", 600) <= w - 14 - marked);
    const text = whole && size ? whole : `= ${product}`;
    const used = size || sizes.at(-1);
    const length = measure(text, used, "mono", 600);
    const middle = y + h / 2;
    const toFits = length + measure(to, 11.5) + 22 + marked < w;
    return svg("g", {},
      marked > 0 && mark(state, x + 16, middle, Math.min(8, h / 2 - 1)),
      label(x + 8 + marked * 1.2, middle + used * 0.35, text, { class: "m", "font-size": used, "font-weight": 600 }),
      toFits && label(x + w - 7, middle + 4, to, { "text-anchor": "end", "font-size": 11.5 }));
  }

  failed(column, row, x, w) {
    const first = this.columns.find((one) => !one.empty);
    const over = this.t >= this.story.doneAt[row.reading.id];
    const box = rect(x, row.y, w, row.h, { class: "box dotted" });
    if (!over) return svg("g", { class: "unread" }, box, mark("notyet", x + Math.min(17, w / 2), row.y + row.h / 2, Math.min(8, w / 2)));
    if (column !== first) return svg("g");
    const last = this.columns.findLast((one) => !one.empty);
    const long = last.x + last.width - column.x - 12;
    return svg("g", { class: "lost" }, rect(x, row.y, long, row.h, { class: "box" }), mark("spent", x + 20, row.y + row.h / 2, 9),
      label(x + 38, row.y + row.h / 2 + 5, clip(row.reading.error, long - 46, 14, "ui", 600), { "font-size": 14, "font-weight": 600 }));
  }

  /** Neighbouring bars of one fold. */
  runs(columns) {
    const runs = [];
    let last = null;
    for (const column of columns) {
      const bar = column.frame == null && !column.capsule;
      if (bar && last && last[0].fold === column.fold) last.push(column);
      else if (bar) runs.push((last = [column]));
      else last = null;
    }
    return runs;
  }

  /** Folded turns: the upper bar is the size of what is carried on, the lower one the size of its gradient. */
  bars(run, lane) {
    const { story, inspector } = this;
    const row = lane.rows.at(-1);
    const shapes = { "bar-w": "", "bar-w waiting": "", "bar-r": "", "bar-r waiting": "" };
    for (const column of run) {
      const { x, width } = column;
      const thick = Math.max(0.8, width * (width > 4 ? 0.62 : 0.75));
      const high = Math.max(4, lane.h * (0.12 + 0.88 * this.level(column, "written")));
      const left = x + (width - thick) / 2;
      shapes[this.t >= this.lastWritten(column) ? "bar-w" : "bar-w waiting"] += `M${left} ${lane.y + lane.h}v${-high}h${thick}v${high}z`;
      const down = this.level(column, "read");
      if (!row || !down) continue;
      const when = this.firstRead(row.reading.id, column);
      shapes[this.t >= when ? "bar-r" : "bar-r waiting"] += `M${left} ${row.y}v${Math.max(1.5, row.h * down)}h${thick}v${-Math.max(1.5, row.h * down)}z`;
    }
    const [first, last] = [run[0], run.at(-1)];
    const bottom = row ? row.y + row.h : lane.y + lane.h;
    const what = first.turnA != null ? `turns ${first.turnA + 1} to ${last.turnB}` : `frames ${first.from + 1} to ${last.to}`;
    const choose = (event) => {
      const { left, width } = event.currentTarget.getBoundingClientRect();
      const column = run[Math.max(0, Math.min(run.length - 1, Math.floor(((event.clientX - left) / width) * run.length)))] || last;
      inspector.go(inspector.timeIn(story, this.lastWritten(column)), `f${story.order[column.to - 1]}`);
    };
    return svg("g", { class: "spot bars", role: "button", tabindex: -1, "aria-label": `folded: ${what}; a click opens one`, onclick: choose },
      Object.entries(shapes).filter(([, d]) => d).map(([className, d]) => path(d, { class: className })),
      rect(first.x, lane.y, last.x + last.width - first.x, bottom - lane.y, { rx: 0, class: "catch" }));
  }

  lastWritten(column) {
    return this.story.writtenAt.get(this.story.order[column.to - 1]);
  }

  /** A layer, or another short fold: one frame in front of another. */
  capsule(column, lane) {
    const { story } = this;
    const fold = story.folds[column.fold], row = lane.rows.at(-1);
    const id = story.order[column.from];
    const pad = space(column), x = column.x + pad, w = column.width - 2 * pad;
    const read = row && this.t >= this.firstRead(row.reading.id, column);
    return this.spot({ when: story.writtenAt.get(id), selected: `f${id}`, says: `folded: ${fold.label}`, className: `spot frame written capsule ${this.t >= this.lastWritten(column) ? "past" : "future"}` },
      rect(x + 2, lane.y - 3, w, lane.h, { class: "box behind" }), rect(x, lane.y, w, lane.h, { class: "box" }), this.upright(fold.label, x, lane.y, w, lane.h),
      row && rect(x, row.y, w, row.h, { class: read ? "box read-box" : "box dotted" }));
  }

  inColumn(id, column) {
    const k = this.story.place.get(id);
    return k >= column.from && k < column.to;
  }

  firstRead(reading, column) {
    const readAt = this.story.readAt[reading];
    for (let k = column.from; k < column.to; k++) if (readAt.has(this.story.order[k])) return readAt.get(this.story.order[k]);
    return undefined;
  }

  /** The height of a bar, from 0 to 1: linear, or by decades when the sizes differ by more than a thousand. */
  level(column, side) {
    const { story } = this;
    const fold = story.folds[column.fold];
    const sizes = column.turnA != null ? fold[side] || [] : story.order.slice(column.from, column.to).map((id) => sizeOf(side === "written" ? story.frame(id).value : story.read(story.reads.length - 1, id)?.up));
    const all = column.turnA != null ? sizes : [story.largest];
    const mine = Math.max(0, ...(column.turnA != null ? sizes.slice(column.turnA, column.turnB) : sizes).map(Number).filter(Number.isFinite));
    const scale = (fold && (fold[`${side}Scale`] ||= scaleOf(all))) || scaleOf(all);
    if (!mine || !scale.most) return 0;
    return scale.linear ? Math.min(1, mine / scale.most) : Math.max(0.03, Math.min(1, 1 + Math.log10(mine / scale.most) / 6));
  }

  turn(lane, row, k) {
    const { story } = this;
    const { reading } = row;
    const when = story.turnAt[reading.id];
    const phase = this.phase(when);
    const several = lane.readings.length > 1;
    const y0 = lane.y + lane.h / 2, y1 = row.y + row.h / 2;
    const nested = this.two && lane.tape.outer;
    const x = this.endOf(lane) + 8;
    const straight = nested ? 8 : several ? 34 + 12 * k : 42;
    const rx = nested ? 30 : several ? 20 + 8 * k : 32;
    const back = nested ? 4 : straight - 4;
    const words = lane.readings.length === 1;
    return this.spot({ when, says: `the turn: ${cell(story.code.get(reading.line)).trim()}`, current: phase === "now", className: `spot turn ${phase}` },
      rect(x, y0 - 6, straight + rx + 6, y1 - y0 + 12, { class: "catch" }),
      path(`M${x} ${y0}h${straight}a${rx} ${(y1 - y0) / 2} 0 0 1 0 ${y1 - y0}h${-back}`, { class: "arc" }),
      path(`M${x + straight - back - 8} ${y1}l10 -7v14z`, { class: "head" }),
      words && label(x + 8, (y0 + y1) / 2 - (nested || this.two ? 0 : 4), "turn", { class: "halo", "font-size": 12.5, "font-weight": 700 }),
      words && !this.two && reading.seed && label(x + 8, (y0 + y1) / 2 + (this.two ? 14 : 12), clip(`seed ${isScalar(reading.seed) ? brief(reading.seed) : cell(reading.seed.text)}`, 66, 12, "mono"), { class: "m quiet halo", "font-size": 12 }));
  }

  /** The left end: where the film comes from, and what comes home. */
  sources(lane) {
    const { story } = this;
    const x = this.left, w = this.sourceWidth;
    const shownSources = story.sources.slice(0, story.sources.length > 5 ? 4 : 5);
    const rest = story.sources.length - shownSources.length;
    const row = lane.rows[0];
    if (lane.closed || !shownSources.length) return [];
    if (this.many && lane.rows.length === 1) {
      const h = row.y + row.h - lane.y, each = h / (shownSources.length + (rest ? 1 : 0));
      return [rect(x, lane.y, w, h, { class: `source ${this.answerClass(row.reading, null)}`, rx: 8 }),
        ...shownSources.flatMap((source, k) => this.sourceRow(source, row.reading, x, lane.y + k * each, w, each, k)),
        rest > 0 && label(x + 12, lane.y + h - each / 2 + 4, `and ${rest} more`, { class: "quiet", "font-size": 12 })];
    }
    const out = [rect(x, lane.y, w, lane.h, { class: "source", rx: 8 })];
    if (!this.many) {
      const [source] = shownSources;
      const array = source.value && !isScalar(source.value) && source.value.thumb;
      const tall = lane.h >= 50;
      const text = array ? source.name : `${source.name} = ${brief(source.value ?? undefined)}`;
      const size = [18, 16, 14, 12.5].find((s) => measure(text, s, "mono", 600) <= w - 22) || 12.5;
      out.push(label(x + 12, lane.y + (tall ? lane.h / 2 - 4 : lane.h / 2 + 5), clip(text, w - (array ? 62 : 20), size, "mono", 600), { class: "m", "font-size": tall ? size : Math.min(size, 16), "font-weight": 600 }),
        tall && label(x + 12, lane.y + lane.h - 13, stale(source) || (array ? shapeText(source.value.shape) : cell(source.kind)), { class: "quiet", "font-size": 12 }),
        array && picture(source.value, x + w - 50, lane.y + 5, 42, lane.h - 10));
    } else out.push(label(x + 12, lane.y + lane.h / 2 + 5, clip(story.sources.map((source) => source.name).join(", "), w - 20, 14, "mono", 600), { class: "m", "font-size": 14, "font-weight": 600 }));
    for (const one of lane.rows) out.push(...this.answerBox(one, x, w));
    return out.map((element, k) => (k === 0 && !this.many ? this.sourceSpot(shownSources[0], element) : element));
  }

  sourceSpot(source, ...children) {
    return svg("g", { class: `spot${this.inspector.state.selected === source.id ? " picked" : ""}`, role: "button", tabindex: -1, "aria-label": `source ${source.name}`, onclick: () => this.inspector.go(this.inspector.state.step, source.id) }, children);
  }

  answerClass(reading, source) {
    if (!(this.t >= this.story.doneAt[reading.id])) return "waiting";
    const status = this.story.view.verdict?.status;
    const value = source ? reading.answers[source.id] : undefined;
    if (reading.error || (source && value == null)) return "lost";
    if (status === "partial") return "lost partial";
    return `home${this.t === this.story.doneAt[reading.id] ? " now" : ""}`;
  }

  sourceRow(source, reading, x, y, w, h, k) {
    const { value, final } = this.story.answer(reading.id, source.id, this.t);
    const valueWidth = 62;
    return [k > 0 && path(`M${x} ${y}h${w}`, { class: "rule" }), this.sourceSpot(source, rect(x, y, w, h, { class: "catch" }),
      label(x + 10, y + h / 2 + 5, clip(source.name, 60, 14, "mono", 600), { class: "m", "font-size": 14, "font-weight": 600 }),
      !final && value !== undefined && mark("notyet", x + w - valueWidth - 18, y + h / 2, 6),
      !(final && value === undefined) && shown(value, x + w - valueWidth - 8, y + 1, valueWidth, h - 2, { size: 12.5, align: "end" }))];
  }

  answerBox({ reading, y, h }, x, w) {
    const { story } = this;
    const all = story.sources.map((source) => ({ source, ...story.answer(reading.id, source.id, this.t) }));
    const over = this.t >= story.doneAt[reading.id];
    const [one] = all;
    const target = reading.targetName || story.nameOf(reading.target);
    const asked = reading.id === story.view.readings.length - 1 ? cell(story.view.verdict?.ask) : "";
    const title = this.many ? "" : [asked, `d${target}/d${one.source.name}`].find((text) => text && text.length < 12) || "gradient";
    const className = `answer ${this.answerClass(reading, this.many ? null : one.source)}`;
    const box = rect(x, y, w, h, { class: "source", rx: 8 });
    if (reading.error && over) return [svg("g", { class: className }, box, mark("spent", x + 18, y + h / 2, 8), label(x + 34, y + h / 2 + 5, "error", { class: "m", "font-size": 14, "font-weight": 600 }))];
    if (this.many) {
      const each = (w - 12) / Math.min(4, all.length);
      return [svg("g", { class: className }, box, all.slice(0, 4).map(({ value }, k) => shown(value, x + 6 + k * each, y + 3, each - 2, h - 6, { size: 12 })))];
    }
    const tall = h >= 50;
    const soFar = !one.final && one.value !== undefined;
    const titleWidth = measure(title, 12, "mono");
    const partial = className.includes("partial");
    return [svg("g", { class: className }, box,
      label(x + 11, tall ? y + 18 : y + h / 2 + 4, soFar && !tall ? "so far" : title, { class: "m", "font-size": 12 }),
      soFar && tall && label(x + w - 10, y + 18, "so far", { class: "i", "text-anchor": "end", "font-size": 11.5 }),
      partial && mark("partial", x + w - 18, y + h / 2, 9),
      tall ? shown(one.value, x + 11, y + 22, w - (partial ? 50 : 22), h - 26, { size: 17, align: "start", weight: 600 })
        : shown(one.value, x + 14 + titleWidth, y + 3, w - titleWidth - 24, h - 6, { size: 15, align: "end", weight: 600 }))];
  }

  /** Between two frames: a watch, or an assignment to a Variable. */
  marks(lane) {
    return (this.story.view.marks || []).slice(0, 40).flatMap(({ at, line, say }) => {
      const column = this.columns.find((one) => one.frame === at);
      const last = this.columns.at(-1);
      if (!column && at < this.story.order.length) return [];
      const x = column ? column.x - column.gap : last ? last.x + last.width : this.left + this.sourceWidth + 10;
      const when = this.story.writtenAt.get(at) ?? this.story.writtenAt.get(this.story.order.at(-1)) ?? 0;
      return [this.spot({ when, says: `line ${line}: ${say}`, className: "spot moment" },
        path(`M${x} ${lane.y - 2}V${lane.y + lane.h + 2}`, { class: "moment-line" }), path(`M${x} ${lane.y - 8}l5 6 -5 6 -5 -6z`, { class: "diamond" }), svg("title", {}, `line ${line}: ${say}`))];
    });
  }

  cutsOf(lane) {
    const { story } = this;
    const bottom = lane.rows.length ? lane.rows.at(-1).y + lane.rows.at(-1).h : lane.y + lane.h;
    return [...this.gapped].flatMap(([id, k]) => {
      const column = this.columns.find((one) => one.frame === id || (one.from != null && this.inColumn(id, one)));
      if (!column) return [];
      const cut = story.cuts[k];
      const x = column.x - column.gap / 2;
      const when = story.steps.findIndex(([kind, which]) => kind === "cut" && which === k) + 1 || story.writtenAt.get(id);
      const end = cut.whole ? bottom + 5 : lane.y + lane.h + 4;
      const y = cut.whole && lane.rows.length ? (lane.y + lane.h + lane.rows[0].y) / 2 : lane.y + lane.h / 2;
      return [this.spot({ when, says: `cut: ${cut.say}`, current: this.now.kind === "cut" && this.now.cut === k, className: "spot cut" },
        rect(x - 13, lane.y - 6, 26, end - lane.y + 6, { rx: 0, class: "paper" }), torn(x - 11, lane.y - 6, end - lane.y + 6, 1), torn(x + 7, lane.y - 6, end - lane.y + 6, 1),
        mark("cut", x, y, 13.5))];
    });
  }
}

function scaleOf(sizes) {
  const real = sizes.map(Number).filter((size) => Number.isFinite(size) && size > 0);
  const most = real.length ? real.reduce((a, b) => Math.max(a, b)) : 0;
  return { most, linear: real.length === sizes.length && real.reduce((a, b) => Math.min(a, b), Infinity) > most * 1e-3 };
}

// ----------------------------------------------------------------------------------------------------------- scrubber

/** Time as a line that one can drag: its height is the memory the tape holds. */
class Scrubber {
  constructor(inspector) {
    this.inspector = inspector;
    this.element = svg("svg", { class: "scrubber", role: "slider", tabindex: 0, "aria-label": "Time, drawn as the memory the tape holds", "aria-valuemin": 0 });
    const drag = (event) => {
      const box = this.element.getBoundingClientRect();
      inspector.go(Math.round(((event.clientX - box.left) / box.width) * this.width / (this.width - 24) * inspector.end - (12 / (this.width - 24)) * inspector.end));
    };
    this.element.addEventListener("pointerdown", (event) => { this.element.setPointerCapture(event.pointerId); drag(event); });
    this.element.addEventListener("pointermove", (event) => this.element.hasPointerCapture(event.pointerId) && drag(event));
  }

  x(t) {
    return 12 + (t / Math.max(1, this.inspector.end)) * (this.width - 24);
  }

  draw(story, width) {
    const { view } = story;
    const times = this.inspector.timesOf(story);
    this.width = width;
    const top = 20, base = 58;
    const most = Math.max(1, ...[view.peak || 0], view.bytes.reduce((a, b) => Math.max(a, b), 0));
    this.y = (bytes) => base - (bytes / most) * (base - top);
    this.story = story;
    const reading = (k) => story.turnAt.some((turn, id) => k + 1 > turn && k + 1 <= (story.doneAt[id] ?? story.end));
    const stride = Math.max(1, Math.floor(story.end / 1200));
    const spans = [];
    let before = 0;
    view.bytes.forEach((bytes, k) => {
      if (k % stride && k !== view.bytes.length - 1) return;
      const kind = reading(k) ? "read" : "written";
      if (spans.at(-1)?.kind !== kind) spans.push({ kind, d: `M${this.x(k ? times[k] : 0)} ${this.y(before)}`, start: this.x(k ? times[k] : 0) });
      const span = spans.at(-1);
      span.d += stride > 1 ? `L${this.x(times[k + 1])} ${this.y(bytes)}` : `V${this.y(bytes)}H${this.x(times[k + 1])}`;
      span.end = this.x(times[k + 1]);
      before = bytes;
    });
    const turns = story.turnAt.map((turn, id) => ({ x: this.x(times[turn]), text: story.turnAt.length === 1 ? "turn" : view.tapes.length > 1 ? `${view.tapes.find((tape) => tape.id === view.readings[id].tape).name} turns` : `reading ${id + 1}` }));
    let free = measure("memory", 12) + 20;
    this.element.setAttribute("viewBox", `0 0 ${width} 70`);
    this.element.setAttribute("aria-valuemax", this.inspector.end);
    this.pin = path("", { class: "pin" });
    this.knob = svg("circle", { r: 6.5, cy: base, class: "knob" });
    this.tag = svg("g", { class: "tag" }, rect(0, 0, 10, 17), label(0, 0, "", { class: "m", "font-size": 12.5, "font-weight": 600 }));
    this.element.replaceChildren(
      rect(0, 0, width, 70, { class: "catch" }),
      label(12, 13, "memory", { class: "quiet", "font-size": 12 }),
      ...spans.flatMap((span) => [path(`${span.d}V${base}H${span.start}Z`, { class: `area ${span.kind}` }), path(span.d, { class: `edge ${span.kind}` })]),
      path(`M${this.x(0)} ${base}H${this.x(this.inspector.end)}`, { class: "base" }),
      ...turns.slice(0, 12).map(({ x, text }) => {
        const half = measure(text, 12.5, "ui", 700) / 2;
        const fits = x - half > free && x + half < width;
        if (fits) free = x + half + 8;
        return [path(`M${x} 17V${base}`, { class: "turn-line" }), fits && label(x, 13, text, { "text-anchor": "middle", "font-size": 12.5, "font-weight": 700 })];
      }).flat(),
      this.pin, this.knob, this.tag);
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
    box.setAttribute("x", left); box.setAttribute("y", y); box.setAttribute("width", wide);
    words.setAttribute("x", left + 6); words.setAttribute("y", y + 13); words.textContent = word;
    this.element.setAttribute("aria-valuenow", t);
    this.element.setAttribute("aria-valuetext", text);
  }
}

// -------------------------------------------------------------------------------------------------------------- graph

/** What depends on what, in layers from left to right as the film; small graphs whole, large ones by source line. */
class Graph {
  constructor(inspector) {
    this.inspector = inspector;
    this.box = html("div", { class: "graph-box", tabindex: -1 });
    this.note = html("span");
    this.element = html("section", { class: "graph", "aria-label": "Graph" }, html("h4", {}, "Graph", this.note), this.box);
  }

  /** The nodes to be drawn: which frames each stands for. */
  nodes(story, cursor) {
    const { order } = story;
    const nodes = new Map();
    const home = new Map();
    const add = (id, ids, extra) => { nodes.set(id, { id, ids, ...extra }); ids.forEach((one) => home.set(one, id)); };
    const wanted = order.filter((id) => this.counts(story, id));
    const small = wanted.length <= 14;
    const line = cursor == null ? null : story.frame(cursor).line;
    const loop = story.folds.find((fold) => (fold.turns || 1) > 2 && order.length > 60);
    const turnOf = (id) => (loop && id >= loop.first && id < loop.first + loop.per * loop.turns ? Math.floor((id - loop.first) / loop.per) : null);
    const open = loop ? turnOf(cursor) ?? loop.shown ?? loop.open ?? 0 : null;
    const stacks = { before: [], after: [] };
    const groups = [];
    for (const id of wanted) {
      const turn = turnOf(id);
      if (turn !== null && turn !== open) { stacks[turn < open ? "before" : "after"].push(id); continue; }
      const { line: own, by } = story.frame(id);
      const last = groups.at(-1);
      const near = Math.abs(story.place.get(id) - (story.place.get(cursor) ?? order.length)) < 12;
      const alone = small || turn !== null || (own === line && near) || by != null || own == null;
      if (!alone && last && !last.alone && last.line === own && !story.isGhost(story.frame(id)) && last.turn === turn) last.ids.push(id);
      else groups.push({ alone, line: own, turn, ids: [id] });
    }
    if (stacks.before.length) add(`g${loop.id ?? 0}a`, stacks.before, { text: "loop", under: `turns 1–${open}`, stack: true });
    for (const group of groups) {
      const ids = group.ids, first = story.frame(ids[0]), last = story.frame(ids.at(-1));
      const text = ids.length === 1 ? first.glyph || first.op : last.name || ids.map((id) => story.frame(id).glyph).join(" ");
      add(`f${ids.at(-1)}`, ids, { text, stack: ids.length > 1 });
    }
    if (stacks.after.length) add(`g${loop.id ?? 0}b`, stacks.after, { text: "loop", under: `turns ${open + 2}–${loop.turns}`, stack: true });
    for (const source of story.sources.slice(0, 12)) nodes.set(source.id, { id: source.id, ids: [], text: source.name, source });
    return { nodes, home, hidden: order.length - wanted.length, small, open, loop };
  }

  /** Ghosts off the way are hidden in a large graph. */
  counts(story, id) {
    const frame = story.frames.get(id);
    return story.order.length <= 14 || !frame || !frame.ghost || frame.ghost.on_way;
  }

  edges(story, { nodes, home, loop }) {
    const edges = new Map();
    const nodeOf = (ref) => (!ref ? null : ref[0] === "f" ? home.get(+ref.slice(1)) : nodes.has(ref) ? ref : null);
    const add = (from, to, ref, id) => {
      if (!from || !to || from === to) return;
      const key = `${from}>${to}`;
      if (!edges.has(key)) edges.set(key, { from, to, pairs: [] });
      edges.get(key).pairs.push([ref, id]);
    };
    for (const node of nodes.values()) {
      const ids = node.under?.startsWith("turns 1–") ? node.ids.slice(0, loop.per) : node.under ? [...node.ids.slice(0, loop.per), ...node.ids.slice(-loop.per)] : node.ids;
      for (const id of ids) for (const ref of story.frame(id).in) add(nodeOf(ref), node.id, ref, id);
    }
    return [...edges.values()];
  }

  /** Python's places, or, where frames are folded together, layers by the longest way and rows by the middle of the neighbours. */
  places(story, nodes, edges) {
    const known = story.view.graph?.nodes || {};
    if ([...nodes.values()].every((node) => node.id in known && node.ids.length <= 1)) return new Map([...nodes.keys()].map((id) => [id, [...known[id]]]));
    const order = [...nodes.values()].sort((a, b) => (a.source ? -1 : story.place.get(a.ids[0])) - (b.source ? -1 : story.place.get(b.ids[0])));
    const layer = new Map(order.map((node) => [node.id, 0]));
    const into = (id) => edges.filter((edge) => edge.to === id);
    for (const node of order) layer.set(node.id, Math.max(0, ...into(node.id).map((edge) => layer.get(edge.from) + 1)));
    for (const node of order.filter((one) => one.source)) {
      const uses = edges.filter((edge) => edge.from === node.id).map((edge) => layer.get(edge.to));
      layer.set(node.id, uses.length ? Math.min(...uses) - 1 : 0);
    }
    const least = Math.min(0, ...layer.values());
    const rows = [];
    for (const node of order) (rows[layer.get(node.id) - least] ||= []).push(node.id);
    const y = new Map();
    for (const row of rows) row?.forEach((id, k) => y.set(id, k - (row.length - 1) / 2));
    const neighbours = (id) => edges.flatMap((edge) => (edge.from === id ? [edge.to] : edge.to === id ? [edge.from] : []));
    const mean = (id) => { const near = neighbours(id); return near.length ? near.reduce((sum, one) => sum + y.get(one), 0) / near.length : y.get(id); };
    for (let sweep = 0; sweep < 6; sweep++)
      for (const row of sweep % 2 ? [...rows].reverse() : rows) {
        if (!row) continue;
        const wish = new Map(row.map((id) => [id, mean(id)]));
        row.sort((a, b) => wish.get(a) - wish.get(b));
        const shift = row.reduce((sum, id) => sum + wish.get(id), 0) / row.length;
        row.forEach((id, k) => y.set(id, row.length === 1 ? wish.get(id) : shift + k - (row.length - 1) / 2));
      }
    return new Map(order.map((node) => [node.id, [layer.get(node.id) - least, y.get(node.id)]]));
  }

  draw(story, t, width, height) {
    const { inspector } = this;
    const now = story.at(t);
    const cursor = now.frame ?? inspector.lastFrame ?? null;
    const plan = this.nodes(story, cursor);
    const key = [...plan.nodes.values()].map((node) => `${node.id}:${node.ids.length}`).join();
    if (this.key !== key || this.story !== story) {
      this.edgeList = this.edges(story, plan);
      this.at = this.places(story, plan.nodes, this.edgeList);
      Object.assign(this, { key, story });
    }
    const rowsY = [...this.at.values()].map(([, y]) => y);
    const low = Math.min(...rowsY), high = Math.max(...rowsY);
    const values = plan.small && (high - low) * 76 + 76 <= height + 20;
    const sized = (node) => Math.max(node.source ? 38 : 44, Math.min(96, measure(node.text, node.source ? 14 : 15, "ui", 600) + 18));
    const columns = new Map();
    for (const node of plan.nodes.values()) {
      node.text = clip(node.text, 84, 15, "ui", 600);
      node.w = sized(node);
      const [layer] = this.at.get(node.id);
      columns.set(layer, Math.max(columns.get(layer) || 0, node.w));
    }
    const layers = [...columns.keys()].sort((a, b) => a - b);
    const taken = layers.reduce((sum, layer) => sum + columns.get(layer), 20);
    const gap = Math.max(20, Math.min(34, (width - taken) / Math.max(1, layers.length - 1)));
    const natural = taken + gap * (layers.length - 1);
    const loose = natural < width ? Math.min(44, (width - natural) / Math.max(1, layers.length - 1)) : 0;
    const center = new Map();
    let x = 10;
    for (const layer of layers) { center.set(layer, x + columns.get(layer) / 2); x += columns.get(layer) + gap + loose; }
    const whole = x - gap - loose + 10;
    const step = Math.max(values ? 76 : 42, Math.min(values ? 84 : 54, (height - 50) / Math.max(1, high - low + 0.4)));
    const tall = Math.max(height, (high - low) * step + 76);
    const across = Math.max(width, whole);
    const shiftX = (across - whole) / 2;
    for (const node of plan.nodes.values()) {
      const [layer, y] = this.at.get(node.id);
      Object.assign(node, { x: center.get(layer) + shiftX, y: tall / 2 + (y - (low + high) / 2) * step, h: node.source ? 36 : 32 });
    }
    const scale = inspector.state.overview ? Math.min(1, width / across, height / tall) : height / tall > 0.75 ? height / tall : 1;
    this.note.textContent = [plan.loop && `turn ${plan.open + 1} of ${plan.loop.turns} open`, !plan.small && !plan.loop && "folded by line", plan.hidden > 0 && `${plan.hidden} off the way hidden`].filter(Boolean).join(", ");
    const current = [...plan.nodes.values()].find((node) => node.ids.includes(now.frame));
    const drawing = svg("svg", { class: "drawing", viewBox: `0 0 ${across} ${tall}`, style: `width:${(across * scale) / 13}em;height:${(tall * scale) / 13}em`, role: "group", "aria-label": "Graph of the operations" });
    drawing.append(...this.edgeList.map((edge) => this.edge(story, t, plan.nodes, edge)), ...[...plan.nodes.values()].map((node) => this.node(story, t, node, node === current, values)));
    if (!current) drawing.querySelector(".spot")?.setAttribute("tabindex", "0");
    this.box.replaceChildren(drawing);
    this.pan(current, scale);
  }

  /** Moves to the cursor, and fades the side on which there is more. */
  pan(current, scale) {
    const unit = this.inspector.unit * scale;
    if (current) {
      this.box.scrollLeft = current.x * unit - this.box.clientWidth / 2;
      this.box.scrollTop = current.y * unit - this.box.clientHeight / 2;
    }
    const { scrollLeft, scrollWidth, clientWidth } = this.box;
    this.box.classList.toggle("more-left", scrollLeft > 4);
    this.box.classList.toggle("more-right", scrollLeft + clientWidth < scrollWidth - 4);
  }

  edge(story, t, nodes, edge) {
    const from = nodes.get(edge.from), to = nodes.get(edge.to);
    const x1 = from.x + from.w / 2 + (from.stack ? 3 : 0), x2 = to.x - to.w / 2;
    const rank = this.edgeList.filter((one) => one.to === edge.to).map((one) => nodes.get(one.from)).sort((a, b) => a.y - b.y);
    const y1 = from.y, y2 = to.y + (rank.indexOf(from) - (rank.length - 1) / 2) * Math.min(9, 22 / rank.length);
    const [layerA] = this.at.get(edge.from), [layerB] = this.at.get(edge.to);
    const d = layerB - layerA <= 1 ? `M${x1} ${y1}C${(x1 + x2) / 2} ${y1} ${(x1 + x2) / 2} ${y2} ${x2} ${y2}` : this.around(x1, y1, x2, y2, nodes, layerA, layerB);
    const cut = story.cuts.find((one) => one.edge && edge.pairs.some(([ref, id]) => ref === one.edge[0] && `f${id}` === one.edge[1]));
    const ghost = to.ids.length > 0 && story.isGhost(story.frame(to.ids.at(-1)));
    const reads = edge.pairs.flatMap(([ref, id]) => story.readAt.flatMap((times, k) => (times.has(id) && times.get(id) <= t && (story.read(k, id)?.parts || []).some((part) => part.to === ref) ? [times.get(id)] : [])));
    const done = to.ids.length > 0 && t >= story.writtenAt.get(to.ids[0]);
    const kind = ghost || cut ? "ghost" : reads.length ? "read" : done ? "written" : "waiting";
    const tip = kind === "read" ? path(`M${x1} ${y1}l7 -4.5v9z`, { class: `tip ${kind}` }) : path(`M${x2} ${y2}l-7 -4.5v9z`, { class: `tip ${kind}` });
    return svg("g", {}, path(d, { class: `track ${kind}` }), tip, cut && mark("cut", (x1 + x2) / 2, (y1 + y2) / 2, 11));
  }

  /** A long edge keeps clear of the nodes between: it runs above or below them. */
  around(x1, y1, x2, y2, nodes, layerA, layerB) {
    const between = [...nodes.values()].filter((node) => { const [layer] = this.at.get(node.id); return layer > layerA && layer < layerB; });
    const middle = (y1 + y2) / 2;
    const hit = between.filter((node) => Math.abs(node.y - (y1 + ((node.x - x1) / (x2 - x1)) * (y2 - y1))) < node.h / 2 + 10);
    if (!hit.length) return `M${x1} ${y1}C${x1 + 40} ${y1} ${x2 - 40} ${y2} ${x2} ${y2}`;
    const above = Math.min(...hit.map((node) => node.y)) - 34, below = Math.max(...hit.map((node) => node.y)) + 34;
    const y = middle - above < below - middle ? above : below;
    const a = hit[0].x - hit[0].w / 2 - 2, b = hit.at(-1).x + hit.at(-1).w / 2 + 2;
    const left = Math.max(x1 + 10, Math.min(...hit.map((n) => n.x - n.w / 2)) - 4), right = Math.min(x2 - 10, Math.max(...hit.map((n) => n.x + n.w / 2)) + 4);
    return a <= b ? `M${x1} ${y1}C${(x1 + left) / 2} ${y1} ${(x1 + left) / 2} ${y} ${left} ${y}H${right}C${(right + x2) / 2} ${y} ${(right + x2) / 2} ${y2} ${x2} ${y2}` : "";
  }

  node(story, t, node, current, values) {
    const { inspector } = this;
    const { x, y, w, h, ids } = node;
    const left = x - w / 2, top = y - h / 2;
    if (node.source) {
      const gradient = this.gradient(story, t, node.source.id);
      return svg("g", { class: `spot node source-node${inspector.state.selected === node.id ? " picked" : ""}`, role: "button", tabindex: -1, "aria-label": `source ${node.text}`, onclick: () => inspector.go(inspector.state.step, node.id) },
        rect(left, top, w, h, { rx: h / 2, class: "box" }), label(x, y + 5, node.text, { class: "m", "text-anchor": "middle", "font-size": 14, "font-weight": 600 }), values && this.beside(node, node.source.value, gradient));
    }
    const last = ids.at(-1), frame = story.frame(last);
    const ghost = story.isGhost(frame);
    const written = story.writtenAt.get(ids[0]);
    const read = story.readAt.some((times) => [ids[0], last].some((id) => times.get(id) <= t));
    const kind = ghost ? "ghost" : read ? "read" : "written";
    const phase = current ? "now" : t < written ? "future" : "past";
    const now = story.at(t);
    const when = inspector.twinTime(story, last, now);
    const texts = node.stack ? rect(left + 4, top - 4, w, h, { class: "box behind" }) : null;
    return svg("g", {
      class: `spot frame node ${kind} ${phase}${inspector.state.selected === `f${last}` ? " picked" : ""}${inspector.found.size && ids.some((id) => inspector.found.has(id)) ? " found" : ""}`, role: "button", tabindex: current ? 0 : -1,
      "aria-label": `${node.text}${node.under ? `, ${node.under}` : ""}, ${kind}`, "aria-current": current ? "step" : null, "data-frame": last, "data-id": node.id,
      onclick: () => inspector.go(inspector.timeIn(story, when), `f${last}`), onpointerenter: () => inspector.hover(last), onpointerleave: () => inspector.hover(null),
    }, texts, rect(left, top, w, h, { class: "box" }),
    label(x, y + 5.5, node.text, { "text-anchor": "middle", "font-size": 15, "font-weight": 600 }),
    node.under && label(x, y + h / 2 + 17, node.under, { class: "quiet", "text-anchor": "middle", "font-size": 11.5 }),
    values && t >= written && this.beside(node, frame.value, this.gradient(story, t, `f${last}`), frame.name));
  }

  /** What has arrived so far at a node, summed up: the last reading that came by. */
  gradient(story, t, ref) {
    let found;
    story.reads.forEach((reads, k) => {
      if (ref[0] === "s") { const { value, final } = story.answer(k, ref, t); if (value !== undefined || final) found = value ?? null; }
      else { const when = story.readAt[k].get(+ref.slice(1)); if (when <= t) found = story.read(k, +ref.slice(1)).up; }
    });
    return found;
  }

  beside({ x, y, h, w }, value, gradient) {
    const small = { size: 12.5 };
    const place = (one, top, className) => svg("g", { class: className }, shown(one, x - 36, top, 72, isScalar(one) || !one?.thumb ? 16 : 22, small));
    return [
      value != null && value.state !== "unknown" && place(value, y - h / 2 - (isScalar(value) || !value.thumb ? 18 : 25), "value-above"),
      gradient !== undefined && place(gradient, y + h / 2 + (isScalar(gradient) || !gradient?.thumb ? 3 : 4), "value-below"),
    ];
  }
}

// --------------------------------------------------------------------------------------------------------------- code

class Code {
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
      const item = html("li", { role: "button", tabindex: -1, class: gutter || "", "aria-label": `line ${n}: ${text.trim()}${says}`, onclick: () => this.choose(story, n) },
        html("span", { class: "n" }, n), html("span", { class: "gutter" }, gutter && icon(gutter, gutter === "cut" ? 15 : 13)), html("span", { class: "text" }, text));
      this.lines.set(n, item);
    }
    this.list.replaceChildren(...this.lines.values());
    if (!this.lines.size) this.list.append(html("li", { class: "empty" }, html("span"), html("span"), html("span", {}, "no source lines are known")));
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
      if (current) item.setAttribute("aria-current", "step"); else item.removeAttribute("aria-current");
    }
    const item = this.lines.get(line) || this.lines.values().next().value;
    if (!item) return;
    if (!this.lines.has(line)) item.tabIndex = 0;
    if (this.lines.has(line)) this.list.scrollTop = item.offsetTop - (this.list.clientHeight - item.clientHeight) / 2;
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

// --------------------------------------------------------------------------------------------------------------- pane

/** All about one moment, or about what is selected: the one place with every number. */
class Pane {
  constructor(inspector) {
    this.inspector = inspector;
    this.element = html("section", { class: "pane", tabindex: 0, "aria-label": "Frame" });
  }

  draw(story, t, selected) {
    const now = story.at(t);
    const body = selected[0] === "s" ? this.source(story, t, story.sources.find((source) => source.id === selected))
      : selected[0] === "f" && story.writtenAt.has(+selected.slice(1)) ? this.frame(story, t, +selected.slice(1), now)
      : now.frame != null ? this.frame(story, t, now.frame, now) : this.moment(story, t, now);
    this.element.replaceChildren(...body);
  }

  heading(title, note) {
    return html("h4", {}, title, html("span", {}, note || ""));
  }

  facts(...rows) {
    return html("dl", {}, rows.filter(Boolean).map(([key, ...value]) => [html("dt", {}, key), html("dd", {}, value)]));
  }

  about(value) {
    if (value === undefined) return [html("span", { class: "quiet" }, "this turn's values were not saved")];
    if (value === null || value.state === "unknown") return [html("span", { class: "quiet" }, "not known")];
    const range = value.min != null && !isScalar(value) ? ` ${value.min} … ${value.max}` : "";
    const large = isScalar(value) || value.state === "text" || value.state === "empty" ? html("b", { class: "m" }, value.state === "empty" ? "empty" : cell(value.first[0] ?? value.text)) : null;
    return [value.state !== "value" && value.state !== "text" && value.state !== "empty" && icon(value.state, 15), " ", large || (value.thumb ? valueBox(value, 58, 26) : html("span", { class: "m" }, value.first.join(" "))),
      html("span", { class: "m quiet" }, range), html("span", { class: "quiet type" }, ` ${shapeText(value.shape)} ${value.dtype}`)];
  }

  box(value, note, className = "", missing = false) {
    if (missing) return html("div", { class: `box ${className}` }, "…");
    return html("div", { class: `box ${className}` }, valueBox(value, 66, value && value.thumb && !isScalar(value) ? 32 : 20), note && html("small", {}, note));
  }

  frame(story, t, id, now) {
    const frame = story.frame(id);
    const ghost = story.isGhost(frame);
    const reading = now.frame === id && now.kind === "read" ? now.reading : story.readAt.findLastIndex((times) => times.get(id) <= t);
    const when = reading >= 0 ? story.readAt[reading].get(id) : undefined;
    const read = when <= t ? story.read(reading, id) : undefined;
    const state = ghost ? "not written" : now.kind === "read" && now.frame === id ? "read back" : read ? "was read back" : "written";
    const written = t >= story.writtenAt.get(id);
    const keeps = frame.keeps || [];
    const held = story.view.tapes.some((tape) => frame.tapes.includes(tape.id) && tape.persistent) || !read;
    const bytes = keeps.reduce((sum, kept) => sum + kept.bytes, 0);
    return [
      this.heading(`Frame ${story.place.get(id) + 1}`, `${frame.line ? `line ${frame.line}, ` : ""}${state}`),
      html("div", { class: "title" }, html("b", {}, frame.op || frame.glyph), html("span", { class: "quiet" }, `${story.inputs(frame).join(", ")} → `, html("b", {}, frame.name || "·"))),
      this.facts(["value", written ? this.about(frame.value) : [icon("notyet", 15), " not yet"]], frame.attributes && ["with", html("span", { class: "m" }, frame.attributes)]),
      ghost ? this.ghost(story, frame) : this.product(story, t, frame, read, reading),
      !ghost && this.facts(["keeps", html("span", { class: "m" }, keeps.length ? keeps.map((kept) => kept.what).join(", ") : "nothing"), " ",
        keeps.length > 0 && html("b", { class: "m" }, bytesText(bytes)), keeps.length > 0 && html("span", { class: "quiet" }, written ? (held ? " held" : " released") : "")]),
    ].filter(Boolean);
  }

  ghost(story, frame) {
    const cut = story.cuts.find((one) => one.edge?.[1] === `f${frame.id}`);
    return html("div", { class: "why" }, html("b", {}, "It ran, but is not on the tape: "), cell(frame.ghost?.say || frame.ghost?.why) || "no tape watched what went in.",
      cut?.mend && html("p", {}, html("span", { class: "quiet" }, "mend "), html("b", { class: "m" }, mendOf(cut.mend))));
  }

  product(story, t, frame, read, reading) {
    const header = ["to", "upstream", "", "local", "", "product"].map((text) => html("span", { class: "head" }, text));
    if (!read) {
      const over = story.doneAt.length > 0 && story.doneAt.every((done) => t >= done);
      const blank = () => this.box(undefined);
      return html("div", {}, html("div", { class: "equation" }, header, html("span"), blank(), "×", blank(), "=", blank()),
        html("p", { class: "quiet" }, over ? "Not on the way to the answer." : "Not yet read back."));
    }
    const parts = read.parts.filter((part) => part.to);
    const rows = parts.map((part) => {
      const times = frame.op === "matmul" ? "@" : "×";
      const text = cell(part.local?.text);
      return [html("b", { class: "m name" }, clip(part.name || story.nameOf(part.to) || "input", 62, 12.5, "mono", 600)), this.box(read.up, "", "", read.missing), times,
        part.local?.value ? this.box(part.local.value, /[^\d.\-−]/.test(text) && clip(text, 66, 11)) : html("div", { class: "box" }, html("span", { class: "m" }, clip(text || part.local?.rule, 70, 12.5, "mono") || "…")), "=",
        this.box(part.product, "", "product", read.missing)];
    });
    const sums = parts.filter((part) => part.total && part.product && isScalar(part.total) && brief(part.total) !== brief(part.product)).slice(-2);
    return html("div", {}, html("div", { class: "equation" }, header, rows),
      sums.map((part) => html("p", { class: "quiet" }, `adds up at ${part.name || story.nameOf(part.to)} to `, html("b", { class: "m" }, brief(part.total)))),
      read.missing && html("p", { class: "quiet" }, "this turn's values were not saved"));
  }

  source(story, t, source) {
    if (!source) return [this.heading("Source")];
    return [this.heading("Source", stale(source) || source.kind), html("div", { class: "title" }, html("b", { class: "m" }, source.name), html("span", { class: "quiet" }, source.watched ? "watched" : "not watched")),
      this.facts(["value", this.about(source.value)]), ...story.view.readings.flatMap((reading) => this.answer(story, t, reading, source))];
  }

  answer(story, t, reading, source) {
    if (!(source.id in reading.answers)) return [];
    const { value, final } = story.answer(reading.id, source.id, t);
    if (!final && value === undefined) return [html("div", { class: "answer-row" }, html("b", { class: "m" }, source.name), icon("notyet", 17), " not yet")];
    const from = story.contributions(reading.id, source.id).filter(({ when }) => when <= t);
    const scalar = from.length > 0 && from.every(({ part }) => isScalar(part.product));
    const target = reading.targetName || story.nameOf(reading.target);
    const row = html("div", { class: "answer-row" }, html("b", { class: "m" }, story.view.readings.length > 1 ? `d${target}/d${source.name}` : source.name),
      value && isScalar(value) ? html("b", { class: "m large" }, ["zero", "nan"].includes(value.state) && icon(value.state, 17), " ", brief(value)) : value ? valueBox(value, 72, 40) : html("b", { class: "m large" }, icon("none", 18), " None"),
      value && html("span", { class: "quiet said" }, html("span", {}, `${shapeText(value.shape)} ${value.dtype ?? ""}${final ? "" : ", so far"}`),
        value.max != null && !isScalar(value) && html("span", { title: `${value.min} … ${value.max}` }, [value.min, value.max].map((x) => +(+x).toPrecision(4)).join(" … "))));
    const each = story.view.verdict?.each?.find((one) => one.name === source.name);
    if (final && story.sources.length > 1 && each && each.status !== "complete") return [row, html("p", { class: "quiet" }, each.say)];
    if (!scalar || story.sources.length > 1 || reading.id !== story.view.readings.length - 1) return [row];
    if (story.reads[reading.id].size < story.readAt[reading.id].size) return [row, html("p", { class: "quiet" }, "Some of what adds up to it may stand in folded turns.")];
    if (from.length > 3) return [row, html("p", { class: "quiet" }, `${from.length} contributions add up:`), html("p", { class: "m" }, clip(from.map(({ part }) => brief(part.product)).join(" + "), 560, 12.5, "mono"))];
    return [row, html("p", { class: "quiet" }, from.length > 1 ? `${from.length} contributions add up:` : "one contribution:"),
      ...from.map(({ part, frame }) => html("p", {}, html("span", { class: "quiet" }, `frame ${story.place.get(frame) + 1} `), html("b", {}, story.frame(frame).glyph), " ", html("span", { class: "m" }, this.equationOf(story, reading.id, frame, part))))];
  }

  equationOf(story, reading, frame, part) {
    const read = story.read(reading, frame);
    return (read && story.equation(read, part)) || brief(part.product);
  }

  moment(story, t, now) {
    const reading = now.reading != null ? story.view.readings[now.reading] : null;
    const line = now.line ? `line ${now.line}` : "";
    const { verdict } = story.view;
    if (now.kind === "start") return [this.heading("Start"), html("p", {}, "Nothing has run yet. Press → or play."), ...story.sources.slice(0, 6).map((source) => this.facts([source.name, this.about(source.value)]))];
    if (now.kind === "turn") return [this.heading("The turn", line), html("div", { class: "title" }, html("b", {}, "From here it is read back")),
      this.facts(["starts at", html("b", { class: "m" }, reading.targetName || story.nameOf(reading.target))], ["seed", reading.seed ? this.about(reading.seed) : "none"], ["held now", html("b", { class: "m" }, bytesText(this.inspector.bytesAt(story, t)))])];
    if (now.kind === "error") return [this.heading("Error", line), html("div", { class: "big" }, icon("spent", 20), html("b", {}, cell(reading.error))), html("p", {}, cell(verdict?.say))];
    const cut = story.cuts[now.cut] || (t >= story.answered && story.cuts[0]);
    if (cut) return this.cut(story, cut, t);
    if (now.kind === "release" && t < story.end) return [this.heading("Released", line), html("p", {}, "The tape lets go of what it kept: ", html("b", { class: "m" }, bytesText(this.inspector.bytesAt(story, t))), " held now.")];
    const askedFor = story.sources.filter((source) => source.asked ?? true).length;
    const upTo = reading ? story.view.readings.filter((one) => story.doneAt[one.id] <= t) : story.view.readings;
    return [this.heading("Answer", line), ...upTo.slice(-3).reverse().flatMap((one) => story.sources.slice(0, 8).flatMap((source) => (one.error ? [] : this.answer(story, t, one, source)))),
      askedFor > 8 && html("p", { class: "quiet" }, `and ${askedFor - 8} more`), !story.view.readings.length && html("p", {}, story.order.length ? "Nothing was asked of this tape yet." : "This tape is empty."),
      ...(story.view.notes || []).map((note) => html("p", { class: "quiet" }, note))].filter(Boolean);
  }

  cut(story, cut, t) {
    const { verdict } = story.view;
    const box = (value, word, className) => html("div", { class: `box ${className || ""}` }, html("b", { class: "m" }, value), html("small", {}, word));
    const sum = verdict?.status === "partial" && verdict.lost != null && t >= story.answered;
    return [this.heading("Cut", cut.line ? `line ${cut.line}` : ""), html("div", { class: "big" }, icon("cut", 24), html("b", {}, cell(cut.say))),
      this.facts(cut.line && [`line ${cut.line}`, html("span", { class: "m" }, cell(story.code.get(cut.line)).trim())], cut.mend && ["mend", html("b", { class: "m wrap" }, mendOf(cut.mend))]),
      sum && html("div", { class: "equation sum" }, box(cell(verdict.answer), "read back", "product"), "+", box(cell(verdict.lost), "lost", "lost"), "=", box(cell(verdict.full ?? "?"), "full")),
      t >= story.answered && verdict?.status === "none" && html("p", {}, "This None means ", html("b", {}, cell(verdict.meaning) || "broken"), verdict.meaning === "broken" ? ": the true derivative is not 0, it is lost." : ".")].filter(Boolean);
  }
}

// ---------------------------------------------------------------------------------------------------------- inspector

const KEYS = [
  ["← →", "one step back, one step on"], ["Shift ← →", "to another source line"], ["↑ ↓", "from a reading to its frame, and back"], ["Home End", "to the start, to the end"], ["Space", "play or pause"],
  ["B", "to the turn"], ["W", "why: to the cut, or the first nan"], ["[ ]", "reading or tape before, after"], ["F", "fold or unfold here"], ["/", "find a name, an op or a line"], ["0", "fit: all of the graph, and folds as they were"], ["? Esc", "this sheet; Esc closes it, then leaves"],
];
const ICONS = {
  first: ["M6 5v14M18 5L8 12l10 7z", "Home: to the start"], back: ["M16 5L6 12l10 7z", "←: one step back"], play: ["M7 4l13 8-13 8z", "Space: play"], pause: ["M8 5v14M16 5v14", "Space: pause"],
  on: ["M8 5l10 7-10 7z", "→: one step on"], turn: ["M5 7h9a5 5 0 0 1 0 10H6M10 13l-4 4 4 4", "B: to the turn"],
};
let instances = 0;

class Inspector {
  constructor(model, el) {
    this.model = model;
    this.uid = ++instances;
    this.folding = new Map();
    this.found = new Set();
    this.state = { step: 0, selected: "", mode: 0, overview: false };
    this.element = html("div", { class: "mg-inspector", role: "region", tabindex: 0, "aria-label": "Tape inspector", "data-lm-suppress-shortcuts": "true" });
    this.code = new Code(this);
    this.graph = new Graph(this);
    this.pane = new Pane(this);
    this.scrubber = new Scrubber(this);
    this.skeleton();
    el.append(this.element);
    this.element.addEventListener("keydown", (event) => this.key(event));
    this.listeners = { "change:view": () => this.load(), "change:step": () => this.heard("step"), "change:selected": () => this.heard("selected"), "msg:custom": (message) => this.opened(message) };
    for (const [event, listener] of Object.entries(this.listeners)) model.on(event, listener);
    this.resized = new ResizeObserver(() => this.fit());
    this.resized.observe(el);
    this.load();
  }

  remove() {
    this.pause();
    clearTimeout(this.asking);
    this.resized.disconnect();
    for (const [event, listener] of Object.entries(this.listeners)) this.model.off?.(event, listener);
  }

  skeleton() {
    this.mark = html("span", { class: "mark-slot" });
    this.question = html("span", { class: "question" });
    this.said = html("p", { class: "say", role: "status", "aria-live": "polite" });
    this.modes = html("div", { class: "modes", role: "group", "aria-label": "Which film" });
    this.films = html("div", { class: "films" });
    this.buttons = Object.fromEntries(["first", "back", "play", "on", "turn"].map((name) => [name, html("button", { type: "button", class: name, onclick: () => this.act(name) })]));
    this.memory = html("div", { class: "memory" });
    this.finder = html("input", { type: "search", "aria-label": "Find a name, an op or a line", placeholder: "find", oninput: () => this.find(0), onkeydown: (event) => this.findKey(event) });
    this.findCount = html("span", { class: "quiet" });
    this.findBox = html("div", { class: "find", hidden: "" }, this.finder, this.findCount);
    this.sheet = html("dl", { class: "sheet", hidden: "" }, KEYS.map(([keys, does]) => [html("dt", {}, keys.split(" ").map((key) => html("kbd", {}, key))), html("dd", {}, does)]));
    const legend = [["notyet", "not yet"], ["none", "None"], ["zero", "0"], ["nan", "nan"], ["ghost", "ran, not written"], ["cut", "cut"]].map(([kind, word]) => html("span", {}, icon(kind, 14), word));
    const keys = [["← →", "step"], ["↓ ↑", "written, read"], ["B", "turn"], ["W", "why"], ["Space", "play"], ["?", "all keys"]];
    this.element.append(
      html("header", {}, html("div", { class: "ask" }, this.mark, this.question), this.said, this.modes),
      this.films,
      html("div", { class: "control" }, html("div", { class: "left" }, html("div", { class: "buttons", role: "toolbar", "aria-label": "Time" }, Object.values(this.buttons)), this.memory), this.scrubber.element),
      html("div", { class: "panes" }, this.code.element, this.graph.element, this.pane.element),
      html("footer", {}, html("div", { class: "legend" }, legend), html("div", { class: "keys" }, keys.map(([key, does]) => html("span", {}, key.split(" ").map((one) => html("kbd", {}, one)), does)))),
      this.findBox, this.sheet);
    for (const name of Object.keys(this.buttons)) this.face(name, name);
  }

  face(button, name) {
    const [d, title] = ICONS[name];
    const line = name === "turn" || name === "pause";
    this.buttons[button].replaceChildren(svg("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, path(d, { class: line ? "line" : "" })));
    this.buttons[button].title = title;
    this.buttons[button].setAttribute("aria-label", title);
  }

  // ---- state

  load() {
    const view = this.model.get("view");
    this.stories = (view.compare || [view]).map((film) => new Story(film));
    this.names = view.titles || ["as written", "mended"];
    this.pairs = view.frames || [];
    this.axis = this.stories.length > 1 ? merged(...this.stories, this.pairs) : null;
    const both = this.stories.length;
    if (!this.loaded) this.state.mode = both > 1 ? both : 0;
    const step = this.model.get("step");
    this.state.step = Math.max(0, Math.min(this.end, (step ?? this.end) + 1));
    this.state.selected = this.model.get("selected") || "";
    this.loaded = true;
    this.code.shown = this.scrubbed = null;
    this.fit(true);
  }

  get both() { return this.state.mode >= this.stories.length && this.stories.length > 1; }
  get story() { return this.stories[this.both ? 0 : this.state.mode]; }
  get end() { return this.axis ? this.axis.length - 1 : this.stories[0].end; }

  /** Time in one story; two stories share a longer time, in which steps of the same line happen together. */
  timeOf(story) {
    return this.axis ? this.axis[this.state.step][this.stories.indexOf(story)] : this.state.step;
  }

  timeIn(story, t) {
    if (!this.axis) return t;
    const k = this.stories.indexOf(story);
    return Math.max(0, this.axis.findIndex((pair) => pair[k] >= t));
  }

  timesOf(story) {
    if (!this.axis) return Array.from({ length: story.end + 1 }, (_, t) => t);
    const k = this.stories.indexOf(story), times = [];
    this.axis.forEach((pair, step) => { times[pair[k]] ??= step; });
    return times;
  }

  bytesAt(story, t) {
    return t > 0 ? story.view.bytes[(this.axis ? this.axis[t][this.stories.indexOf(story)] : t) - 1] ?? 0 : 0;
  }

  /** The one hand: it moves time and selection together. */
  go(step, selected) {
    step = Math.max(0, Math.min(this.end, step));
    this.state.step = step;
    const now = this.story.at(this.timeOf(this.story));
    this.state.selected = selected ?? (now.frame != null ? `f${now.frame}` : "");
    this.model.set("step", step - 1);
    this.model.set("selected", this.state.selected);
    this.model.save_changes();
    this.draw();
  }

  goTo(story, t) {
    this.go(this.timeIn(story, t));
  }

  heard(name) {
    const value = name === "step" ? this.model.get("step") + 1 : this.model.get("selected") || "";
    if (value === this.state[name]) return;
    if (name === "step") return this.go(value);
    this.state.selected = value;
    this.draw();
  }

  act(name) {
    if (name === "play") return this.timer ? this.pause() : this.play();
    if (name === "first") return this.go(0);
    if (name === "turn") return this.turn();
    return this.go(this.state.step + (name === "on" ? 1 : -1));
  }

  turn() {
    const turns = this.story.turnAt.filter(Boolean);
    if (turns.length) this.goTo(this.story, turns.at(-1));
  }

  /** To the reading before or after; without one, to the tape before or after. */
  reading(direction) {
    const t = this.timeOf(this.story), turns = this.story.turnAt.filter(Boolean);
    const next = direction > 0 ? turns.find((turn) => turn > t) : turns.findLast((turn) => turn < t);
    this.goTo(this.story, next ?? (direction > 0 ? this.story.end : 0));
  }

  play() {
    if (this.state.step >= this.end) this.go(0);
    const slow = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const stride = Math.max(1, Math.round(this.end / 60));
    this.timer = setInterval(() => (this.state.step >= this.end || !this.element.isConnected ? this.pause() : this.go(this.state.step + stride)), slow ? 1200 : 700);
    this.face("play", "pause");
  }

  pause() {
    clearInterval(this.timer);
    this.timer = null;
    this.face("play", "play");
  }

  /** To the step at which another source line begins. */
  line(direction) {
    const { story } = this;
    let t = this.timeOf(story);
    const { line } = story.at(t);
    do t += direction; while (t > 0 && t < story.end && story.at(t).line === line);
    this.goTo(story, Math.max(0, Math.min(story.end, t)));
  }

  twinTime(story, id, now) {
    const read = now.reading ?? story.readAt.findLastIndex((times) => times.has(id));
    const reading = now.kind === "read" || now.kind === "done" || now.kind === "release" || this.timeOf(story) >= story.end;
    return (reading && story.readAt[read]?.get(id)) || story.writtenAt.get(id);
  }

  /** From a frame to its reading (down), or from a reading to its frame (up). */
  cross(down) {
    const { story } = this, now = story.at(this.timeOf(story));
    if (now.frame == null) return;
    if (!down && now.kind === "read") this.goTo(story, story.writtenAt.get(now.frame));
    const reading = down && (now.kind === "read" ? now.reading + 1 : 0);
    const times = down && story.readAt.slice(reading).find((one) => one.has(now.frame));
    if (times) this.goTo(story, times.get(now.frame));
  }

  fold() {
    const { story } = this, id = story.at(this.timeOf(story)).frame ?? this.lastFrame;
    const fold = id == null ? undefined : story.foldOf(id);
    const index = fold ? story.folds.indexOf(fold) : 0;
    if (!story.folds.length) return;
    const drawn = this.drawn[0].columns.some((column) => column.fold === index && column.frame == null);
    this.folding.set(index, !drawn);
    this.draw();
  }

  overview() {
    this.folding.clear();
    this.state.overview = !this.state.overview;
    this.draw();
  }

  find(step) {
    const wanted = this.finder.value.trim().toLowerCase();
    const { story } = this;
    const matches = !wanted ? [] : story.order.filter((id) => {
      const frame = story.frame(id);
      return !frame.missing && [frame.name, frame.op, frame.glyph, `line ${frame.line}`, story.code.get(frame.line)].some((text) => cell(text).toLowerCase().includes(wanted));
    });
    this.found = new Set(matches);
    this.match = matches.length ? (((step ? (this.match ?? -1) + step : 0) % matches.length) + matches.length) % matches.length : null;
    this.findCount.textContent = !wanted ? "" : matches.length ? `${this.match + 1} of ${matches.length}` : "none";
    if (matches.length) this.goTo(story, story.writtenAt.get(matches[this.match]));
    else this.draw();
  }

  findKey(event) {
    event.stopPropagation();
    if (event.key === "Enter") this.find(event.shiftKey ? -1 : 1);
    if (event.key !== "Escape") return;
    this.findBox.hidden = true;
    this.found.clear();
    this.element.focus({ preventScroll: true });
    this.draw();
  }

  escape() {
    if (!this.sheet.hidden) this.sheet.hidden = true;
    else document.activeElement.blur();
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target === this.finder) return;
    const pressed = event.target.tagName === "BUTTON" || (event.target.getAttribute("role") === "button" && event.target !== this.element);
    const own = pressed && (event.key === "Enter" || (event.key === " " && event.target.tagName === "BUTTON"));
    if (own) {
      event.stopPropagation();
      if (event.target.tagName !== "BUTTON") event.target.dispatchEvent(new MouseEvent("click", { bubbles: true }));
      return;
    }
    const { step } = this.state;
    const actions = {
      ArrowRight: () => (event.shiftKey ? this.line(1) : this.go(step + 1)), ArrowLeft: () => (event.shiftKey ? this.line(-1) : this.go(step - 1)),
      ArrowDown: () => this.cross(true), ArrowUp: () => this.cross(false), Home: () => this.go(0), End: () => this.go(this.end), " ": () => this.act("play"),
      b: () => this.turn(), w: () => this.goTo(this.story, this.story.trouble()), "[": () => this.reading(-1), "]": () => this.reading(1), f: () => this.fold(), 0: () => this.overview(),
      "/": () => { this.findBox.hidden = false; this.finder.select(); this.finder.focus({ preventScroll: true }); }, "?": () => { this.sheet.hidden = !this.sheet.hidden; }, Escape: () => this.escape(),
    };
    const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  }

  hover(id) {
    const line = id == null ? null : this.story.frame(id).line;
    for (const element of this.element.querySelectorAll("[data-frame]")) element.classList.toggle("twin", id != null && +element.dataset.frame === id);
    for (const [n, item] of this.code.lines) item.classList.toggle("hover", n === line);
  }

  // ---- drawing

  /** The root grows with its container: from 1150 px on everything does. */
  fit(always) {
    const room = this.element.parentElement?.clientWidth || this.element.clientWidth;
    if (!room || (room === this.roomWidth && !always)) return;
    this.roomWidth = room;
    this.element.style.setProperty("--scale", room > 1150 ? Math.min(1.5, room / 1104) : 1);
    const style = getComputedStyle(this.element);
    this.unit = parseFloat(style.fontSize) / 13;
    families.ui = style.fontFamily || families.ui;
    families.mono = style.getPropertyValue("--mono") || families.mono;
    widths.clear();
    this.width = Math.floor(room / this.unit);
    this.element.classList.toggle("narrow", this.width < 880);
    this.element.classList.toggle("slim", this.width < 560);
    this.scrubbed = null;
    this.draw();
  }

  draw() {
    if (!this.width) return;
    const { story, both } = this;
    const t = this.timeOf(story);
    const now = story.at(t);
    if (now.frame != null) this.lastFrame = now.frame;
    const inFilm = document.activeElement?.closest?.(".films"), inGraph = document.activeElement?.closest?.(".graph");
    const mine = this.element.contains(document.activeElement);
    this.drawHead(story, t);
    this.drawFilms(both);
    this.drawControl(story, t);
    this.element.classList.toggle("both", both);
    if (!both) this.drawPanes(story, t, now);
    if (mine && inFilm) (this.films.querySelector("[tabindex='0']") || this.element).focus({ preventScroll: true });
    if (mine && inGraph) (this.graph.box.querySelector("[tabindex='0']") || this.graph.box).focus({ preventScroll: true });
    this.askForTurn(story, now);
  }

  drawHead(story, t) {
    const { verdict } = story.view;
    const known = t >= story.answered && verdict;
    this.mark.replaceChildren(icon(known ? this.markOf(verdict) : "notyet", 22));
    const ask = cell(verdict?.ask) || "tape";
    const answer = known ? cell(verdict.answer) : "?";
    const text = ask === "tape" ? ask : `${ask} = ${answer}`;
    this.question.textContent = clip(text, this.width * (this.width < 880 ? 0.9 : 0.42), 20, "mono", 600);
    this.question.title = text;
    const mend = story.cuts[0]?.mend || verdict?.mend;
    const [, title, rest] = /^(.*?\.)( .*)?$/s.exec(cell(verdict?.say)) || [];
    const verdictSaid = known && [html("b", {}, title || ""), rest || "", mend && [" Mend: ", this.mendButton(mend)]];
    const step = [html("b", { class: "count" }, `${this.state.step} of ${this.end}`), " ", ...rich(story.sentence(t))];
    this.said.replaceChildren(...(verdictSaid || step).flat(2).filter(Boolean));
    this.sentence = known ? `${cell(verdict.ask)} = ${answer}. ${cell(verdict.say)}` : plain(story.sentence(t));
    const names = this.stories.length > 1 ? [...this.names.slice(0, this.stories.length), "both"] : [];
    this.modes.replaceChildren(...names.map((name, k) => html("button", { type: "button", "aria-pressed": String(this.state.mode === k), onclick: () => this.show(k) }, name)));
  }

  mendButton(mend) {
    return this.stories.length > 1 ? html("button", { type: "button", class: "mend", onclick: () => this.show(this.stories.length) }, mendOf(mend)) : html("code", { class: "mend" }, mendOf(mend));
  }

  show(mode) {
    this.state.mode = mode;
    this.scrubbed = null;
    this.draw();
  }

  markOf({ status }) {
    return { complete: "complete", none: "none", partial: "partial", nan: "nan", zero: "zero", spent: "spent", error: "spent" }[status] || "notyet";
  }

  drawFilms(both) {
    const stories = both ? this.stories : [this.story];
    const films = stories.map((story) => new Film(this, story, this.timeOf(story), Math.max(this.width, 560)));
    if (both && films.every((film) => film.columns.length < 400)) {
      const [a, b] = films;
      [a.columns, b.columns] = aligned(a.columns, b.columns, this.pairs);
      const gaps = a.columns.flatMap((column, k) => (a.gapped.has(column.frame) || b.gapped.has(b.columns[k]?.frame) ? [k] : []));
      for (const film of films) {
        film.gaps = new Set(gaps.map((k) => film.columns[k]));
        film.cursor = null;
      }
    }
    this.drawn = films;
    this.films.replaceChildren(...films.flatMap((film, k) => [both && this.filmHead(film, k), film.draw()]).filter(Boolean));
    this.followFilm();
  }

  /** In a narrow place the film is wider than its window, which follows the cursor. */
  followFilm() {
    if (this.width >= 560) return;
    const at = this.films.querySelector("[aria-current]")?.getBBox();
    if (at) this.films.scrollLeft = at.x * this.unit - this.films.clientWidth / 2;
  }

  filmHead({ story, t }, k) {
    const line = story.frame(this.cutFrames?.[k])?.line;
    const { verdict } = story.view;
    const known = t >= story.answered && verdict;
    return html("div", { class: "film-head" }, html("b", {}, this.names[k] || ""), html("code", {}, line ? `${line}  ${cell(story.code.get(line)).trim()}` : ""),
      html("span", {}, icon(known ? this.markOf(verdict) : "notyet", 17), " ", html("b", { class: "m" }, `${cell(verdict?.ask)} = ${known ? cell(verdict.answer) : "?"}`)));
  }

  /** The frames, one of each story, where the first cut is. */
  get cutFrames() {
    const k = this.stories.findIndex((one) => one.cuts.some((cut) => cut.edge?.[1]));
    const id = k >= 0 && +this.stories[k].cuts.find((cut) => cut.edge?.[1]).edge[1].slice(1);
    return this.pairs.find((pair) => k >= 0 && pair[k] === id);
  }

  drawControl(story) {
    const left = this.width < 560 ? 0 : 196;
    if (this.scrubbed !== story) this.scrubber.draw(story, this.width - left);
    this.scrubbed = story;
    this.scrubber.move(this.state.step, this.sentence);
    const bytes = this.bytesAt(story, this.state.step);
    this.memory.replaceChildren("keeps ", html("b", { class: "m" }, bytesText(bytes)), ` of ${bytesText(story.view.peak || 0)}`);
  }

  drawPanes(story, t, now) {
    if (this.code.shown !== story) {
      this.code.set(story);
      this.code.shown = story;
      const longest = (story.view.code || []).reduce((most, { text }) => Math.max(most, text.length), 0);
      const lines = (story.view.code || []).length;
      this.codeWidth = Math.max(250, Math.min(this.width < 1000 ? 318 : 352, 62 + longest * 7.6));
      this.paneHeight = this.width < 880 ? 208 : Math.max(218, Math.min(252, lines * 20 + 40));
      this.element.style.setProperty("--code", `${this.codeWidth / 13}em`);
      this.element.style.setProperty("--panes", `${this.paneHeight / 13}em`);
    }
    this.code.draw(now.line);
    this.pane.draw(story, t, this.state.selected);
    const pane = Math.min(318, this.width * 0.46);
    const width = this.width < 560 ? this.width : this.width < 880 ? this.width - pane : this.width - this.codeWidth - 318;
    this.graph.draw(story, t, width - 2, this.paneHeight - 32);
  }

  /** A folded turn that was not sent: Python is asked for it, when the hand rests. */
  askForTurn(story, { frame }) {
    clearTimeout(this.asking);
    if (frame == null || story.frames.has(frame) || !this.model.send) return;
    const fold = story.foldOf(frame);
    if (!fold) return;
    this.asking = setTimeout(() => this.model.send({ type: "open_turn", film: this.stories.indexOf(story), fold: fold.id ?? story.folds.indexOf(fold), turn: Math.floor((frame - fold.first) / fold.per) }), 150);
  }

  /** Python sends a turn that was folded. */
  opened({ type, film = 0, frames, reads }) {
    if (type !== "turn") return;
    const story = this.stories[film];
    for (const frame of frames) story.frames.set(frame.id, frame);
    reads.forEach((list, k) => { for (const read of list) story.reads[k].set(read.frame, read); });
    story.totals = null;
    this.draw();
  }
}

/** The common time of two stories, as pairs of times: that of the longer one, which the other follows frame by frame. */
function merged(first, second, pairs) {
  const turned = second.end > first.end;
  const [long, short] = turned ? [second, first] : [first, second];
  const twins = new Map(pairs.map(([a, b]) => (turned ? [b, a] : [a, b])).filter(([a, b]) => a != null && b != null));
  const anchors = [[0, 0]];
  for (let t = 1; t <= long.end; t++) {
    const now = long.at(t), twin = twins.get(now.frame);
    const time = now.kind === "read" ? short.readAt[now.reading]?.get(twin) : now.frame != null ? short.writtenAt.get(twin) : now.kind === "turn" ? short.turnAt[now.reading] : now.kind === "done" ? short.doneAt[now.reading] : undefined;
    if (time > anchors.at(-1)[1]) anchors.push([t, time]);
  }
  anchors.push([long.end, short.end]);
  const times = [];
  anchors.slice(1).forEach(([t, time], k) => {
    const [t0, time0] = anchors[k];
    for (let n = t0; n < t; n++) times.push([n, Math.min(Math.max(time0, time - 1), time0 + Math.ceil(((time - time0) * (n - t0)) / (t - t0)))]);
  });
  times.push([long.end, short.end]);
  return turned ? times.map(([a, b]) => [b, a]) : times;
}

function render({ model, el }) {
  const inspector = new Inspector(model, el);
  return () => inspector.remove();
}

export default { render };
