// Below the film: the code, and beside it the mathematics of a step, the answer, or what an error said.

import { html, svg, icon, path, fitted, put, measure } from "./elements.js";
import { forms, noteOf, number, shapeText, spoken } from "./numbers.js";
import { drawn, picture, pictured, triples } from "./pictures.js";

// ---- code

export class Code {
  constructor(inspector) {
    this.inspector = inspector;
    this.element = html("section", { class: "code", role: "group", tabindex: 0, "aria-label": "the code" });
  }

  draw(story) {
    const cut = new Set(story.view.cuts.filter((one) => one.code !== "STOPPED").map((one) => one.line));
    this.lines = new Map();
    const items = story.view.code.map((line) => {
      const [, indent, text] = /^( *)(.*)/.exec(line.text);
      const parts = [["n", line.n], ["indent", indent], ["text", text || " "]].map(([name, one]) => html("span", { class: name }, String(one)));
      const item = html("div", { class: cut.has(line.n) ? "line broken" : "line", onclick: () => this.inspector.toLine(story, line.n) }, parts);
      this.lines.set(line.n, item);
      return item;
    });
    this.element.replaceChildren(html("h3", {}, "Code"), html("div", { class: "lines" }, items));
    this.element.hidden = !items.length;
    this.current = null;
  }

  update(line) {
    if (line === this.current) return;
    this.lines.get(this.current)?.classList.remove("current");
    this.current = line;
    const item = this.lines.get(line);
    if (!item) return;
    item.classList.add("current");
    const box = this.element;
    if (item.offsetTop < box.scrollTop || item.offsetTop + item.offsetHeight > box.scrollTop + box.clientHeight)
      box.scrollTop = item.offsetTop - box.clientHeight / 2;
  }
}

// ---- mathematics

/** An array of a formula: its picture to a common scale, its name, its shape. */
function figure(name, data, unit, turned, tone) {
  const shown = turned && data ? transposed(data) : data;
  const shape = shown?.shape || [];
  const lengths = shown?.picture?.kind === "grid" ? [shown.picture.rows, shown.picture.cols] : null;
  const [w, h] = !data ? [30, 20] : lengths ? [Math.max(12, lengths[1] * unit), Math.max(12, lengths[0] * unit)] : shown.picture?.kind === "line" ? [110, 44] : [data.n > 1 ? 84 : 62, data.n > 2 ? 34 : 24];
  const wide = Math.max(w + 8, Math.min(150, measure(name, 12, "mono", true) + 4), shape.length ? measure(shapeText(shape), 11, "mono") : 0);
  const group = svg("svg", { class: `figure ${tone}`, width: wide, height: h + 38, viewBox: `0 0 ${wide} ${h + 38}` });
  if (data) group.append(picture(shown, (wide - w) / 2 - 1, 2, w + 2, h, tone, false));
  group.append(fitted(wide / 2, h + 18, name, wide, { size: 12, least: 9, family: "mono", bold: true, anchor: "middle" }));
  if (shape.length) group.append(fitted(wide / 2, h + 33, shapeText(shape), wide, { size: 11, least: 9, family: "mono", anchor: "middle", class: "quiet" }));
  return group;
}

/** The last two axes exchanged; of many matrices each. */
function transposed(data) {
  const shape = [...data.shape.slice(0, -2), ...data.shape.slice(-2).reverse()];
  const { kind, cols, pooled } = data.picture || {};
  if (kind === "line" || data.picture?.rows === 1) return { ...data, shape };
  const rows = pooled ? data.picture.rows : data.shape.at(-2);
  if (!data.picture || (pooled && shape.length > 2)) return { ...data, shape, picture: undefined };
  const each = rows * cols;
  const v = data.picture.v.map((_, k) => data.picture.v[Math.floor(k / each) * each + (k % rows) * cols + Math.floor((k % each) / rows)]);
  return { ...data, shape, picture: { ...data.picture, rows: v.length / rows, cols: rows, v } };
}

