// Numbers as text, from four digits down to one, and never cut in the middle.

const RAISED = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };

/** A number in so many digits: `9.0`, `0.1234`, `9.0·10⁻⁸`. What is no number stays as it is. */
export function number(x, digits = 4, whole = false) {
  if (typeof x !== "number") return String(x);
  if (x === 0) return whole ? "0" : "0.0";
  const [head, power] = x.toExponential(digits - 1).split("e");
  const exponent = Number(power);
  if (exponent < -4 || exponent >= Math.max(digits, 4) + 1) {
    const short = Number(head).toString();
    return `${short.includes(".") ? short : short + ".0"}·10${[...String(exponent)].map((one) => RAISED[one]).join("")}`.replace("-", "−");
  }
  const text = Number(x.toPrecision(digits)).toString();
  return (whole || text.includes(".") || !Number.isInteger(x) ? text : `${text}.0`).replace("-", "−");
}

/** The same number in ever fewer digits. */
export function forms(x, whole) {
  if (typeof x !== "number") return [String(x)];
  const most = x ? Math.min(6, Math.max(4, Math.floor(Math.log10(Math.abs(x))) + 2)) : 4;
  return [most, 3, 2, 1].map((digits) => number(x, digits, whole));
}

export function bytesText(count) {
  if (count < 1024) return `${count} B`;
  for (const unit of ["KiB", "MiB"]) {
    count /= 1024;
    if (count < 1024) return `${Number(count.toPrecision(3))} ${unit}`;
  }
  return `${Number((count / 1024).toPrecision(3))} GiB`;
}

export const shapeText = (shape) => `(${shape.join(", ")}${shape.length === 1 ? "," : ""})`;

/** The one number under a picture: what is not finite first, then how much of it is 0, else the norm. */
export function noteOf(data) {
  const odd = ["nan", "inf", "-inf"].filter((word) => data[word]).map((word) => `${data[word]} ${word}`);
  if (odd.length) return [odd.join(", "), odd[0]];
  if (data.state === "empty") return ["empty"];
  if (data.zeros === data.n) return ["all 0"];
  const share = data.zeros / data.n, percent = share > 0.99 ? Math.floor(1000 * share) / 10 : Math.round(100 * share);
  if (share >= 0.5) return [`${percent} % zeros`, `${percent} % 0`];
  const sizes = forms(data.norm).slice(0, 3), words = data.picture?.sizes ? ["|z|, norm", "norm"] : ["norm"];
  return [...words.flatMap((word) => sizes.map((text) => `${word} ${text}`)), ...sizes.map((text) => `|${text}|`)];
}

/** A value in words, for readers of the screen and for sentences. */
export function spoken(data) {
  if (!data) return "unknown";
  if (!data.picture || data.n <= 4) return data.text;
  return `shape ${shapeText(data.shape)}, ${noteOf(data)[0]}`;
}
