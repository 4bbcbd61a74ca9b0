// The panes below the film: the code, and beside it the mathematics of a step, the answer, or an error message.

import { html, svg, icon, path, fitted, put, measure } from "./elements.js";
import { forms, noteOf, number, shapeText, spoken } from "./numbers.js";
import { picture, pictured, triples } from "./pictures.js";

/** The user's lines, and, if it is known, the same program in plain NumPy. */
export class Code {
  constructor(inspector) {
    this.inspector = inspector;
    this.written = false; // whether the NumPy program is shown
    this.element = html("section", { class: "code", role: "group", tabindex: 0, "aria-label": "the code" });
  }

  draw(story) {
    const { view } = story, cut = new Set(view.cuts.filter((one) => one.code !== "STOPPED").map((one) => one.line));
    const item = (line, kind, onclick) => {
      const [, indent, text] = /^( *)(.*)/.exec(line.text);
      const parts = [["n", line.n], ["indent", indent], ["text", text || " "]].map(([name, one]) => html("span", { class: name }, String(one)));
      return [line, html("div", { class: kind, onclick }, parts)];
    };
    const own = view.code.map((line) => item(line, cut.has(line.n) ? "line broken" : "line", () => this.inspector.toLine(story, line.n)));
    this.program = (view.written || []).map((line) => item(line, "line", () => this.inspector.toFrames(story, line)));
    this.lines = new Map(own.map(([line, element]) => [line.n, element]));
    this.lists = [own, this.program].map((items) => html("div", { class: "lines" }, items.map(([, element]) => element)));
    this.choices = ["your code", "written in NumPy"].map((name, k) => html("button", { type: "button", title: "the other one (N)", onclick: () => this.choose(k === 1) }, name));
    this.head = html("div", { class: "modes", role: "group", "aria-label": "which code" }, this.choices);
    this.element.replaceChildren(this.program.length ? this.head : html("h3", {}, "Code"), ...this.lists);
    this.element.hidden = !own.length;
    this.current = [];
  }

  choose(written) {
    this.written = written;
    this.inspector.draw();
  }

  /** Highlight the line of a step; a film that asks does not show how its gradients are computed. */
  update(now, asking) {
    const written = this.written && !asking && this.program.length > 0, last = this.inspector.story.lastTurn;
    this.head.hidden = asking;
    [!written, written].forEach((shown, k) => ((this.lists[k].hidden = !shown), put(this.choices[k], "aria-pressed", shown)));
    const known = now.kind === "write" || now.reading === last, frame = Number(now.id?.slice(1));
    const lit = written ? this.program.filter(([line]) => known && line[now.kind]?.includes(frame)).map(([, element]) => element) : [this.lines.get(now.line)].filter(Boolean);
    if (lit.length === this.current.length && lit.every((one, k) => one === this.current[k])) return;
    for (const one of this.current) one.classList.remove("current");
    for (const one of lit) one.classList.add("current");
    const [item] = (this.current = lit), box = this.element, head = this.program.length && !asking ? this.head.offsetHeight : 0;
    if (!item || (item.offsetTop - head >= box.scrollTop && item.offsetTop + item.offsetHeight <= box.scrollTop + box.clientHeight)) return;
    const most = Math.min(item.offsetTop - box.clientHeight / 2, box.scrollHeight - box.clientHeight) + head; // a line starts just below the head
    box.scrollTop = ([...item.parentElement.children].findLast((one) => one.offsetTop <= most)?.offsetTop ?? head) - head;
  }
}

/** An array of a formula: its picture at a common scale, its name and its shape. */
function figure(name, data, unit, turned, tone) {
  const shown = turned && data ? transposed(data) : data, shape = shown?.shape || [];
  const lengths = shown?.picture?.kind === "grid" ? [shown.picture.rows, shown.picture.cols] : null;
  const [w, h] = !data ? [30, 20] : lengths ? [Math.max(12, lengths[1] * unit), Math.max(12, lengths[0] * unit)] : shown.picture?.kind === "line" ? [110, 44] : [data.n > 1 ? 84 : 62, data.n > 2 ? 34 : 24];
  const wide = Math.max(w + 8, Math.min(150, measure(name, 12, "mono", true) + 4), shape.length ? measure(shapeText(shape), 11, "mono") : 0);
  const group = svg("svg", { class: `figure ${tone}`, width: wide, height: h + 38, viewBox: `0 0 ${wide} ${h + 38}` });
  if (data) group.append(picture(shown, (wide - w) / 2 - 1, 2, w + 2, h, tone, false));
  group.append(fitted(wide / 2, h + 18, name, wide, { size: 12, least: 9, family: "mono", bold: true, anchor: "middle" }));
  if (shape.length) group.append(fitted(wide / 2, h + 33, shapeText(shape), wide, { size: 11, least: 9, family: "mono", anchor: "middle", class: "quiet" }));
  return group;
}

