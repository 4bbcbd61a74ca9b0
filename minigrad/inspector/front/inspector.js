// The tape inspector in the browser: it draws the view model that Python has computed, and moves a cursor through its steps.
// Inspector holds the state and handles keys and clicks; the other files draw its parts, and do not change the data.

import { isolated, html, svg, path, put, families, icon } from "./elements.js";
import { bytesText, number } from "./numbers.js";
import { pictured, triples, hit, light, spelled } from "./pictures.js";
import { Story } from "./story.js";
import { Film } from "./film.js";
import { Overview } from "./overview.js";
import { Memory } from "./memory.js";
import { Code, Curves, mathematics, facts, answer, fixPane } from "./panes.js";

const KEYS = [ // as the help sheet shows them, the text there, and what each does with the inspector
  ["← →", "one step back, one step on", { ArrowLeft: (own) => own.go(own.step - 1), ArrowRight: (own) => own.go(own.step + 1) }],
  ["Shift ← →", "to another line of code", { ShiftArrowLeft: (own) => own.toOtherLine(-1), ShiftArrowRight: (own) => own.toOtherLine(1) }],
  ["↑ ↓", "from a gradient to its value, and back", { ArrowUp: (own) => own.cross(false), ArrowDown: (own) => own.cross(true) }],
  [", .", "to the column before, after", { ",": (own) => own.move(-1), ".": (own) => own.move(1) }],
  ["Enter", "look at a column"],
  ["J L I K", "in its pictures: the number before, after, above, below", { j: (own) => own.walk(0, -1), l: (own) => own.walk(0, 1), i: (own) => own.walk(-1, 0), k: (own) => own.walk(1, 0) }],
  ["Home End", "to the start, to the end", { Home: (own) => own.go(-1), End: (own) => own.go(own.count - 1) }],
  ["Space", "play or pause", { " ": (own) => own.act("play") }],
  ["B", "to where the backward pass begins", { b: (own) => own.act("turn") }],
  ["W", "why: to the break, or the first nan or inf", { w: (own) => own.why() }],
  ["[ ]", "layer or iteration before, after; else backward pass", { "[": (own) => own.bracket(-1), "]": (own) => own.bracket(1) }],
  ["+ -", "magnify the axis of many ops, or less", { "+": (own) => own.overviews[0]?.zoom(true), "-": (own) => own.overviews[0]?.zoom(false) }],
  ["P", "predict: hide the gradients, and ask", { p: (own) => own.togglePredict() }],
  ["N", "your code, or the program in NumPy", { n: (own) => own.code.program.length && own.code.choose(!own.code.written) }],
  ["M", "the fix", { m: (own) => own.toggleFix() }],
  ["?", "this sheet; Esc closes it, then leaves", { "?": (own) => ((own.sheet.hidden = !own.sheet.hidden) || own.sheet.scrollIntoView({ block: "nearest" })), Escape: (own) => (own.sheet.hidden && document.activeElement.blur(), (own.sheet.hidden = true)) }],
];
const ACTIONS = Object.assign({}, ...KEYS.map(([, , actions]) => actions));
const ICONS = {
  first: ["M6 5v14M18 5L8 12l10 7z", "to the start (Home)"],
  back: ["M16 5L6 12l10 7z", "one step back (left arrow)"],
  play: ["M7 4l13 8-13 8z", "play (space)"],
  pause: ["M8 5v14M16 5v14", "pause (space)"],
  on: ["M8 5l10 7-10 7z", "one step on (right arrow)"],
  turn: ["M5 7h9a5 5 0 0 1 0 10H6M10 13l-4 4 4 4", "to where the backward pass begins (B)"],
};

