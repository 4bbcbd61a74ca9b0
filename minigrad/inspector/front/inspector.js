// The tape inspector in the browser: it draws the view model that Python computes, and moves one cursor through its time.
// Inspector holds the state, and hears keys and clicks; the files beside this one draw its parts.

import { html, svg, path, cell, widths, families, clip, icon } from "./elements.js";
import { bytesText } from "./values.js";
import { Story, fixOf, plain, rich, aligned } from "./story.js";
import { Film } from "./film.js";
import { Scrubber } from "./scrubber.js";
import { Graph } from "./graph.js";
import { Code } from "./code.js";
import { Pane } from "./pane.js";

const KEYS = [
  ["← →", "one step back, one step on"],
  ["Shift ← →", "to another source line"],
  ["↑ ↓", "from a reading to its frame, and back"],
  ["Home End", "to the start, to the end"],
  ["Space", "play or pause"],
  ["B", "to the turn"],
  ["W", "why: to the cut, or the first nan or inf"],
  ["[ ]", "reading or tape before, after"],
  ["F", "fold or unfold here"],
  ["/", "find a name, an op or a line"],
  ["0", "fit: all of the graph, and folds as they were"],
  ["? Esc", "this sheet; Esc closes it, then leaves"],
];
const ICONS = {
  first: ["M6 5v14M18 5L8 12l10 7z", "Home: to the start"],
  back: ["M16 5L6 12l10 7z", "←: one step back"],
  play: ["M7 4l13 8-13 8z", "Space: play"],
  pause: ["M8 5v14M16 5v14", "Space: pause"],
  on: ["M8 5l10 7-10 7z", "→: one step on"],
  turn: ["M5 7h9a5 5 0 0 1 0 10H6M10 13l-4 4 4 4", "B: to the turn"],
};
let instances = 0;

class Inspector {
  constructor(model, el) {
    this.model = model;
    this.uid = ++instances;
    this.folding = new Map();
    this.found = new Set();
    this.state = { step: 0, selected: "", mode: 0, overview: false };
    this.element = html("div", {
      class: "mg-inspector",
      role: "region",
      tabindex: 0,
      "aria-label": "Tape inspector",
      "data-lm-suppress-shortcuts": "true",
    });
    this.code = new Code(this);
    this.graph = new Graph(this);
    this.pane = new Pane(this);
    this.scrubber = new Scrubber(this);
    this.skeleton();
    el.append(this.element);
    this.element.addEventListener("keydown", (event) => this.key(event));
    this.listeners = {
      "change:view": () => this.load(),
      "change:step": () => this.heard("step"),
      "change:selected": () => this.heard("selected"),
      "msg:custom": (message) => this.opened(message),
    };
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
    this.buttons = Object.fromEntries(
      ["first", "back", "play", "on", "turn"].map((name) => [
        name,
        html("button", { type: "button", class: name, onclick: () => this.act(name) }),
      ]),
    );
    this.memory = html("div", { class: "memory" });
    this.finder = html("input", {
      type: "search",
      "aria-label": "Find a name, an op or a line",
      placeholder: "find",
      oninput: () => this.find(0),
      onkeydown: (event) => this.findKey(event),
    });
    this.findCount = html("span", { class: "quiet" });
    this.findBox = html("div", { class: "find", hidden: "" }, this.finder, this.findCount);
    this.sheet = html(
      "dl",
      { class: "sheet", hidden: "" },
      KEYS.map(([keys, does]) => [
        html(
          "dt",
          {},
          keys.split(" ").map((key) => html("kbd", {}, key)),
        ),
        html("dd", {}, does),
      ]),
    );
    const words = { notyet: "not yet", none: "None", zero: "0", nan: "nan, inf", ghost: "ran, not written", cut: "cut" };
    const legend = Object.entries(words).map(([kind, word]) => html("span", {}, icon(kind, 14), word));
    const keys = [
      ["← →", "step"],
      ["↓ ↑", "written, read"],
      ["B", "turn"],
      ["W", "why"],
      ["Space", "play"],
      ["?", "all keys"],
    ];
    this.element.append(
      html("header", {}, html("div", { class: "ask" }, this.mark, this.question), this.said, this.modes),
      this.films,
      html(
        "div",
        { class: "control" },
        html(
          "div",
          { class: "left" },
          html("div", { class: "buttons", role: "toolbar", "aria-label": "Time" }, Object.values(this.buttons)),
          this.memory,
        ),
        this.scrubber.element,
      ),
      html("div", { class: "panes" }, this.code.element, this.graph.element, this.pane.element),
      html(
        "footer",
        {},
        html("div", { class: "legend" }, legend),
        html(
          "div",
          { class: "keys" },
          keys.map(([key, does]) =>
            html(
              "span",
              {},
              key.split(" ").map((one) => html("kbd", {}, one)),
              does,
            ),
          ),
        ),
      ),
      this.findBox,
      this.sheet,
    );
    for (const name of Object.keys(this.buttons)) this.face(name, name);
  }

