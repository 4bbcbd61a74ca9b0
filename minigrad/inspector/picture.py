"""A still picture of the film, for pages where no widget can run. Drawn only when the course is built."""

import io
import textwrap

MOST = 40  # frames


def png(view) -> bytes:
    """The folded film as a PNG: written above, read back below."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    frames = view["frames"][:MOST]
    reads = {read["frame"]: read for reading in view["readings"][-1:] for read in reading["reads"]}
    figure = Figure(figsize=(max(5.0, 1.0 + 1.1 * len(frames)), 2.2), dpi=100)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(-0.9, len(frames)), ylim=(-0.2, 2.6))
    axes.axis("off")
    verdict = view["verdict"]
    head = f"{verdict['ask']} = {verdict['answer']}   {verdict['say']}"
    axes.text(-0.8, 2.3, textwrap.shorten(head, int(16 * figure.get_figwidth()), placeholder=" ..."), fontsize=9)
    axes.text(-0.8, 1.6, "written", fontsize=9, color="#0b57a4")
    axes.text(-0.8, 0.5, "read back", fontsize=9, color="#9a4200")
    for k, frame in enumerate(frames):
        fill, line = ("#ffffff", "#5b616a") if frame["ghost"] else ("#e6f0fb", "#0b57a4")
        box(axes, k, 1.2, fill, line, bool(frame["ghost"]), frame["glyph"], frame["value"]["text"])
        if frame["id"] in reads:
            sent = [part["product"]["text"] for part in reads[frame["id"]]["parts"]]
            box(axes, k, 0.1, "#fdefdf", "#9a4200", False, "", "\n".join(sent))
    buffer = io.BytesIO()
    FigureCanvasAgg(figure).print_png(buffer)
    return buffer.getvalue()


def box(axes, k, y, fill, line, dashed, title, text):
    from matplotlib.patches import Rectangle

    axes.add_patch(Rectangle((k, y), 0.9, 0.9, facecolor=fill, edgecolor=line, linestyle="--" if dashed else "-"))
    axes.text(k + 0.45, y + 0.65, title[:9], ha="center", va="center", fontsize=10, clip_on=True)
    axes.text(k + 0.45, y + 0.3, "\n".join(line[:14] for line in text.split("\n")[:3]), ha="center", va="center", fontsize=7, clip_on=True)
