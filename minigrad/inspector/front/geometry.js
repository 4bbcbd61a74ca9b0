// Where things stand, in pixels: from the layout in columns and levels that Python has computed, for any width.

/** Rows and columns of a strip at a width. Below 520 px time runs down, and else to the right. */
export function geometry(strip, width, folded, gaps) {
  const count = Math.max(strip.cols.length, 1);
  const top = Math.max(1, ...strip.wires.map((one) => one[5]));
  return width < 520 ? vertical(strip, width, count, top) : horizontal(strip, width, count, top, folded, gaps);
}

const MARKED = 18; // the gap in which a mark stands

function horizontal(strip, width, count, top, folded, gaps) {
  const before = strip.cols.map((_, k) => (gaps.has(k) ? MARKED : k && k === strip.outside ? 10 : 0));
  const gap = before.reduce((sum, one) => sum + one, 0);
  const wide = width >= 700;
  const left = wide ? 84 : 8, right = wide ? 92 : 40;
  const step = Math.max(44, Math.min(count <= 3 ? 190 : 170, (width - left - right - gap) / count));
  const cell = step - 6;
  const rise = Math.min(11, 62 / top);
  const high = (level) => 12 + level * rise;
  const code = step >= 52 ? 22 : 4;
  const value = folded ? 60 : count <= 3 ? 84 : 74, slope = folded ? 52 : count <= 3 ? 70 : 60;
  const y = code + high(top) + 8, seam = 16;
  let shift = 0;
  const x = strip.cols.map((_, k) => left + k * step + (shift += before[k]));
  return {
    upright: true, x, step, cell, left, high, ribbon: step < 52 ? 7 : 13, mini: step < 52, full: step >= 76, labels: wide,
    y: { code: 14, value: y, shape: y + value, slope: y + value + seam, end: y + value + seam + slope },
    value, slope, seam, width: Math.max(width, x.at(-1) + step + right), height: y + value + seam + slope + high(top) + 26,
    start: (k) => x[k], port: (k, i, n) => x[k] + cell / 2 + (i - (n - 1) / 2) * Math.min(14, cell / (n + 1)),
    point: (t, c) => `${t.toFixed(1)} ${c.toFixed(1)}`, above: y, below: y + value + seam + slope,
  };
}

function vertical(strip, width, count, top) {
  const row = 54, gutter = 44, name = Math.min(96, width * 0.26);
  const cell = (width - 2 * gutter - name - 6) / 2;
  const rise = Math.min(8, 30 / top);
  const y = strip.cols.map((_, k) => 26 + k * row + (k >= strip.outside ? 6 : 0));
  return {
    upright: false, x: y, step: row, cell: row - 6, left: gutter, name, high: (level) => 6 + level * rise, ribbon: 8, mini: false, full: true, labels: true,
    column: cell, value: row - 6, slope: row - 6, width, height: y.at(-1) + row + 34,
    start: (k) => y[k], port: (k, i, n) => y[k] + (row - 6) / 2 + (i - (n - 1) / 2) * Math.min(8, (row - 8) / (n + 1)),
    point: (t, c) => `${c.toFixed(1)} ${t.toFixed(1)}`, above: gutter, below: width - gutter,
  };
}

/** An arc between two places on one side: -1 above (or left), 1 below (or right). */
export function arc(g, a, b, side, high) {
  const base = side < 0 ? g.above : g.below, far = base + side * high * 1.32;
  return `M${g.point(a, base)}C${g.point(a, far)} ${g.point(b, far)} ${g.point(b, base)}`;
}

/** The place in the middle of an arc. */
export const apex = (g, a, b, side, high) => [(a + b) / 2, (side < 0 ? g.above : g.below) + side * high * 0.99];

/** The ends of the ribbons at one column, side by side, each as wide as its gradient. */
export function abreast(places, widths) {
  const middle = places.reduce((sum, one) => sum + one, 0) / places.length;
  const total = widths.reduce((sum, one) => sum + one, 0) + 2 * (widths.length - 1);
  let at = middle - total / 2;
  return widths.map((width) => {
    const place = at + width / 2;
    at += width + 2;
    return place;
  });
}