/** The array with its last two axes exchanged, so that each matrix of a batch is transposed. */
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

/** The gradient that an op sends to each of its inputs: the formula with the user's names, and the arrays in it. */
export function mathematics(story, id, reading) {
  const col = story.view.cols[id], arrays = story.view.arrays;
  const slope = col.slopes.findLast(([r]) => r === reading), upstream = slope && slope[2] != null ? arrays[slope[2]] : null;
  const rows = (col.math || []).map((one) => {
    const sent = story.view.wires[`${id}.${one.slot}`]?.sent.find(([r]) => r === reading);
    if (!sent) return null;
    const known = (part) => (part.of === "upstream" ? upstream : part.of && story.view.cols[part.of]?.value != null ? arrays[story.view.cols[part.of].value] : null);
    const result = arrays[sent[2]];
    const parts = one.parts.length ? one.parts : [{ t: "upstream", of: "upstream" }, { t: "→" }];
    const all = [...parts.map(known), result].filter((data) => data?.picture?.kind === "grid");
    const unit = 84 / Math.max(7, ...all.flatMap(({ picture }) => [picture.rows, picture.cols]));
    const name = /^[^ @+−÷·]*$/.test(one.name) ? `grad ${one.name}` : `grad (${one.name})`;
    const drawn = parts.filter((part) => part.of);
    const figures = [...drawn.map((part) => figure(part.t, known(part), unit, part.T, part.of === "upstream" ? "slope" : "value")), figure(name, result, unit, false, "slope")];
    const sign = (text) => html("span", { class: "sign" }, text);
    const row = html("div", { class: "figures" }, drawn.length ? [parts.map((part) => (part.of ? figures[drawn.indexOf(part)] : sign(part.t.trim()))), one.parts.length ? sign("=") : null] : null, figures.at(-1));
    const trio = figures.map((one) => one.querySelector(".picture"));
    if (drawn.length === 2 && parts.length === 3 && parts[1].t.trim() === "@" && trio.every((one) => pictured.has(one))) triples.set(row, trio);
    return html("div", { class: "equation" }, html("p", { class: "m b" }, one.text ? `${name} = ${one.text}` : name), row);
  });
  return rows.filter(Boolean);
}

/** The arrays of a column: its value and its gradient, with everything known about their size. */
export function facts(story, id, reading, hiding) {
  const col = story.view.cols[id], { arrays } = story.view;
  const row = (word, data) => {
    const range = data?.norm != null && `norm ${number(data.norm)}, from ${number(data.low)} to ${number(data.high)}`, note = data?.note?.[0];
    const sizes = data?.state === "nan" ? [note, range && `of the finite ones ${range}`] : [range, note];
    const told = data && data.n !== 1 && html("span", { class: "quiet" }, ` ${sizes.filter(Boolean).join(", ")}`);
    return data && [html("dt", {}, word), html("dd", { class: "m" }, data.n === 1 || !data.shape ? data.text : `${shapeText(data.shape)} ${data.dtype}`, told)];
  };
  const slope = col.slopes.findLast(([r]) => r === reading);
  const old = col.version != null && col.now != null && col.now !== col.version;
  const more = [
    ["the tape keeps", !hiding && col.keeps?.map((one) => `${one.what} ${one.text}`).join(", ")],
    ["in layer", col.module],
    ["version", old && `read as version ${col.version}; today it is version ${col.now}`],
    [col.kind === "assign" ? "assigned" : "not on the tape", !hiding && col.kind !== "crash" && col.ghost?.say],
    ["inputs", col.count > col.args?.length && `${col.args.length} of ${col.count} are shown`],
    ...(col.others || []).map(([name, one]) => ["also gives", figure(name, arrays[one], 14, false, "value")]),
  ].filter(([, text]) => text).map(([word, text]) => [html("dt", {}, word), html("dd", {}, text)]);
  return html("dl", { class: "facts" }, row("value", col.value == null ? null : arrays[col.value]), row("gradient", slope && slope[2] != null ? arrays[slope[2]] : null), more);
}