/** What an op sends to each of its inputs: the line of mathematics in the user's names, and the arrays in it. */
export function mathematics(story, id, reading) {
  const col = story.view.cols[id], arrays = story.view.arrays;
  const slope = col.slopes.findLast(([r]) => r === reading);
  const upstream = slope && slope[2] != null ? arrays[slope[2]] : null;
  const rows = (col.math || []).map((one) => {
    const sent = story.view.wires[`${id}.${one.slot}`]?.sent.find(([r]) => r === reading);
    if (!sent) return null;
    const known = (part) => (part.of === "upstream" ? upstream : part.of && story.view.cols[part.of]?.value != null ? arrays[story.view.cols[part.of].value] : null);
    const result = arrays[sent[2]];
    const parts = one.parts.length ? one.parts : [{ t: "upstream", of: "upstream" }, { t: "→" }];
    const all = [...parts.map(known), result].filter((data) => data?.picture?.kind === "grid");
    const longest = Math.max(1, ...all.map((data) => Math.max(data.picture.rows, data.picture.cols)));
    const unit = Math.min(12, 84 / longest);
    const name = `grad ${one.name}`;
    const drawn = parts.filter((part) => part.of);
    const figures = [...drawn.map((part) => figure(part.t, known(part), unit, part.T, part.of === "upstream" ? "slope" : "value")), figure(name, result, unit, false, "slope")];
    const last = figures.at(-1);
    const sign = (text) => html("span", { class: "sign" }, text);
    const row = html("div", { class: "figures" }, drawn.length ? [parts.map((part) => (part.of ? figures[drawn.indexOf(part)] : sign(part.t.trim()))), one.parts.length ? sign("=") : null] : null, last);
    const trio = figures.map((one) => one.querySelector(".picture"));
    if (drawn.length === 2 && parts.length === 3 && parts[1].t.trim() === "@" && trio.every((one) => pictured.has(one))) triples.set(row, trio);
    return html("div", { class: "equation" }, html("p", { class: "m b" }, one.text ? `${name} = ${one.text}` : name), row);
  });
  return rows.filter(Boolean);
}

/** The arrays of a column: value and gradient, with all that is known of their size. */
export function facts(story, id, reading, hiding) {
  const col = story.view.cols[id], { arrays } = story.view;
  const row = (word, data) =>
    data && [html("dt", {}, word), html("dd", { class: "m" }, data.n === 1 || !data.shape ? data.text : `${shapeText(data.shape)} ${data.dtype}`, data.norm == null || data.n === 1 ? null : html("span", { class: "quiet" }, ` norm ${number(data.norm)}, from ${number(data.low)} to ${number(data.high)}${noteOf(data)[0].startsWith("norm") ? "" : `, ${noteOf(data)[0]}`}`))];
  const slope = hiding ? null : col.slopes.findLast(([r]) => r === reading);
  const old = col.version != null && col.now != null && col.now !== col.version;
  const more = [
    ["the tape keeps", col.keeps?.map((one) => `${one.what} ${one.text}`).join(", ")],
    ["in layer", col.module],
    ["version", old && `read as version ${col.version}; today it is version ${col.now}`],
    [col.kind === "assign" ? "assigned" : "not recorded", !hiding && col.ghost?.say],
    ["inputs", col.count > col.args?.length && `${col.args.length} of ${col.count} are shown`],
  ].filter(([, text]) => text).map(([word, text]) => [html("dt", {}, word), html("dd", {}, text)]);
  return html("dl", { class: "facts" }, row("value", col.value == null ? null : arrays[col.value]), row("gradient", slope && slope[2] != null ? arrays[slope[2]] : null), more);
}

// ---- the answer

export function answer(story, now) {
  const { view } = story, { verdict } = view;
  const asked = view.sources.filter((one) => one.asked);
  if (verdict.lost != null && verdict.answer !== "None") {
    const term = (text, word, tone) => html("span", { class: `term ${tone}` }, html("b", { class: "m" }, text), html("small", {}, word));
    const terms = [term(verdict.answer, "passed back", "orange"), "+", term(verdict.lost, verdict.code === "STOPPED" ? "stopped" : "✂ lost", "crimson"), "=", term(verdict.full, "full", "")];
    return html("div", { class: "sum-row" }, terms);
  }
  const rows = asked.map((source) => {
    const given = now.given?.[source.of || source.id];
    const each = verdict.each.find((one) => one.name === source.name) || verdict;
    const data = given == null ? null : view.arrays[given];
    const sparse = view.readings[story.lastTurn]?.sparse.includes(source.id) && html("span", { class: "quiet" }, "IndexedSlices");
    const came = data && [thumbnail(data), html("span", { class: "m orange" }, data.n === 1 ? data.text : noteOf(data)[asked.length > 8 ? 1 : 0]), sparse];
    const nothing = [html("span", { class: "crimson m" }, icon("none", 15), given === null ? " None" : ` ${verdict.answer}`), html("span", { class: "quiet" }, each.say.replace(/^None[^.]*\. ?/, ""))];
    return html("li", {}, html("span", { class: "m b name", title: source.path }, source.name), came || nothing);
  });
  const earlier = view.readings.filter((one, k) => k < story.lastTurn && one.targets.length).map((one) => {
    const given = Object.entries(one.answers).map(([id, found]) => `${story.name(id)} ${found == null ? "None" : spoken(view.arrays[found])}`);
    return html("p", { class: "quiet" }, `earlier${one.line == null ? "" : `, line ${one.line}`}: `, html("span", { class: "m" }, one.text), ` gave ${given.slice(0, 4).join(", ")}`);
  });
  return html("div", {}, html("ul", { class: asked.length > 8 ? "answers many" : "answers" }, rows), earlier);
}

