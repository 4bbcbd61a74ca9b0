"""The inspector as a Jupyter widget. It needs anywidget; everything it shows is computed in advance."""

import contextlib
import re

import anywidget
import traitlets

from .html import digest, script, style, waiting
from .inspection import Inspection


class TapeInspector(Inspection, anywidget.AnyWidget):
    """The film of a tape. `step` and `selected` can be set and observed from Python.

    Attributes:
        view: the view model, as plain data.
        step: the number of the last step that is shown as done; initially the last step of the film.
        selected: "f3" for a frame, "s0" for a source, "" for none.
        asks: whether the gradients are hidden until the reader has guessed.
        page: the name of the fallback page, which is hidden where the widget runs.
    """

    _esm = script()
    _css = style()
    view = traitlets.Dict(read_only=True).tag(sync=True)
    step = traitlets.Int(0).tag(sync=True)
    selected = traitlets.Unicode("").tag(sync=True)
    asks = traitlets.Bool(False, read_only=True).tag(sync=True)
    page = traitlets.Unicode("", read_only=True).tag(sync=True)

    def __init__(self, models, titles):
        Inspection.__init__(self, models, titles)
        anywidget.AnyWidget.__init__(self)
        self.set_trait("view", self.plain)
        self.set_trait("page", re.sub(r"\W", "", digest(self.to_html()))[:16])
        self.step = self.last
        self.set_trait("asks", len(models) == 1 and (self.asks_first or "predict" in self.plain))
        self.on_msg(self.answer)

    @traitlets.validate("step")
    def _within(self, proposal):
        return min(max(proposal["value"], -1), self.last)

    @traitlets.validate("selected")
    def _known(self, proposal):
        if proposal["value"] and proposal["value"] not in self.nodes:
            raise traitlets.TraitError(f"there is no {proposal['value']!r}: frames are 'f0', 'f1' ..., and sources 's0', 's1' ...")
        return proposal["value"]

    def _handle_msg(self, msg):
        """Handle a message from a front end; one that does not have the format of ours is ignored."""
        match msg:
            case {"content": {"data": {"method": "update", "state": dict(state)}}}:
                self.set_state(state)
            case {"content": {"data": {"method": "request_state"}}}:
                self.send_state()
            case {"content": {"data": {"method": "custom", "content": content}}}:
                self._handle_custom_msg(content, [])

    def set_state(self, sync_data):
        """A front end may set `step`, `selected` and `asks`, and nothing else; a value that one cannot have is ignored."""
        for name in sync_data.keys() & {"step", "selected", "asks"}:
            if type(sync_data[name]) is type(getattr(self, name)):
                with contextlib.suppress(traitlets.TraitError):
                    super().set_state({name: sync_data[name]})

    def answer(self, _, content, buffers):
        """Send a folded unit that a front end requests."""
        match content:
            case {"type": "open_unit", "unit": int(unit), **rest}:
                film = rest.get("film", 0)
                if type(film) is int and 0 <= film < len(self.models) and 0 <= unit < len(self.models[film].fold[1]):
                    self.send({**self.models[film].opened(unit), "film": film})

    def _repr_mimebundle_(self, **kwargs):
        bundle = super()._repr_mimebundle_(**kwargs)
        data, about = bundle if isinstance(bundle, tuple) else (bundle, {})
        return {**(data or {}), **self.still()}, about

    def _ipython_display_(self):
        """Show the widget, and the page below it: where nothing can run a saved widget, as in nbconvert, only the page is seen."""
        from IPython.display import display

        data, about = self._repr_mimebundle_()
        data.pop("text/html")
        display(data, metadata=about, raw=True)
        display({"text/html": waiting(self.to_html(), self.page)}, raw=True)
