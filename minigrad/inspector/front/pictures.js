// A picture for every array: numbers, bars or a line, a heat map. `hit` finds the element at a place, and `light` highlights it.

import { fitted, measure, path, rect, svg } from "./elements.js";
import { forms, noteOf, number } from "./numbers.js";

export const pictured = new WeakMap(); // the <g> of a picture -> the data needed to find an element in it
export const triples = new WeakMap(); // the figures of a formula -> the pictures of a matrix product: left, right and result

/** The picture of a value in a box; `tone` is "value" or "slope". With `note`, a note on its size is below it. */
export function picture(data, x, y, w, h, tone, note = true) {
  const group = svg("g", { class: `picture ${tone}` }), found = data.picture;
  let box = !found || found.kind === "numbers" ? numbers(group, data, x, y, w, h) : null;
  if (!box && found.kind === "numbers") return picture({ ...data, picture: { ...found, kind: found.rows > 1 ? "grid" : "line" } }, x, y, w, h, tone, note);
  if (!box && note && h > 26) {
    h -= 13;
    group.append(fitted(x + w / 2, y + h + 10.5, noteOf(data), w, { size: 10.5, least: 9, anchor: "middle", cut: false, class: "note" }));
  }
  box ??= (found.kind === "line" ? curve : heat)(group, found, x, y, w, h);
  if (found) group.append(rect(box.x, box.y, box.w, box.h, { class: "hit" })), pictured.set(group, { data, ...box });
  return group;
}

/** A few numbers as text, all in one size; nothing if there is no room for each of them in full. */
function numbers(group, data, x, y, w, h) {
  const found = data.picture, whole = !/^(float|complex|bfloat)/.test(data.dtype || "float");
  const all = found ? found.v : [data.state === "empty" ? "empty" : data.text];
  const { rows, cols } = found ?? { rows: 1, cols: 1 };
  const texts = all.map((one) => (data.dtype === "bool" ? [one ? "True" : "False", one ? "T" : "F"] : forms(one, whole)));
  const few = data.n > 1 && found?.v.every((one) => typeof one === "number" || /^-?(nan|inf)$/.test(one));
  const across = numbersIn(texts, w, h, cols, rows), stacked = rows === 1 && across.size < 11 ? numbersIn(texts, w, h, 1, cols) : across;
  const upright = stacked.size > across.size ? stacked : across, turned = !upright.size && data.n === 1 ? numbersIn(texts, h, w, 1, 1) : null;
  const { size, shown, cols: wide, rows: high } = turned?.size ? turned : upright;
  if (few && !size) return null;
  const look = { least: 7.5, anchor: "middle" };
  if (found && !size) group.append(fitted(x + w / 2, y + h / 2 + 4, noteOf(data), w, { ...look, cut: false, class: "note" }));
  if (size || !found) shown.forEach((text, k) => {
    const cx = x + ((k % wide) + 0.5) * (w / wide), middle = y + (Math.floor(k / wide) + 0.5) * (h / high), cy = middle + (size || 7.5) * 0.35;
    const along = turned?.size ? { transform: `rotate(-90 ${cx} ${middle})` } : {}; // in a narrow column
    group.append(fitted(cx, cy, text, along.transform ? h : w, { ...look, size: size || 7.5, family: "mono", bold: true, ...along }));
  });
  return { x, y, w, h, rows: high, cols: wide };
}

/** The largest type in which texts fit into so many columns and rows, and the longest forms for it; size 0 if there is none. */
function numbersIn(texts, w, h, cols, rows) {
  const alone = texts.length === 1, size = Math.min(alone ? 19 : 14, (h / rows) * 0.78, alone ? w / 3.2 : 99);
  const shown = [0, 1, 2, 3].map((form) => texts.map((text) => text[form] ?? text.at(-1)));
  const tries = [size, size * 0.8, 7.5].flatMap((one, k) => (k ? shown : [shown[0]]).map((some) => ({ size: one, shown: some, cols, rows })));
  const room = w / cols - (cols > 1 ? 6 : 2), legible = tries.filter((one) => one.size >= 7.5 && one.size <= (h / rows) * 0.9);
  return legible.find((one) => one.shown.every((text) => measure(text, one.size, "mono", true) <= room)) ?? { ...tries.at(-1), size: 0 };
}

function curve(group, found, x, y, w, h) {
  const numbers = found.v.map((one) => (typeof one === "number" ? one : NaN));
  const finite = numbers.filter((one) => !Number.isNaN(one));
  const low = Math.min(0, ...finite), high = Math.max(0, ...finite);
  const unit = (h - 2) / (high - low || 1), zero = y + 1 + high * unit, step = w / numbers.length;
  group.append(path(`M${x} ${zero}h${w}`, { class: "axis" }));
  if (numbers.length <= 16) {
    numbers.forEach((one, k) => {
      const left = x + k * step + step * 0.08;
      if (Number.isNaN(one)) group.append(cross(left, y + h / 2 - 4, Math.min(8, step)));
      else if (one) group.append(rect(left, zero - Math.max(one, 0) * unit, step * 0.84, Math.max(1, Math.abs(one) * unit), { class: one > 0 ? "plus" : "minus" }));
    });
  } else {
    const joined = (k) => k && !Number.isNaN(numbers[k - 1]) ? "L" : "M";
    const d = numbers.map((one, k) => (Number.isNaN(one) ? "" : `${joined(k)}${(x + (k + 0.5) * step).toFixed(1)} ${(zero - one * unit).toFixed(1)}`));
    group.append(path(d.join(""), { class: "line" }));
  }
  return { x, y, w, h, rows: 1, cols: numbers.length };
}

const cross = (x, y, side) => path(`M${x} ${y}l${side} ${side}m0 ${-side}l${-side} ${side}`, { class: "crosses" });

