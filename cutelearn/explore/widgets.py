"""The widgets of an explorer. They only carry entries to its state and show what that gives: nothing is worked out here.

The picture is the value of an HTML widget: an Output widget, `interact` or print would write into the notebook.
"""

import re
from functools import partial
from html import escape

from ipywidgets import HTML, Checkbox, Combobox, Dropdown, GridBox, IntSlider, Layout, Text, VBox

from .fields import ChoiceField, SliderField, TextField

# Colours of JupyterLab's theme, so that text reads on light and dark; elsewhere the fallbacks, on white.
_FAINT = "color:var(--jp-ui-font-color2,#5f6670);font-size:12px;line-height:1.4"
_PLAIN = "color:var(--jp-ui-font-color1,#1f2430);font-size:13px;line-height:1.5"
_BAD = "color:var(--jp-ui-font-color1,#1f2430);border-left:3px solid #d55e00;padding-left:8px;font-size:12px;line-height:1.4"
_MONO = "font-family:var(--jp-code-font-family,monospace);white-space:pre;overflow-x:auto;margin:0;line-height:1.3"


class View:
    """The widgets of one explorer, wired to it. `controls` are the inputs by name, `box` is all of it."""

    def __init__(self, explorer):
        self.explorer = explorer
        self.controls = {f.name: _control(f) for f in explorer.fields}
        self.beneath = {f.name: HTML() for f in explorer.fields}
        self.inputs = {name: VBox([self.controls[name], self.beneath[name]]) for name in self.controls}
        self.facts, self.table = HTML(), HTML()
        self.picture = HTML(layout=Layout(max_height="85vh", overflow="auto"))  # the inputs stay in sight of a tall one
        self.picture.add_class("cutelearn-picture")
        self.as_text = Checkbox(description="as text", indent=False, tooltip="the picture as a table of text")
        self.box = VBox(
            [
                self._grid(TextField, 300),
                self._grid((ChoiceField, SliderField), 220),
                self.facts,
                self.picture,
                self.as_text,
                self.table,
            ]
        )
        self._quiet = False
        self.show()
        for name, control in self.controls.items():
            control.observe(partial(self._entered, name), "value")
        self.as_text.observe(lambda _change: self.show(), "value")

    def mime(self) -> dict:
        """What Jupyter needs to show the widgets live."""
        kind = "application/vnd.jupyter.widget-view+json"
        return {kind: self.box._repr_mimebundle_()[kind]}

    def _grid(self, kinds, width) -> GridBox:
        """Inputs side by side, each with the line beneath it, as many in a row as there is room for."""
        some = [self.inputs[f.name] for f in self.explorer.fields if isinstance(f, kinds)]
        columns = f"repeat(auto-fit, minmax({width}px, 1fr))"
        return GridBox(some, layout=Layout(grid_template_columns=columns, grid_gap="0 16px"))

    def _entered(self, name, change):
        if not self._quiet:
            self.explorer.change(name, change["new"])

    def show(self):
        """Bring all widgets in line with the state."""
        shown = self.explorer.shown
        self._quiet = True  # a slider that is brought inside its range is no entry
        try:
            for f in self.explorer.fields:
                control = self.controls[f.name]
                with control.hold_sync():
                    if isinstance(f, SliderField):
                        control.max = max(shown.tops[f.name], control.value)
                    control.value = shown.entries[f.name]
                    if isinstance(f, SliderField):
                        control.max = shown.tops[f.name]
                self.beneath[f.name].value = _beneath(f, shown.messages.get(f.name))
                self.inputs[f.name].layout.display = None if f.when(shown.entries) else "none"
        finally:
            self._quiet = False
        stale = " · this and the picture are of the last good entry" if shown.messages else ""
        self.facts.value = f'<div style="{_PLAIN};margin-bottom:6px">{escape(shown.facts)}{stale}</div>'
        self.picture.value = _legible(shown.svg)
        self.table.value = f'<pre style="{_PLAIN};{_MONO}">{escape(shown.table)}</pre>' if self.as_text.value else ""


def _control(f):
    wide = Layout(width="auto")
    style = {"description_width": "initial"}
    if isinstance(f, SliderField):
        return IntSlider(description=f.label, min=0, max=0, layout=wide, style=style)
    if isinstance(f, ChoiceField):
        return Dropdown(description=f.label, options=f.options, layout=wide, style=style)
    if f.known:
        return Combobox(description=f.label, options=f.known(), layout=wide, style=style)
    return Text(description=f.label, layout=wide, style=style)


def _legible(svg: str) -> str:
    """The picture, made narrower with the window, but only by a fifth: then it is scrolled."""
    width = float(re.search(r' width="([0-9.]+)"', svg)[1])
    return f'<div style="min-width:{0.8 * width:.0f}px">{svg}</div>'


def _beneath(f, message) -> str:
    """What stands beneath an input: what is wrong, or a hint. There is room for three lines, so that nothing jumps while one types."""
    tall = "min-height:3.9em;" if isinstance(f, TextField) else ""
    if message:
        sentence, _, shown = message.partition("\n")
        lines = f'<pre style="{_MONO}">{escape(shown)}</pre>' if shown else ""
        return f'<div role="alert" style="{tall}{_BAD}">{escape(sentence)}{lines}</div>'
    return f'<div style="{tall}{_FAINT}">{escape(f.hint)}</div>' if isinstance(f, TextField) else ""
