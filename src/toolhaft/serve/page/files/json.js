// Exact JSON: numbers keep their digits, objects are Maps that keep their keys.

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const SPACE = /[ \t\n\r]*/y;
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const WORDS = { true: true, false: false, null: null };
const DEEPEST = 400;

export class Num {
	constructor(text) {
		this.text = text;
	}
}

export class JsonError extends Error {
	constructor(reason, text, at) {
		const lines = text.slice(0, at).split("\n");
		super(`${reason} at line ${lines.length}, column ${lines.at(-1).length + 1}`);
	}
}

export const isNumber = (text) => {
	NUMBER.lastIndex = 0;
	return NUMBER.exec(text)?.[0] === text;
};

export function parse(text) {
	let at = 0;
	const fail = (reason) => {
		throw new JsonError(at < text.length ? reason : "the text ends", text, at);
	};
	const match = (pattern) => {
		pattern.lastIndex = at;
		const found = pattern.exec(text)?.[0];
		at += found?.length ?? 0;
		return found;
	};
	const take = (character) => {
		match(SPACE);
		if (text[at] !== character) return false;
		at += 1;
		return true;
	};
	const string = () => JSON.parse(match(STRING) ?? fail("expected a text in quotes"));
	const members = (depth) => {
		const found = new Map();
		if (take("}")) return found;
		do {
			match(SPACE);
			const key = string();
			if (found.has(key)) fail(`the key ${write(key)} stands there twice`);
			if (!take(":")) fail("expected a colon");
			found.set(key, value(depth));
		} while (take(","));
		return take("}") ? found : fail("expected a comma or }");
	};
	const items = (depth) => {
		const found = [];
		if (take("]")) return found;
		do found.push(value(depth)); while (take(","));
		return take("]") ? found : fail("expected a comma or ]");
	};
	const value = (depth) => {
		if (depth > DEEPEST) fail("too many levels");
		if (take("{")) return members(depth + 1);
		if (take("[")) return items(depth + 1);
		if (text[at] === '"') return string();
		const number = match(NUMBER);
		if (number) return new Num(number);
		const word = Object.keys(WORDS).find((one) => text.startsWith(one, at)) ?? fail("expected a value");
		at += word.length;
		return WORDS[word];
	};
	const result = value(0);
	match(SPACE);
	if (at < text.length) fail("there is more after the end");
	return result;
}

export function write(value, indent = 0, level = 0) {
	if (value instanceof Num) return value.text;
	if (value?.constructor === Object) return write(new Map(Object.entries(value)), indent, level);
	const isMap = value instanceof Map;
	if (!isMap && !Array.isArray(value)) return JSON.stringify(value);
	const inner = indent ? `\n${" ".repeat(indent * (level + 1))}` : "";
	const parts = [...value.entries()].map(([key, one]) => `${inner}${isMap ? `${write(key)}:${indent ? " " : ""}` : ""}${write(one, indent, level + 1)}`);
	const [open, close] = isMap ? "{}" : "[]";
	const end = indent && parts.length ? `\n${" ".repeat(indent * level)}` : "";
	return open + parts.join(",") + end + close;
}

const sorted = (value) => {
	if (Array.isArray(value)) return value.map(sorted);
	return value instanceof Map ? new Map([...value].sort(([one], [other]) => (one < other ? -1 : 1)).map(([key, one]) => [key, sorted(one)])) : value;
};
export const equal = (one, other) => write(sorted(one)) === write(sorted(other));

// An answer's members by name.
export const members = (map) => Object.fromEntries(map);
export const pointer = (path) => path.map((key) => `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
