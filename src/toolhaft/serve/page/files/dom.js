// Elements are made of nodes and attributes alone: no text is ever read as markup.

import { reason } from "./api.js";
import { Num, pointer, write } from "./json.js";

const MOST = 60_000;
const HIDDEN = /(?![\t\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

// `el("p.quiet", { id: "x" }, "words", child)`: attributes and children may be left out.
export function el(selector, ...rest) {
	const [name, ...classes] = selector.split(".");
	const element = document.createElement(name);
	element.classList.add(...classes);
	const attributes = rest[0]?.constructor === Object ? rest.shift() : {};
	for (const [key, value] of Object.entries(attributes)) {
		if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
		else if (key === "value") element.value = value;
		else if (key === "label") element.ariaLabel = safe(value);
		else if ((value ?? false) !== false) element.setAttribute(key, value === true ? "" : value);
	}
	return fill(element, rest);
}

export function fill(element, ...children) {
	element.replaceChildren(...children.flat(9).filter((child) => (child ?? false) !== false).map((child) => (child instanceof Node ? child : safe(child))));
	return element;
}

export const button = (kind, label, onclick, attributes) => el(`button${kind}`, { type: "button", onclick, ...attributes }, label);
export const chip = (text, kind) => el(`span.chip.${kind}`, text);

// What nobody sees is shown by its code point.
const safe = (text) => String(text).replace(HIDDEN, (one) => `\\u{${one.codePointAt(0).toString(16)}}`);

export const announce = (text) => {
	document.getElementById("said").textContent = text;
};

// Shows what `draw` gives, or the reason why it could not.
export async function attempt(place, draw) {
	try {
		fill(place, await draw());
	} catch (error) {
		fill(place, el("span.issue", { role: "alert" }, reason(error)));
		return error;
	}
}

// JSON in colours, with notes at the nodes of their pointers.
export function json(value, label, notes = new Map(), most = MOST) {
	const text = write(value, 2);
	if (text.length > MOST) return long(text, label, most);
	const out = region("pre.json", label);
	show(out, value, [], notes, "\n");
	return out;
}

export const region = (name, label) => el(name, { tabindex: "0", role: "region", label });

export function long(text, label, most = MOST) {
	const out = fill(region("pre.json", label), text.slice(0, most));
	const rest = text.length - most;
	return rest > 0 ? el("div", out, el("p.quiet", `… ${rest} characters more`)) : out;
}

function show(out, value, path, notes, line) {
	const isMap = value instanceof Map;
	const entries = isMap || Array.isArray(value) ? [...value.entries()] : [];
	const said = (notes.get(pointer(path)) ?? []).map((text) => el("span.note", text));
	if (!entries.length) {
		const kind = value instanceof Num ? "n" : typeof value === "string" ? "s" : "w";
		out.append(el(`span.${kind}`, write(value)), ...said);
		return;
	}
	out.append(isMap ? "{" : "[", ...said);
	entries.forEach(([key, one], place) => {
		out.append(place ? "," : "", `${line}  `);
		if (isMap) out.append(el("span.k", write(key)), ": ");
		show(out, one, [...path, key], notes, `${line}  `);
	});
	out.append(line, isMap ? "}" : "]");
}

export const copyButton = (label, text) => button(".small", label, async () => {
	await navigator.clipboard.writeText(text());
	announce("Copied");
});

export const select = (options, chosen, onchange, attributes = {}) => el("select", { onchange, ...attributes }, options.map(([value, words]) => el("option", { value, selected: value === chosen }, words ?? value)));

// Tabs by the ARIA practices; a panel is drawn when it is first shown.
export function tabs(name, panels, chosen, onchoose = () => {}) {
	const id = (key) => `${name}-${key}`;
	const bodies = panels.map(([key]) => el("div", { role: "tabpanel", id: id(key), "aria-labelledby": `${id(key)}-tab` }));
	const choose = (place) => {
		if (onchoose(panels[place][0]) === false) return;
		[...list.children].forEach((tab, other) => {
			tab.ariaSelected = other === place;
			tab.tabIndex = other === place ? 0 : -1;
			bodies[other].hidden = other !== place;
		});
		if (!bodies[place].childElementCount) bodies[place].append(panels[place][2]());
	};
	const onkeydown = (event) => {
		const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
		if (!step) return;
		event.preventDefault();
		const place = ([...list.children].indexOf(event.target) + step + panels.length) % panels.length;
		choose(place);
		list.children[place]?.focus();
	};
	const tab = ([key, label], place) => button("", label, () => choose(place), { role: "tab", id: `${id(key)}-tab`, "aria-controls": id(key) });
	const list = el("div", { role: "tablist", label: name, onkeydown }, panels.map(tab));
	choose(Math.max(0, panels.findIndex(([key]) => key === chosen)));
	return el("div", list, bodies);
}
