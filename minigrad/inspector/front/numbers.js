// Numbers as text, from four digits down to one, never cut in the middle.

const RAISED = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };

/** The nearest number of so many digits; of two that are equally near the even one, as Python takes it. */
function rounded(x, digits) {
  const [, sign, first, rest, power] = /^(-?)(\d)\.(\d*)e(.*)$/.exec(x.toExponential(99)) || [];
  const exact = `${first}${rest}`, tie = /^50*$/.test(exact.slice(digits)) && exact[digits - 1] % 2 === 0;
  return tie ? Number(`${sign}${exact.slice(0, digits)}e${power - digits + 1}`) : Number(x.toPrecision(digits));
}

/** A number in so many digits: `9.0`, `0.1234`, `3.46·10³` (for 3456). One that is rounded to fewer than four shows them all; other values stay as text. */
export function number(x, digits = 4, whole = false) {
  if (typeof x !== "number") return String(x);
  if (x === 0) return whole ? "0" : "0.0";
  const near = rounded(x, digits), [head, power] = near.toExponential(digits - 1).split("e"), exponent = Number(power);
  if (exponent < -4 || exponent >= Math.max(digits, 4) + 1 || (near !== x && exponent >= digits)) {
    const short = near === x || digits > 3 ? Number(head).toString() : head;
    return `${short.includes(".") ? short : short + ".0"}·10${[...String(exponent)].map((one) => RAISED[one]).join("")}`.replace("-", "−");
  }
  const text = near === x || digits > 3 ? `${near}` : near.toPrecision(digits);
  return (whole || text.includes(".") || (near !== x && exponent >= digits - 1) ? text : `${text}.0`).replace("-", "−");
}

/** The same number in fewer and fewer digits: down to three, or to as many as it has. */
export function forms(x, whole) {
  if (typeof x !== "number") return [String(x)];
  const most = x ? Math.min(6, Math.max(4, Math.floor(Math.log10(Math.abs(x))) + 2)) : 4;
  const [first, ...others] = [most, 3, 2, 1].filter((digits) => digits > 2 || Number(x.toPrecision(digits)) === x).map((digits) => number(x, digits, whole));
  return first.length > 4 ? [first, first.replace(/\.0$/, ""), ...others] : [first, ...others];
}

export function bytesText(count) {
  const power = Math.min(3, Math.floor(Math.log2(count || 1) / 10));
  return power ? `${Number((count / 1024 ** power).toPrecision(3))} ${" KMG"[power]}iB` : `${count} B`;
}

export const shapeText = (shape) => `(${shape.join(", ")}${shape.length === 1 ? "," : ""})`;
export const shapeForms = (shape) => [shapeText(shape), shape.join("×"), `${shape.length} axes`];

/** The forms of the note under a picture: the elements that are not finite, else the norm and the share of zeros, or only one of them. */
export function noteOf(data) {
  const sizes = [4, 3].map((digits) => number(data.norm, digits)), words = data.picture?.sizes ? ["|z|, norm", "norm"] : ["norm"];
  const norms = [...words.flatMap((word) => sizes.map((text) => `${word} ${text}`)), ...sizes.map((text) => `|${text}|`)];
  if (!data.note?.length || data.state === "nan" || data.zeros === data.n) return data.note?.length ? data.note : norms;
  return [...data.note.map((zeros) => `${norms[0]}, ${zeros}`), ...(2 * data.zeros >= data.n ? data.note : norms)];
}

/** A value in words, for screen readers and for sentences. */
export function spoken(data) {
  if (!data) return "unknown";
  if (!data.picture || data.n <= 4) return data.text;
  return `shape ${shapeText(data.shape)}, ${noteOf(data)[0]}`;
}
