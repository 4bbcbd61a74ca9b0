// Numbers as pictures.

import { svg, rect, path, label, cell, measure, clip, mark } from "./elements.js";

export const stateOf = (value) => (value === undefined ? "notyet" : value === null ? "none" : value.state);
export const isScalar = (value) => value?.shape?.length === 0;
export const shapeText = (shape) => (!shape ? "" : shape.length === 1 ? `(${shape[0]},)` : `(${shape.join(", ")})`);
export const sizeOf = (value) => (value && Number.isFinite(Number(value.norm)) ? Math.abs(Number(value.norm)) : 0);
export const bytesText = (count) =>
  count < 1024 ? `${count} B` : count < 1048576 ? `${+(count / 1024).toPrecision(3)} KiB` : `${+(count / 1048576).toPrecision(3)} MiB`;

/** A value in a few characters: the number itself, or its shape. */
export function brief(value) {
  if (value == null) return value === null ? "None" : "…";
  if (value.state === "unknown") return cell(value.text) || "?";
  if (isScalar(value)) return cell(value.first[0] ?? value.text);
  return value.state === "nan" ? wordings(value)[0] : value.state === "zero" ? `0 ${shapeText(value.shape)}` : shapeText(value.shape);
}

/** A value in a sentence: a short vector is spelled out. */
export const spelled = (value) =>
  value?.shape?.length === 1 && value.text?.length <= 24 && !value.text.includes("...") ? value.text : brief(value);

/** A value in a few characters, where one number repeated is that number: a seed of ones is 1.0. */
export const uniform = (value) => (value?.min !== undefined && value.min === value.max && value.state !== "nan" ? value.min : brief(value));

/** A value in ever fewer words; of what is not finite, all of a short one, and then which of nan, inf and -inf are in it. */
export function wordings(value) {
  if (stateOf(value) !== "nan" || isScalar(value)) return [brief(value)];
  const kinds = value.odd.length ? [value.odd.join(", "), `${value.odd[0]}…`] : ["nan or inf"];
  return value.text.endsWith(" ...]") ? kinds : [value.text, ...kinds];
}

/** Is it drawn as squares? Short values that are not finite are written out. */
export const hasPicture = (value) => Boolean(value?.thumb) && !isScalar(value) && !(value.state === "nan" && brief(value) === value.text);

/** The side of a square: those of short vectors are larger. */
function sideOf({ rows, cols }, width, height) {
  const most = Math.max(11, Math.min(22, 60 / Math.max(rows, cols)));
  return Math.min(width / cols, height / rows, most);
}

/** Hinton squares: area is size, filled is positive, hollow is negative, a dot is 0, a cross is nan or inf. */
export function picture(value, x, y, width, height) {
  const { rows, cols, q } = value.thumb;
  const cells = Uint8Array.from(atob(q), (letter) => letter.charCodeAt(0));
  const side = sideOf(value.thumb, width, height);
  const dot = Math.max(0.6, side * 0.08);
  const left = x + (width - side * cols) / 2;
  const top = y + (height - side * rows) / 2;
  const filled = [],
    hollow = [],
    dots = [],
    crosses = [];
  cells.forEach((byte, k) => {
    const level = (byte << 24) >> 24;
    const cx = left + ((k % cols) + 0.5) * side,
      cy = top + (Math.floor(k / cols) + 0.5) * side;
    const half = (Math.sqrt(Math.abs(level) / 127) * side * 0.88) / 2;
    if (level === -128)
      crosses.push(`M${cx - side * 0.3} ${cy - side * 0.3}l${side * 0.6} ${side * 0.6}m0 ${-side * 0.6}l${-side * 0.6} ${side * 0.6}`);
    else if (half < 0.35) dots.push(`M${cx - dot} ${cy - dot}h${2 * dot}v${2 * dot}h${-2 * dot}z`);
    else if (level > 0) filled.push(`M${cx - half} ${cy - half}h${2 * half}v${2 * half}h${-2 * half}z`);
    else {
      const inset = Math.max(0.3, half - 0.5);
      hollow.push(`M${cx - inset} ${cy - inset}h${2 * inset}v${2 * inset}h${-2 * inset}z`);
    }
  });
  const shape = (list, className) => list.length > 0 && path(list.join(""), { class: className });
  return svg(
    "g",
    { class: "picture" },
    rect(left - 1.5, top - 1.5, side * cols + 3, side * rows + 3, { rx: 1, class: "paper" }),
    shape(filled.concat(dots), "filled"),
    shape(hollow, "hollow"),
    shape(crosses, "crosses"),
  );
}

