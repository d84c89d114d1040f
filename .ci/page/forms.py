"""Forms of sixty schemas: untouched is `{}`, and what is loaded reads back exactly."""

from __future__ import annotations

import gzip
import json
from typing import Any

from driver import ROOT, Failed, Run, Served, open_page, served
from playwright.sync_api import Page

SCHEMAS = ROOT / "tests" / "serve" / "page" / "schemas.json"
# Real tools, of which every eighteenth gets a form too, where they are beside the repository.
RECORDED = ROOT.parent / "shared" / "data" / "tools_mcp.jsonl.gz"
# Loaded into the model of each form, and of these so many through the tabs too.
MODELLED, SHOWN = 1000, 16
FORMS = """
import json
from toolhaft import Toolset, tool
named = json.loads(open("schemas.json").read())
TOOLS = Toolset([
    tool(lambda arguments: arguments, name=f"form_{n}", description=name, input=schema, output=None)
    for n, (name, schema) in enumerate(named.items())
])
"""
VALUES = """
import json, sys
from random import Random
from toolhaft.schema.generate import Values
named, count = json.loads(open("schemas.json").read()), int(sys.argv[1])
sources = [Values(schema, Random(1)) for schema in named.values()]
values = [[json.dumps(source.valid()) for _ in range(count)] for source in sources]
open("values.json", "w").write(json.dumps(values))
"""
# Through the model of the page: what differs from what was loaded, and what no field can show.
MODEL = """async ([schema, texts]) => {
    const { Form } = await import("/page/model.js");
    const { equal, parse, write } = await import("/page/json.js");
    const found = [];
    for (const text of texts) {
        const form = new Form(parse(schema)), value = parse(text);
        form.set(value);
        if (!equal(form.get(), value)) found.push([text, write(form.get())]);
        form.walk((one) => one.state === "raw" && one.kind !== "json" && found.push([text, "raw"]));
    }
    return found;
}"""
# As a person pastes it: the tab of JSON, that of the form, and that of JSON again.
TABS = """async (texts) => texts.map((text) => {
    const tab = (name) => document.getElementById(`Arguments-${name}-tab`).click();
    const area = () => document.querySelector("[aria-label='Arguments as JSON']");
    tab("json");
    area().value = text;
    area().dispatchEvent(new Event("input"));
    tab("form");
    tab("json");
    return area().value;
})"""
# What the schema does not allow, and no field has.
STRANGE = '{"a": null, "x": {"y": ["", "two\\nlines", 9007199254740993, -0, 1.0, 1e400]}}'


def schemas_of_forms() -> dict[str, Any]:
    """Return the schemas of forms, by what they are."""
    named: dict[str, Any] = json.loads(SCHEMAS.read_text())
    if RECORDED.exists():
        tools = [json.loads(line) for line in gzip.decompress(RECORDED.read_bytes()).splitlines()]
        named |= {tool["name"]: tool["inputSchema"] for tool in tools[:: len(tools) // 30]}
    return named


class Number(str):
    """A number, by its digits."""

    __slots__ = ()


def read_exactly(text: str) -> Any:
    """Read JSON with the digits of its numbers."""
    return json.loads(text, parse_int=Number, parse_float=Number)


def is_same(one: Any, other: Any) -> bool:
    """Whether two values that were read exactly are equal, `1` and `"1"` being two."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(is_same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(is_same, one, other))
    return type(one) is type(other) and bool(one == other)


def serve_forms() -> Any:
    """Serve a tool for each schema."""
    return served(FORMS, schemas=json.dumps(schemas_of_forms()))


def open_form(page: Page, server: Served, number: int) -> None:
    """Open one of the forms."""
    page.goto(f"{server.base}#/tools/form_{number}")
    page.wait_for_selector(f"h1:text-is('form_{number}')")


def forms(run: Run, modelled: int = MODELLED, shown: int = SHOWN) -> None:
    """Untouched is `{}`; valid and strange values that are loaded as JSON read back."""
    schemas = schemas_of_forms()
    with serve_forms() as server, run.view() as context:
        if server.run("-c", VALUES, str(modelled)) != 0:
            raise Failed("there are no values")
        values = json.loads((server.folder / "values.json").read_text())
        page = open_page(context, server)
        for number, schema in enumerate(schemas.values()):
            open_form(page, server, number)
            page.click("#Arguments-json-tab")
            untouched = page.get_by_label("Arguments as JSON").input_value()
            if untouched != "{}":
                raise Failed(f"form {number}: untouched is {untouched}")
            found = page.evaluate(MODEL, [json.dumps(schema), values[number]])
            texts = [STRANGE, *values[number][:shown]]
            for sent, read in zip(texts, page.evaluate(TABS, texts), strict=True):
                if not is_same(read_exactly(sent), read_exactly(read)):
                    found.append([sent, read])
            if found:
                raise Failed(f"form {number}: {found[:3]} are loaded and read back")
    print(f"{len(schemas)} forms: {modelled} values each read back, {shown + 1} through the tabs")