/** What the tape answered: what came and what is lost as a sum, or the gradient of each source. */
export function answer(story, now) {
  const { view } = story, { verdict } = view, asked = view.sources.filter((one) => one.asked), many = asked.length > 8;
  const last = now.reading === story.lastTurn, quiet = (text) => html("span", { class: "quiet" }, text);
  if (last && verdict.lost != null && verdict.answer !== "None") {
    const term = (text, word, tone) => html("span", { class: `term ${tone}` }, html("b", { class: "m" }, text), html("small", {}, word));
    const terms = [term(verdict.answer, "passed back", "orange"), "+", term(verdict.lost, verdict.code === "STOPPED" ? "stopped" : "✂ lost", "crimson"), "=", term(verdict.full, "full", "")];
    return html("div", { class: "sum-row" }, terms);
  }
  const rows = asked.map((source) => {
    const id = source.of || source.id, given = now.given?.[id];
    const each = verdict.each.find((one) => one.id === source.id) || verdict;
    const data = given == null ? null : view.arrays[given];
    const sparse = view.readings[now.reading]?.sparse.includes(source.id) && quiet("IndexedSlices");
    const size = data && (data.n === 1 || (data.n <= 4 && !many) ? data.text : data.state === "value" ? `norm ${number(data.norm, many ? 3 : 4)}` : noteOf(data)[0]);
    const zeros = data?.n > 4 && data.state === "value" && !many && data.note[0] && quiet(data.note[0]);
    const drawn = data?.picture && data.picture.kind !== "numbers" && picture(data, 0, 0, 46, 26, "slope", false);
    const thumb = svg("svg", { class: "thumb", width: 46, height: 26, viewBox: "0 0 46 26", "aria-hidden": "true" }, drawn);
    const unlike = last && asked.length > 1 && each.status !== "complete" && quiet(each.say);
    const came = data && [thumb, html("span", { class: "m orange" }, size), zeros, sparse, unlike];
    const nothing = [html("span", { class: "crimson m" }, icon("none", 15), given === null ? " None" : ` ${verdict.answer}`), quiet(each.say.replace(/^None[^.]*\. ?/, ""))];
    return html("li", {}, html("span", { class: "m b name", title: source.path }, source.name.split(/(?<=\/)/).map((part) => [part, html("wbr")])), came || (now.given && !(id in now.given) && !now.failed ? quiet("not asked here") : nothing));
  });
  const earlier = view.readings.filter((one, k) => k < now.reading && one.targets.length).map((one) => {
    const given = Object.entries(one.answers).map(([id, found]) => `${story.name(id)} ${found == null ? "None" : spoken(view.arrays[found])}`);
    return html("p", { class: "quiet" }, `earlier${one.line == null ? "" : `, line ${one.line}`}: `, html("span", { class: "m" }, one.text), one.error ? ` raised ${one.error}` : ` gave ${given.slice(0, 4).join(", ")}`);
  });
  return html("div", {}, html("ul", { class: many ? "answers many" : "answers" }, rows), earlier);
}

/** Whether x rises and dy is the slope of the curve of y, but for a few kinks and jumps: of `cumsum`, say, it is not. */
function sloped(x, y, dy) {
  const rises = x.every((one, k) => !k || one > x[k - 1]), most = Math.max(...dy.map(Math.abs)), inner = x.slice(1, -1);
  return rises && inner.filter((_, k) => Math.abs((y[k + 2] - y[k]) / (x[k + 2] - x[k]) - dy[k + 1]) <= 0.1 * most).length >= 0.9 * inner.length;
}

/** A function on one axis and its derivative, as two curves with a common cursor and the tangent. */
export class Curves {
  /** The curves of a film of one elementwise op, whose only input has one axis and more than 16 elements; otherwise null. */
  static of(story) {
    const { view } = story, strip = view.strips.None;
    if (!strip || strip.cols.length !== 2) return null;
    const [source, op] = strip.cols.map((one) => view.cols[one]);
    const slope = source.slopes.at(-1);
    const arrays = [source.value, op.value, slope?.[2]].map((one) => (one == null ? null : view.arrays[one]));
    const lines = arrays.every((one) => one?.picture?.kind === "line" && one.n === arrays[0].n && one.n > 16 && !one.picture.pooled && !one.picture.sizes);
    const seed = view.arrays[view.readings.at(-1)?.seed], ones = seed?.low === 1 && seed.high === 1;
    return ones && lines && sloped(...arrays.map((one) => one.picture.v)) ? { source, op, arrays } : null;
  }

