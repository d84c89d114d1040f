// A form as data. A field is absent, null, set by its own control, or raw: JSON text, for a value
// that its control cannot show. What was set reads back exactly; what is untouched is absent.

import { JsonError, Num, equal, isNumber, parse, write } from "./json.js";
import { Schema, asList, bounds, extraSchema, isMapLike, itemSchema, prefixOf, propertiesOf, requiredOf, typeName } from "./schema.js";

export const ABSENT = Symbol("absent");
const MOST_TRIES = 3;
const MOST_SETS = 5000;

class Field {
	constructor(form, found, key, isRequired, parent) {
		Object.assign(this, found, { form, key, isRequired, parent, issues: [], repairs: [] });
		this.type = typeName(found);
		this.bounds = bounds(found.node);
		this.depth = parent ? parent.depth + 1 : 0;
		this.clear();
	}

	get title() {
		return typeof this.key === "number" ? this.node.get("title") ?? `Item ${this.key + 1}` : this.key;
	}

	// The field itself, or the union of which it is the branch.
	get place() {
		return this.branchOf?.place ?? this;
	}

	get path() {
		return this.parent ? [...this.parent.path, this.parent.keyOf(this.place)] : [];
	}

	// Offered values: none is sent unless a person chooses it.
	get suggestions() {
		const offered = asList(this.node.get("examples")).slice(0, 5).map((value) => ["example", value]);
		return this.node.has("default") ? [["default", this.node.get("default")], ...offered] : offered;
	}

	get() {
		if (this.state === "null") return null;
		if (this.state !== "raw") return this.read();
		return this.text.trim() ? parse(this.text) : ABSENT;
	}

	get isSent() {
		return this.faults().length > 0 || this.get() !== ABSENT;
	}

	set(value) {
		this.form.sets += 1;
		this.clear();
		if (value === ABSENT) return;
		this.state = value === null && this.isNullable ? "null" : "set";
		if (this.state === "set" && !(this.show(value) && equal(this.read(), value))) this.setRaw(write(value, 2));
	}

	setRaw(text) {
		this.setEmpty("raw");
		this.text = text;
	}

	setEmpty(state) {
		this.clear();
		this.state = state;
	}

	clear() {
		Object.assign(this, { state: "absent", text: "", index: undefined, built: undefined, extras: [], branch: undefined, chosen: undefined });
	}

	write(text) {
		this.text = text;
		this.state = "set";
	}

	show() {
		return false;
	}

	read() {
		return this.state === "set" ? this.text : ABSENT;
	}

	get fits() {
		return (this.state !== "raw" || this.kind === "json") && this.children().every((child) => child.fits);
	}

	faults() {
		if (this.state !== "raw") return this.children().flatMap((child) => child.faults());
		try {
			this.get();
			return [];
		} catch (error) {
			if (error instanceof JsonError) return [{ field: this, message: error.message }];
			throw error;
		}
	}

	children() {
		return [];
	}

	find() {
		return this;
	}
}

class Text extends Field {
	show(value) {
		this.text = value;
		return typeof value === "string";
	}
}

// What is no number is sent as the text that it is.
class Numeric extends Text {
	show(value) {
		return super.show(value?.text ?? value) && this.text !== "";
	}

	read() {
		return this.state === "set" && isNumber(this.text) ? new Num(this.text) : super.read();
	}

	write(text) {
		this.text = text.trim();
		this.state = this.text ? "set" : "absent";
	}
}

class Json extends Field {
	write(text) {
		this.setRaw(text);
	}
}

class Choice extends Field {
	show(value) {
		this.index = this.values.findIndex((one) => equal(one, value));
		return this.index >= 0;
	}

	read() {
		return this.state === "set" ? this.values[this.index] : ABSENT;
	}

	choose(index) {
		this.setEmpty("set");
		this.index = index;
	}
}

// Its fields are built when they are first seen: that ends recursion.
class Group extends Field {
	get properties() {
		const required = requiredOf(this.node);
		this.built ??= [...propertiesOf(this.node)].map(([key, schema]) => this.form.field(schema, key, required.has(key), this));
		return this.built;
	}

