// The pane: what there is to say of the one thing that is selected.

import { html, cell, measure, clip, icon } from "./elements.js";
import { isScalar, shapeText, bytesText, brief, wordings, valueBox } from "./values.js";
import { stale, lineText, fixOf } from "./story.js";

/** All about one moment, or about what is selected: the one place with every number. */
export class Pane {
  constructor(inspector) {
    this.inspector = inspector;
    this.element = html("section", { class: "pane", tabindex: 0, "aria-label": "Frame" });
  }

  draw(story, t, selected) {
    const now = story.at(t);
    const body =
      selected[0] === "s"
        ? this.source(
            story,
            t,
            story.sources.find((source) => source.id === selected),
          )
        : selected[0] === "f" && story.writtenAt.has(+selected.slice(1))
          ? this.frame(story, t, +selected.slice(1), now)
          : now.frame != null
            ? this.frame(story, t, now.frame, now)
            : this.moment(story, t, now);
    this.element.replaceChildren(...body);
  }

  heading(title, note) {
    return html("h4", {}, title, html("span", {}, note || ""));
  }

  facts(...rows) {
    return html(
      "dl",
      {},
      rows.filter(Boolean).map(([key, ...value]) => [html("dt", {}, key), html("dd", {}, value)]),
    );
  }

  about(value) {
    if (value === undefined) return [html("span", { class: "quiet" }, "this turn's values were not saved")];
    if (value === null || value.state === "unknown") return [html("span", { class: "quiet" }, "not known")];
    const range = value.min != null && !isScalar(value) && value.state !== "nan" ? ` ${value.min} … ${value.max}` : "";
    const text =
      { empty: "empty", text: cell(value.first[0] ?? value.text), nan: brief(value) }[value.state] ??
      (isScalar(value) ? brief(value) : null);
    const large = text != null && html("b", { class: "m" }, text);
    const marked = value.state === "nan" || (value.state === "zero" && (large || !value.thumb));
    const small = value.thumb ? valueBox(value, 58, 26) : html("span", { class: "m" }, value.first.join(" "));
    return [
      marked && icon(value.state, 15),
      " ",
      large || small,
      html("span", { class: "m quiet" }, range),
      html("span", { class: "quiet type" }, ` ${shapeText(value.shape)} ${value.dtype}`),
    ];
  }

  box(value, note, className = "", missing = false) {
    if (missing) return html("div", { class: `box ${className}` }, "…");
    return html(
      "div",
      { class: `box ${className}` },
      valueBox(value, 66, value && value.thumb && !isScalar(value) ? 32 : 20),
      note && html("small", {}, note),
    );
  }

  frame(story, t, id, now) {
    const frame = story.frame(id);
    const ghost = story.isGhost(frame);
    const reading = now.frame === id && now.kind === "read" ? now.reading : story.readAt.findLastIndex((times) => times.get(id) <= t);
    const when = reading >= 0 ? story.readAt[reading].get(id) : undefined;
    const read = when <= t ? story.read(reading, id) : undefined;
    const state = ghost ? "not written" : now.kind === "read" && now.frame === id ? "read back" : read ? "was read back" : "written";
    const written = t >= story.writtenAt.get(id);
    const keeps = frame.keeps || [];
    const held = story.view.tapes.some((tape) => frame.tapes.includes(tape.id) && tape.persistent) || !read;
    const bytes = keeps.reduce((sum, kept) => sum + kept.bytes, 0);
    return [
      this.heading(`Frame ${story.place.get(id) + 1}`, lineText(frame.line, "", ", ") + state),
      html(
        "div",
        { class: "title" },
        html("b", {}, frame.op || frame.glyph),
        html("span", { class: "quiet" }, `${story.inputs(frame).join(", ")} → `, html("b", {}, frame.name || "·")),
      ),
      this.facts(["value", written ? this.about(frame.value) : [icon("notyet", 15), " not yet"]]),
      ghost ? this.ghost(story, frame) : this.product(story, t, frame, read, reading),
      !ghost &&
        this.facts([
          "keeps",
          html("span", { class: "m" }, keeps.length ? keeps.map((kept) => kept.what).join(", ") : "nothing"),
          " ",
          keeps.length > 0 && html("b", { class: "m" }, bytesText(bytes)),
          keeps.length > 0 && html("span", { class: "quiet" }, written ? (held ? " held" : " released") : ""),
        ]),
    ].filter(Boolean);
  }

  ghost(story, frame) {
    const cut = story.cuts.find((one) => one.edge?.[1] === `f${frame.id}`);
    return html(
      "div",
      { class: "why" },
      html("b", {}, "It ran, but is not on the tape: "),
      cell(frame.ghost?.say || frame.ghost?.why) || "no tape watched what went in.",
      cut?.fix && html("p", {}, html("span", { class: "quiet" }, "fix "), html("b", { class: "m" }, fixOf(cut.fix))),
    );
  }

