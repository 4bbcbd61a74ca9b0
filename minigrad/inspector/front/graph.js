// The graph: what depends on what.

import { html, svg, rect, path, label, measure, clip, mark, classes } from "./elements.js";
import { isScalar, shown } from "./values.js";

/** What depends on what, in layers from left to right as the film; small graphs whole, large ones by source line. */
export class Graph {
  constructor(inspector) {
    this.inspector = inspector;
    this.box = html("div", { class: "graph-box", tabindex: -1 });
    this.note = html("span");
    this.element = html("section", { class: "graph", "aria-label": "Graph" }, html("h4", {}, "Graph", this.note), this.box);
  }

  /** The nodes to be drawn: which frames each stands for. */
  nodes(story, cursor) {
    const { order } = story;
    const nodes = new Map();
    const home = new Map();
    const add = (id, ids, extra) => {
      nodes.set(id, { id, ids, ...extra });
      ids.forEach((one) => home.set(one, id));
    };
    const wanted = order.filter((id) => this.counts(story, id));
    const small = wanted.length <= 14;
    const line = cursor == null ? null : story.frame(cursor).line;
    const loop = story.folds.find((fold) => (fold.turns || 1) > 2 && order.length > 60);
    const turnOf = (id) =>
      loop && id >= loop.first && id < loop.first + loop.per * loop.turns ? Math.floor((id - loop.first) / loop.per) : null;
    const open = loop ? (turnOf(cursor) ?? loop.shown ?? loop.open ?? 0) : null;
    const stacks = { before: [], after: [] };
    const groups = [];
    for (const id of wanted) {
      const turn = turnOf(id);
      if (turn !== null && turn !== open) {
        stacks[turn < open ? "before" : "after"].push(id);
        continue;
      }
      const { line: own, by } = story.frame(id);
      const last = groups.at(-1);
      const near = Math.abs(story.place.get(id) - (story.place.get(cursor) ?? order.length)) < 12;
      const alone = small || turn !== null || (own === line && near) || by != null || own == null;
      if (!alone && last && !last.alone && last.line === own && !story.isGhost(story.frame(id)) && last.turn === turn) last.ids.push(id);
      else groups.push({ alone, line: own, turn, ids: [id] });
    }
    if (stacks.before.length) add(`g${loop.id ?? 0}a`, stacks.before, { text: "loop", under: `turns 1–${open}`, stack: true });
    for (const group of groups) {
      const ids = group.ids,
        first = story.frame(ids[0]),
        last = story.frame(ids.at(-1));
      const text = ids.length === 1 ? first.glyph || first.op : last.name || ids.map((id) => story.frame(id).glyph).join(" ");
      add(`f${ids.at(-1)}`, ids, { text, stack: ids.length > 1 });
    }
    if (stacks.after.length)
      add(`g${loop.id ?? 0}b`, stacks.after, { text: "loop", under: `turns ${open + 2}–${loop.turns}`, stack: true });
    for (const source of story.sources.slice(0, 12)) nodes.set(source.id, { id: source.id, ids: [], text: source.name, source });
    return { nodes, home, hidden: order.length - wanted.length, small, open, loop };
  }

  /** Ghosts off the way are hidden in a large graph. */
  counts(story, id) {
    const frame = story.frames.get(id);
    return story.order.length <= 14 || !frame || !frame.ghost || frame.ghost.on_way;
  }

  edges(story, { nodes, home, loop }) {
    const edges = new Map();
    const nodeOf = (ref) => (!ref ? null : ref[0] === "f" ? home.get(+ref.slice(1)) : nodes.has(ref) ? ref : null);
    const add = (from, to, ref, id) => {
      if (!from || !to || from === to) return;
      const key = `${from}>${to}`;
      if (!edges.has(key)) edges.set(key, { from, to, pairs: [] });
      edges.get(key).pairs.push([ref, id]);
    };
    for (const node of nodes.values()) {
      const ids = node.under?.startsWith("turns 1–")
        ? node.ids.slice(0, loop.per)
        : node.under
          ? [...node.ids.slice(0, loop.per), ...node.ids.slice(-loop.per)]
          : node.ids;
      for (const id of ids) for (const ref of story.frame(id).in) add(nodeOf(ref), node.id, ref, id);
    }
    return [...edges.values()];
  }

