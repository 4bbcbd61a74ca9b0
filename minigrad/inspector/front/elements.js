// Elements of the page, and the marks that are drawn. Lengths are design pixels: 13 of them are one em of the root, which grows
// with its container. Whatever comes from the user's program enters the page as a text node or as an attribute, never as markup.

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
export const html = (tag, attributes = {}, ...children) => build(document.createElement(tag), attributes, children);
export const svg = (tag, attributes = {}, ...children) => build(document.createElementNS(SVG, tag), attributes, children);

export const rect = (x, y, width, height, attributes = {}) =>
  svg("rect", { x, y, width: Math.max(0, width), height: Math.max(0, height), rx: 3, ...attributes });
export const path = (d, attributes = {}) => svg("path", { d, ...attributes });
export const label = (x, y, text, attributes = {}) => svg("text", { x, y, ...attributes }, String(text));

/** The classes of an element: those that hold. */
export const classes = (...names) => names.filter(Boolean).join(" ");

export const cell = (value) => (value == null ? "" : String(value));

const canvas = document.createElement("canvas").getContext("2d");
export const widths = new Map();
export const families = { ui: "sans-serif", mono: "monospace" };

/** The width of a text, in design pixels. */
export function measure(text, size, family = "ui", weight = 400) {
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
export function clip(text, room, size, family, weight) {
  text = cell(text);
  if (measure(text, size, family, weight) <= room) return text;
  let end = Math.min(text.length, Math.floor(room / (size * 0.4)));
  while (end > 0 && measure(text.slice(0, end) + "…", size, family, weight) > room) end--;
  return end > 0 ? text.slice(0, end).trimEnd() + "…" : "";
}

// -------------------------------------------------------------------------------------------------------------- marks

/** Four states of a number and five of an answer; each has its own shape, so none leans on colour. */
export function mark(kind, x, y, r = 8) {
  r = Math.max(2, r);
  const inner = r - 1;
  const tick = (d) => path(d, { class: "stroke" });
  const ring = (className) => svg("circle", { cx: x, cy: y, r: inner, class: className });
  const shapes = {
    notyet: () => [ring("stroke dots")],
    none: () => [
      rect(x - inner, y - inner, 2 * inner, 2 * inner, { rx: 0, class: "stroke" }),
      tick(`M${x - inner} ${y + inner}L${x + inner} ${y - inner}`),
    ],
    zero: () => [ring("stroke"), tick(`M${x - r * 0.5} ${y}h${r}`)],
    nan: () => [
      path(`M${x} ${y - r}L${x + r} ${y + r - 1}L${x - r} ${y + r - 1}Z`, { class: "solid" }),
      path(`M${x} ${y - r * 0.3}V${y + r * 0.25}M${x} ${y + r * 0.58}v.1`, { class: "on-solid" }),
    ],
    complete: () => [
      svg("circle", { cx: x, cy: y, r, class: "solid" }),
      path(`M${x - r * 0.45} ${y}l${r * 0.35} ${r * 0.4} ${r * 0.6} ${-r * 0.75}`, { class: "on-solid" }),
    ],
    stale: () => [
      path(`M${x} ${y - r}l${r} ${r} ${-r} ${r} ${-r} ${-r}Z`, { class: "solid" }),
      path(`M${x} ${y - r * 0.5}V${y + r * 0.15}M${x} ${y + r * 0.48}v.1`, { class: "on-solid" }),
    ],
    partial: () => [ring("stroke"), path(`M${x} ${y - inner}a${inner} ${inner} 0 0 0 0 ${2 * inner}z`, { class: "solid" })],
    spent: () => [ring("stroke"), tick(`M${x - r * 0.4} ${y - r * 0.4}l${r * 0.8} ${r * 0.8}m0 ${-r * 0.8}l${-r * 0.8} ${r * 0.8}`)],
    cut: () => scissors(x, y, r),
    ghost: () => [rect(x - r, y - r * 0.6, 2 * r, r * 1.2, { rx: 2, class: "stroke dashes" })],
  };
  return svg("g", { class: `mark ${kind}` }, (shapes[kind] || (() => []))());
}

function scissors(x, y, r) {
  const blades = "M-6 -4.6a2.6 2.6 0 1 1 .1 .1M-6 4.6a2.6 2.6 0 1 0 .1 -.1M-4 -3L7 4.6M-4 3L7 -4.6";
  return [
    svg("circle", { cx: x, cy: y, r, class: "solid" }),
    path(blades, { class: "on-solid", transform: `translate(${x} ${y}) scale(${r / 12})` }),
  ];
}

/** A mark as a picture of its own, for lines of text. */
export const icon = (kind, size = 18) =>
  svg(
    "svg",
    { class: "icon", viewBox: "0 0 20 20", style: `width:${size / 13}em;height:${size / 13}em`, "aria-hidden": "true" },
    mark(kind, 10, 10, 9),
  );

export function torn(x, y, height, direction) {
  const teeth = Math.max(2, Math.round(height / 8));
  const zigzag = Array.from({ length: teeth }, (_, k) => `l${(k % 2 ? -4 : 4) * direction} ${height / teeth}`).join("");
  return path(`M${x} ${y}${zigzag}`, { class: "torn" });
}
