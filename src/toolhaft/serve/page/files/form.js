// A form, drawn: each field says whether it is sent, and what as.

import { button, el, fill, select } from "./dom.js";
import { write } from "./json.js";
import { ABSENT, plain } from "./model.js";

const OPEN_DEPTH = 2;
const GROUPS = { object: members, array: items, union: branches };
const EMPTY = { text: '""', object: "{}", array: "[]" };
const FOCUS = "textarea, input, select, summary";
let ids = 0;

export function drawForm(form, onchange) {
	const root = form.root;
	if (root.kind !== "object" || root.state === "raw") return drawField(root, onchange, "Arguments");
	const empty = !root.properties.length && !root.takesMore && el("p.quiet", "It takes no arguments.");
	return el("div.form", root.bounds && el("p.help", root.bounds), marks(root), members(root, onchange), empty);
}

function drawField(field, onchange, label = field.title, more) {
	const id = `f${(ids += 1)}`;
	const place = el("div.field");
	const status = el("span.status", { id: `${id}-s` });
	const actions = el("span.actions");
	const update = () => {
		status.textContent = statusOf(field);
		const act = ([text, change]) => button(".small.faint", text, () => {
			change();
			draw();
			place.querySelector(FOCUS)?.focus();
			update();
		}, { label: `${text}: ${label}` });
		fill(actions, actionsOf(field).map(act), more);
		onchange();
	};
	const choose = (value) => {
		field.set(value);
		draw();
		update();
	};
	const draw = () => {
		const words = [field.node.get("description"), field.bounds].filter(Boolean).join(" · ");
		const help = words && el("p.help", { id: `${id}-h` }, words);
		const type = [el("span.type", field.type), field.isRequired && el("span.req", "required")];
		const offered = [help, field.state !== "raw" && suggestions(field, choose)];
		place.classList.toggle("bad", field.issues.length > 0);
		if (GROUPS[field.kind] && field.state !== "raw") fill(place, group(field, [el("span.name", label), type, status], [actions, offered], update), marks(field, id));
		else fill(place, el("div.head", el("label.name", { for: id }, label), type, status, actions), help, controlOf(field, id, update), offered[1], marks(field, id));
	};
	field.isOpen ??= field.isRequired && field.depth <= OPEN_DEPTH;
	draw();
	update();
	return place;
}

const marks = (field, id) => [
	field.issues.length > 0 && el("p.issue", { id: `${id}-i` }, field.issues.join("; ")),
	field.repairs.map((rule) => el("p.repair", `Repaired: ${rule}`)),
];

function statusOf(field) {
	if (!field.isSent) return "not sent";
	if (field.state === "raw") return "sent as JSON";
	if (field.state === "null") return "sends null";
	if (field.kind === "array") return field.sent.length ? `${field.sent.length} sent` : "sends []";
	if (field.kind === "object") return field.children().some((child) => child.isSent) ? "" : "sends {}";
	if (field.kind === "text" && !field.text) return 'sends ""';
	return field.kind === "number" && typeof field.read() === "string" ? "no number: sent as text" : "";
}

// What a person may choose besides a value.
function actionsOf(field) {
	const empty = EMPTY[field.kind];
	return [
		empty && !field.isSent && [`Send ${empty}`, () => field.setEmpty("set")],
		field.isNullable && field.state !== "null" && ["Send null", () => field.setEmpty("null")],
		field.kind !== "json" && (field.state === "raw" ? ["Use the field", () => field.clear()] : ["JSON", () => field.setRaw(textOf(field))]),
		(field.state !== "absent" || field.isSent) && ["Leave out", () => field.clear()],
	].filter(Boolean);
}

function textOf(field) {
	const value = field.faults().length ? ABSENT : field.get();
	return value === ABSENT ? "" : write(value, 2);
}