  /** Python's places, or, where frames are folded together, layers by the longest way and rows by the middle of the neighbours. */
  places(story, nodes, edges) {
    const known = story.view.graph?.nodes || {};
    if ([...nodes.values()].every((node) => node.id in known && node.ids.length <= 1))
      return new Map([...nodes.keys()].map((id) => [id, [...known[id]]]));
    const order = [...nodes.values()].sort(
      (a, b) => (a.source ? -1 : story.place.get(a.ids[0])) - (b.source ? -1 : story.place.get(b.ids[0])),
    );
    const layer = new Map(order.map((node) => [node.id, 0]));
    const into = (id) => edges.filter((edge) => edge.to === id);
    for (const node of order) layer.set(node.id, Math.max(0, ...into(node.id).map((edge) => layer.get(edge.from) + 1)));
    for (const node of order.filter((one) => one.source)) {
      const uses = edges.filter((edge) => edge.from === node.id).map((edge) => layer.get(edge.to));
      layer.set(node.id, uses.length ? Math.min(...uses) - 1 : 0);
    }
    const least = Math.min(0, ...layer.values());
    const rows = [];
    for (const node of order) (rows[layer.get(node.id) - least] ||= []).push(node.id);
    const y = new Map();
    for (const row of rows) row?.forEach((id, k) => y.set(id, k - (row.length - 1) / 2));
    const neighbours = (id) => edges.flatMap((edge) => (edge.from === id ? [edge.to] : edge.to === id ? [edge.from] : []));
    const mean = (id) => {
      const near = neighbours(id);
      return near.length ? near.reduce((sum, one) => sum + y.get(one), 0) / near.length : y.get(id);
    };
    for (let sweep = 0; sweep < 6; sweep++)
      for (const row of sweep % 2 ? [...rows].reverse() : rows) {
        if (!row) continue;
        const wish = new Map(row.map((id) => [id, mean(id)]));
        row.sort((a, b) => wish.get(a) - wish.get(b));
        const shift = row.reduce((sum, id) => sum + wish.get(id), 0) / row.length;
        row.forEach((id, k) => y.set(id, row.length === 1 ? wish.get(id) : shift + k - (row.length - 1) / 2));
      }
    return new Map(order.map((node) => [node.id, [layer.get(node.id) - least, y.get(node.id)]]));
  }

  draw(story, t, width, height) {
    const { inspector } = this;
    const now = story.at(t);
    const cursor = now.frame ?? inspector.lastFrame ?? null;
    const plan = this.nodes(story, cursor);
    const key = [...plan.nodes.values()].map((node) => `${node.id}:${node.ids.length}`).join();
    if (this.key !== key || this.story !== story) {
      this.edgeList = this.edges(story, plan);
      this.at = this.places(story, plan.nodes, this.edgeList);
      Object.assign(this, { key, story });
    }
    const rowsY = [...this.at.values()].map(([, y]) => y);
    const low = Math.min(...rowsY),
      high = Math.max(...rowsY);
    const values = plan.small && (high - low) * 76 + 76 <= height + 20;
    const sized = (node) => Math.max(node.source ? 38 : 44, Math.min(96, measure(node.text, node.source ? 14 : 15, "ui", 600) + 18));
    const columns = new Map();
    for (const node of plan.nodes.values()) {
      node.text = clip(node.text, 84, 15, "ui", 600);
      node.w = sized(node);
      const [layer] = this.at.get(node.id);
      columns.set(layer, Math.max(columns.get(layer) || 0, node.w));
    }
    const layers = [...columns.keys()].sort((a, b) => a - b);
    const taken = layers.reduce((sum, layer) => sum + columns.get(layer), 20);
    const gap = Math.max(20, Math.min(34, (width - taken) / Math.max(1, layers.length - 1)));
    const natural = taken + gap * (layers.length - 1);
    const loose = natural < width ? Math.min(44, (width - natural) / Math.max(1, layers.length - 1)) : 0;
    const center = new Map();
    let x = 10;
    for (const layer of layers) {
      center.set(layer, x + columns.get(layer) / 2);
      x += columns.get(layer) + gap + loose;
    }
    const whole = x - gap - loose + 10;
    const step = Math.max(values ? 76 : 42, Math.min(values ? 84 : 54, (height - 50) / Math.max(1, high - low + 0.4)));
    const tall = Math.max(height, (high - low) * step + 76);
    const across = Math.max(width, whole);
    const shiftX = (across - whole) / 2;
    for (const node of plan.nodes.values()) {
      const [layer, y] = this.at.get(node.id);
      Object.assign(node, { x: center.get(layer) + shiftX, y: tall / 2 + (y - (low + high) / 2) * step, h: node.source ? 36 : 32 });
    }
    const scale = inspector.state.overview ? Math.min(1, width / across, height / tall) : height / tall > 0.75 ? height / tall : 1;
    this.note.textContent = [
      plan.loop && `turn ${plan.open + 1} of ${plan.loop.turns} open`,
      !plan.small && !plan.loop && "folded by line",
      plan.hidden > 0 && `${plan.hidden} off the way hidden`,
    ]
      .filter(Boolean)
      .join(", ");
    const current = [...plan.nodes.values()].find((node) => node.ids.includes(now.frame));
    const drawing = svg("svg", {
      class: "drawing",
      viewBox: `0 0 ${across} ${tall}`,
      style: `width:${(across * scale) / 13}em;height:${(tall * scale) / 13}em`,
      role: "group",
      "aria-label": "Graph of the operations",
    });
    drawing.append(
      ...this.edgeList.map((edge) => this.edge(story, t, plan.nodes, edge)),
      ...[...plan.nodes.values()].map((node) => this.node(story, t, node, node === current, values)),
    );
    if (!current) drawing.querySelector(".spot")?.setAttribute("tabindex", "0");
    this.box.replaceChildren(drawing);
    this.pan(current, scale);
  }

