// Elements of the page, texts that fit, and the marks of states. Whatever comes from the user's program enters the page as a text
// node or as an attribute, never as markup. Lengths are design pixels: the root says how many of the screen's they are.

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
  svg("rect", { x, y, width: Math.max(0, width), height: Math.max(0, height), ...attributes });
export const path = (d, attributes = {}) => svg("path", { d, ...attributes });

/** Set an attribute, unless it is so already. */
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

/** A text in a room: of several forms, the longest first, the first that fits; smaller type before a shorter form, and at last cut. */
export function fitted(x, y, forms, room, { size = 12, least = 9, family = "ui", bold = false, anchor = "start", cut = true, ...more } = {}) {
  forms = [].concat(forms).map((one) => String(one ?? ""));
  let text = "", chosen = size;
  search: for (const smaller of [size, Math.max(least, size * 0.8), least])
    for (const form of smaller === size ? forms.slice(0, 1) : forms)
      if (measure(form, smaller, family, bold) <= room) {
        [text, chosen] = [form, smaller];
        break search;
      }
  if (!text && cut && forms.length) {
    const form = forms.at(-1);
    let end = form.length;
    while (end > 0 && measure(form.slice(0, end) + "…", least, family, bold) > room) end--;
    [text, chosen] = [end > 0 ? form.slice(0, end) + "…" : "", least];
  }
  const names = [more.class, family === "mono" && "m", bold && "b"].filter(Boolean).join(" ");
  return svg("text", { x, y, "text-anchor": anchor, "font-size": chosen, ...more, class: names }, text);
}

/** The marks of what a gradient can be: each has a shape of its own, so none leans on colour. */
export function mark(kind, x, y, r = 8) {
  const stroke = (d) => path(d, { class: "stroke" });
  const solid = (d) => path(d, { class: "solid" });
  const hole = (d) => path(d, { class: "hole" });
  const disc = (name) => svg("circle", { cx: x, cy: y, r: r - 1, class: name });
  const shapes = {
    open: () => [disc("stroke dots")],
    none: () => [rect(x - r + 1, y - r + 1, 2 * r - 2, 2 * r - 2, { class: "stroke" }), stroke(`M${x - r + 1} ${y + r - 1}L${x + r - 1} ${y - r + 1}`)],
    zero: () => [disc("stroke"), stroke(`M${x - r * 0.5} ${y}h${r}`)],
    nan: () => [
      solid(`M${x} ${y - r}L${x + r} ${y + r - 1}L${x - r} ${y + r - 1}Z`),
      hole(`M${x} ${y - r * 0.3}V${y + r * 0.25}M${x} ${y + r * 0.58}v.1`),
    ],
    complete: () => [disc("solid"), hole(`M${x - r * 0.45} ${y}l${r * 0.35} ${r * 0.4} ${r * 0.6} ${-r * 0.75}`)],
    stale: () => [
      solid(`M${x} ${y - r}l${r} ${r} ${-r} ${r} ${-r} ${-r}Z`),
      hole(`M${x} ${y - r * 0.5}V${y + r * 0.15}M${x} ${y + r * 0.48}v.1`),
    ],
    partial: () => [disc("stroke"), solid(`M${x} ${y - r + 1}a${r - 1} ${r - 1} 0 0 0 0 ${2 * r - 2}z`)],
    untried: () => [disc("stroke"), stroke(`M${x - r * 0.3} ${y - r * 0.25}a${r * 0.32} ${r * 0.32} 0 1 1 ${r * 0.3} ${r * 0.36}v${r * 0.2}`)],
    cut: () => [
      disc("solid"),
      path("M-6 -4.6a2.6 2.6 0 1 1 .1 .1M-6 4.6a2.6 2.6 0 1 0 .1 -.1M-4 -3L7 4.6M-4 3L7 -4.6", {
        class: "hole",
        transform: `translate(${x} ${y}) scale(${r / 12})`,
      }),
    ],
    stop: () => [disc("solid"), hole(`M${x - r * 0.35} ${y - r * 0.4}v${r * 0.8}M${x + r * 0.35} ${y - r * 0.4}v${r * 0.8}`)],
  };
  return svg("g", { class: `mark ${kind}` }, (shapes[kind] || shapes.open)());
}

/** A mark as a picture of its own, for lines of text. */
export const icon = (kind, size = 20) =>
  svg("svg", { class: "icon", viewBox: "0 0 20 20", style: `width:${size / 13}em;height:${size / 13}em`, "aria-hidden": "true" }, mark(kind, 10, 10, 9));