  product(story, t, frame, read, reading) {
    const header = ["to", "upstream", "", "local", "", "product"].map((text) => html("span", { class: "head" }, text));
    if (!read) {
      const over = story.doneAt.length > 0 && story.doneAt.every((done) => t >= done);
      const blank = () => this.box(undefined);
      return html(
        "div",
        {},
        html("div", { class: "equation" }, header, html("span"), blank(), "×", blank(), "=", blank()),
        html("p", { class: "quiet" }, over ? "Not on the way to the answer." : "Not yet read back."),
      );
    }
    const parts = read.parts.filter((part) => part.to);
    const rows = parts.map((part) => {
      const times = frame.op === "matmul" ? "@" : "×";
      const text = cell(part.local?.text);
      return [
        html("b", { class: "m name" }, clip(part.name || story.nameOf(part.to) || "input", 62, 12.5, "mono", 600)),
        this.box(read.up, "", "", read.missing),
        times,
        part.local?.value
          ? this.box(part.local.value, /[^\d.\-−]/.test(text) && clip(text, 66, 11))
          : html("div", { class: "box" }, html("span", { class: "m" }, clip(text || part.local?.rule, 70, 12.5, "mono") || "…")),
        "=",
        this.box(part.product, "", "product", read.missing),
      ];
    });
    const sums = parts
      .filter((part) => part.total && part.product && isScalar(part.total) && brief(part.total) !== brief(part.product))
      .slice(-2);
    return html(
      "div",
      {},
      html("div", { class: "equation" }, header, rows),
      sums.map((part) =>
        html("p", { class: "quiet" }, `adds up at ${part.name || story.nameOf(part.to)} to `, html("b", { class: "m" }, brief(part.total))),
      ),
      read.missing && html("p", { class: "quiet" }, "this turn's values were not saved"),
    );
  }

  source(story, t, source) {
    if (!source) return [this.heading("Source")];
    return [
      this.heading("Source", stale(source) || source.kind),
      html(
        "div",
        { class: "title" },
        html("b", { class: "m" }, source.name),
        html("span", { class: "quiet" }, source.watched ? "watched" : "not watched"),
      ),
      this.facts(["value", this.about(source.value)]),
      ...story.view.readings.flatMap((reading) => this.answer(story, t, reading, source)),
    ];
  }

  answer(story, t, reading, source) {
    if (!(source.id in reading.answers)) return [];
    const { value, final } = story.answer(reading.id, source.id, t);
    if (!final && value === undefined)
      return [html("div", { class: "answer-row" }, html("b", { class: "m" }, source.name), icon("notyet", 17), " not yet")];
    const from = story.contributions(reading.id, source.id).filter(({ when }) => when <= t);
    const scalar = from.length > 0 && from.every(({ part }) => isScalar(part.product));
    const target = reading.targetName || story.nameOf(reading.target);
    const several = story.view.readings.length > 1;
    const odd = value?.state === "nan";
    const words = value && (odd || isScalar(value)) && wordings(value);
    const text = words && (words.find((word) => measure(word, 18, "mono", 600) <= 130) ?? words.at(-1));
    const row = html(
      "div",
      { class: "answer-row" },
      html("b", { class: "m" }, several ? `d${target}/d${source.name}` : source.name),
      words
        ? html("b", { class: "m large", title: words[0] }, (odd || value.state === "zero") && icon(value.state, 17), " ", text)
        : value
          ? valueBox(value, 72, 40)
          : html("b", { class: "m large" }, icon("none", 18), " None"),
      html(
        "span",
        { class: "quiet said" },
        several && html("span", {}, `reading ${reading.id + 1}${lineText(reading.line, ", ")}`),
        value && html("span", {}, `${shapeText(value.shape)} ${value.dtype ?? ""}${final ? "" : ", so far"}`),
        value?.max != null &&
          !words &&
          html("span", { title: `${value.min} … ${value.max}` }, [value.min, value.max].map((x) => +(+x).toPrecision(4)).join(" … ")),
      ),
    );
    const each = story.view.verdict?.each?.find((one) => one.name === source.name);
    if (final && story.sources.length > 1 && each && each.status !== "complete") return [row, html("p", { class: "quiet" }, each.say)];
    const alone = story.sources.filter(({ asked }) => asked ?? true).length === 1;
    if (!scalar || !alone || reading.id !== story.view.readings.length - 1) return [row];
    if (story.reads[reading.id].size < story.readAt[reading.id].size)
      return [row, html("p", { class: "quiet" }, "Some of what adds up to it may stand in folded turns.")];
    if (from.length > 3)
      return [
        row,
        html("p", { class: "quiet" }, `${from.length} contributions add up:`),
        html("p", { class: "m" }, clip(from.map(({ part }) => brief(part.product)).join(" + "), 560, 12.5, "mono")),
      ];
    return [
      row,
      html("p", { class: "quiet" }, from.length > 1 ? `${from.length} contributions add up:` : "one contribution:"),
      ...from.map(({ part, frame }) =>
        html(
          "p",
          {},
          html("span", { class: "quiet" }, `frame ${story.place.get(frame) + 1} `),
          html("b", {}, story.frame(frame).glyph),
          ": ",
          html("span", { class: "m" }, this.equationOf(story, reading.id, frame, part)),
        ),
      ),
    ];
  }