  face(button, name) {
    const [d, title] = ICONS[name];
    const line = name === "turn" || name === "pause";
    this.buttons[button].replaceChildren(
      svg("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, path(d, { class: line ? "line" : "" })),
    );
    this.buttons[button].title = title;
    this.buttons[button].setAttribute("aria-label", title);
  }

  // ---- state

  load() {
    const view = this.model.get("view");
    this.stories = (view.compare || [view]).map((film) => new Story(film));
    this.names = view.titles || ["as written", "fixed"];
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

  get both() {
    return this.state.mode >= this.stories.length && this.stories.length > 1;
  }
  get story() {
    return this.stories[this.both ? 0 : this.state.mode];
  }
  get end() {
    return this.axis ? this.axis.length - 1 : this.stories[0].end;
  }

  /** Time in one story; two stories share a longer time, in which steps of the same line happen together. */
  timeOf(story) {
    return this.axis ? this.axis[this.state.step][this.stories.indexOf(story)] : this.state.step;
  }

  timeIn(story, t) {
    if (!this.axis) return t;
    const k = this.stories.indexOf(story);
    return Math.max(
      0,
      this.axis.findIndex((pair) => pair[k] >= t),
    );
  }

  timesOf(story) {
    if (!this.axis) return Array.from({ length: story.end + 1 }, (_, t) => t);
    const k = this.stories.indexOf(story),
      times = [];
    this.axis.forEach((pair, step) => {
      times[pair[k]] ??= step;
    });
    return times;
  }

  bytesAt(story, t) {
    return t > 0 ? (story.view.bytes[(this.axis ? this.axis[t][this.stories.indexOf(story)] : t) - 1] ?? 0) : 0;
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
    const t = this.timeOf(this.story),
      turns = this.story.turnAt.filter(Boolean);
    const next = direction > 0 ? turns.find((turn) => turn > t) : turns.findLast((turn) => turn < t);
    this.goTo(this.story, next ?? (direction > 0 ? this.story.end : 0));
  }

  play() {
    if (this.state.step >= this.end) this.go(0);
    const slow = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const stride = Math.max(1, Math.round(this.end / 60));
    this.timer = setInterval(
      () => (this.state.step >= this.end || !this.element.isConnected ? this.pause() : this.go(this.state.step + stride)),
      slow ? 1200 : 700,
    );
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
    do t += direction;
    while (t > 0 && t < story.end && story.at(t).line === line);
    this.goTo(story, Math.max(0, Math.min(story.end, t)));
  }

  twinTime(story, id, now) {
    const read = now.reading ?? story.readAt.findLastIndex((times) => times.has(id));
    const reading = now.kind === "read" || now.kind === "done" || now.kind === "release" || this.timeOf(story) >= story.end;
    return (reading && story.readAt[read]?.get(id)) || story.writtenAt.get(id);
  }

  /** From a frame to its reading (down), or from a reading to its frame (up). */
  cross(down) {
    const { story } = this,
      now = story.at(this.timeOf(story));
    if (now.frame == null) return;
    if (!down && now.kind === "read") this.goTo(story, story.writtenAt.get(now.frame));
    const reading = down && (now.kind === "read" ? now.reading + 1 : 0);
    const times = down && story.readAt.slice(reading).find((one) => one.has(now.frame));
    if (times) this.goTo(story, times.get(now.frame));
  }

  fold() {
    const { story } = this,
      id = story.at(this.timeOf(story)).frame ?? this.lastFrame;
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
    const matches = !wanted
      ? []
      : story.order.filter((id) => {
          const frame = story.frame(id);
          return (
            !frame.missing &&
            [frame.name, frame.op, frame.glyph, `line ${frame.line}`, story.code.get(frame.line)].some((text) =>
              cell(text).toLowerCase().includes(wanted),
            )
          );
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
      ArrowRight: () => (event.shiftKey ? this.line(1) : this.go(step + 1)),
      ArrowLeft: () => (event.shiftKey ? this.line(-1) : this.go(step - 1)),
      ArrowDown: () => this.cross(true),
      ArrowUp: () => this.cross(false),
      Home: () => this.go(0),
      End: () => this.go(this.end),
      " ": () => this.act("play"),
      b: () => this.turn(),
      w: () => this.goTo(this.story, this.story.trouble()),
      "[": () => this.reading(-1),
      "]": () => this.reading(1),
      f: () => this.fold(),
      0: () => this.overview(),
      "/": () => {
        this.findBox.hidden = false;
        this.finder.select();
        this.finder.focus({ preventScroll: true });
      },
      "?": () => {
        this.sheet.hidden = !this.sheet.hidden;
      },
      Escape: () => this.escape(),
    };
    const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  }

  hover(id) {
    const line = id == null ? null : this.story.frame(id).line;
    for (const element of this.element.querySelectorAll("[data-frame]"))
      element.classList.toggle("twin", id != null && +element.dataset.frame === id);
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
    const inFilm = document.activeElement?.closest?.(".films"),
      inGraph = document.activeElement?.closest?.(".graph");
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
    const fix = verdict?.fix || story.cuts[0]?.fix; // of what the sentence tells, though another cut may come first
    const [, title, rest] = /^(.*?\.)( .*)?$/s.exec(cell(verdict?.say)) || [];
    const verdictSaid = known && [html("b", {}, title || ""), rest || "", fix && [" Fix: ", this.fixButton(fix)]];
    const step = [html("b", { class: "count" }, `${this.state.step} of ${this.end}`), " ", ...rich(story.sentence(t))];
    this.said.replaceChildren(...(verdictSaid || step).flat(2).filter(Boolean));
    this.sentence = known ? `${cell(verdict.ask)} = ${answer}. ${cell(verdict.say)}` : plain(story.sentence(t));
    const names = this.stories.length > 1 ? [...this.names.slice(0, this.stories.length), "both"] : [];
    this.modes.replaceChildren(
      ...names.map((name, k) =>
        html("button", { type: "button", "aria-pressed": String(this.state.mode === k), onclick: () => this.show(k) }, name),
      ),
    );
  }

  fixButton(fix) {
    return this.stories.length > 1
      ? html("button", { type: "button", class: "fix", onclick: () => this.show(this.stories.length) }, fixOf(fix))
      : html("code", { class: "fix" }, fixOf(fix));
  }

  show(mode) {
    this.state.mode = mode;
    this.scrubbed = null;
    this.draw();
  }

  markOf({ status }) {
    return ["complete", "stale", "none", "partial", "nan", "zero"].includes(status) ? status : "notyet";
  }

  drawFilms(both) {
    const stories = both ? this.stories : [this.story];
    const widthOf = (story) => (this.width < 560 ? Math.min(760, Math.max(560, 360 + 60 * story.order.length)) : this.width);
    const films = stories.map((story) => new Film(this, story, this.timeOf(story), Math.max(...stories.map(widthOf))));
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
    return html(
      "div",
      { class: "film-head" },
      html("b", {}, this.names[k] || ""),
      html("code", {}, line ? `${line}  ${cell(story.code.get(line)).trim()}` : ""),
      html(
        "span",
        {},
        icon(known ? this.markOf(verdict) : "notyet", 17),
        " ",
        html("b", { class: "m" }, `${cell(verdict?.ask)} = ${known ? cell(verdict.answer) : "?"}`),
      ),
    );
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
    this.asking = setTimeout(
      () =>
        this.model.send({
          type: "open_turn",
          film: this.stories.indexOf(story),
          fold: fold.id ?? story.folds.indexOf(fold),
          turn: Math.floor((frame - fold.first) / fold.per),
        }),
      150,
    );
  }

  /** Python sends a turn that was folded. */
  opened({ type, film = 0, frames, reads }) {
    if (type !== "turn") return;
    const story = this.stories[film];
    for (const frame of frames) story.frames.set(frame.id, frame);
    reads.forEach((list, k) => {
      for (const read of list) story.reads[k].set(read.frame, read);
    });
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
    const now = long.at(t),
      twin = twins.get(now.frame);
    const time =
      now.kind === "read"
        ? short.readAt[now.reading]?.get(twin)
        : now.frame != null
          ? short.writtenAt.get(twin)
          : now.kind === "turn"
            ? short.turnAt[now.reading]
            : now.kind === "done"
              ? short.doneAt[now.reading]
              : undefined;
    if (time > anchors.at(-1)[1]) anchors.push([t, time]);
  }
  anchors.push([long.end, short.end]);
  const times = [];
  anchors.slice(1).forEach(([t, time], k) => {
    const [t0, time0] = anchors[k];
    for (let n = t0; n < t; n++)
      times.push([n, Math.min(Math.max(time0, time - 1), time0 + Math.ceil(((time - time0) * (n - t0)) / (t - t0)))]);
  });
  times.push([long.end, short.end]);
  return turned ? times.map(([a, b]) => [b, a]) : times;
}

function render({ model, el }) {
  const inspector = new Inspector(model, el);
  return () => inspector.remove();
}

export default { render };