class Inspector {
  constructor(model, el) {
    this.model = model;
    this.place = [0, 0, 0]; // in the element with the focus: the index of a picture, and the row and the column in it
    this.element = html("div", {
      class: "mg-inspector", role: "group", tabindex: 0, "data-lm-suppress-shortcuts": "true",
      onkeydown: (event) => this.key(event), onpointermove: (event) => this.point(event), onpointerleave: () => this.stand(),
      onfocusin: () => ((this.place = [0, 0, 0]), this.stand()), onfocusout: () => this.look(),
    });
    this.memory = new Memory(this);
    this.code = new Code(this);
    const part = (tag, name) => html(tag, { class: name });
    [this.status, this.question, this.counted, this.modes] = [part("span", "status"), part("h2", "question"), part("span", "count quiet"), part("div", "modes")];
    [this.reels, this.side, this.kept, this.legend] = [part("div", "films"), part("div", "side"), part("p", "kept secret"), part("div", "legend")];
    this.said = html("p", { class: "say", "aria-live": "polite" });
    this.buttons = Object.fromEntries(["first", "back", "play", "on", "turn"].map((name) => [name, html("button", { type: "button", class: name, onclick: () => this.act(name) })]));
    this.pane = html("section", { class: "pane", role: "group", tabindex: 0, "aria-label": "explanation of the step" });
    this.sheet = html("dl", { class: "sheet", hidden: "" }, KEYS.map(([keys, does]) => [html("dt", {}, keys.split(" ").map((key) => html("kbd", {}, key))), html("dd", {}, does)]));
    this.tip = html("div", { class: "tip m", role: "status", hidden: "" });
    this.element.append(
      html("div", { class: "head" }, this.status, this.question, html("p", { class: "line" }, this.counted, this.said), this.modes),
      html("div", { class: "stage" }, this.reels, this.side),
      html("div", { class: "control" }, html("div", { class: "buttons", role: "toolbar", "aria-label": "time" }, Object.values(this.buttons)), this.kept, this.memory.element),
      (this.panes = html("div", { class: "panes" }, this.code.element, this.pane)),
      this.legend, this.sheet, this.tip,
    );
    for (const name of Object.keys(this.buttons)) this.face(name, name);
    if (model.get("page")) this.element.append(html("style", {}, `.mg-page-${model.get("page")} { display: none !important; }`));
    el.append(this.element);
    this.listeners = {
      "change:view": () => this.load(),
      "change:step": () => {
        const step = model.get("step");
        if (step !== this.ownStep) this.go(this.fixed ? this.stepFor(this.story, step) : step);
      },
      "change:selected": () => model.get("selected") !== this.selected && this.select(model.get("selected")),
      "change:asks": () => this.predict !== this.asked() && this.togglePredict(),
      "msg:custom": (message) => this.received(message),
    };
    for (const [event, listener] of Object.entries(this.listeners)) model.on(event, listener);
    this.resized = new ResizeObserver(() => this.fit());
    this.resized.observe(el);
    this.load();
  }

  remove() {
    this.pause();
    this.resized.disconnect();
    for (const [event, listener] of Object.entries(this.listeners)) this.model.off?.(event, listener);
  }

