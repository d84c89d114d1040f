"""What a person types field by field, in forms of every kind of schema, arrives exactly."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from driver import Failed, Run, call, open_page, served
from forms import Number, is_same, open_form, read_exactly, schemas_of_forms, serve_forms
from playwright.sync_api import Locator, Page

TEXTS = [
    "plain", "two\nlines", "\n", ' "quoted" \\ ', "5", "null", "{", " ", "\u00fc\U0001f375", "<b>",
    "0" * 300,
]  # fmt: skip
NUMBERS = ["9007199254740993", "-1", "1", "1.0", "1.10", "1e400", "0.1", "-0", "0"]
# The first is no number, so it is sent as the text that it is.
DECIMALS = [".5", *NUMBERS]
DOCUMENTS = ['{"": [1.0, 1, -0, null]}', '""', "9007199254740993", "[]", '"two\\nlines"', "null"]
KEYS = ["a key ~/", "x-1", "n-2", "", "__proto__"]
# What a button beside a field sends, in so many of ten cases.
EMPTY = {"Send null": None, 'Send ""': "", "Send {}": {}, "Send []": []}
OFTEN = 2
MOST_FIELDS = 4
DEEPEST = 3
NOTHING = object()


class Chosen(str):
    """What a person chose: the words of the value, as the form has them."""

    __slots__ = ()


def type_field(field: Locator, random: Random, depth: int) -> Any:
    """Type a value into a field as a person would; return what should be sent of it."""
    details = field.locator(":scope > details")
    if details.count():
        return type_group(details, random, depth)
    sent = send_empty(field.locator(":scope > .head .actions button"), random)
    return type_control(field, random) if sent is NOTHING else sent


def send_empty(actions: Locator, random: Random) -> Any:
    """Press a button that sends something empty, now and then."""
    if random.randrange(10) >= OFTEN:
        return NOTHING
    for words in actions.all_inner_texts():
        if words in EMPTY:
            actions.get_by_text(words, exact=True).click()
            return EMPTY[words]
    return NOTHING


def type_control(field: Locator, random: Random) -> Any:
    """Type into a control, or choose in it."""
    control = field.locator(":scope > input, :scope > select, :scope > textarea")
    kind = control.evaluate("(one) => one.inputMode || one.className || one.tagName")
    if kind == "SELECT":
        words = control.locator("option").all_text_contents()
        place = random.randrange(1, len(words))
        control.select_option(index=place)
        return Chosen(words[place])
    typed = random.choice({"decimal": DECIMALS, "code": DOCUMENTS}.get(kind, TEXTS))
    control.fill(typed)
    if kind == "code":
        return read_exactly(typed)
    return Number(typed) if kind == "decimal" and typed in NUMBERS else typed


def type_group(details: Locator, random: Random, depth: int) -> Any:
    """Type into a group, an item of a list, or a branch of a union."""
    if depth > DEEPEST:
        return NOTHING
    if details.get_attribute("open") is None:
        details.locator(":scope > summary .name").click()
    inner = details.locator(":scope > .inner")
    sent = send_empty(inner.locator(":scope > .actions button"), random)
    if sent is not NOTHING:
        return sent
    members = inner.locator(":scope > .members")
    if members.count():
        return type_members(members, random, depth)
    union = inner.locator(":scope > select")
    if union.count():
        return type_union(inner, union, random, depth)
    return type_items(inner, random, depth)


def type_union(inner: Locator, union: Locator, random: Random, depth: int) -> Any:
    """Choose a branch, and type into it."""
    union.select_option(index=random.randrange(1, union.locator("option").count()))
    branch = inner.locator(":scope > div > .members")
    if branch.count():
        return type_members(branch, random, depth, is_chosen=True)
    return type_field(inner.locator(":scope > div > .field"), random, depth + 1)


def type_items(inner: Locator, random: Random, depth: int) -> Any:
    """Add an item, and type into each."""
    add = inner.locator(":scope > .entries > button")
    if add.count():
        add.click()
    items = inner.locator(":scope > .entries > .items > li > .field").all()
    typed = [type_field(item, random, depth + 1) for item in items]
    return [one for one in typed if one is not NOTHING] or NOTHING


def type_members(members: Locator, random: Random, depth: int, *, is_chosen: bool = False) -> Any:
    """Type into the first members of a group, and into a key of their own if it takes one."""
    typed: dict[str, Any] = {}
    for field in members.locator(":scope > .field").all()[: 99 if is_chosen else MOST_FIELDS]:
        name = field.locator(".name").first.text_content() or ""
        typed[name] = type_field(field, random, depth + 1)
    add = members.locator(":scope > .entries > button")
    key = random.choice([one for one in KEYS if one not in typed])
    if add.count():
        add.click()
        entry = members.locator(":scope > .entries > .members > .entry").last
        entry.locator(":scope > input").fill(key)
        entry.locator(":scope > input").blur()
        typed[key] = type_field(entry.locator(":scope > .field"), random, depth + 1)
    return {key: value for key, value in typed.items() if value is not NOTHING} or NOTHING


def is_sent(typed: Any, read: Any) -> bool:
    """Whether what was read is what was typed; constants of a chosen branch stand beside it."""
    if isinstance(typed, Chosen):
        is_text = isinstance(read, str) and type(read) is not Number and read != ""
        return read == str(typed) if is_text else is_same(read_exactly(typed), read)
    if isinstance(typed, dict):
        return isinstance(read, dict) and all(
            key in read and is_sent(value, read[key]) for key, value in typed.items()
        )
    if isinstance(typed, list):
        return isinstance(read, list) and len(typed) == len(read) and all(map(is_sent, typed, read))
    return is_same(typed, read)


def typing(run: Run) -> None:
    """What is typed into each form is what the server is sent."""
    schemas, silent = schemas_of_forms(), []
    with serve_forms() as server, run.view() as context:
        page = open_page(context, server)
        for number, (name, schema) in enumerate(schemas.items()):
            for seed in range(9):
                open_form(page, server, number)
                page.get_by_role("button", name="Clear").click()
                typed = type_form(page, Random(100 * number + seed))  # noqa: S311  the same each time
                if typed is not NOTHING:
                    break
            sent = send(page)
            if not is_sent({} if typed is NOTHING else typed, read_exactly(sent)):
                raise Failed(f"form {number}: {typed} was typed, and {sent} is sent")
            if typed is NOTHING:
                silent.append(name)
                if schema.get("properties") or schema.get("additionalProperties") is not False:
                    raise Failed(f"form {number} ({name}) has fields, and nothing can be typed")
    told = f"{len(schemas) - len(silent)} of {len(schemas)} forms"
    print(f"typed into {told}; the others take no arguments: {', '.join(silent)}")


def type_form(page: Page, random: Random) -> Any:
    """Type into the form that is open, as what it is: a group, or a union."""
    members = page.locator(".form > .members")
    if members.count():
        return type_members(members, random, 0)
    return type_field(page.locator("#Arguments-form > .field"), random, 0)


def send(page: Page) -> str:
    """Call the tool; return the text of the arguments in the request."""
    with page.expect_request("**/page/data/call") as asked:
        page.locator(".run .primary").first.click()
    page.wait_for_selector(".outcome > *")
    return str(json.loads(asked.value.post_data or "")["text"])


ECHO = """
from toolhaft import tool
kinds = {"whole": "integer", "number": "number", "other": "number", "zero": "number",
         "empty": "string", "lines": "string"}
properties = {name: {"type": kind} for name, kind in kinds.items()}
echo = tool(lambda arguments: repr(arguments), name="echo", description="Repeat.", output=None,
            input={"type": "object", "properties": properties})
"""
HARD = {"whole": "9007199254740993", "number": "1.0", "other": "1", "zero": "-0", "lines": "a\nb"}
ARRIVES = (
    "{'whole': 9007199254740993, 'number': 1.0, 'other': 1, 'zero': 0, "
    "'empty': '', 'lines': 'a\\nb'}"
)


def exact(run: Run) -> None:
    """Hard values arrive at the handler as they were typed; a number beyond floats is refused."""
    with served(ECHO) as server, run.view() as context:
        page = open_page(context, server)
        page.goto(f"{server.base}#/tools/echo")
        page.get_by_label('Send "": empty').click()
        call(page, server, "echo", **HARD)
        page.wait_for_selector(".good")
        page.click("#Outcome-text-tab")
        if page.locator("#Outcome-text").text_content() != ARRIVES:
            raise Failed(f"{page.locator('#Outcome-text').text_content()} arrives")
        call(page, server, "echo", number="1e400")
        page.wait_for_selector(".failed")
        print("1e400 is refused:", page.locator(".outcome .issue").first.inner_text())
