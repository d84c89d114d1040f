// JSON Schema for forms: references followed, parts joined, null set apart.

import { equal } from "./json.js";

const EMPTY = new Map();
const UNIONS = ["anyOf", "oneOf"];
const CASES = ["if", "then", "else"];
const REFERENCES = ["$ref", "$dynamicRef"];
const MERGED = /^(\$|prop|requ|title|desc|def|exam)/;
const INFERRED = {
	object: ["properties", "additionalProperties", "patternProperties"],
	array: ["items", "prefixItems"],
	string: ["pattern", "minLength", "maxLength", "format"],
	number: ["minimum", "maximum"],
};
const KINDS = { string: "text", integer: "number", number: "number", object: "object", array: "array" };
const asMap = (value) => (value instanceof Map ? value : EMPTY);
export const asList = (value) => (Array.isArray(value) ? value : []);
const without = (node, ...keys) => new Map([...node].filter(([key]) => !keys.includes(key)));

export class Schema {
	constructor(root) {
		this.root = asMap(root);
	}

	// The node that a reference names; where there is none, any JSON.
	target(reference) {
		const fragment = String(reference).split("#")[1];
		if (fragment === undefined) return EMPTY;
		if (fragment && !fragment.startsWith("/")) return anchor(this.root, fragment) ?? EMPTY;
		const steps = attempt(() => decodeURIComponent(fragment), fragment).split("/").slice(1);
		return steps.reduce((node, step) => {
			const key = step.replaceAll("~1", "/").replaceAll("~0", "~");
			return Array.isArray(node) ? node[key] : asMap(node).get(key);
		}, this.root) ?? EMPTY;
	}

	resolve(schema, seen = []) {
		if (!(schema instanceof Map)) return schema === false ? new Map([["not", true]]) : EMPTY;
		const get = (keyword) => schema.get(keyword);
		const references = REFERENCES.map(get).filter((one) => one && !seen.includes(one));
		const inner = [...seen, ...references];
		const parts = [...references.map((one) => this.target(one)), ...asList(schema.get("allOf"))];
		// What holds in some cases: its fields are shown, and none of them is demanded.
		const cases = [...CASES.map(get), ...asMap(schema.get("dependentSchemas")).values()];
		let node = without(schema, "allOf", "then", "else", ...REFERENCES);
		for (const part of parts) node = join(this.resolve(part, inner), node, true);
		for (const part of cases) node = join(this.resolve(part, inner), node, false);
		return node;
	}

	classify(resolved) {
		const { node, isNullable } = this.withoutNull(resolved);
		const branches = this.branches(node);
		if (branches.length === 1) return { ...this.classify(branches[0]), isNullable: true };
		const found = { node, isNullable };
		if (node.has("const")) return { ...found, kind: "choice", values: [node.get("const")] };
		if (Array.isArray(node.get("enum"))) return { ...found, kind: "choice", values: node.get("enum") };
		if (branches.length) return { ...found, kind: "union", branches };
		const type = node.get("type") ?? Object.keys(INFERRED).find((one) => INFERRED[one].some((word) => node.has(word)));
		const values = { boolean: [true, false], null: [null] }[type];
		return { ...found, kind: values ? "choice" : KINDS[type] ?? "json", values };
	}

	withoutNull(resolved) {
		const node = new Map(resolved);
		const keep = (keyword, isNull) => {
			const all = asList(node.get(keyword));
			const rest = all.filter((one) => !isNull(one));
			if (!rest.length || rest.length === all.length) return false;
			node.set(keyword, rest);
			return true;
		};
		const isNull = (branch) => {
			const one = this.resolve(branch);
			return one.get("type") === "null" || one.get("const") === null;
		};
		const found = [keep("type", (one) => one === "null"), keep("enum", (one) => one === null), ...UNIONS.map((keyword) => keep(keyword, isNull))];
		const types = asList(node.get("type"));
		if (types.length === 1) node.set("type", types[0]);
		return { node, isNullable: found.includes(true) };
	}