  /** Moves to the cursor, and fades the side on which there is more. */
  pan(current, scale) {
    const unit = this.inspector.unit * scale;
    if (current) {
      this.box.scrollLeft = current.x * unit - this.box.clientWidth / 2;
      this.box.scrollTop = current.y * unit - this.box.clientHeight / 2;
    }
    const { scrollLeft, scrollWidth, clientWidth } = this.box;
    this.box.classList.toggle("more-left", scrollLeft > 4);
    this.box.classList.toggle("more-right", scrollLeft + clientWidth < scrollWidth - 4);
  }

  edge(story, t, nodes, edge) {
    const from = nodes.get(edge.from),
      to = nodes.get(edge.to);
    const x1 = from.x + from.w / 2 + (from.stack ? 3 : 0),
      x2 = to.x - to.w / 2;
    const rank = this.edgeList
      .filter((one) => one.to === edge.to)
      .map((one) => nodes.get(one.from))
      .sort((a, b) => a.y - b.y);
    const y1 = from.y,
      y2 = to.y + (rank.indexOf(from) - (rank.length - 1) / 2) * Math.min(9, 22 / rank.length);
    const [layerA] = this.at.get(edge.from),
      [layerB] = this.at.get(edge.to);
    const d =
      layerB - layerA <= 1
        ? `M${x1} ${y1}C${(x1 + x2) / 2} ${y1} ${(x1 + x2) / 2} ${y2} ${x2} ${y2}`
        : this.around(x1, y1, x2, y2, nodes, layerA, layerB);
    const cut = story.cuts.find((one) => one.edge && edge.pairs.some(([ref, id]) => ref === one.edge[0] && `f${id}` === one.edge[1]));
    const ghost = to.ids.length > 0 && story.isGhost(story.frame(to.ids.at(-1)));
    const reads = edge.pairs.flatMap(([ref, id]) =>
      story.readAt.flatMap((times, k) =>
        times.has(id) && times.get(id) <= t && (story.read(k, id)?.parts || []).some((part) => part.to === ref) ? [times.get(id)] : [],
      ),
    );
    const done = to.ids.length > 0 && t >= story.writtenAt.get(to.ids[0]);
    const kind = ghost || cut ? "ghost" : reads.length ? "read" : done ? "written" : "waiting";
    const tip =
      kind === "read"
        ? path(`M${x1} ${y1}l7 -4.5v9z`, { class: `tip ${kind}` })
        : path(`M${x2} ${y2}l-7 -4.5v9z`, { class: `tip ${kind}` });
    return svg("g", {}, path(d, { class: `track ${kind}` }), tip, cut && mark("cut", (x1 + x2) / 2, (y1 + y2) / 2, 11));
  }

