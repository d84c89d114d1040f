"""Reference pages say parameters, constraints, examples, results and losses, and hold together."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Annotated, Literal

import pytest
from pydantic import BaseModel, Field

from toolhaft import Doc, Toolset, from_json, tool
from toolhaft.review.reference_docs import html_page, markdown_pages


class Stop(BaseModel):
    """A stop."""

    city: Annotated[str, Field(max_length=9, description="A city | town")]


@tool(
    title="Plan",
    annotations={"readOnlyHint": True},
    examples=[{"stops": [{"city": "Oslo"}]}],
)
def plan_trip(
    stops: Annotated[list[Stop], Doc("Where to go, <b>in order</b>")],
    speed: Literal["slow", "fast"] = "slow",
) -> list[Stop]:
    """Plan a trip.

    It may take long.
    """
    return stops[: len(speed)]


TOOLS = Toolset([plan_trip])
NAMED = from_json([{"name": "geo/find", "description": "Find.", "inputSchema": {"type": "object"}}])


@pytest.mark.requirement("cli-docs")
def test_a_page_describes_a_tool_completely() -> None:
    assert (
        markdown_pages(TOOLS, ["gemini"])["plan_trip.md"]
        == """\
# plan_trip (Plan)

Plan a trip.

It may take long.

- readOnlyHint: True

## Parameters

| | type | required | |
|---|---|---|---|
| `stops` | array of object | yes | Where to go, &lt;b>in order&lt;/b> |
| `stops[].city` | string | yes | A city \\| town; maxLength 9 |
| `speed` | "slow" \\| "fast" | no | default "slow" |

```json
{
  "stops": [
    {
      "city": "Oslo"
    }
  ]
}
```

## Result

array of object.

## Lost for gemini

- /properties/stops/items/properties/city: maxLength is hinted; said in the description
- /properties/speed: default is hinted; said in the description
"""
    )


def test_a_named_type_is_described() -> None:
    class Leg(BaseModel):
        back: list[Leg] = []

    Leg.model_rebuild()

    @tool
    def fly(leg: Leg) -> Leg:
        "Fly."
        return leg

    table = "| | type | required | |\n|---|---|---|---|"
    assert (
        markdown_pages(Toolset([fly]), [])["fly.md"]
        == f"""\
# fly

Fly.

## Parameters

{table}
| `leg` | Leg | yes |  |

## Leg

{table}
| `back` | array of Leg | no | default [] |

## Result

{table}
| `back` | array of Leg | no | default [] |
"""
    )


def test_a_type_of_the_result_alone_is_listed_after_it() -> None:
    item = {"type": "object", "properties": {"size": {"type": "integer"}}}
    output = {"$ref": "#/$defs/Item", "$defs": {"Item": item}}
    tools = from_json(
        [
            {
                "name": "find",
                "description": "Find.",
                "inputSchema": {"type": "object"},
                "outputSchema": output,
            }
        ]
    )
    assert markdown_pages(tools, [])["find.md"].endswith("""
## Result

Item.

## Item

| | type | required | |
|---|---|---|---|
| `size` | integer | no |  |
""")


def test_names_become_files_that_every_system_takes() -> None:
    pages = markdown_pages(NAMED)
    assert pages["index.md"] == "# Tools\n\n- [geo/find](geo_find.md): Find.\n"
    assert "None." in pages["geo_find.md"]


class Reader(HTMLParser):
    """Collects what an HTML page refers to, and whether every tag is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.refers: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag != "meta":
            self.open.append(tag)
        for key, value in attrs:
            if key == "id":
                self.ids.append(value or "")
            elif key in ("href", "src"):
                self.refers.append(value or "")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.requirement("cli-docs")
def test_the_html_page_loads_nothing_and_escapes_its_values() -> None:
    text = html_page(TOOLS + NAMED)
    reader = Reader()
    reader.feed(text)
    assert reader.open == []
    assert reader.refers == ["#geo_find", "#plan_trip"]
    assert reader.ids == ["geo_find", "plan_trip"]
    assert "<b>in order</b>" not in text
    assert "&lt;b&gt;in order&lt;/b&gt;" in text
    assert 'name="viewport"' in text
    assert "color-scheme:light dark" in text
    assert "<script" not in text


@pytest.mark.requirement("docs-own-page")
def test_each_tool_has_a_page_of_its_own() -> None:
    names = ["geo/find", "geo:find", "geo_find", "index", "a.b"]
    tools = from_json(
        {"name": name, "description": f"Of {name}.", "inputSchema": {"type": "object"}}
        for name in names
    )
    pages = markdown_pages(tools)
    assert len(pages) == len({page.casefold() for page in pages}) == 6
    assert {"geo_find.md", "a.b.md", "index_.md", "index.md"} < pages.keys()
    for name in names:
        [page] = [page for page, text in pages.items() if text.startswith(f"# {name}\n")]
        assert f"- [{name}]({page}): Of {name}.\n" in pages["index.md"]
        assert f'<section id="{page.removesuffix(".md")}"><h2>{name}</h2>' in html_page(tools)


@pytest.mark.requirement("texts-of-others")
def test_texts_of_a_declaration_are_shown_and_never_run() -> None:
    text = "Bad.\n<script>alert(1)</script>"
    odd = {"enum": [text], "description": text}
    schema = {
        "type": "object",
        "properties": {"a`<b>|": odd, "b": {"$ref": "#/$defs/%3Cscript"}},
        "$defs": {"<script": odd},
    }
    tools = from_json(
        [{"name": "bad", "title": "<i>", "description": "<script>", "inputSchema": schema}]
    )
    pages = [*markdown_pages(tools).values(), html_page(tools)]
    assert [page for page in pages if "<script" in page] == []