function thumbnail(data) {
  const group = svg("svg", { class: "thumb", width: 46, height: 26, viewBox: "0 0 46 26", "aria-hidden": "true" });
  if (data.picture && data.n > 1) group.append(picture(data.picture.kind === "numbers" ? drawn(data) : data, 0, 0, 46, 26, "slope", false));
  return group;
}

// ---- two curves

/** A function of one axis and its derivative, with a common cursor and the tangent. */
export class Curves {
  /** Does an op have them? One input and its output, of one axis and more than 16 elements, element by element. */
  static of(story) {
    const { view } = story;
    const strip = view.strips.None;
    if (!strip || strip.cols.length !== 2) return null;
    const [source, op] = strip.cols.map((one) => view.cols[one]);
    const slope = source.slopes.at(-1);
    const arrays = [source.value, op.value, slope?.[2]].map((one) => (one == null ? null : view.arrays[one]));
    const fit = arrays.every((one) => one?.picture?.kind === "line" && one.n === arrays[0].n && one.n > 16 && !one.picture.pooled && !one.picture.sizes);
    const seed = view.readings.at(-1)?.seed;
    return fit && seed != null && view.arrays[seed].low === 1 && view.arrays[seed].high === 1 ? { source, op, arrays, at: slope[1] } : null;
  }

  constructor(found, width, high) {
    Object.assign(this, found, { width, high });
    const [x, y, dy] = found.arrays.map((one) => one.picture.v);
    Object.assign(this, { x, y, dy, left: 46, right: width - 66, middle: high * 0.52 });
    this.element = svg("svg", { class: "curves", viewBox: `0 0 ${width} ${high}`, role: "slider", tabindex: 0, "aria-label": `${found.op.op} and its derivative`, "aria-valuemin": 0, "aria-valuemax": x.length - 1 });
    const [low, top] = [Math.min(...x), Math.max(...x)];
    this.px = (one) => this.left + ((one - low) / (top - low || 1)) * (this.right - this.left);
    this.py = this.plot(y, 14, this.middle - 10, "value", `${found.op.name || "y"}`);
    this.pd = this.plot(dy, this.middle + 12, high - 30, "slope", `d${found.op.name || "y"}/d${found.source.name}`);
    for (const one of [low, 0, top])
      if (one >= low && one <= top) this.element.append(fitted(this.px(one), high - 12, forms(one), 50, { size: 10.5, family: "mono", anchor: "middle", class: "quiet" }));
    this.element.append(fitted(this.right + 24, high - 12, found.source.name, 40, { size: 12, family: "mono", bold: true }));
    this.cursor = svg("g", { class: "cursor-lines" });
    this.element.append(this.cursor);
    const nearest = (place) => x.reduce((best, one, k) => (Math.abs(this.px(one) - place) < Math.abs(this.px(x[best]) - place) ? k : best), 0);
    this.element.addEventListener("pointermove", (event) => {
      const box = this.element.getBoundingClientRect();
      this.move(nearest(((event.clientX - box.left) / box.width) * width));
    });
    this.element.addEventListener("keydown", (event) => {
      const by = { ArrowLeft: -1, ArrowRight: 1, ",": -1, ".": 1 }[event.key];
      if (!by) return;
      event.preventDefault(), event.stopPropagation();
      this.move(Math.max(0, Math.min(x.length - 1, this.k + by)));
    });
    this.move(nearest(this.px(0)));
  }

