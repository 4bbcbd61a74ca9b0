// What happened when, and what of it has room: Story is the time of a film, columns are its frames, some of them folded.

import { html, cell } from "./elements.js";
import { isScalar, shapeText, sizeOf, brief, spelled, uniform } from "./values.js";

/** What is said of a Variable that was assigned after it was read. */
export function stale({ version, now }) {
  return version != null && now !== version ? `◆ v${version}, now v${now}` : "";
}

/** What goes on, in a sentence. */
const worded = (product) => (spelled(product) === shapeText(product.shape) ? `a ${shapeText(product.shape)} gradient` : spelled(product));

/** What one view model says, and when. Time t counts the steps done: 0 is before the first, story.end after the last. */
export class Story {
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
    this.homeAt = this.readAt.map((times) => {
      // when the reading line passes a place: the first reading of it or of a frame before it
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
    return (
      this.frames.get(id) ||
      this.imagined(
        id,
        (twin) => this.frames.get(twin),
        (frame, shift) => ({ ...frame, in: frame.in.map(shift), value: undefined, keeps: [] }),
      )
    );
  }

  read(reading, id) {
    if (!this.readAt[reading].has(id)) return undefined;
    const unsaid = (part, shift) => ({
      ...part,
      to: shift(part.to),
      product: undefined,
      total: undefined,
      local: { ...part.local, value: undefined },
    });
    return (
      this.reads[reading].get(id) ||
      this.imagined(
        id,
        (twin) => this.reads[reading].get(twin),
        (read, shift) => ({ up: undefined, parts: read.parts.map((part) => unsaid(part, shift)) }),
      )
    );
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
    const latest = totals
      .get(source)
      .filter(([when]) => when <= t)
      .at(-1);
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
    const line = lineText(now.line, " (", ")");
    const frame = now.frame != null && this.frame(now.frame);
    const reading = now.reading != null && this.view.readings[now.reading];
    if (now.kind === "start") return ["Nothing has run yet."];
    if (now.kind === "write")
      return ["Written: ", [frame.op], line, frame.value ? `, ${frame.name ? frame.name + " = " : "value "}${spelled(frame.value)}.` : "."];
    if (now.kind === "ghost") return [[frame.op], ` ran${line} and is not written: `, cell(frame.ghost?.why) || "no tape watched it", "."];
    if (now.kind === "turn")
      return [
        "The turn",
        line,
        ": reading starts at ",
        [reading.targetName || this.nameOf(reading.target)],
        ` with the seed ${uniform(reading.seed)}.`,
      ];
    if (now.kind === "cut") return [[cell(this.cuts[now.cut]?.say)]];
    if (now.kind === "error") return [[cell(reading.error)]];
    if (now.kind === "release") return ["The tape lets go of what it kept."];
    if (now.kind === "done")
      return [
        "Read to the end",
        line,
        ": ",
        this.sources
          .slice(0, 4)
          .map((s) => `${s.name} gets ${spelled(reading.answers[s.id] ?? null)}`)
          .join(", "),
        ".",
      ];
    const parts = (this.read(now.reading, now.frame)?.parts || []).filter((part) => part.to);
    const said = parts
      .slice(0, 2)
      .flatMap((part, k) => [
        k ? "; " : "",
        this.equation(this.read(now.reading, now.frame), part) || (part.product ? worded(part.product) : "a gradient"),
        " goes to ",
        [part.name || this.nameOf(part.to)],
      ]);
    return ["Read back ", [frame.op], line, ": ", ...(said.length ? said : ["nothing needs it"]), "."];
  }

  /** Where the trouble is: the cut, else the first nan or inf; else the end. */
  trouble() {
    const { steps } = this;
    const cut = steps.findIndex(([kind]) => kind === "cut" || kind === "error");
    if (cut >= 0) return cut + 1;
    const bad = steps.findIndex(
      ([kind, a, b]) => kind === "read" && (this.reads[a].get(b)?.parts || []).some((part) => part.product?.state === "nan"),
    );
    return bad < 0 ? this.end : bad + 1;
  }
}

/** "line 7", with what stands around it; nothing where the line is not known. */
export const lineText = (line, before = "", after = "") => (line ? `${before}line ${line}${after}` : "");
export const fixOf = (fix) => cell(fix.code || fix.text);
export const plain = (pieces) => pieces.flat().join("");
export const rich = (pieces) => pieces.map((piece) => (Array.isArray(piece) ? html("b", {}, piece.join("")) : piece));

// ------------------------------------------------------------------------------------------------------------ columns

/** The columns of a film: single frames, and bars for what is folded. `room` says how many may stand open. */
export function columnsOf(story, cursor, room, overrides) {
  const { order, folds } = story;
  const here = cursor == null ? null : story.place.get(cursor);
  const crowded = order.length > Math.min(60, room);
  const columns = [];
  const open = (from, to, extra = {}) => {
    for (let k = from; k < to; k++) columns.push({ frame: order[k], ...extra });
  };
  let next = 0;
  folds.forEach((fold, index) => {
    const first = story.place.get(fold.first);
    if (first === undefined || first < next) return;
    const turns = fold.turns || 1,
      last = first + turns * fold.per;
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
      if (k !== opened) {
        bar(k, Math.min(k + group, turns));
        continue;
      }
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
  const middle = Math.max(
    0,
    single.findIndex((column) => story.place.get(column.frame) >= here),
  );
  const start = Math.max(0, Math.min(single.length - keep, middle - Math.floor(keep / 2)));
  const kept = new Set(single.slice(start, start + keep).map((column) => column.frame));
  const group = Math.max(2, Math.ceil((single.length - keep) / 60));
  const out = [];
  for (const column of columns) {
    const k = story.place.get(column.frame),
      last = out.at(-1);
    if (column.frame == null || kept.has(column.frame)) out.push(column);
    else if (last?.loose && last.to === k && last.to - last.from < group) last.to = k + 1;
    else out.push({ loose: true, from: k, to: k + 1 });
  }
  return out;
}

/** Gives every column its x and width; the column under the cursor is wide. */
export function spread(columns, x0, room, cursor, gaps) {
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
export const space = (column) => (column.width >= 92 ? 6 : column.width >= 40 ? 3 : column.width >= 9 ? 2 : 0.5);
export const detail = (column) => (column.width >= 92 ? 3 : column.width >= 40 ? 2 : 1);

/** Columns of two films in which frames that belong together have the same place; pairs come from Python. */
export function aligned(left, right, pairs) {
  const rows = [[], []];
  let i = 0,
    j = 0;
  for (const [a, b] of pairs) {
    const first = a != null && left[i]?.frame === a,
      second = b != null && right[j]?.frame === b;
    if (!first && !second) continue;
    rows[0].push(first ? left[i++] : { empty: true });
    rows[1].push(second ? right[j++] : { empty: true });
  }
  return i === left.length && j === right.length ? rows : [left, right];
}
