// The film: frames from left to right, and under them what the readings did.

import { svg, rect, path, label, cell, measure, clip, mark, torn, classes } from "./elements.js";
import { stateOf, isScalar, hasPicture, shapeText, sizeOf, brief, uniform, wordings, picture, shown } from "./values.js";
import { stale, lineText, columnsOf, spread, space, detail } from "./story.js";

/** The film: written from left to right on top, read back from right to left underneath, one lane for each tape. */
export class Film {
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
    const depth = (tape) => {
      let n = 0;
      for (let id = tape.outer, seen = 0; id && seen < 20; seen++) {
        n++;
        id = view.tapes.find((other) => other.id === id)?.outer;
      }
      return n;
    };
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
      lane.rows = lane.closed
        ? []
        : lane.readings.map((reading, k) => ({ reading, y: lane.y + lane.h + 6 + k * (high[1] + 5), h: high[1] }));
      lane.bottom = lane.rows.length ? lane.rows.at(-1).y + high[1] : lane.y + lane.h;
      y = lane.bottom + (this.two ? 8 : 0);
    }
    this.height = y + (this.two ? 6 : 14);
    const drawing = svg("svg", {
      class: "film",
      viewBox: `0 0 ${this.width} ${this.height}`,
      style: `width:${this.width / 13}em`,
      role: "group",
      "aria-label": "Film of the tape: written from left to right, read back from right to left",
    });
    drawing.append(
      this.hatch(),
      ...this.brackets().filter(Boolean),
      ...this.nests().filter(Boolean),
      ...this.lanes.flatMap((lane) => this.lane(lane)).filter(Boolean),
    );
    if (!drawing.querySelector("[tabindex='0']")) drawing.setAttribute("tabindex", "0");
    return drawing;
  }

  hatch() {
    const stripes = svg(
      "pattern",
      { id: `hatch-${this.uid}`, width: 7, height: 7, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
      path("M0 0V7", { class: "hatching" }),
    );
    return svg("defs", {}, stripes);
  }

  /** Brackets join neighbours of one source line and say as much of it as fits. */
  brackets() {
    const groups = [];
    for (const column of this.columns) {
      if (column.empty) {
        groups.push({});
        continue;
      }
      const frame = column.frame != null && this.story.frame(column.frame);
      const key = frame
        ? frame.by != null
          ? `reading ${frame.by}`
          : `line ${frame.line} ${column.turn ?? ""}`
        : column.capsule
          ? `capsule ${column.fold}`
          : `bars ${column.fold ?? "loose"}`;
      const last = groups.at(-1);
      const end = column.x + column.width;
      if (last?.key === key && !column.gap) Object.assign(last, { end, turnB: column.turnB, to: column.to });
      else groups.push({ ...column, key, start: column.x, end, frame });
    }
    return groups
      .filter((group) => group.key)
      .flatMap((group) => {
        const room = group.end - group.start;
        const lit = group.frame && group.frame.by == null && group.frame.line === this.now.line;
        const text = this.bracketText(group, room);
        if (!text && room < 14) return [];
        return [
          path(`M${group.start + 3} 24v-3h${Math.max(1, room - 6)}v3`, { class: lit ? "bracket lit" : "bracket" }),
          text &&
            label(group.start + room / 2, 16, text, { class: `m ${lit ? "lit" : "quiet"}`, "text-anchor": "middle", "font-size": 11.5 }),
        ];
      });
  }

  bracketText(group, room) {
    const fits = (text) => measure(text, 11.5, "mono") <= room - 2;
    if (!group.frame) {
      const fold = this.story.folds[group.fold];
      const texts = group.capsule
        ? [fold.label, ""]
        : group.turnA != null
          ? [`turns ${group.turnA + 1}–${group.turnB}`, `${group.turnA + 1}–${group.turnB}`]
          : [`${group.to - group.from} more`, `${group.to - group.from}`];
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
      out.unshift(
        rect(6 + inset / 2, top, end - 6 - inset / 2, lane.bottom - top + (nested ? 4 : 7), {
          rx: 5,
          class: nested ? "nest inner" : "nest",
        }),
      );
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
      words &&
        label(end + 24, lane.y + 32, `it ran ${ran.length} ops, and ${outer.tape.name || "the outer tape"}, still open, wrote them down.`, {
          "font-size": 13.5,
        }),
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
      const quiet = lane.hidden
        ? `${lineText(row.reading.line, "", ", ")}${lane.hidden} more`
        : bars
          ? "bar = |grad|"
          : small
            ? "size = |grad|"
            : lineText(row.reading.line);
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
    if (!mine.length)
      out.push(
        label(this.left + this.sourceWidth + 22, lane.y + lane.h / 2 + 5, "nothing is written on this tape", {
          class: "quiet i",
          "font-size": 13,
        }),
      );
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
    return svg(
      "g",
      {
        class: className,
        role: "button",
        tabindex: current ? 0 : -1,
        "aria-label": says,
        "aria-current": current ? "step" : null,
        "data-frame": twin,
        "data-step": when,
        onclick: () => this.inspector.go(this.inspector.timeIn(this.story, when), selected),
        onpointerenter: twin != null && (() => this.inspector.hover(twin)),
        onpointerleave: twin != null && (() => this.inspector.hover(null)),
      },
      children,
    );
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
    const pad = space(column),
      x = column.x + pad,
      w = column.width - 2 * pad,
      { y, h } = lane;
    const known = phase !== "future";
    const now = phase === "now" && (!this.two || frame.tapes.includes(lane.tape.id) || ghost);
    const found = this.inspector.found.has(frame.id);
    const picked = this.inspector.state.selected === `f${frame.id}`;
    const className = classes("spot frame", ghost ? "ghost" : "written", phase, found && "found", picked && "picked");
    const name = frame.name ? ` ${frame.name}` : "";
    const why = ghost && frame.ghost ? `, ${frame.ghost.why}` : "";
    const says = `${ghost ? "ran, not written" : "written"}: ${frame.op}${name}${lineText(frame.line, ", ")}${why}`;
    return this.spot(
      { when, selected: `f${frame.id}`, says, current: now, twin: frame.id, className },
      rect(x, y, w, h, { class: "box" }),
      ghost && known && phase !== "now" && rect(x, y, w, h, { fill: `url(#hatch-${this.uid})`, class: "hatched" }),
      lane.closed ? null : this.writtenInside(frame, ghost, known, { x, y, w, h }, detail(column)),
      phase === "now" && path(`M${x + w / 2 - 7} ${y - 8}h14l-7 7z`, { class: "pointer" }),
    );
  }

  writtenInside(frame, ghost, known, { x, y, w, h }, level) {
    const tall = h >= 50;
    const glyph = frame.glyph || frame.op;
    const value = known ? frame.value : undefined;
    if (level === 3) {
      const size = (tall ? [20, 17, 15, 13.5] : [15, 13.5]).find((one) => measure(glyph, one, "ui", 600) <= w - 16) || 12.5;
      const array = hasPicture(value);
      const marked = stateOf(value) === "nan" ? 18 : 0;
      const room = w - 14 - marked - (array ? 44 : 0);
      const name = frame.name || "";
      const texts =
        array || value === undefined
          ? [name]
          : wordings(value).flatMap((word) => (name ? [`${name} = ${word}`, `= ${word}`] : [`= ${word}`]));
      const said = texts.find((text) => measure(text, 12.5, "mono") <= room) ?? clip(texts.at(-1), room, 12.5, "mono");
      const foot = y + h - (tall ? 12 : 6);
      const note = ghost ? "not written" : String(this.story.place.get(frame.id) + 1);
      const long = measure(glyph, size, "ui", 600);
      const noteFits = long + measure(note, 11.5) + 26 < w && (tall || !array);
      const top = !tall ? 3 : noteFits ? 20 : long + 62 < w ? 8 : 31; // where a picture begins: not over the name, nor over the note
      return [
        label(x + 9, y + (tall ? 25 : 17), clip(glyph, w - 16, size, "ui", 600), { "font-size": size, "font-weight": 600 }),
        marked > 0 && mark("nan", x + 16, foot - 4.5, 6.5),
        label(x + 9 + marked, foot, said, { class: "m", "font-size": 12.5 }),
        array && picture(value, x + w - 50, y + top, 42, h - top - (tall ? (top > 8 ? 6 : 8) : 3)),
        noteFits && label(x + w - 8, y + 15, note, { class: ghost ? "i" : "number", "text-anchor": "end", "font-size": 11.5 }),
      ];
    }
    if (level === 2) {
      const both = !tall && known && value && w >= 50;
      return [
        ...this.name(glyph, x + w / 2, y + (tall ? 25 : both ? 16 : h / 2 + 5), w, tall),
        both && shown(value, x + 3, y + h - 19, w - 6, 17, { size: 12 }),
        tall && known && value && shown(value, x + 3, y + h - 27, w - 6, 22, { size: 12 }),
      ];
    }
    return this.upright(glyph, x, y, w, h);
  }

  /** A name in a narrow frame: smaller or squeezed when it is long; of what NumPy did, "np." above the rest; cut off last of all. */
  name(text, middle, y, w, tall) {
    const sizes = tall ? [17, 15, 13, 11.5, 10.5, 9.5] : [15, 13, 11.5, 10.5, 9.5];
    const sizeOf = (part) => sizes.find((one) => measure(part, one, "ui", 600) <= w - (one > 11.5 ? 8 : 3));
    const write = (part, at, size) => label(middle, at, part, { "text-anchor": "middle", "font-size": size, "font-weight": 600 });
    const [, before, after] = (tall && text.match(/^(.+\.)(.+)$/)) || [];
    const size = sizeOf(text);
    if (after && !(size >= 11.5) && sizeOf(before) && sizeOf(after)) {
      const both = Math.min(sizeOf(before), sizeOf(after), 13);
      return [write(before, y - 10, both), write(after, y + 3, both)];
    }
    if (size) return [write(text, y, size)];
    if (measure(text, 10, "ui", 600) * 0.75 <= w - 3) {
      const squeezed = write(text, y, 10);
      squeezed.setAttribute("textLength", w - 3);
      squeezed.setAttribute("lengthAdjust", "spacingAndGlyphs");
      return [squeezed];
    }
    return [svg("title", {}, text), write(clip(text, w - 3, 10.5, "ui", 600), y, 10.5)];
  }

  /** A name in a very narrow frame: level when it fits, else turned. */
  upright(text, x, y, w, h) {
    if (w < 9) return null;
    const lying = [13, 11.5].find((size) => measure(text, size, "ui", 600) <= w - 5);
    if (lying) return label(x + w / 2, y + h / 2 + 4.5, text, { "text-anchor": "middle", "font-size": lying, "font-weight": 600 });
    return svg(
      "text",
      { transform: `translate(${x + w / 2 + 4} ${y + h / 2}) rotate(-90)`, "text-anchor": "middle", "font-size": 11.5, "font-weight": 600 },
      clip(text, h - 4, 11.5, "ui", 600),
    );
  }

  readBack(column, lane, row) {
    const { story } = this;
    const { reading, y, h } = row;
    const frame = story.frame(column.frame);
    const pad = space(column),
      x = column.x + pad,
      w = column.width - 2 * pad;
    const level = detail(column);
    const over = this.t >= (story.doneAt[reading.id] ?? Infinity);
    if (reading.error) return this.failed(column, row, x, w);
    if (story.isGhost(frame)) {
      const words = over || this.wholeCut() ? "nothing to read" : "";
      const dotted = path(`M${column.x} ${y + h / 2}h${column.width}`, { class: `track ${!this.wholeCut() && over ? "read" : "waiting"}` });
      const long = measure(words, 12.5) + 10;
      return long > w || !words
        ? dotted
        : svg(
            "g",
            {},
            dotted,
            rect(x + w / 2 - long / 2, y + h / 2 - 9, long, 18, { class: "paper" }),
            label(x + w / 2, y + h / 2 + 4, words, { class: "quiet i", "text-anchor": "middle", "font-size": 12.5 }),
          );
    }
    const when = story.readAt[reading.id].get(frame.id);
    if (when === undefined) {
      const kind = !over ? "notyet" : this.wholeCut() ? "none" : "off";
      const word = !over ? "not yet" : this.wholeCut() ? "never reached" : "not on the way";
      const worded = measure(word, 12.5) + 36 <= w;
      const inside = worded ? x + 17 : x + w / 2;
      return svg(
        "g",
        { class: "unread" },
        rect(x, y, w, h, { class: "box dotted" }),
        kind === "off"
          ? path(`M${inside - Math.min(7, w / 4)} ${y + h / 2}h${Math.min(14, w / 2)}`, { class: "dash" })
          : mark(kind, inside, y + h / 2, Math.min(8, w / 2)),
        worded && label(x + 32, y + h / 2 + 4.5, word, { class: "quiet", "font-size": 12.5 }),
      );
    }
    const phase = this.phase(when);
    const read = story.read(reading.id, frame.id);
    const box = { x, y, w, h };
    return this.spot(
      {
        when,
        selected: `f${frame.id}`,
        says: `read back: ${frame.op}${lineText(frame.line, ", ")}`,
        current: phase === "now",
        twin: frame.id,
        className: `spot frame read ${phase}`,
      },
      rect(x, y, w, h, { class: "box" }),
      phase === "future"
        ? [
            mark("notyet", level === 3 ? x + 17 : x + w / 2, y + h / 2, Math.min(8, w / 2)),
            level === 3 && label(x + 32, y + h / 2 + 4.5, "not yet", { class: "quiet", "font-size": 12.5 }),
          ]
        : this.readInside(read, box, level),
      phase === "now" && path(`M${x + w / 2 - 7} ${y + h + 8}h14l-7 -7z`, { class: "pointer" }),
    );
  }

  readInside(read, { x, y, w, h }, level) {
    const parts = (read?.parts || []).filter((part) => part.to);
    const products = parts.map((part) => part.product);
    if (!parts.length) return path(`M${x + w / 2 - 6} ${y + h / 2}h12`, { class: "dash" });
    if (read.missing) return label(x + w / 2, y + h / 2 + 5, "…", { "text-anchor": "middle", "font-size": 14 });
    const states = products.map(stateOf);
    if (level === 3) {
      const rows = parts.slice(0, 2);
      if (products.every(isScalar) && parts.some((part) => this.story.equation(read, part)))
        return rows.map((part, k) => this.line(read, part, { x, y: y + (h / rows.length) * k, w, h: h / rows.length }, rows.length));
      const each = w / rows.length;
      return rows.map((part, k) => {
        const name = `→ ${part.name || this.story.nameOf(part.to)}`;
        const left = x + k * each;
        const beside = each > 88;
        const bad = stateOf(part.product) === "nan";
        const wide = beside ? Math.min(bad ? measure(brief(part.product), 12.5, "mono") + 24 : 52, each * 0.5) : each - 10;
        return [
          shown(part.product, left + (bad ? 8 : 5), y + 3, wide, h - 6, { size: 12.5, align: bad ? "start" : "middle" }),
          beside && label(left + wide + 10, y + h / 2 + 4.5, clip(name, each - wide - 14, 12.5), { "font-size": 12.5 }),
        ];
      });
    }
    const stacked = level === 2 && h >= 50 && products.length === 2 && products.every((one) => isScalar(one) && one.state === "value");
    if (stacked && products.every((one) => measure(brief(one), 12, "mono", 600) <= w - 3))
      return products.map((one, k) =>
        shown(one, x + 1, y + 4 + (k * (h - 8)) / 2, w - 2, (h - 8) / 2, { size: w > 60 ? 14 : 12, weight: 600 }),
      );
    const worst = states.includes("nan") ? "nan" : states.every((state) => state === "zero") ? "zero" : null;
    if (worst) return mark(worst, x + w / 2, y + h / 2, Math.min(8, w / 2 - 0.5));
    const first = products.find((product) => product && product.state === "value") || products[0];
    if (level === 2 && isScalar(first) && measure(brief(first), 12, "mono", 600) <= w - 3)
      return shown(first, x + 1, y, w - 2, h, { size: w > 60 ? 14 : 12, weight: 600 });
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
    const sizes = count > 1 ? [12.5] : [16, 15, 14, 13, 12.5, 12, 11.5];
    const marked = state === "nan" || state === "zero" ? 20 : 0;
    const size = sizes.find((one) => measure(whole, one, "mono", 600) <= w - 12 - marked);
    const text = whole && size ? whole : `= ${product}`;
    const used = size || sizes.at(-1);
    const length = measure(text, used, "mono", 600);
    const middle = y + h / 2;
    const toFits = length + measure(to, 11.5) + 22 + marked < w;
    return svg(
      "g",
      {},
      marked > 0 && mark(state, x + 16, middle, Math.min(8, h / 2 - 1)),
      label(x + 8 + marked * 1.2, middle + used * 0.35, text, { class: "m", "font-size": used, "font-weight": 600 }),
      toFits && label(x + w - 7, middle + 4, to, { "text-anchor": "end", "font-size": 11.5 }),
    );
  }

  failed(column, row, x, w) {
    const first = this.columns.find((one) => !one.empty);
    const over = this.t >= this.story.doneAt[row.reading.id];
    const box = rect(x, row.y, w, row.h, { class: "box dotted" });
    if (!over) return svg("g", { class: "unread" }, box, mark("notyet", x + Math.min(17, w / 2), row.y + row.h / 2, Math.min(8, w / 2)));
    if (column !== first) return svg("g");
    const last = this.columns.findLast((one) => !one.empty);
    const long = last.x + last.width - column.x - 12;
    return svg(
      "g",
      { class: "lost" },
      rect(x, row.y, long, row.h, { class: "box" }),
      mark("spent", x + 20, row.y + row.h / 2, 9),
      label(x + 38, row.y + row.h / 2 + 5, clip(row.reading.error, long - 46, 14, "ui", 600), { "font-size": 14, "font-weight": 600 }),
    );
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
      shapes[this.t >= when ? "bar-r" : "bar-r waiting"] +=
        `M${left} ${row.y}v${Math.max(1.5, row.h * down)}h${thick}v${-Math.max(1.5, row.h * down)}z`;
    }
    const [first, last] = [run[0], run.at(-1)];
    const bottom = row ? row.y + row.h : lane.y + lane.h;
    const what = first.turnA != null ? `turns ${first.turnA + 1} to ${last.turnB}` : `frames ${first.from + 1} to ${last.to}`;
    const choose = (event) => {
      const { left, width } = event.currentTarget.getBoundingClientRect();
      const column = run[Math.max(0, Math.min(run.length - 1, Math.floor(((event.clientX - left) / width) * run.length)))] || last;
      inspector.go(inspector.timeIn(story, this.lastWritten(column)), `f${story.order[column.to - 1]}`);
    };
    return svg(
      "g",
      { class: "spot bars", role: "button", tabindex: -1, "aria-label": `folded: ${what}; a click opens one`, onclick: choose },
      Object.entries(shapes)
        .filter(([, d]) => d)
        .map(([className, d]) => path(d, { class: className })),
      rect(first.x, lane.y, last.x + last.width - first.x, bottom - lane.y, { rx: 0, class: "catch" }),
    );
  }

  lastWritten(column) {
    return this.story.writtenAt.get(this.story.order[column.to - 1]);
  }

  /** A layer, or another short fold: one frame in front of another. */
  capsule(column, lane) {
    const { story } = this;
    const fold = story.folds[column.fold],
      row = lane.rows.at(-1);
    const id = story.order[column.from];
    const pad = space(column),
      x = column.x + pad,
      w = column.width - 2 * pad;
    const read = row && this.t >= this.firstRead(row.reading.id, column);
    return this.spot(
      {
        when: story.writtenAt.get(id),
        selected: `f${id}`,
        says: `folded: ${fold.label}`,
        className: `spot frame written capsule ${this.t >= this.lastWritten(column) ? "past" : "future"}`,
      },
      rect(x + 2, lane.y - 3, w, lane.h, { class: "box behind" }),
      rect(x, lane.y, w, lane.h, { class: "box" }),
      this.upright(fold.label, x, lane.y, w, lane.h),
      row && rect(x, row.y, w, row.h, { class: read ? "box read-box" : "box dotted" }),
    );
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
    const sizes =
      column.turnA != null
        ? fold[side] || []
        : story.order
            .slice(column.from, column.to)
            .map((id) => sizeOf(side === "written" ? story.frame(id).value : story.read(story.reads.length - 1, id)?.up));
    const all = column.turnA != null ? sizes : [story.largest];
    const mine = Math.max(
      0,
      ...(column.turnA != null ? sizes.slice(column.turnA, column.turnB) : sizes).map(Number).filter(Number.isFinite),
    );
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
    const y0 = lane.y + lane.h / 2,
      y1 = row.y + row.h / 2;
    const nested = this.two && lane.tape.outer;
    const x = this.endOf(lane) + 8;
    const straight = nested ? 8 : several ? 34 + 12 * k : 42;
    const rx = nested ? 30 : several ? 20 + 8 * k : 32;
    const back = nested ? 4 : straight - 4;
    const words = lane.readings.length === 1;
    const seed = reading.seed ? `seed ${uniform(reading.seed)}` : "";
    const seedSize = [12, 11, 10].find((one) => measure(seed, one, "mono") <= 60) || 10;
    return this.spot(
      { when, says: `the turn: ${cell(story.code.get(reading.line)).trim()}`, current: phase === "now", className: `spot turn ${phase}` },
      rect(x, y0 - 6, straight + rx + 6, y1 - y0 + 12, { class: "catch" }),
      path(`M${x} ${y0}h${straight}a${rx} ${(y1 - y0) / 2} 0 0 1 0 ${y1 - y0}h${-back}`, { class: "arc" }),
      path(`M${x + straight - back - 8} ${y1}l10 -7v14z`, { class: "head" }),
      words &&
        label(x + (nested ? 1 : 8), (y0 + y1) / 2 - (nested || this.two ? 0 : 4), "turn", {
          class: "halo",
          "font-size": 12.5,
          "font-weight": 700,
        }),
      words &&
        !this.two &&
        seed &&
        label(x + 8, (y0 + y1) / 2 + 12, clip(seed, 60, seedSize, "mono"), { class: "m quiet halo", "font-size": seedSize }),
    );
  }

  /** The left end: where the film comes from, and what comes home. */
  sources(lane) {
    const { story } = this;
    const x = this.left,
      w = this.sourceWidth;
    const shownSources = story.sources.slice(0, story.sources.length > 5 ? 4 : 5);
    const rest = story.sources.length - shownSources.length;
    const row = lane.rows[0];
    if (lane.closed || !shownSources.length) return [];
    if (this.many && lane.rows.length === 1) {
      const h = row.y + row.h - lane.y,
        each = h / (shownSources.length + (rest ? 1 : 0));
      return [
        rect(x, lane.y, w, h, { class: `source ${this.answerClass(row.reading, null)}`, rx: 8 }),
        ...shownSources.flatMap((source, k) => this.sourceRow(source, row.reading, x, lane.y + k * each, w, each, k)),
        rest > 0 && label(x + 12, lane.y + h - each / 2 + 4, `and ${rest} more`, { class: "quiet", "font-size": 12 }),
      ];
    }
    const out = [rect(x, lane.y, w, lane.h, { class: "source", rx: 8 })];
    if (!this.many) {
      const [source] = shownSources;
      const array = hasPicture(source.value);
      const tall = lane.h >= 50;
      const text = array ? source.name : `${source.name} = ${brief(source.value ?? undefined)}`;
      const room = w - (array ? 66 : 22);
      const size = [18, 16, 14, 12.5, 11.5].find((s) => measure(text, s, "mono", 600) <= room) || 12.5;
      out.push(
        label(x + 12, lane.y + (tall ? lane.h / 2 - 4 : lane.h / 2 + 5), clip(text, room, size, "mono", 600), {
          class: "m",
          "font-size": tall ? size : Math.min(size, 16),
          "font-weight": 600,
        }),
        tall &&
          label(x + 12, lane.y + lane.h - 13, stale(source) || (array ? shapeText(source.value.shape) : cell(source.kind)), {
            class: "quiet",
            "font-size": 12,
          }),
        array && picture(source.value, x + w - 50, lane.y + 5, 42, lane.h - 10),
      );
    } else
      out.push(
        label(x + 12, lane.y + lane.h / 2 + 5, clip(story.sources.map((source) => source.name).join(", "), w - 20, 14, "mono", 600), {
          class: "m",
          "font-size": 14,
          "font-weight": 600,
        }),
      );
    for (const one of lane.rows) out.push(...this.answerBox(one, x, w));
    return out.map((element, k) => (k === 0 && !this.many ? this.sourceSpot(shownSources[0], element) : element));
  }

  sourceSpot(source, ...children) {
    return svg(
      "g",
      {
        class: classes("spot", this.inspector.state.selected === source.id && "picked"),
        role: "button",
        tabindex: -1,
        "aria-label": `source ${source.name}`,
        onclick: () => this.inspector.go(this.inspector.state.step, source.id),
      },
      children,
    );
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
    const titled = h >= 38 && value !== undefined;
    return [
      k > 0 && path(`M${x} ${y}h${w}`, { class: "rule" }),
      this.sourceSpot(
        source,
        rect(x, y, w, h, { class: "catch" }),
        label(x + 10, y + h / 2 + 5, clip(source.name, 60, 14, "mono", 600), { class: "m", "font-size": 14, "font-weight": 600 }),
        !final && value !== undefined && mark("notyet", x + w - valueWidth - 18, y + h / 2, 6),
        final && value === undefined
          ? label(x + w - 10, y + h / 2 + 4, "not asked", { class: "quiet i", "text-anchor": "end", "font-size": 11.5 })
          : svg(
              "g",
              { class: "sent" },
              titled && label(x + w - 10, y + 15, "gradient", { class: "quiet", "text-anchor": "end", "font-size": 11 }),
              shown(value, x + w - valueWidth - 8, y + (titled ? 15 : 1), valueWidth, h - (titled ? 17 : 2), { size: 12.5, align: "end" }),
            ),
      ),
    ];
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
    if (reading.error && over)
      return [
        svg(
          "g",
          { class: className },
          box,
          mark("spent", x + 18, y + h / 2, 8),
          label(x + 34, y + h / 2 + 5, "error", { class: "m", "font-size": 14, "font-weight": 600 }),
        ),
      ];
    if (this.many) {
      const each = (w - 12) / Math.min(4, all.length);
      return [
        svg(
          "g",
          { class: className },
          box,
          all.slice(0, 4).map(({ value }, k) => shown(value, x + 6 + k * each, y + 3, each - 2, h - 6, { size: 12 })),
        ),
      ];
    }
    const tall = h >= 50;
    const soFar = !one.final && one.value !== undefined;
    const titleWidth = measure(title, 12, "mono");
    const partial = className.includes("partial");
    return [
      svg(
        "g",
        { class: className },
        box,
        label(x + 11, tall ? y + 18 : y + h / 2 + 4, soFar && !tall ? "so far" : title, { class: "m", "font-size": 12 }),
        soFar && tall && label(x + w - 10, y + 18, "so far", { class: "i", "text-anchor": "end", "font-size": 11.5 }),
        partial && mark("partial", x + w - 18, y + h / 2, 9),
        tall
          ? shown(one.value, x + 11, y + 22, w - (partial ? 50 : 22), h - 26, { size: 17, align: "start", weight: 600 })
          : shown(one.value, x + 14 + titleWidth, y + 3, w - titleWidth - 24, h - 6, { size: 15, align: "end", weight: 600 }),
      ),
    ];
  }

  /** Between two frames: a watch, or an assignment to a Variable. */
  marks(lane) {
    return (this.story.view.marks || []).slice(0, 40).flatMap(({ at, line, say }) => {
      const column = this.columns.find((one) => one.frame === at);
      const last = this.columns.at(-1);
      if (!column && at < this.story.order.length) return [];
      const x = column ? column.x - column.gap : last ? last.x + last.width : this.left + this.sourceWidth + 10;
      const when = this.story.writtenAt.get(at) ?? this.story.writtenAt.get(this.story.order.at(-1)) ?? 0;
      const says = lineText(line, "", ": ") + say;
      return [
        this.spot(
          { when, says, className: "spot moment" },
          path(`M${x} ${lane.y - 2}V${lane.y + lane.h + 2}`, { class: "moment-line" }),
          path(`M${x} ${lane.y - 8}l5 6 -5 6 -5 -6z`, { class: "diamond" }),
          svg("title", {}, says),
        ),
      ];
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
      return [
        this.spot(
          { when, says: `cut: ${cut.say}`, current: this.now.kind === "cut" && this.now.cut === k, className: "spot cut" },
          rect(x - 13, lane.y - 6, 26, end - lane.y + 6, { rx: 0, class: "paper" }),
          torn(x - 11, lane.y - 6, end - lane.y + 6, 1),
          torn(x + 7, lane.y - 6, end - lane.y + 6, 1),
          mark("cut", x, y, 13.5),
        ),
      ];
    });
  }
}

function scaleOf(sizes) {
  const real = sizes.map(Number).filter((size) => Number.isFinite(size) && size > 0);
  const most = real.length ? real.reduce((a, b) => Math.max(a, b)) : 0;
  return { most, linear: real.length === sizes.length && real.reduce((a, b) => Math.min(a, b), Infinity) > most * 1e-3 };
}