  /** A long edge keeps clear of the nodes between: it runs above or below them. */
  around(x1, y1, x2, y2, nodes, layerA, layerB) {
    const between = [...nodes.values()].filter((node) => {
      const [layer] = this.at.get(node.id);
      return layer > layerA && layer < layerB;
    });
    const middle = (y1 + y2) / 2;
    const hit = between.filter((node) => Math.abs(node.y - (y1 + ((node.x - x1) / (x2 - x1)) * (y2 - y1))) < node.h / 2 + 10);
    if (!hit.length) return `M${x1} ${y1}C${x1 + 40} ${y1} ${x2 - 40} ${y2} ${x2} ${y2}`;
    const above = Math.min(...hit.map((node) => node.y)) - 34,
      below = Math.max(...hit.map((node) => node.y)) + 34;
    const y = middle - above < below - middle ? above : below;
    const a = hit[0].x - hit[0].w / 2 - 2,
      b = hit.at(-1).x + hit.at(-1).w / 2 + 2;
    const left = Math.max(x1 + 10, Math.min(...hit.map((n) => n.x - n.w / 2)) - 4),
      right = Math.min(x2 - 10, Math.max(...hit.map((n) => n.x + n.w / 2)) + 4);
    if (a > b) return "";
    const up = (x1 + left) / 2,
      down = (right + x2) / 2;
    return `M${x1} ${y1}C${up} ${y1} ${up} ${y} ${left} ${y}H${right}C${down} ${y} ${down} ${y2} ${x2} ${y2}`;
  }

  node(story, t, node, current, values) {
    const { inspector } = this;
    const { x, y, w, h, ids } = node;
    const left = x - w / 2,
      top = y - h / 2;
    if (node.source) {
      const gradient = this.gradient(story, t, node.source.id);
      return svg(
        "g",
        {
          class: classes("spot node source-node", inspector.state.selected === node.id && "picked"),
          role: "button",
          tabindex: -1,
          "aria-label": `source ${node.text}`,
          onclick: () => inspector.go(inspector.state.step, node.id),
        },
        rect(left, top, w, h, { rx: h / 2, class: "box" }),
        label(x, y + 5, node.text, { class: "m", "text-anchor": "middle", "font-size": 14, "font-weight": 600 }),
        values && this.beside(node, node.source.value, gradient),
      );
    }
    const last = ids.at(-1),
      frame = story.frame(last);
    const ghost = story.isGhost(frame);
    const written = story.writtenAt.get(ids[0]);
    const read = story.readAt.some((times) => [ids[0], last].some((id) => times.get(id) <= t));
    const kind = ghost ? "ghost" : read ? "read" : "written";
    const phase = current ? "now" : t < written ? "future" : "past";
    const now = story.at(t);
    const when = inspector.twinTime(story, last, now);
    const texts = node.stack ? rect(left + 4, top - 4, w, h, { class: "box behind" }) : null;
    const picked = inspector.state.selected === `f${last}`;
    const found = ids.some((id) => inspector.found.has(id));
    return svg(
      "g",
      {
        class: classes("spot frame node", kind, phase, picked && "picked", found && "found"),
        role: "button",
        tabindex: current ? 0 : -1,
        "aria-label": `${node.text}${node.under ? `, ${node.under}` : ""}, ${kind}`,
        "aria-current": current ? "step" : null,
        "data-frame": last,
        "data-id": node.id,
        onclick: () => inspector.go(inspector.timeIn(story, when), `f${last}`),
        onpointerenter: () => inspector.hover(last),
        onpointerleave: () => inspector.hover(null),
      },
      texts,
      rect(left, top, w, h, { class: "box" }),
      label(x, y + 5.5, node.text, { "text-anchor": "middle", "font-size": 15, "font-weight": 600 }),
      node.under && label(x, y + h / 2 + 17, node.under, { class: "quiet", "text-anchor": "middle", "font-size": 11.5 }),
      values && t >= written && this.beside(node, frame.value, this.gradient(story, t, `f${last}`), frame.name),
    );
  }

  /** What has arrived so far at a node, summed up: the last reading that came by. */
  gradient(story, t, ref) {
    let found;
    story.reads.forEach((reads, k) => {
      if (ref[0] === "s") {
        const { value, final } = story.answer(k, ref, t);
        if (value !== undefined || final) found = value ?? null;
      } else {
        const when = story.readAt[k].get(+ref.slice(1));
        if (when <= t) found = story.read(k, +ref.slice(1)).up;
      }
    });
    return found;
  }

  beside({ x, y, h, w }, value, gradient) {
    const small = { size: 12.5 };
    const place = (one, top, className) =>
      svg("g", { class: className }, shown(one, x - 36, top, 72, isScalar(one) || !one?.thumb ? 16 : 22, small));
    return [
      value != null && value.state !== "unknown" && place(value, y - h / 2 - (isScalar(value) || !value.thumb ? 18 : 25), "value-above"),
      gradient !== undefined && place(gradient, y + h / 2 + (isScalar(gradient) || !gradient?.thumb ? 3 : 4), "value-below"),
    ];
  }
}
