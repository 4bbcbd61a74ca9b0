// The parts of the film that need no page: numbers, positions, and the story of a view model. tests/test_front.py runs this with Node.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { abreast, arc, geometry, onArc } from "./geometry.js";
import { bytesText, forms, number, shapeForms, spoken } from "./numbers.js";
import { Story } from "./story.js";

const view = JSON.parse(readFileSync(new URL("view.json", import.meta.url)));

/** The number that a text shows. */
const shown = (text) => {
  const [head, power = ""] = text.replace("−", "-").split("·10");
  return Number(head) * 10 ** Number([...power].map((one) => "⁰¹²³⁴⁵⁶⁷⁸⁹".indexOf(one)).map((digit) => (digit < 0 ? "-" : digit)).join("") || 0);
};

test("a number has the digits that it is given", () => {
  const texts = { 9: "9.0", 0.12344: "0.1234", 3456: "3456.0", 34567: "3.457·10⁴", 1.00002: "1.0", 345.67: "345.7", 9e-8: "9.0·10⁻⁸", "-2.5": "−2.5", 1e20: "1.0·10²⁰", 0: "0.0" };
  for (const [x, text] of Object.entries(texts)) assert.equal(number(Number(x)), text);
  for (const [x, text] of [[7.8125, "7.812"], [1.5625, "1.562"], [1.00075, "1.001"], [-0.15625, "−0.1562"], [12345e4, "1.234·10⁸"]]) assert.equal(number(x), text, "as Python rounds it");
  assert.equal(number(3456, 2, true), "3.5·10³");
  assert.deepEqual([number(1.002, 3), number(345.67, 3), number(-0.0329, 2), number(1.4999e-14, 3)], ["1.00", "346", "−0.033", "1.50·10⁻¹⁴"]);
  assert.deepEqual(forms(90720), ["90720.0", "90720", "9.07·10⁴"]);
  assert.equal(number("nan"), "nan");
});

test("each form of a number is right as far as it goes", () => {
  for (let k = 0; k < 2000; k++) {
    const x = (k % 2 ? -1 : 1) * 10 ** ((k % 37) - 18) * (1 + ((k * 0.6180339887) % 1) * 9);
    const texts = forms(x);
    texts.forEach((text) => assert.ok(Math.abs(shown(text) / x - 1) < 0.0051, `${text} stands for ${x}`));
    assert.ok(Math.abs(shown(texts[0]) / x - 1) < 0.00051, `${texts[0]} stands for ${x}`);
  }
});

test("sizes and shapes as text", () => {
  assert.deepEqual([0, 1023, 1024, 1536, 5 * 2 ** 20].map(bytesText), ["0 B", "1023 B", "1 KiB", "1.5 KiB", "5 MiB"]);
  assert.deepEqual(shapeForms([3]), ["(3,)", "3", "1 axes"]);
  assert.equal(spoken(null), "unknown");
});

test("columns follow each other without overlap, and their ports lie within them, at every width", () => {
  const strip = { cols: [1, 2, 3, 4, 5, 6, 7], outside: 3, wires: [[0, 0, 0, 0, 0, 4]] };
  for (const width of [320, 390, 519, 520, 600, 700, 900, 1280, 1600]) {
    const least = [44, 110, 60, 44, 44, 44, 70], g = geometry(strip, width, false, new Set([2]), least);
    assert.equal(g.upright, width >= 520);
    assert.ok(!g.upright || least.every((one, k) => g.cell(k) >= one - 6), "no column is narrower than its name");
    assert.ok(!g.upright || width < 520 || g.width < width + 1e-6 || least.every((one, k) => g.cell(k) === one - 6), "none is wider than it must be where that is too much");
    strip.cols.slice(1).forEach((_, k) => assert.ok(g.start(k + 1) - g.start(k) > g.cell(k) + 6 - 1e-9, `${width}: ${k}`));
    strip.cols.forEach((_, k) => [0, 1, 2].forEach((i) => assert.ok(g.port(k, i, 3) > g.start(k) && g.port(k, i, 3) < g.start(k) + g.cell(k))));
    assert.ok(g.start(6) + g.cell(6) <= (g.upright ? g.width : g.height));
    assert.ok(g.upright ? g.below + g.high(4) < g.height : g.below + g.high(4) <= width, `${width}: the wires have room`);
  }
});

test("a label of an arc lies on it", () => {
  const g = geometry({ cols: [1, 2, 3], outside: -1, wires: [] }, 900, false, new Set(), [44, 44, 44]);
  assert.match(arc(g, 100, 300, -1, 40), /^M100\.0 \S+C100\.0 \S+ 300\.0 \S+ 300\.0 \S+$/);
  assert.deepEqual(onArc(g, 100, 300, 1, 40, 0), [100, g.below]);
  assert.deepEqual(onArc(g, 100, 300, -1, 40, 1), [300, g.above]);
  assert.deepEqual(onArc(g, 100, 300, 1, 40), [200, g.below + 40 * 0.99]);
});

test("ribbons at one column stand side by side around their middle", () => {
  const ends = abreast([90, 110], [6, 2]);
  assert.ok(Math.abs(ends[1] - ends[0] - (6 + 2) / 2 - 2) < 1e-9);
  assert.ok(Math.abs((ends[0] - 3 + ends[1] + 1) / 2 - 100) < 1e-9);
});

test("a story adds up what the tape keeps, and says what happened at each step", () => {
  const story = new Story(view);
  const sums = view.memory.changes.map((_, k) => view.memory.changes.slice(0, k + 1).reduce((a, b) => a + b));
  assert.deepEqual(sums.map((_, k) => story.bytes(k)), sums);
  assert.equal(Math.max(...sums), view.memory.peak);
  const said = Array.from({ length: story.count }, (_, k) => story.said(story.at(k), false).map((one) => one.name ?? one).join(""));
  assert.deepEqual(said.map((text) => text.split(" ").slice(0, 3).join(" ")).slice(0, 5), ["Ran and recorded", "Ran and recorded", "The backward pass", "Back through sin", "Back through multiply"]);
  assert.match(said[0], /^Ran and recorded multiply \(line \d+\): gives 9\.0\.$/);
  assert.equal(said.at(-1), view.verdict.say);
  assert.doesNotMatch(story.said(story.at(0), true).map((one) => one.name ?? one).join(""), /recorded/);
  assert.equal(story.said(story.at(-1), false)[0], "Nothing has run yet.");
});

test("a gradient has reached a frame from the step on at which it is read", () => {
  const story = new Story(view), last = story.at(story.count - 1), turn = story.kinds.indexOf("turn");
  assert.ok(!story.at(turn).reached(1) && story.at(turn + 1).reached(1) && !story.at(turn + 1).reached(0) && last.reached(0));
  assert.ok(last.over && last.asked && !story.at(turn - 1).asked);
});