  face(button, name) {
    const [d, title] = ICONS[name];
    this.buttons[button].replaceChildren(svg("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, path(d, { class: name === "turn" || name === "pause" ? "line" : "" })));
    put(this.buttons[button], "title", title);
    put(this.buttons[button], "aria-label", title);
  }

  // ---- state

  load() {
    this.fixing = false;
    this.arrange();
    this.predict = this.asked();
    const step = this.model.get("step") ?? this.count - 1;
    this.step = this.within(this.predict && step === this.count - 1 ? -1 : step);
    const linked = location.protocol !== "about:" && /[#&]step=(-?\d+)/.exec(location.hash || "");
    if (linked && this.model.saved) this.step = this.within(Number(linked[1]) - 1);
    this.selected = this.model.get("selected") || "";
    this.follow();
    this.fit();
  }

  /** The films that are shown: one, or two with a common time, such as the program as written and its fix. */
  arrange() {
    const view = this.model.get("view"), fixed = (this.fixed = this.fixing && view.fixed); // the film of a fix that stands beside this one
    this.view = fixed ? { compare: [view, fixed.film], titles: ["as written", "fixed"], axis: fixed.axis } : view;
    [this.story] = this.stories = (this.view.compare || [this.view]).map((one) => new Story(one));
    this.axis = this.view.axis || null;
    this.open_units = this.stories.map((one) => one.view.fold?.open ?? null);
    this.count = this.axis ? this.axis.length : this.stories[0].count;
    this.width = this.chosen = this.pane_key = 0; // `chosen` is the film in which a column is selected
  }

  /** The step of one of the films: two films share a longer time axis, on which steps of the same line coincide. */
  stepOf(k, step = this.step) {
    return !this.axis ? step : step < 0 ? -1 : this.axis[step][k];
  }

  stepFor(story, step) {
    const k = this.stories.indexOf(story);
    return this.axis && step >= 0 ? this.axis.findIndex((pair) => pair[k] >= Math.min(step, story.count - 1)) : step;
  }

  /** The step where the backward pass begins; a film that asks stops there. */
  firstStop() {
    return this.story.view.readings[this.story.lastTurn].at;
  }

  within(step) {
    return Math.max(-1, Math.min(this.count - 1, step, this.predict ? this.firstStop() : Infinity));
  }

  go(step) {
    [this.step, this.chosen] = [this.within(step), 0];
    const { id } = this.story.at(this.stepOf(0));
    this.selected = id && this.story.view.cols[id] ? id : "";
    this.ownStep = this.fixed ? this.stepOf(0) : this.step;
    this.model.set("step", this.ownStep);
    this.model.set("selected", this.selected);
    this.model.save_changes();
    this.follow();
    this.draw();
  }

  select(id, story = this.story) {
    [this.selected, this.chosen] = [id, this.stories.indexOf(story)];
    if (!this.chosen) this.model.set("selected", id);
    this.model.save_changes();
    if (!this.films?.[this.chosen]?.place.has(id)) this.follow();
    this.draw();
  }

  act(name) {
    if (name === "play") return this.timer ? this.pause() : this.play();
    if (name === "turn") return this.story.lastTurn >= 0 && this.go(this.stepFor(this.story, this.firstStop()));
    return this.go({ first: -1, back: this.step - 1, on: this.step + 1 }[name]);
  }

  play() {
    this.pause();
    if (this.step >= this.count - 1) this.go(-1);
    const stride = Math.max(1, Math.round(this.count / 80));
    this.timer = setInterval(() => {
      const before = this.step;
      if (!this.element.isConnected) return this.pause();
      this.go(this.step + stride);
      if (this.step === before || this.step >= this.count - 1) this.pause();
    }, matchMedia("(prefers-reduced-motion: reduce)").matches ? 1200 : 700);
    this.face("play", "pause");
  }

  pause() {
    this.timer = clearInterval(this.timer);
    this.face("play", "play");
  }

  /** Go to the step where another line of code begins. */
  toOtherLine(direction) {
    const lineAt = (step) => this.story.at(this.stepOf(0, step)).line, line = lineAt(this.step);
    let step = this.step + direction;
    while (step > -1 && step < this.count - 1 && (lineAt(step) === line || lineAt(step) == null)) step += direction;
    this.go(step);
  }

  toLine(story, line) {
    const step = story.kinds.findIndex((kind, at) => kind === "write" && story.view.cols[`f${story.numbers[at]}`]?.line === line);
    const at = step >= 0 ? step : story.view.readings.find((one) => one.line === line)?.at;
    if (at != null) this.go(this.stepFor(story, at));
  }

  /** Go to the frame that a line of the NumPy program belongs to. */
  toFrames(story, { write, read }) {
    const step = write.length ? story.writtenAt.get(write[0]) : story.readAt[story.lastTurn]?.get(read[0]);
    if (step != null) this.go(this.stepFor(story, step));
  }

  /** Go from a value to its gradient (down), or back (up). */
  cross(down) {
    const story = this.stories[this.chosen], now = story.at(this.stepOf(this.chosen)), id = this.selected || now.id;
    if (id?.[0] !== "f") return;
    const frame = Number(id.slice(1)), reading = now.reading >= 0 ? now.reading : story.lastTurn;
    const step = down ? story.readAt[reading]?.get(frame) : story.writtenAt.get(frame);
    if (step != null) this.go(this.stepFor(story, step)), this.select(id, story);
  }

  /** Go to the column before or after, without changing the step. */
  move(direction) {
    const film = this.films[this.chosen], cols = film?.strip.cols ?? [];
    const at = cols.indexOf(this.selected || film?.story.at(this.stepOf(this.chosen)).id);
    const id = cols[Math.max(0, Math.min(cols.length - 1, at + direction))];
    if (!id) return;
    this.select(id, film.story);
    film.columns[film.place.get(id)].group.focus({ preventScroll: true });
  }

  why() {
    const { story } = this, { view } = story, bad = view.verdict.badFrame ?? view.cuts[0]?.edge[1];
    const step = bad ? story.writtenAt.get(Number(bad.slice(1))) : null;
    this.go(step == null ? this.count - 1 : this.stepFor(story, step));
    if (bad) this.select(bad);
  }

  bracket(direction) {
    const { story } = this;
    if (story.view.fold) return this.open(story, Math.max(0, Math.min(story.view.fold.first.length - 1, this.open_units[0] + direction)));
    const turns = story.view.readings.map((one) => one.at), step = this.stepOf(0);
    const next = direction > 0 ? turns.find((at) => at > step) : turns.findLast((at) => at < step);
    this.go(next == null ? (direction > 0 ? this.count - 1 : -1) : this.stepFor(story, next));
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.tagName === "INPUT") return;
    const button = event.target.closest("button, [role=button], .frame, .capsule");
    if (button && (event.key === "Enter" || (event.key === " " && button.tagName === "BUTTON"))) {
      event.stopPropagation();
      if (button.tagName !== "BUTTON") event.preventDefault(), button.dispatchEvent(new MouseEvent("click", { bubbles: true }));
      return;
    }
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const action = (event.shiftKey && ACTIONS[`Shift${key}`]) || ACTIONS[key];
    if (action) event.preventDefault(), event.stopPropagation(), action(this);
  }

  // ---- predict and fix

  togglePredict() {
    if (!this.story.askable || (this.axis && !this.fixed)) return;
    if (this.fixing) this.toggleFix();
    this.ask(!this.predict);
    this.outcome = null;
    this.go(this.predict ? this.firstStop() : this.step);
  }

  asked() {
    return Boolean(this.model.get("asks") ?? this.view.predict) && this.story.askable;
  }

  /** Hide or show the gradients, also in other views of this film. */
  ask(predict) {
    this.model.set("asks", (this.predict = predict));
    this.model.save_changes();
  }

  /** What the reader is asked for: the gradient of the (first) source, or its norm if it has many elements. */
  expected() {
    const { verdict, sources, readings, arrays } = this.story.view;
    const each = verdict.each[0], source = sources.find((one) => one.id === each.id), data = arrays[readings[this.story.lastTurn].answers[source?.of || source?.id]];
    const label = verdict.each.length > 1 ? `gradient of ${each.name}` : verdict.ask;
    const norm = data?.n > 4 ? (data.nan ? "nan" : data.state === "nan" ? "inf" : data.norm) : null;
    return norm == null ? { label, answer: each.answer, exact: each.answer } : { label: `norm of ${label}`, answer: number(norm), exact: String(norm) };
  }

  /** Compare the prediction with the result. A wire stands for the place of a break, "None" for no gradient. */
  judged(given) {
    const { label, answer, exact } = this.expected();
    const numbersOf = (text) => (text.match(/-?((\d*\.)?\d+(e[-+]?\d+)?|inf|nan)/gi) || []).map((one) => Number(one.replace(/inf/i, "Infinity")));
    const near = (one, other) => Object.is(one, other) || (Number.isFinite(other) && Math.abs(one - other) <= 0.01 * Math.abs(other) + 1e-9);
    const [found, wanted] = [given.text || "", exact].map(numbersOf);
    if (found.length === 1) found.push(...wanted.slice(1).map(() => found[0])); // one number for equal ones
    let right = found.length === wanted.length && found.length > 0 && found.every((one, k) => near(one, wanted[k]));
    if (given.wire) right = given.wire.state === "cut" || given.wire.state === "stop";
    else if (given.text.trim().toLowerCase() === "none") right = answer === "None";
    const where = given.wire && !right && this.story.view.cuts.length ? "It breaks elsewhere." : "";
    this.outcome = { right, text: `${right ? "Right." : "Not so."} ${where} ${label} = ${answer}.`.replace("  ", " ") };
    this.ask(false);
    this.draw();
    this.element.focus({ preventScroll: true });
    this.play();
  }

  toggleFix() {
    if (!this.story.view.verdict.fix || this.predict) return;
    this.pause();
    this.fixing = !this.fixing;
    if (!this.model.get("view").fixed) return this.draw();
    this.arrange(), this.go(this.count - 1), this.fit();
  }

  copy(text, button) {
    const showing = () => this.pane.append(html("textarea", { class: "m", readonly: "", rows: 8, "aria-label": "the fixed code" }, text));
    (navigator.clipboard?.writeText(text) ?? Promise.reject()).then(() => (button.textContent = "copied"), showing);
  }

  // ---- units

  open(story, unit) {
    this.open_units[this.stories.indexOf(story)] = unit;
    this.draw();
  }

  received(message) {
    if (message.type === "unsaved") this.lost = "This unit was not saved in this page.";
    if (message.type !== "unit") return this.draw();
    const { view } = this.stories[message.film ?? 0];
    for (const part of ["arrays", "cols", "wires"]) Object.assign(view[part], message[part]);
    view.strips[message.unit] = message.strip;
    this.asking = null;
    this.draw();
  }

  // ---- drawing

  /** Draw everything again when the width changes; above 1280 pixels the root grows with it. */
  fit() {
    const room = this.element.parentElement?.clientWidth || this.element.clientWidth;
    if (!room || Math.abs(room - this.width) < 1) return;
    this.width = room;
    const scale = Math.max(1, Math.min(1.8, room / 1280));
    this.element.style.setProperty("--scale", scale);
    const style = getComputedStyle(this.element);
    [families.ui, families.mono] = [style.fontFamily, style.getPropertyValue("--mono") || "monospace"];
    this.design = room / scale;
    this.drawnUnits = null;
    this.curves = !this.axis && this.design >= 700 ? Curves.of(this.story) : null;
    const strip = this.story.view.strips.None, short = !this.axis && this.design >= 860 && strip?.cols.length <= 3;
    this.part = this.curves ? 46 : short ? 56 : 100; // percent of the width: a film of few columns leaves room beside it
    this.filmWidth = (this.design * this.part) / 100;
    this.element.classList.toggle("narrow", this.design < 700);
    this.element.classList.toggle("beside", this.part < 100);
    this.element.style.setProperty("--part", this.part);
    this.draw();
  }

  drawHead() {
    const { verdict } = this.story.view;
    put(this.element, "aria-label", verdict.ask ? `tape inspector: ${verdict.ask}` : "tape inspector");
    const buttons = [];
    if (this.story.askable && !this.axis) buttons.push((this.predictButton = html("button", { type: "button", class: "predict", title: "hide the gradients and ask, or show them (P)", onclick: () => this.togglePredict() }, "predict")));
    if (verdict.fix && (verdict.fixed.length || verdict.fix.code)) buttons.unshift((this.fixButton = html("button", { type: "button", class: "fix", title: verdict.fix.text, onclick: () => this.toggleFix() }, "fix: ", html("span", { class: "m" }, verdict.fix.code || verdict.fix.text))));
    const held = this.modes.contains(document.activeElement) && document.activeElement.className;
    this.modes.replaceChildren(...buttons);
    if (held) this.modes.querySelector(`.${held}`)?.focus({ preventScroll: true });
  }

  drawLegend() {
    const { scale } = this.story.view;
    const item = (sample, text, spoils) => html("span", { class: spoils ? "spoils" : null }, sample, text);
    const small = (name, ...parts) => svg("svg", { class: "sample", viewBox: "0 0 26 14", "aria-hidden": "true" }, svg("g", { class: name }, parts));
    const [cols, wires] = ["cols", "wires"].map((name) => this.stories.flatMap((one) => Object.values(one.view[name])));
    const own = this.stories.some((one) => one.view.scale.high !== scale.high || one.view.scale.low !== scale.low) ? "; each film to its own scale" : "";
    const kind = scale.kind === "log" ? `wider is a larger gradient, log scale ${number(scale.low, 3)} to ${number(scale.high, 3)}` : `as wide as the ${cols.some((one) => one.slopes.length && one.shape?.length) ? "norm of the " : ""}gradient on it; this is ${number(scale.high, 3)}`;
    const line = (state, text) => item(small(`wire ${state}`, path("M3 13C3 1 23 1 23 13", { class: "way" })), text, state !== "live"), found = [line("live", "goes into")];
    for (const [state, text] of [["data", "data goes in"], ["dead", "no gradient comes back"]]) if (wires.some((one) => one.state === state)) found.push(line(state, text));
    if (wires.some((one) => one.sent.length)) found.push(item(small("ribbon", path("M2 7H24", { class: "band", "stroke-width": scale.kind === "log" ? 4 : this.films.find(Boolean)?.g.ribbon ?? 13 })), `${kind}${own}`, true));
    if (this.stories.some(({ view }) => Object.values(view.wires).some((one) => one.sent.some(([, , k]) => view.arrays[k].state === "nan")))) found.push(item(small("ribbon bad", path("M2 7H24", { class: "band", "stroke-width": 8 })), "nan or inf", true));
    if (cols.some((one) => one.kind === "ghost")) found.push(item(small("ghost", path("M2 2h22v10h-22z", { class: "box" })), "ran, not on the tape", true));
    for (const [state, text] of [["cut", "cut"], ["stop", "stopped on purpose"]]) if (wires.some((one) => one.state === state)) found.push(item(icon(state, 16), text, true));
    if (wires.some((one) => one.lost != null)) found.push(item(small("ribbon lost", path("M2 4H24M2 10H24", { class: "rim" })), "lost", true));
    if (this.stories.some((one) => one.view.arrays.some((data) => data.picture && data.n > 4))) found.push(item(small("", path("M2 2h9v10h-9z", { class: "plus" }), path("M14 2h9v10h-9z", { class: "minus" }), path("M16 7h5", { class: "dashes" })), "+, −; each picture to its own scale"));
    for (const [keys, does] of [["← →", "step"], ["B", "backward pass"], ["space", "play"], ["?", "all keys"]]) found.push(html("span", { class: "keys" }, keys.split(" ").map((key) => html("kbd", {}, key)), does));
    this.legend.replaceChildren(...found);
  }

  /** Update everything that a step changes. */
  draw() {
    if (!this.width) return;
    const held = this.element.contains(document.activeElement), nows = this.stories.map((story, k) => story.at(this.stepOf(k)));
    this.build();
    nows.forEach((now, k) => {
      this.overviews[k]?.update(now, this.open_units[k], this.predict);
      this.films[k]?.update(now, this.predict);
    });
    this.scroll(nows[0]);
    this.updateHead(nows);
    this.updatePane(nows[this.chosen], this.stories[this.chosen]);
    const at = document.activeElement, gone = !this.element.contains(at) || !at.getClientRects().length;
    if (held && gone) this.element.focus({ preventScroll: true });
    if (this.pictures().length) this.stand();
  }

  /** Open the unit of the column that is selected, or else of the step. */
  follow() {
    this.stories.forEach((story, k) => {
      const now = story.at(this.stepOf(k)), own = k === this.chosen && this.selected[0] === "f" ? this.selected : now.id;
      const id = own || (now.kind === "turn" && now.told.targets.find((one) => one?.[0] === "f"));
      if (story.view.fold && id) this.open_units[k] = story.unitOf(Number(id.slice(1)));
    });
  }

  build() {
    const key = `${this.width} ${this.open_units} ${this.stories.map((one) => Object.keys(one.view.strips).length)} ${this.lost}`;
    if (this.drawnUnits === key) return;
    const first = this.drawnUnits === null || !this.films;
    this.drawnUnits = key;
    const held = this.reels.contains(document.activeElement) ? document.activeElement.getAttribute("data-id") : null;
    if (first) this.overviews = this.stories.map((one, k) => one.view.fold && new Overview(this, one, this.design, this.overviews?.[k]));
    this.films = this.stories.map((story, k) => {
      const strip = story.view.strips[story.view.fold ? this.open_units[k] : "None"];
      if (!strip) this.request(k);
      return strip ? new Film(this, story, strip, this.filmWidth, Boolean(story.view.fold) || this.stories.length > 1) : null;
    });
    this.reels.replaceChildren(
      ...this.stories.map(({ view }, k) =>
        html("div", { class: "reel" }, this.axis && html("h3", {}, this.view.titles[k], " ", html("span", { class: "m" }, view.verdict.head)), this.overviews[k]?.element, this.films[k] ? html("div", { class: "strip" }, this.films[k].element) : html("p", { class: "absent quiet" }, this.lost || "…")),
      ),
    );
    if (held) this.reels.querySelector(`[data-id="${held}"]`)?.focus({ preventScroll: true });
    if (first) {
      this.side.replaceChildren(...(this.curves ? [new Curves(this.curves, this.design * 0.53, 290).element] : this.part < 100 ? [this.panes] : []));
      if (!this.side.contains(this.panes) && this.panes.nextSibling !== this.legend) this.legend.before(this.panes);
      this.drawHead();
      this.drawLegend();
      this.code.draw(this.story);
      this.memory.draw(this.story, Math.max(200, this.design - (this.design < 700 ? 24 : 290)));
    }
  }

  request(k) {
    if (this.asking === this.open_units[k]) return;
    this.asking = this.open_units[k];
    if (this.fixed && k) return setTimeout(() => this.received({ type: "unsaved" }));
    this.model.send({ type: "open_unit", unit: this.open_units[k], film: k });
  }

  /** Keep the column of this step in view. */
  scroll(now) {
    const film = this.films[0], column = film?.columns[film.place.get(now.id)], box = film?.element.parentElement;
    if (!film?.g.upright || !column || film.g.width <= this.filmWidth + 1) return;
    const [strip, { left, right }] = [box.getBoundingClientRect(), column.group.getBoundingClientRect()];
    if (left < strip.left + 20) box.scrollLeft += left - strip.left - 40;
    else if (right > strip.right - 20) box.scrollLeft += right - strip.right + 40;
  }

  updateHead(nows) {
    const now = nows[0], { verdict } = this.story.view;
    const over = this.story.lastTurn < 0 || (now.reading === this.story.lastTurn && now.over);
    const state = (over && !this.predict && verdict.status) || "open";
    if (this.stateShown !== state) this.status.replaceChildren(icon((this.stateShown = state), 22));
    const asks = verdict.ask ? `${verdict.ask} = ${over && !this.predict ? verdict.answer : "?"}` : "tape inspector";
    const shown = this.axis && over ? `${verdict.ask}: ${this.stories.map((one) => one.view.verdict.answer).join(" → ")}` : asks;
    if (this.question.textContent !== shown) this.question.replaceChildren(...isolated(shown));
    this.question.title = shown;
    this.counted.textContent = `step ${this.step + 1} of ${this.count}`;
    const parts = this.outcome && !this.predict && over ? [this.outcome.text] : this.predict && now.step >= this.firstStop() ? ["What will come back? Type it below, or click a ? on the wire that breaks."] : this.story.said(now, this.predict);
    const key = JSON.stringify(parts);
    if (this.saidKey !== key) {
      this.saidKey = key;
      this.said.replaceChildren(...parts.flatMap((one) => (typeof one === "string" ? isolated(one) : html("b", { class: "m" }, one.name))));
    }
    this.memory.update(this.stepOf(0), this.said.textContent);
    const bytes = bytesText(this.story.bytes(this.stepOf(0)));
    if (this.keptShown !== bytes) this.kept.replaceChildren("keeps ", html("b", {}, (this.keptShown = bytes)), html("span", { class: "quiet" }, ` of ${bytesText(this.story.view.memory.peak)}`));
    this.predictButton?.setAttribute("aria-pressed", String(this.predict));
    this.fixButton?.setAttribute("aria-pressed", String(this.fixing));
    if (this.fixButton) this.fixButton.hidden = this.predict || (!over && !this.fixing);
    this.code.update(now, this.predict);
    this.element.classList.toggle("asking", this.predict);
  }

  updatePane(now, story) {
    const { view } = story, { fix, status } = view.verdict, id = [this.selected || now.id].find((one) => view.cols[one]);
    const key = `${this.step} ${this.chosen} ${id} ${this.predict} ${this.fixing}`;
    if (this.pane_key === key) return;
    this.pane_key = key;
    const advice = fix && status !== "complete" && now.over && !this.predict ? [`Fix: ${fix.text}`] : [];
    const parts = [], notes = [...advice, ...view.notes].map((one) => html("p", { class: "quiet" }, one));
    if (this.fixing && !this.predict) parts.push(html("h3", {}, "Fix"), fixPane(this, this.story), ...(this.chosen ? this.about(now, id, story) : []));
    else if (this.predict && now.step >= this.firstStop()) parts.push(html("h3", {}, "Predict"), this.form(), ...(id ? this.about(now, id, story) : []));
    else if (id) parts.push(...this.about(now, id, story));
    else if (now.over && !this.predict && view.verdict.ask) parts.push(html("h3", {}, now.reading === story.lastTurn && view.sources.filter((one) => one.asked).length > 1 ? `Answer: ${view.verdict.answer}` : "Answer"), answer(story, now), ...notes);
    else parts.push(html("h3", {}, "Notes"), ...notes, notes.length ? null : html("p", { class: "quiet" }, "Click a column, or step on, to see what is known of it."));
    this.pane.replaceChildren(...parts.filter(Boolean));
  }

  about(now, id, story) {
    const col = story.view.cols[id];
    const title = col.kind === "source" || col.kind === "data" ? `${col.kind === "source" ? `${col.kind} ` : ""}${col.path || col.name}` : col.text || col.op;
    const parts = [html("h3", {}, html("span", { class: "m title" }, title))];
    const error = col.kind === "crash" ? col.ghost.say : !this.predict && now.failed?.raised === id ? now.failed.error : null;
    if (error) parts.push(html("p", { class: "crimson" }, error));
    const reached = !this.predict && now.reading >= 0 && col.slopes.some(([r, at]) => r === now.reading && at <= now.step);
    const read = story.readAt[now.reading]?.get(Number(id.slice(1))) <= now.step;
    if (id[0] === "f" && reached && read) parts.push(html("div", { class: "equations" }, mathematics(story, id, now.reading)));
    parts.push(facts(story, id, reached ? now.reading : -1, this.predict));
    const cut = story.view.cuts.find((one) => one.edge.includes(id));
    if (cut && !this.predict) parts.push(html("p", {}, icon("cut", 16), ` ${cut.say}`), html("p", { class: "quiet" }, `Fix: ${cut.fix.text}`));
    return parts;
  }

  form() {
    const { label } = this.expected();
    const say = (text) => text.trim() && this.judged({ text }), onkeydown = (event) => event.key === "Enter" && say(field.value);
    const field = html("input", { type: "text", class: "m", "aria-label": `what is ${label}?`, autocomplete: "off", onkeydown });
    return html("div", { class: "form" }, html("label", { class: "m" }, `${label} = `), field, html("button", { type: "button", onclick: () => say(field.value) }, "check"), html("button", { type: "button", onclick: () => this.judged({ text: "None" }) }, "it is None"), html("button", { type: "button", onclick: () => (this.togglePredict(), this.play()) }, "show it"));
  }

  // ---- hovering

  /** Look at the array element under the pointer. */
  point(event) {
    const group = event.target.closest?.(".picture");
    const matrix = pictured.has(group) && group.getScreenCTM();
    const at = matrix && new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
    this.look(event.target, group, at && hit(group, at.x, at.y), event.clientX + 12, event.clientY + 16);
  }

  /** The pictures in the element with the focus. */
  pictures() {
    const host = document.activeElement;
    if (!this.element.contains(host) || host === this.element || !host.matches(":focus-visible")) return [];
    return [...host.querySelectorAll(".picture")].filter((one) => pictured.has(one));
  }

  /** The place of the keyboard: an array element in a picture that has the focus. */
  stand() {
    const groups = this.pictures(), group = groups[this.place[0]] || groups[0];
    if (!group) return this.look(document.activeElement);
    const { x, y, w, h, rows, cols } = pictured.get(group);
    if (!groups[this.place[0]] || this.place[1] >= rows || this.place[2] >= cols) this.place = [groups.indexOf(group), 0, 0];
    const [, row, col] = this.place;
    const at = new DOMPoint(x + ((col + 0.5) * w) / cols, y + ((row + 1) * h) / rows).matrixTransform(group.getScreenCTM());
    this.look(document.activeElement, group, { row, col }, at.x + 4, at.y + 4);
  }

  /** Go to another array element in the pictures that have the focus; past the end of one, to the next. */
  walk(down, right) {
    const groups = this.pictures(), [which, row, col] = this.place;
    if (!groups[which]) return;
    const { rows, cols } = pictured.get(groups[which]), [to, at] = [row + down, col + right];
    if (to >= 0 && to < rows && at >= 0 && at < cols) this.place = [which, to, at];
    else this.place = [(which + down + right + groups.length) % groups.length, 0, 0];
    this.stand();
  }

  /** Show the number of an element and highlight what belongs to it: rows and columns of a product, maker and readers of a block. */
  look(target, group, cell, x, y) {
    const id = target?.closest?.(".reel:first-child [data-id]")?.dataset.id, line = id && this.story.view.cols[id]?.line;
    for (const [n, item] of this.code.lines || []) item.classList.toggle("hover", n === line);
    for (const one of this.lights || []) one.remove();
    const box = cell && pictured.get(group);
    for (const one of this.films[0]?.columns || []) {
      one.group.classList.toggle("maker", box?.block?.maker === one.col.id);
      one.group.classList.toggle("reader", Boolean(box?.block?.readers.includes(one.col.id)));
    }
    const equation = group?.closest(".figures");
    const trios = equation ? [triples.get(equation)].filter((one) => one?.includes(group)) : this.films.flatMap((film) => film?.products(group) ?? []);
    this.lights = box ? light(group, cell, box.data ? trios : []) : [];
    this.tip.hidden = !box;
    if (!box) return;
    this.tip.replaceChildren(...isolated(spelled(group, cell)));
    const root = this.element.getBoundingClientRect();
    this.tip.style.left = `${Math.min(x - root.left, root.width - this.tip.offsetWidth - 4)}px`;
    this.tip.style.top = `${Math.min(y - root.top, root.height - this.tip.offsetHeight - 4)}px`;
  }
}

export default {
  render({ model, el }) {
    const inspector = new Inspector(model, el);
    return () => inspector.remove();
  },
};
