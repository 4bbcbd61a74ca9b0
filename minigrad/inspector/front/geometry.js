// Positions in pixels, for any width, from the layout in columns and levels that Python has computed.

const MARKED = 18; // the width of a gap with a mark
const MARGINS = [[84, 92], [84, 40], [8, 40]]; // with room for words on both sides, on the left, and on neither side

/** The width that columns get of a room: all the same, but none less than its own least width, which the others pay for. */
function shared(room, least) {
  const each = room / Math.max(least.length, 1), wider = least.filter((one) => one > each);
  return wider.length && wider.length < least.length ? shared(room - sum(wider), least.filter((one) => one <= each)) : each;
}

const sum = (widths) => widths.reduce((total, one) => total + one, 0);

/**
 * A strip at a width: where its columns start on the time axis, and its lanes (of values, of gradients, of both) across it.
 * Time runs to the right, or down if the width is below 520 px. `least`: the room that each column needs.
 */
export function geometry(strip, width, folded, gaps, least) {
  const upright = width >= 520, wide = width >= 700, count = strip.cols.length;
  const before = strip.cols.map((_, k) => (gaps.has(k) ? MARKED : k && k === strip.outside ? 10 : 0));
  const gap = sum(before), margins = MARGINS.find(([a, b]) => a + gap + sum(least) + b <= width) ?? MARGINS[1];
  const [lead, trail] = !upright ? [26, 40] : wide ? margins : [8, 40];
  const step = Math.min(count <= 3 ? 190 : 170, shared(width - lead - trail - gap, least));
  const steps = least.map((one) => (upright ? Math.max(one, step) : 54)), cell = (k) => steps[k] - 6;
  const top = Math.max(1, ...strip.wires.map((one) => one[5])), rise = upright ? Math.min(11, 62 / top) : Math.min(8, 30 / top);
  const pair = (t, c) => (upright ? [t, c] : [c, t]); // a place in time and across it, or a length and a width, as x and y
  const high = (level) => (upright ? 12 : 6) + level * rise;
  const lanes = upright ? rowsOf(30 + high(top), folded, count) : columnsOf(width);
  const above = lanes.all[0], below = above + lanes.all[1];
  let end = lead;
  const x = before.map((one, k) => (end += one + steps[k]) - steps[k]), long = end + trail;
  return {
    upright, cell, high, pair, lanes, above, below, labels: lead === 84, ends: trail === 92, ribbon: upright ? 13 : 8,
    width: upright ? Math.max(width, long) : width, height: upright ? below + high(top) + 26 : long,
    start: (k) => x[k], port: (k, i, n) => x[k] + cell(k) / 2 + (i - (n - 1) / 2) * Math.min(upright ? 14 : 8, cell(k) / (n + 1)),
    point: (t, c) => pair(t, c).map((one) => one.toFixed(1)).join(" "),
  };
}

/** The lanes one below the other, with a seam for the shapes between them: the start and the width of each. */
function rowsOf(first, folded, count) {
  const [value, slope] = folded ? [60, 52] : count <= 3 ? [84, 70] : [74, 60], seam = 16;
  return { value: [first, value], slope: [first + value + seam, slope], all: [first, value + seam + slope] };
}

/** The lanes side by side, between two gutters for the wires, with the names on their left. */
function columnsOf(width) {
  const gutter = 44, name = Math.min(96, width * 0.26), each = (width - 2 * gutter - name - 6) / 2;
  return { value: [gutter + name, each], slope: [gutter + name + each + 4, each], all: [gutter, width - 2 * gutter] };
}

/** An arc between two places on one side: -1 above (or left), 1 below (or right). */
export function arc(g, a, b, side, high) {
  const base = side < 0 ? g.above : g.below, far = base + side * high * 1.32;
  return `M${g.point(a, base)}C${g.point(a, far)} ${g.point(b, far)} ${g.point(b, base)}`;
}

/** The point on an arc at parameter `t`, by default its middle. */
export const onArc = (g, a, b, side, high, t = 0.5) => [a + (b - a) * t * t * (3 - 2 * t), (side < 0 ? g.above : g.below) + side * high * 3.96 * t * (1 - t)];

/** The width of a ribbon in pixels, for a share of the largest gradient. */
export const bandWidth = (g, share) => Math.max(1.2, g.ribbon * share);

/** The ends of the ribbons at one column, side by side, each as wide as its gradient. */
export function abreast(places, widths) {
  let end = sum(places) / places.length - sum(widths) / 2 - widths.length - 1;
  return widths.map((width) => (end += width + 2) - width / 2);
}