  plot(v, top, bottom, tone, name) {
    const low = Math.min(0, ...v), high = Math.max(0, ...v);
    const y = (one) => bottom - ((one - low) / (high - low || 1)) * (bottom - top);
    for (const tick of new Set([low, 0, high])) {
      this.element.append(path(`M${this.left} ${y(tick)}H${this.right}`, { class: "axis" }));
      this.element.append(fitted(this.left - 6, y(tick) + 4, forms(tick), 40, { size: 10.5, least: 8, family: "mono", anchor: "end", class: "quiet" }));
    }
    const d = v.map((one, k) => `${k ? "L" : "M"}${this.px(this.x[k]).toFixed(1)} ${y(one).toFixed(1)}`).join("");
    const group = svg("g", { class: `picture ${tone} big` }, path(d, { class: "line" }));
    this.element.append(group, fitted(this.right + 6, y(v.at(-1)) + 4, name, 60, { size: 12.5, least: 9, bold: true, class: tone === "value" ? "blue" : "orange" }));
    return y;
  }

  move(k) {
    this.k = k;
    const [x, y, slope] = [this.x[k], this.y[k], this.dy[k]];
    const [cx, cy] = [this.px(x), this.py(y)];
    const gradient = ((this.py(1) - this.py(0)) / (this.px(1) - this.px(0))) * slope;
    const reach = Math.min(80, Math.abs((this.middle - 20) / 2 / (gradient || 1e-9)));
    const right = cx < this.width * 0.6;
    const words = { size: 12, least: 10, family: "mono", anchor: right ? "start" : "end" };
    this.cursor.replaceChildren(
      path(`M${cx} 8V${this.high - 28}`, { class: "hair" }),
      path(`M${cx - reach} ${cy - reach * gradient}L${cx + reach} ${cy + reach * gradient}`, { class: "tangent" }),
      svg("circle", { cx, cy, r: 4, class: "dot blue" }),
      svg("circle", { cx, cy: this.pd(slope), r: 4, class: "dot orange" }),
      fitted(cx + (right ? 12 : -12), this.middle - 16, `${this.source.name} = ${number(x)}, ${this.op.name || "y"} = ${number(y)}`, 220, { ...words, class: "halo" }),
      fitted(cx + (right ? 12 : -12), this.high - 42, `slope ${number(slope)}`, 160, { ...words, bold: true, class: "orange halo" }),
    );
    put(this.element, "aria-valuenow", k);
    put(this.element, "aria-valuetext", `${this.source.name} ${number(x)}, value ${number(y)}, slope ${number(slope)}`);
  }
}

// ---- the fix

export function fixPane(inspector, story) {
  const { verdict, code } = story.view, { fixed } = verdict;
  const after = new Map(story.view.fixed?.film.code.map((one) => [one.n, one.text]));
  const changed = code.filter((one) => after.has(one.n) && after.get(one.n) !== one.text);
  const told = verdict.status === "nan" ? "every number is finite" : "the gradient is the one that was measured";
  const put = cellBelow(inspector.model, inspector.element, fixed.join("\n"));
  const button = (text, act) => html("button", { type: "button", onclick: (event) => act(event.currentTarget) }, text);
  return html(
    "div",
    { class: "fix-pane" },
    html("p", {}, fixed.length ? `Tried: run again with this change, the target is as before, and ${told}.` : verdict.fix.text),
    changed.map((one) => [html("p", { class: "m gone" }, `- ${one.text.trim()}`), html("p", { class: "m come" }, `+ ${after.get(one.n).trim()}`)]),
    after.size ? null : fixed.map((line) => html("p", { class: "m" }, line)),
    fixed.length ? html("p", { class: "modes" }, put && button("put it in a cell below", put), button("copy the fixed code", (one) => inspector.copy(fixed.join("\n"), one))) : null,
  );
}

/** What puts code into a new cell below this one, in a notebook of JupyterLab; null elsewhere. */
function cellBelow(model, element, code) {
  const notebook = model.widget_manager?.context?.model?.sharedModel;
  const cell = element.closest(".jp-Cell");
  if (!notebook?.insertCell || !cell) return null;
  return (button) => {
    const cells = [...cell.parentElement.querySelectorAll(":scope > .jp-Cell")];
    const place = Number(cell.dataset.windowedListIndex ?? cells.indexOf(cell));
    notebook.insertCell(place + 1, { cell_type: "code", source: code });
    button.textContent = "it is in the cell below";
    button.disabled = true;
  };
}