	branches(node) {
		const keyword = UNIONS.find((one) => asList(node.get(one)).some((branch) => !isCondition(branch)));
		if (keyword) return node.get(keyword).map((branch) => this.resolve(new Map([["allOf", [branch, without(node, keyword)]]])));
		return asList(node.get("type")).map((type) => new Map(node).set("type", type));
	}
}

function anchor(node, name) {
	if (node instanceof Map && (node.get("$anchor") === name || node.get("$dynamicAnchor") === name)) return node;
	for (const one of node instanceof Map ? node.values() : asList(node)) {
		const found = anchor(one, name);
		if (found) return found;
	}
}

// Join a part into a node, whose own words win; a mere case adds properties alone.
// Where that loses a rule, "allOf" is left.
function join(part, node, isCertain) {
	const joined = new Map(isCertain ? [...part, ...node] : node);
	if (isCertain && [...part].some(([key, value]) => node.has(key) && !MERGED.test(key) && !equal(node.get(key), value))) joined.set("allOf", true);
	const ours = propertiesOf(node);
	const properties = new Map(ours);
	for (const [key, value] of propertiesOf(part)) {
		if (!ours.has(key)) properties.set(key, value);
		else if (isCertain) properties.set(key, new Map([["allOf", [ours.get(key), value]]]));
	}
	if (properties.size) joined.set("properties", properties);
	if (isCertain && part.has("required")) joined.set("required", [...requiredOf(part), ...requiredOf(node)]);
	return joined;
}

// A branch that only demands keys, or forbids them, is no form of its own.
const isCondition = (branch) => branch instanceof Map && (branch.has("required") || branch.has("not"))
	&& [...branch.keys()].every((key) => ["required", "not", "title", "description"].includes(key));

export const propertiesOf = (node) => asMap(node.get("properties"));
export const requiredOf = (node) => new Set(asList(node.get("required")));

// The schema of a key that is not declared; null where none may stand.
export function extraSchema(node, key) {
	for (const [pattern, schema] of asMap(node.get("patternProperties"))) {
		if (key === undefined || attempt(() => new RegExp(pattern, "u").test(key))) return schema;
	}
	const others = node.get("additionalProperties") ?? node.get("unevaluatedProperties") ?? EMPTY;
	return others === false ? null : others;
}

function attempt(act, otherwise) {
	try {
		return act();
	} catch {
		return otherwise;
	}
}

export function isMapLike(node) {
	const others = node.get("additionalProperties");
	return others === true || asMap(others).size > 0 || node.has("patternProperties") || (!propertiesOf(node).size && others !== false);
}

export const prefixOf = (node) => asList(node.get("prefixItems") ?? node.get("items"));
export function itemSchema(node, place) {
	const items = node.get(Array.isArray(node.get("items")) ? "additionalItems" : "items");
	return prefixOf(node)[place] ?? items ?? EMPTY;
}

export function typeName({ kind, node, values }) {
	if (kind === "choice") return values.length === 1 ? "constant" : values[0] === true ? "yes or no" : "choice";
	if (kind === "number") return node.get("type") === "integer" ? "integer" : "number";
	if (kind === "text") return node.get("format") ?? "text";
	return { object: "group", array: "list", union: "one of several", json: "any JSON" }[kind];
}

const BOUNDS = {
	minimum: "≥ *", exclusiveMinimum: "> *", maximum: "≤ *", exclusiveMaximum: "< *", multipleOf: "multiple of *",
	minLength: "≥ * characters", maxLength: "≤ * characters", pattern: "matches *", minItems: "≥ * items", maxItems: "≤ * items",
	uniqueItems: "no item twice",
};

const UNSHOWN = /^(not|if|allOf|depend.*|pattern.+|propertyN.*|contains)$/;

export function bounds(node) {
	const told = [];
	for (const [keyword, words] of Object.entries(BOUNDS)) if (node.get(keyword)) told.push(words.replace("*", node.get(keyword).text ?? (() => node.get(keyword))));
	const rest = [...node.keys()].filter((keyword) => UNSHOWN.test(keyword)).join(", ");
	if (rest) told.push(`no field shows all rules (${rest}): write JSON`);
	return told.join(", ");
}