  constructor(found, width, high) {
    const [x, y, dy] = found.arrays.map((one) => one.picture.v);
    Object.assign(this, found, { width, high, x, y, dy, left: 46, right: width - 66, middle: high * 0.52 });
    this.element = svg("svg", { class: "curves spoils", viewBox: `0 0 ${width} ${high}`, role: "slider", tabindex: 0, "aria-label": `${found.op.op} and its derivative`, "aria-valuemin": 0, "aria-valuemax": x.length - 1 });
    const [low, top] = [Math.min(...x), Math.max(...x)];
    this.px = (one) => this.left + ((one - low) / (top - low || 1)) * (this.right - this.left);
    this.py = this.plot(y, 14, this.middle - 10, "value", `${found.op.name || "y"}`);
    this.pd = this.plot(dy, this.middle + 12, high - 30, "slope", `d${found.op.name || "y"}/d${found.source.name}`);
    for (const one of [low, 0, top])
      if (one >= low && one <= top) this.element.append(fitted(this.px(one), high - 12, forms(one), 50, { size: 10.5, family: "mono", anchor: "middle", cut: false, class: "quiet" }));
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
      this.element.append(fitted(this.left - 6, y(tick) + 4, forms(tick), 40, { size: 10.5, least: 8, family: "mono", anchor: "end", cut: false, class: "quiet" }));
    }
    const d = v.map((one, k) => `${k ? "L" : "M"}${this.px(this.x[k]).toFixed(1)} ${y(one).toFixed(1)}`).join("");
    const group = svg("g", { class: `picture ${tone} big` }, path(d, { class: "line" }));
    this.element.append(group, fitted(this.right + 6, y(v.at(-1)) + 4, name, 60, { size: 12.5, least: 9, bold: true, class: tone === "value" ? "blue" : "orange" }));
    return y;
  }

  move(k) {
    this.k = k;
    const [x, y, slope] = [this.x[k], this.y[k], this.dy[k]], [cx, cy] = [this.px(x), this.py(y)];
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

/** The fix that was tried: the lines that it changes, and how to get them. */
export function fixPane(inspector, story) {
  const { verdict, code } = story.view, { fixed } = verdict;
  const after = new Map(story.view.fixed?.film.code.map((one) => [one.n, one.text]));
  const changed = code.filter((one) => after.has(one.n) && after.get(one.n) !== one.text);
  const told = verdict.status === "nan" ? "every number is finite" : "the gradient is the one that was measured";
  const put = cellBelow(inspector.model, inspector.element, fixed.join("\n"));
  const button = (text, act) => html("button", { type: "button", onclick: (event) => act(event.currentTarget) }, text);
  return html("div", { class: "fix-pane" },
    html("p", {}, fixed.length ? `Tried: run again with this change, the target is as before, and ${told}.` : verdict.fix.text),
    changed.map((one) => [html("p", { class: "m gone" }, `- ${one.text.trim()}`), html("p", { class: "m come" }, `+ ${after.get(one.n).trim()}`)]),
    after.size ? null : fixed.map((line) => html("p", { class: "m" }, line)),
    fixed.length ? html("p", { class: "modes" }, put && button("put it in a cell below", put), button("copy the fixed code", (one) => inspector.copy(fixed.join("\n"), one))) : null,
  );
}

/** A function that puts code into a new cell below this one in JupyterLab; null elsewhere. */
function cellBelow(model, element, code) {
  const notebook = model.widget_manager?.context?.model?.sharedModel, cell = element.closest(".jp-Cell");
  if (!notebook?.insertCell || !cell) return null;
  return (button) => {
    const cells = [...cell.parentElement.querySelectorAll(":scope > .jp-Cell")];
    const place = Number(cell.dataset.windowedListIndex ?? cells.indexOf(cell));
    notebook.insertCell(place + 1, { cell_type: "code", source: code });
    button.textContent = "it is in the cell below";
    button.disabled = true;
  };
}
