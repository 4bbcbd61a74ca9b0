// Numbers as pictures.

import { svg, rect, path, label, cell, measure, clip, mark } from "./elements.js";

export const stateOf = (value) => (value === undefined ? "notyet" : value === null ? "none" : value.state);
export const isScalar = (value) => value?.shape?.length === 0;
export const shapeText = (shape) => (!shape ? "" : shape.length === 1 ? `(${shape[0]},)` : `(${shape.join(", ")})`);
export const sizeOf = (value) => (value && Number.isFinite(Number(value.norm)) ? Math.abs(Number(value.norm)) : 0);
export const bytesText = (count) => (count < 1024 ? `${count} B` : count < 1048576 ? `${+(count / 1024).toPrecision(3)} KiB` : `${+(count / 1048576).toPrecision(3)} MiB`);

/** A value in a few characters: the number itself, or its shape. */
export function brief(value) {
  if (value == null) return value === null ? "None" : "…";
  if (value.state === "unknown") return cell(value.text) || "?";
  if (isScalar(value)) return cell(value.first[0] ?? value.text);
  return value.state === "nan" ? "nan" : value.state === "zero" ? `0 ${shapeText(value.shape)}` : shapeText(value.shape);
}

/** Hinton squares: area is size, filled is positive, hollow is negative, a dot is 0, a cross is nan. */
export function picture(value, x, y, width, height) {
  const { rows, cols, q } = value.thumb;
  const cells = Uint8Array.from(atob(q), (letter) => letter.charCodeAt(0));
  const side = Math.min(width / cols, height / rows, 11);
  const left = x + (width - side * cols) / 2;
  const top = y + (height - side * rows) / 2;
  const filled = [], hollow = [], dots = [], crosses = [];
  cells.forEach((byte, k) => {
    const level = (byte << 24) >> 24;
    const cx = left + ((k % cols) + 0.5) * side, cy = top + (Math.floor(k / cols) + 0.5) * side;
    const half = (Math.sqrt(Math.abs(level) / 127) * side * 0.88) / 2;
    if (level === -128) crosses.push(`M${cx - side * 0.3} ${cy - side * 0.3}l${side * 0.6} ${side * 0.6}m0 ${-side * 0.6}l${-side * 0.6} ${side * 0.6}`);
    else if (half < 0.35) dots.push(`M${cx - 0.6} ${cy - 0.6}h1.2v1.2h-1.2z`);
    else if (level > 0) filled.push(`M${cx - half} ${cy - half}h${2 * half}v${2 * half}h${-2 * half}z`);
    else { const inset = Math.max(0.3, half - 0.5); hollow.push(`M${cx - inset} ${cy - inset}h${2 * inset}v${2 * inset}h${-2 * inset}z`); }
  });
  const shape = (list, className) => list.length > 0 && path(list.join(""), { class: className });
  return svg("g", { class: "picture" },
    rect(left - 1.5, top - 1.5, side * cols + 3, side * rows + 3, { rx: 1, class: "paper" }),
    shape(filled.concat(dots), "filled"), shape(hollow, "hollow"), shape(crosses, "crosses"));
}

/** A value inside a box of an SVG: picture, mark with its word, or number. */
export function shown(value, x, y, width, height, { size = 14, align = "middle", weight = 400 } = {}) {
  const state = stateOf(value);
  const middle = y + height / 2;
  if (["notyet", "none", "zero", "nan"].includes(state)) {
    const word = { notyet: "not yet", none: "None", zero: "0", nan: (isScalar(value) && brief(value)) || "nan" }[state];
    const r = Math.max(2, Math.min(8, width / 2 - 1, height / 2 - 1));
    const long = measure(word, size, "mono", weight) + 2 * r + 6;
    if (long > width) return mark(state, x + width / 2, middle, r);
    const start = align === "end" ? x + width - long : align === "start" ? x : x + (width - long) / 2;
    return svg("g", {}, mark(state, start + r, middle, r), label(start + 2 * r + 6, middle + size * 0.35, word, { class: "m", "font-size": size, "font-weight": weight }));
  }
  if (value.thumb && !isScalar(value) && height >= 9) {
    const wide = Math.min(width, value.thumb.cols * Math.min(11, (height - 4) / value.thumb.rows));
    return picture(value, align === "start" ? x + 2 : align === "end" ? x + width - wide - 2 : x, y + 2, align === "middle" ? width : wide, height - 4);
  }
  const text = brief(value);
  const small = [size, size - 1.5, 11.5, 11].find((s) => measure(text, s, "mono", weight) <= width) || 11;
  const at = align === "end" ? x + width : align === "start" ? x : x + width / 2;
  return label(at, middle + small * 0.35, clip(text, width, small, "mono", weight), { class: "m", "text-anchor": align, "font-size": small, "font-weight": weight });
}

/** A value as a piece of HTML. */
export function valueBox(value, width = 64, height = 34, size = 14) {
  const drawn = svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "value", style: `width:${width / 13}em;height:${height / 13}em`, role: "img", "aria-label": stateOf(value) === "notyet" ? "not yet" : brief(value) });
  drawn.append(shown(value, 0, 0, width, height, { size }));
  return drawn;
}
