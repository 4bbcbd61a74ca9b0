// A view model over time: what happened at each step, the state after it, and a sentence about it.

import { spoken } from "./numbers.js";

/** Whether a question came to its backward pass, and was not refused before. */
export const began = ({ error, seed, raised }) => !error || seed != null || raised != null;

export class Story {
  constructor(view) {
    this.view = view;
    this.kinds = view.steps.flatMap(([kind, , count]) => Array(count).fill(kind));
    this.numbers = view.steps.flatMap(([, first, count, by]) => Array.from({ length: count }, (_, k) => (by ? first + k * by : first)));
    this.count = this.kinds.length;
    let kept = 0;
    this.kept = Float64Array.from(view.memory.changes, (change) => (kept += change));
    this.writtenAt = new Map();
    this.readAt = view.readings.map(() => new Map());
    this.readingAt = new Int32Array(this.count);
    let reading = -1;
    const begun = []; // the readings in progress: within a VJP, another tape may be asked
    for (let step = 0; step < this.count; step++) {
      const kind = this.kinds[step], which = this.numbers[step];
      if (kind === "write") this.writtenAt.set(which, step);
      if (kind === "turn") begun.push(which);
      if (kind === "read") this.readAt[begun.at(-1)].set(which, step);
      const current = begun.at(-1) ?? reading;
      if (view.readings[current]?.targets.length) reading = current; // otherwise it was refused
      if (kind === "done" || kind === "error") begun.pop();
      this.readingAt[step] = reading;
    }
    this.lastTurn = view.last;
    this.askable = view.last >= 0 && view.verdict.each.length > 0;
  }

  bytes(step) {
    return step < 0 || !this.count ? 0 : this.kept[Math.min(step, this.count - 1)];
  }

  /** The state after a step; -1 is before the first. */
  at(step) {
    step = Math.min(step, this.count - 1);
    const kind = step < 0 ? "start" : this.kinds[step];
    const reading = step < 0 ? -1 : this.readingAt[step];
    const asked = this.view.readings[reading], told = /turn|done|error/.test(kind) ? this.view.readings[this.numbers[step]] : asked;
    const id = kind === "write" || kind === "read" ? `f${this.numbers[step]}` : null;
    const over = asked ? step >= (asked.end ?? asked.at) : false;
    return {
      step, kind, reading, id, over, told, given: asked?.answers, unheard: asked && !asked.heard, failed: over && asked.error ? asked : null,
      asked: reading >= 0 && (over || step >= asked.at), line: id ? this.view.cols[id]?.line : told?.line ?? null,
      reached: (frame) => reading >= 0 && (this.readAt[reading].get(frame) ?? Infinity) <= step,
    };
  }

  unitOf(frame) {
    return frame == null ? null : this.view.fold?.first.findLastIndex((first) => first <= frame) ?? null;
  }

  name(id) {
    const col = this.view.cols[id];
    return col ? col.name || col.op : "the value";
  }

  /** What a step did, as a list of words and names of the program. A film that hides does not say what was recorded. */
  said(now, hiding) {
    const { view } = this, { step } = now, col = now.id && view.cols[now.id];
    const where = col?.line == null ? "" : ` (line ${col.line})`;
    if (now.kind === "start") return [!this.count ? "" : hiding ? "Nothing has run yet. Press play: where the backward pass begins, the film asks what will come back." : "Nothing has run yet."];
    if (now.id && !col) return [now.kind === "read" ? "The backward pass goes through an op of a unit that is folded away." : "An op of a unit that is folded away ran."];
    if (now.kind === "write") {
      const value = col.value == null ? "" : ` gives ${spoken(view.arrays[col.value])}`;
      if (col.kind === "crash") return ["Ran ", { name: col.op }, `${where}, which raised ${col.ghost.say}`];
      if (col.kind === "assign") return [{ name: col.text || col.op }, ` writes a Variable: what is read from here on is its new value.`];
      if (hiding) return ["Ran ", { name: col.op }, `${where}:${value}.`];
      if (col.kind === "ghost") return ["Ran ", { name: col.op }, `${where}:${value}. Not recorded: ${col.ghost.say}`];
      const by = col.by == null ? "" : `, in the backward pass of ${view.tapes.find((one) => one.id === view.readings[col.by]?.tape)?.name ?? "another tape"}`;
      return ["Ran and recorded ", { name: col.op }, `${where}${by}:${value}.`];
    }
    const reading = now.told;
    if (now.kind === "turn") {
      if (!reading.targets.length) return [`The tape was asked again.`];
      if (!began(reading)) return ["The tape is asked for the gradient of ", { name: reading.name }, "."];
      const seed = reading.targets.length > 1 ? "a seed for each" : reading.seed == null ? "ones" : spoken(view.arrays[reading.seed]);
      return ["The backward pass begins at ", { name: reading.name }, `, with ${seed}.`];
    }
    if (now.kind === "read") {
      const sends = (col.args || []).map((one, slot) => [one, view.wires[`${now.id}.${slot}`]]).filter(([, wire]) => wire?.sent.some((sent) => sent[0] === now.reading));
      const names = [...new Set(sends.map(([one]) => one.text))];
      return ["Back through ", { name: col.op }, `${where}: it passes a gradient to `, { name: names.join(", ") || "nothing" }, "."];
    }
    if (now.kind === "error") return [reading.error || "An error was raised."];
    if (now.reading === this.lastTurn && now.over) return [view.verdict.say];
    return [now.kind === "release" ? `${(view.tapes.length > 1 && view.tapes.find((one) => one.id === this.numbers[step])?.name) || "The tape"} is used up: it keeps nothing any more.` : `Answered: ${reading.name}.`];
  }
}
