// Reads cases from standard input, loads each value into a form, and tells what the forms read back.

import { readFileSync } from "node:fs";
import { equal, parse, write } from "../../../src/toolhaft/serve/page/files/json.js";
import { Form } from "../../../src/toolhaft/serve/page/files/model.js";

const answers = parse(readFileSync(0, "utf8")).map((one) => {
	const schema = one.get("schema");
	const empty = new Form(schema);
	const fields = [empty.root, ...(empty.root.properties ?? [])];
	const answer = { untouched: write(empty.get()), told: fields.map((field) => field.bounds), different: [], raw: 0 };
	if (one.has("text")) {
		const form = new Form(schema);
		form.set(parse(one.get("text")));
		answer.read = write(form.get());
	}
	for (const value of one.get("values") ?? []) {
		const form = new Form(schema);
		form.set(value);
		if (!equal(form.get(), value)) answer.different.push([write(value), write(form.get())]);
		form.walk((field) => {
			answer.raw += field.state === "raw" && field.kind !== "json";
		});
	}
	return answer;
});
console.log(JSON.stringify(answers));