	get takesMore() {
		return extraSchema(this.node) !== null;
	}

	get isMap() {
		return isMapLike(this.node);
	}

	keyOf(field) {
		return this.extras.find((entry) => entry.field.place === field)?.key ?? field.key;
	}

	show(value) {
		if (!(value instanceof Map)) return false;
		const declared = propertiesOf(this.node);
		for (const field of this.properties) if (value.has(field.key)) field.set(value.get(field.key));
		for (const [key, one] of value) if (!declared.has(key)) this.addEntry(key).set(one);
		return true;
	}

	read() {
		const named = this.children().map((field) => [this.keyOf(field), field.get()]);
		const members = new Map(named.filter(([, value]) => value !== ABSENT));
		return members.size || this.state === "set" ? members : ABSENT;
	}

	addEntry(key = "") {
		this.extras.push({ key, field: this.extraField(key) });
		return this.extras.at(-1).field;
	}

	extraField(key) {
		return this.form.field(extraSchema(this.node, key) ?? new Map(), key, false, this);
	}

	// Another key may have another schema; what was typed stays where it can.
	renameEntry(entry, key) {
		entry.key = key;
		if (!this.node.has("patternProperties") || entry.field.faults().length) return;
		const value = entry.field.get();
		entry.field = this.extraField(key);
		entry.field.set(value);
	}

	get twice() {
		const keys = [...propertiesOf(this.node).keys(), ...this.extras.map((entry) => entry.key)];
		return keys.filter((key, place) => keys.indexOf(key) !== place);
	}

	faults() {
		const own = this.twice.map((key) => ({ field: this, message: `the key ${write(key)} stands there twice` }));
		return [...own, ...super.faults()];
	}

	children() {
		return [...(this.built ?? []), ...this.extras.map((entry) => entry.field)];
	}

	find([key, ...rest]) {
		if (this.state === "raw") return this;
		const child = this.extras.find((entry) => entry.key === key)?.field ?? this.properties.find((field) => field.key === key);
		return child?.find(rest) ?? this;
	}
}

class List extends Field {
	get items() {
		this.built ??= prefixOf(this.node).map((_, place) => this.itemAt(place));
		return this.built;
	}

	get isFixed() {
		return this.node.get("items") === false || this.node.get("additionalItems") === false;
	}

	get sent() {
		return this.items.filter((item) => item.isSent);
	}

	itemAt(place) {
		return this.form.field(itemSchema(this.node, place), place, false, this);
	}

	keyOf(field) {
		return this.items.slice(0, this.items.indexOf(field)).filter((item) => item.isSent).length;
	}

	show(value) {
		if (!Array.isArray(value)) return false;
		this.built = value.map((_, place) => this.itemAt(place));
		this.built.forEach((item, place) => item.set(value[place]));
		return true;
	}

	read() {
		const values = this.children().map((item) => item.get()).filter((value) => value !== ABSENT);
		return values.length || this.state === "set" ? values : ABSENT;
	}

	add() {
		this.items.push(this.itemAt(this.items.length));
		return this.items.at(-1);
	}

	remove(item) {
		this.built = this.items.filter((one) => one !== item);
		this.built.forEach((one, place) => { one.key = place; });
		this.state = "set";
	}

	children() {
		return this.built ?? [];
	}

	find([place, ...rest]) {
		return (this.state !== "raw" && this.sent[place]?.find(rest)) || this;
	}
}

class Union extends Field {
	get names() {
		return this.branches.map((branch, place) => this.form.nameOf(branch, place));
	}

	make(place) {
		const field = this.form.field(this.branches[place], this.key, this.isRequired, this.parent);
		field.branchOf = this;
		return field;
	}

	// The constants that tell a branch from others are part of a person's choice.
	choose(place) {
		this.setEmpty("set");
		this.chosen = place;
		this.branch = this.make(place);
		const parts = this.branch.kind === "object" ? this.branch.properties.filter((field) => field.isRequired) : [this.branch];
		for (const field of parts) if (field.values?.length === 1) field.choose(0);
	}

