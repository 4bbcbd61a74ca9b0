// Page elements, texts that fit their room, and the marks of states. Text from the user's program enters the page only as a text
// node or an attribute, never as markup. Lengths are design pixels; the root element sets their size on the screen.

const SVG = "http://www.w3.org/2000/svg";

/** A text in which a name that is read from right to left turns nothing around that stands beside it. */
const RIGHT_TO_LEFT = /([\p{L}\p{M}\p{N}_]*[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc][\p{L}\p{M}\p{N}_]*)/u;
export const isolated = (text, drawn) =>
  text.split(RIGHT_TO_LEFT).map((part, k) => (k % 2 === 0 ? part : drawn ? `\u2068${part}\u2069` : Object.assign(document.createElement("bdi"), { textContent: part })));

function build(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value == null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value);
  }
  const shown = children.flat(Infinity).filter((child) => child != null && child !== false);
  element.append(...shown.flatMap((child) => (typeof child === "string" ? isolated(child, element.namespaceURI === SVG) : child)));
  return element;
}
export const html = (tag, attributes = {}, ...children) => build(document.createElement(tag), attributes, children);
export const svg = (tag, attributes = {}, ...children) => build(document.createElementNS(SVG, tag), attributes, children);

export const rect = (x, y, width, height, attributes = {}) =>
  svg("rect", { x, y, width: Math.max(0, width), height: Math.max(0, height), ...attributes });
export const path = (d, attributes = {}) => svg("path", { d, ...attributes });

/** Set an attribute, unless it already has this value. */
export function put(element, name, value) {
  if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value);
}

const canvas = document.createElement("canvas").getContext("2d");
const widths = new Map();
export const families = { ui: "sans-serif", mono: "monospace" };

/** The width of a text. */
export function measure(text, size, family = "ui", bold = false) {
  const key = `${bold ? 600 : 400} 100px ${families[family]} ${text}`;
  if (!widths.has(key)) {
    if (widths.size > 5000) widths.clear();
    canvas.font = `${bold ? 600 : 400} 100px ${families[family]}`;
    widths.set(key, canvas.measureText(text).width / 100);
  }
  return widths.get(key) * size;
}

/** A text in the first of several forms, longest first, that fits its room: in smaller type if necessary, and finally cut, but not in a number. */
export function fitted(x, y, forms, room, { size = 12, least = 9, family = "ui", bold = false, anchor = "start", cut = true, ...more } = {}) {
  forms = [].concat(forms).map((one) => String(one ?? ""));
  const tries = [size, Math.max(least, size * 0.8), least].flatMap((smaller, k) => (k ? forms : forms.slice(0, 1)).map((form) => [form, smaller]));
  let [text, chosen] = tries.find(([form, smaller]) => measure(form, smaller, family, bold) <= room) ?? ["", least];
  if (!text && cut) {
    let form = forms.at(-1) ?? "";
    while (form && measure(`${form}…`, least, family, bold) > room) form = form.replace(/([\d.]*\d|.)$/s, "");
    text = form && `${form}…`;
  }
  const names = [more.class, family === "mono" && "m", bold && "b"];
  return svg("text", { x, y, "text-anchor": anchor, "font-size": chosen, ...more, class: names.filter(Boolean).join(" ") }, text);
}

/** A name in one line, and in two, cut after a word. */
const inLines = (name) => [[name], ...[...name.matchAll(/[_ /](?=.)/g)].reverse().map(({ index }) => [name.slice(0, index + 1), name.slice(index + 1)])];
const longest = (lines, look) => Math.max(...lines.map((line) => measure(line, look.least, look.family, look.bold)));

/** The room that a name needs in one line or two, in small type: of some names the first that needs at most this, or else the least. */
export function needed(names, look, most) {
  const rooms = names.map((name) => Math.min(...inLines(name).map((lines) => longest(lines, look))));
  return rooms.find((room) => room <= most) ?? Math.min(...rooms);
}

/** The first of some names that fits in a line, or in two; its baseline is that of the last line. */
export function titled(x, y, names, room, look, told) {
  const lines = names.flatMap(inLines).find((some) => longest(some, look) <= room) ?? [names.at(-1)];
  const size = lines.length > 1 ? look.least : look.size, top = y + (2 - 9) * (lines.length - 1);
  return svg("g", {}, svg("title", {}, told), lines.map((line, k) => fitted(x, top + 9 * k, line, room, { ...look, size })));
}

const DISC = "M-7 0a7 7 0 1 0 14 0a7 7 0 1 0 -14 0Z";
const MARKS = { // the states of a gradient, drawn around 0: each has its own shape, so none depends on colour
  open: { "stroke dots": DISC },
  none: { stroke: "M-7 -7h14v14h-14zM-7 7L7 -7" },
  zero: { stroke: `${DISC}M-4 0h8` },
  nan: { solid: "M0 -8L8 7H-8Z", hole: "M0 -2.4V2M0 4.6v.1" },
  complete: { solid: DISC, hole: "M-3.6 0l2.8 3.2 4.8 -6" },
  stale: { solid: "M0 -8l8 8 -8 8 -8 -8Z", hole: "M0 -4V1.2M0 3.8v.1" },
  partial: { stroke: DISC, solid: "M0 -7a7 7 0 0 0 0 14z" },
  untried: { stroke: `${DISC}M-2.4 -2a2.6 2.6 0 1 1 2.4 2.9v1.6` },
  cut: { solid: DISC, "hole thin": "M-4 -3.1a1.7 1.7 0 1 1 .1 .1M-4 3.1a1.7 1.7 0 1 0 .1 -.1M-2.7 -2L4.7 3.1M-2.7 2L4.7 -3.1" },
  stop: { solid: DISC, hole: "M-2.8 -3.2v6.4M2.8 -3.2v6.4" },
};

export const mark = (kind, x, y, r = 8) =>
  svg("g", { class: `mark ${kind}`, transform: `translate(${x} ${y}) scale(${r / 8})` }, Object.entries(MARKS[kind]).map(([look, d]) => path(d, { class: look })));

/** A mark as a separate picture, for use in lines of text. */
export const icon = (kind, size = 20) =>
  svg("svg", { class: "icon", viewBox: "0 0 20 20", style: `width:${size / 13}em;height:${size / 13}em`, "aria-hidden": "true" }, mark(kind, 10, 10, 9));