/** A value inside a box of an SVG: picture, mark with its word, or number. */
export function shown(value, x, y, width, height, { size = 14, align = "middle", weight = 400 } = {}) {
  const state = value?.dtype === "bool" && isScalar(value) ? "value" : stateOf(value); // False is a word, not a 0
  const middle = y + height / 2;
  if (["notyet", "none", "zero", "nan"].includes(state)) {
    const words = { notyet: ["not yet"], none: ["None"], zero: ["0"] }[state] || wordings(value);
    const r = Math.max(2, Math.min(8, width / 2 - 1, height / 2 - 1));
    const full = state === "nan" && svg("title", {}, words[0]);
    const sizes = [size, 14, 12.5, 11.5, 11].filter((one) => one <= size);
    const long = (word, one) => measure(word, one, "mono", weight) + 2 * r + 6;
    const found = words.flatMap((word) => sizes.map((one) => [word, one])).find(([word, one]) => long(word, one) <= width);
    if (!found) return svg("g", {}, full, mark(state, x + width / 2, middle, r));
    const [word, used] = found;
    const start = align === "end" ? x + width - long(word, used) : align === "start" ? x : x + (width - long(word, used)) / 2;
    const text = label(start + 2 * r + 6, middle + used * 0.35, word, { class: "m", "font-size": used, "font-weight": weight });
    return svg("g", {}, full, mark(state, start + r, middle, r), text);
  }
  if (value.thumb && !isScalar(value) && height >= 9) {
    const wide = value.thumb.cols * sideOf(value.thumb, width, height - 4);
    return picture(
      value,
      align === "start" ? x + 2 : align === "end" ? x + width - wide - 2 : x,
      y + 2,
      align === "middle" ? width : wide,
      height - 4,
    );
  }
  const number = isScalar(value) ? Number(brief(value)) : NaN;
  const texts = value.shape?.length > 1 ? [brief(value), value.shape.join("×")] : [brief(value)];
  const fewer = [3, 2, 1].filter((digits) => Math.abs(number) < 10 ** (digits - 1));
  texts.push(...fewer.map((digits) => String(+number.toPrecision(digits)))); // rounded, before it is cut off
  const fits = (text, s) => measure(text, s, "mono", weight) <= width;
  const text = texts.find((one) => fits(one, 11)) ?? texts.at(-1);
  const small = [size, size - 1.5, 11.5, 11].find((s) => fits(text, s)) || 11;
  const at = align === "end" ? x + width : align === "start" ? x : x + width / 2;
  return label(at, middle + small * 0.35, clip(text, width, small, "mono", weight), {
    class: "m",
    "text-anchor": align,
    "font-size": small,
    "font-weight": weight,
  });
}

/** A value as a piece of HTML. */
export function valueBox(value, width = 64, height = 34, size = 14) {
  const drawn = svg("svg", {
    viewBox: `0 0 ${width} ${height}`,
    class: "value",
    style: `width:${width / 13}em;height:${height / 13}em`,
    role: "img",
    "aria-label": stateOf(value) === "notyet" ? "not yet" : brief(value),
  });
  drawn.append(shown(value, 0, 0, width, height, { size }));
  return drawn;
}