/** A heat map, scaled to its largest element; 0 has the ground colour, a dash marks a negative element. One SVG path for each tone. */
function heat(group, found, x, y, w, h) {
  const { rows, cols, v } = found, side = Math.min(w / cols, h / rows, 15);
  const left = x + (w - side * cols) / 2, top = y + (h - side * rows) / 2;
  const most = v.reduce((best, one) => (typeof one === "number" ? Math.max(best, Math.abs(one)) : best), 0) || 1;
  const tones = new Map(), gap = side > 4 ? 0.7 : 0;
  let dashes = "";
  group.append(rect(left, top, side * cols, side * rows, { class: "zeros" }));
  v.forEach((one, k) => {
    const a = left + (k % cols) * side, b = top + Math.floor(k / cols) * side;
    if (typeof one !== "number") return group.append(cross(a + 1, b + 1, side - 2));
    if (!one) return;
    const tone = `${one > 0 ? "plus" : "minus"} ${Math.max(1, Math.ceil((8 * Math.abs(one)) / most))}`;
    tones.set(tone, (tones.get(tone) || "") + `M${a.toFixed(1)} ${b.toFixed(1)}h${(side - gap).toFixed(1)}v${(side - gap).toFixed(1)}h${(gap - side).toFixed(1)}z`);
    if (one < 0 && side >= 6) dashes += `M${(a + side * 0.28).toFixed(1)} ${(b + side / 2).toFixed(1)}h${(side * 0.4).toFixed(1)}`;
  });
  for (const [tone, d] of tones) {
    const [sign, level] = tone.split(" ");
    group.append(path(d, { class: sign, "fill-opacity": 0.08 + 0.115 * level }));
  }
  if (dashes) group.append(path(dashes, { class: "dashes" }));
  return { x: left, y: top, w: side * cols, h: side * rows, rows, cols };
}

/** The row and the column of the element at a place in a picture. */
export function hit(group, px, py) {
  const box = pictured.get(group);
  const col = Math.floor(((px - box.x) / box.w) * box.cols), row = Math.floor(((py - box.y) / box.h) * box.rows);
  return col < 0 || row < 0 || col >= box.cols || row >= box.rows ? null : { row, col };
}

/** An element as text: its index and its value. */
export function spelled(group, { row, col }) {
  const { data, text, cols } = pictured.get(group);
  if (text) return text;
  const { v, kind, pooled } = data.picture, place = row * cols + col;
  const value = number(v[place], kind === "numbers" ? 6 : 4, !/^float/.test(data.dtype));
  if (pooled) return `largest of block [${kind === "grid" ? `${row}, ` : ""}${col}]: ${value}`;
  const index = `[${indexOf(place, data.shape)}]`;
  return data.shape.length ? `${data.picture.sizes ? `|${index}|` : index} = ${value}` : value;
}

const indexOf = (place, shape) => shape.map((length, axis) => Math.floor(place / productOf(shape.slice(axis + 1))) % length).join(", ");
const productOf = (lengths) => lengths.reduce((product, length) => product * length, 1);

const MADE_OF = [ // for an element of each of the three (left, right, result), what is lit in the others: [other, axis of the element, axis there]
  [[2, "row", "row"], [1, "col", "row"]],
  [[2, "col", "col"], [0, "row", "col"]],
  [[0, "row", "row"], [1, "col", "col"]],
];
const WHOLE = [0, 1];

/** Highlight an element of a picture, and the matching rows and columns in the other pictures of its products. */
export function light(group, cell, trios) {
  const own = spans(pictured.get(group), cell), drawn = [band(group, own, "cell")];
  for (const trio of trios)
    for (const [other, axis, there] of MADE_OF[trio.indexOf(group)]) drawn.push(...along(group, own, trio[other], axis, there));
  return drawn;
}

/** The range of rows and the range of columns that an element takes up in a matrix or in a batch of matrices. */
function spans({ data, rows, cols }, { row, col }) {
  const of = (k, count) => [k / count, (k + 1) / count];
  if (rows > 1 && cols > 1) return { row: of(row, rows), col: of(col, cols) };
  const long = of(row + col, rows * cols); // one line of numbers: a row, or a column drawn as a row
  return data?.shape.at(-1) === 1 ? { row: long, col: WHOLE } : { row: WHOLE, col: long };
}

/** The highlighted bands in another picture of a product, for the same matrix of a batch. */
function along(group, own, other, axis, there) {
  const [one, two] = [pictured.get(group).data, pictured.get(other).data];
  const [count, others] = [one, two].map(({ shape }) => productOf(shape.slice(0, -2))); // matrices in a batch
  if ((count > 1 && one.picture.pooled) || (others > 1 && two.picture.pooled)) return [];
  const which = Math.floor(own.row[0] * count + 1e-9);
  const part = axis === "col" ? own.col : own.row.map((at) => at * count - which);
  const [rows, col] = there === "row" ? [part, WHOLE] : [WHOLE, part];
  const matching = [...Array(others).keys()].filter((k) => count === 1 || others === 1 || k === which);
  return matching.map((k) => band(other, { row: rows.map((at) => (k + at) / others), col }, "band"));
}

function band(group, { row, col }, name) {
  const { x, y, w, h, rows, cols } = pictured.get(group);
  const long = row[1] - row[0] < 1 ? row : col;
  const [across, down] = rows > 1 && cols > 1 ? [col, row] : rows > 1 ? [WHOLE, long] : [long, WHOLE];
  const drawn = rect(x + across[0] * w, y + down[0] * h, (across[1] - across[0]) * w, (down[1] - down[0]) * h, { class: `light ${name}` });
  group.append(drawn);
  return drawn;
}