  equationOf(story, reading, frame, part) {
    const read = story.read(reading, frame);
    return (read && story.equation(read, part)) || brief(part.product);
  }

  moment(story, t, now) {
    const reading = now.reading != null ? story.view.readings[now.reading] : null;
    const line = lineText(now.line);
    const { verdict } = story.view;
    if (now.kind === "start")
      return [
        this.heading("Start"),
        html("p", {}, "Nothing has run yet. Press → or play."),
        ...story.sources.slice(0, 6).map((source) => this.facts([source.name, this.about(source.value)])),
      ];
    if (now.kind === "turn")
      return [
        this.heading("The turn", line),
        html("div", { class: "title" }, html("b", {}, "From here it is read back")),
        this.facts(
          ["starts at", html("b", { class: "m" }, reading.targetName || story.nameOf(reading.target))],
          ["seed", reading.seed ? this.about(reading.seed) : "none"],
          ["held now", html("b", { class: "m" }, bytesText(this.inspector.bytesAt(story, t)))],
        ),
      ];
    if (now.kind === "error")
      return [
        this.heading("Error", line),
        html("div", { class: "big" }, icon("spent", 20), html("b", {}, cell(reading.error))),
        html("p", {}, cell(verdict?.say)),
      ];
    const cut = story.cuts[now.cut] || (t >= story.answered && story.cuts[0]);
    if (cut) return this.cut(story, cut, t);
    if (now.kind === "release" && t < story.end)
      return [
        this.heading("Released", line),
        html(
          "p",
          {},
          "The tape lets go of what it kept: ",
          html("b", { class: "m" }, bytesText(this.inspector.bytesAt(story, t))),
          " held now.",
        ),
      ];
    const askedFor = story.sources.filter((source) => source.asked ?? true).length;
    const upTo = reading ? story.view.readings.filter((one) => story.doneAt[one.id] <= t) : story.view.readings;
    return [
      this.heading("Answer", line),
      ...upTo
        .slice(-3)
        .reverse()
        .flatMap((one) => story.sources.slice(0, 8).flatMap((source) => (one.error ? [] : this.answer(story, t, one, source)))),
      askedFor > 8 && html("p", { class: "quiet" }, `and ${askedFor - 8} more`),
      !story.view.readings.length && html("p", {}, story.order.length ? "Nothing was asked of this tape yet." : "This tape is empty."),
      ...(story.view.notes || []).map((note) => html("p", { class: "quiet" }, note)),
    ].filter(Boolean);
  }

  cut(story, cut, t) {
    const { verdict } = story.view;
    const box = (value, word, className) =>
      html("div", { class: `box ${className || ""}` }, html("b", { class: "m" }, value), html("small", {}, word));
    const sum = verdict?.status === "partial" && verdict.lost != null && t >= story.answered;
    return [
      this.heading("Cut", lineText(cut.line)),
      html("div", { class: "big" }, icon("cut", 24), html("b", {}, cell(cut.say))),
      this.facts(
        cut.line && [lineText(cut.line), html("span", { class: "m" }, cell(story.code.get(cut.line)).trim())],
        cut.fix && ["fix", html("b", { class: "m wrap" }, fixOf(cut.fix))],
      ),
      sum &&
        html(
          "div",
          { class: "equation sum" },
          box(cell(verdict.answer), "read back", "product"),
          "+",
          box(cell(verdict.lost), "lost", "lost"),
          "=",
          box(cell(verdict.full ?? "?"), "full"),
        ),
      t >= story.answered &&
        verdict?.status === "none" &&
        html(
          "p",
          {},
          "This None means ",
          html("b", {}, cell(verdict.meaning) || "broken"),
          verdict.meaning === "broken" ? ": the true derivative is not 0, it is lost." : ".",
        ),
    ].filter(Boolean);
  }
}