	show(value) {
		const misfits = this.branches.map((branch) => this.form.misfit(branch, value));
		const ranked = [...misfits.keys()].filter((place) => misfits[place] < Infinity).sort((one, other) => misfits[one] - misfits[other]);
		for (const place of ranked.slice(0, this.form.sets > MOST_SETS ? 1 : MOST_TRIES)) {
			const branch = this.make(place);
			branch.set(value);
			if (!this.branch || branch.fits) Object.assign(this, { branch, chosen: place });
			if (branch.fits) break;
		}
		return Boolean(this.branch);
	}

	read() {
		return this.branch?.get() ?? (this.branch ? null : ABSENT);
	}

	children() {
		return this.branch ? [this.branch] : [];
	}

	find(path) {
		return this.branch?.find(path) ?? this;
	}
}

export const plain = (value) => (typeof value === "string" && value !== "" ? value : write(value));

const CLASSES = { text: Text, number: Numeric, choice: Choice, json: Json, object: Group, array: List, union: Union };

export class Form {
	constructor(schema) {
		this.schema = new Schema(schema);
		this.sets = 0;
		this.root = this.field(this.schema.root, "", true);
		this.root.isOpen = true;
	}

	field(schema, key, isRequired, parent) {
		const found = this.found(schema);
		return new CLASSES[found.kind](this, found, key, isRequired, parent);
	}

	found(schema) {
		return this.schema.classify(this.schema.resolve(schema));
	}

	get() {
		const value = this.root.get();
		return value === ABSENT ? new Map() : value;
	}

	set(value) {
		this.sets = 0;
		this.root.set(value);
		if (this.root.kind === "object" && this.root.state === "set") this.root.state = "absent";
	}

	faults() {
		return this.root.faults();
	}

	misfit(branch, value) {
		const { kind, node, values, isNullable } = this.found(branch);
		if (kind === "choice" && values.some((one) => equal(one, value))) return 0;
		if (value === null) return isNullable || kind === "json" || kind === "union" ? 1 : Infinity;
		if (kind === "json" || kind === "union") return 5;
		const fits = { text: typeof value === "string", number: value instanceof Num, object: value instanceof Map, array: Array.isArray(value) }[kind];
		if (!fits) return Infinity;
		if (kind === "number") return node.get("type") === "integer" && /[.eE]/.test(value.text) ? 2 : 0;
		if (kind !== "object") return 0;
		const declared = propertiesOf(node);
		const isWrong = (one, key) => {
			const inner = this.found(declared.get(key));
			return inner.kind === "choice" && !(one === null && inner.isNullable) && !inner.values.some((known) => equal(known, one));
		};
		const others = isMapLike(node) ? 0 : 10;
		const missing = [...requiredOf(node)].filter((key) => !value.has(key));
		return [...value].reduce((sum, [key, one]) => sum + (declared.has(key) ? isWrong(one, key) * 1000 : others), 20 * missing.length);
	}

	nameOf(branch, place) {
		const found = this.found(branch);
		const properties = [...propertiesOf(found.node)];
		const constants = properties.filter(([, one]) => one.has?.("const")).map(([key, one]) => `${key}: ${plain(one.get("const"))}`);
		const keys = properties.slice(0, 3).map(([key]) => key).join(", ");
		const values = found.values?.map(plain).join(", ").slice(0, 60);
		return branch.get("title") ?? (constants.join(", ") || values || `${typeName(found)} ${keys || (found.kind === "object" ? place + 1 : "")}`);
	}

	mark(issues, repairs) {
		this.walk((field) => Object.assign(field, { issues: [], repairs: [] }));
		for (const { path, message } of issues) this.open(path).issues.push(message);
		for (const { path, words } of repairs) this.open(path).repairs.push(words);
	}

	open(path) {
		const found = this.root.find(path);
		for (let field = found; field; field = field.branchOf ?? field.parent) field.isOpen = true;
		return found;
	}

	walk(visit, field = this.root) {
		visit(field);
		for (const child of field.children()) this.walk(visit, child);
	}
}
