// What each provider gets of a tool, what is lost, and a call on its wire.

import { attempt, el, json, select } from "./dom.js";
import { members } from "./json.js";

export function drawTargets(tool, api, known, textOf) {
	const place = el("div");
	const draw = () => attempt(place, async () => {
		const mode = strict.value === "off" ? false : strict.value;
		const asked = { tool: tool.name, target: target.value, strict: mode, text: textOf() };
		return drawView(tool, await api.get("page/data/wire", asked));
	});
	const target = select(known.targets.map((name) => [name]), sessionStorage.target ?? "openai", draw);
	const strict = select([["prefer", "where possible"], ["off"], ["require", "required"]], "prefer", draw);
	draw();
	return el("div.card", el("div.row", el("label", "Provider ", target), el("label", "Strict ", strict)), place);
}

function drawView(tool, { losses, problems, declaration, request, call, tokens, strict }) {
	const notes = new Map();
	for (const { pointer, kind, keyword, detail } of losses.map(members)) notes.set(pointer, [...(notes.get(pointer) ?? []), `${kind} ${keyword}: ${detail}`]);
	const refused = problems.map(members).map(({ pointer, reason, fix }) => el("p.issue", `${pointer} ${reason}; ${fix}`));
	if (!declaration) return el("div", el("p", "This provider takes no such tool."), refused);
	const facts = [`about ${tokens.text} tokens`, strict.includes(true) ? "strict" : "not strict", losses.length ? `${losses.length} notes, at their places` : "nothing is lost"];
	return el("div", el("p.quiet", facts.join(" · ")), refused, el("div.pair",
		el("div", el("h2", "Sent"), json(declaration, "Declaration as sent"), request.size > 0 && [el("h2", "Beside it"), json(request, "Rest of the request")], el("h2", "This call on the wire"), call ? json(call, "The call on the wire") : el("p.quiet", "The arguments are no JSON object.")),
		el("div", el("h2", "Your schema"), json(tool.inputSchema, "Your schema, with what is lost", notes), tool.outputSchema && [el("h2", "Of the result"), json(tool.outputSchema, "Schema of the result")])));
}