function controlOf(field, id, update) {
	const attributes = { id, "aria-describedby": `${id}-s ${id}-h ${id}-i`, "aria-invalid": field.issues.length > 0 && "true", autocomplete: "off" };
	if (field.kind === "choice" && field.state !== "raw") {
		const options = field.values.map((value, place) => [String(place), plain(value)]);
		return select([["", ""], ...options], field.state === "set" ? String(field.index) : "", choosing(field, update), attributes);
	}
	const isCode = field.state === "raw" || field.kind === "json";
	const oninput = ({ target }) => {
		if (field.state === "raw") field.text = target.value;
		else field.write(target.value);
		if (isCode) target.ariaInvalid = field.faults().length > 0;
		update();
	};
	const common = { ...attributes, oninput, value: field.text };
	if (field.kind === "number" && !isCode) return el("input", { ...common, inputmode: "decimal" });
	return el(isCode ? "textarea.code" : "textarea", { ...common, rows: "1" });
}

const choosing = (field, then) => ({ target }) => {
	if (target.value) field.choose(Number(target.value));
	else field.clear();
	then();
};

const suggestions = (field, choose) => field.suggestions.length > 0 && el("div.row", field.suggestions.map(([label, value]) => {
	const shown = plain(value).slice(0, 60);
	return button(".suggestion", [el("span.quiet", `${label} `), shown], () => choose(value), { label: `Use the ${label} ${shown}: ${field.title}` });
}));

function group(field, head, top, update) {
	const inner = el("div.inner");
	const reveal = () => {
		if (field.isOpen && !inner.childElementCount) fill(inner, top, field.state !== "null" && GROUPS[field.kind](field, update));
	};
	const ontoggle = (event) => {
		field.isOpen = event.target.open;
		reveal();
	};
	reveal();
	return el("details", { open: field.isOpen, ontoggle }, el("summary", head), inner);
}

function growing(name, parts, label, add, update) {
	const list = el(name);
	const draw = () => {
		fill(list, parts(draw));
		update();
	};
	fill(list, parts(draw));
	return el("div.entries", list, label && button(".small", label, () => {
		add();
		draw();
		list.lastElementChild.querySelector(FOCUS).focus();
	}));
}

const removal = (name, remove, draw) => button(".small.faint", "Remove", () => {
	remove();
	draw();
}, { label: `Remove ${name}` });

function members(field, update) {
	const drawn = field.properties.map((one) => drawField(one, update));
	const entries = (draw) => field.extras.map((entry) => drawEntry(field, entry, draw, update));
	const label = field.takesMore && (field.isMap ? "Add entry" : "Add another key");
	const hasMore = field.takesMore || field.extras.length > 0;
	return el("div.members", drawn, hasMore && growing("div.members", entries, label, () => field.addEntry(), update));
}

function drawEntry(field, entry, draw, update) {
	const oninput = ({ target }) => {
		field.renameEntry(entry, target.value);
		target.ariaInvalid = field.twice.includes(entry.key);
		update();
	};
	const onchange = () => field.node.has("patternProperties") && draw();
	const remove = removal(`the key ${entry.key}`, () => { field.extras = field.extras.filter((one) => one !== entry); }, draw);
	const key = el("input", { value: entry.key, oninput, onchange, label: "Key", placeholder: "key" });
	return el("div.entry", key, drawField(entry.field, update, "Value", remove));
}

function items(field, update) {
	const drawn = (draw) => field.items.map((item, place) => el("li", drawField(item, update, item.title, removal(`item ${place + 1}`, () => field.remove(item), draw))));
	return growing("ol.items", drawn, !field.isFixed && "Add item", () => { field.add().isOpen = true; }, update);
}

function branches(field, update) {
	const place = el("div");
	const draw = () => fill(place, field.branch && branch(field.branch, update));
	const onchange = choosing(field, () => {
		draw();
		update();
	});
	const options = field.names.map((name, number) => [String(number), name]);
	draw();
	return [select([["", "choose…"], ...options], String(field.chosen ?? ""), onchange, { label: `Kind of ${field.title}` }), place];
}

const branch = (field, update) => (field.kind === "object" && field.state !== "raw" ? [marks(field), members(field, update)] : drawField(field, update, "Value"));
