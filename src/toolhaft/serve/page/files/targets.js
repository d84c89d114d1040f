// What each provider gets of a tool, what is lost, and a call on its wire.

import { reason } from "./api.js";
import { el, fill, json, safe, select } from "./dom.js";

export function drawTargets(tool, api, known, textOf) {
	const place = el("div");
	const draw = async () => {
		const mode = strict.value === "off" ? false : strict.value;
		const asked = { tool: tool.get("name"), target: target.value, strict: mode, text: textOf() };
		try {
			fill(place, drawView(tool, await api.get("page/data/wire", asked)));
		} catch (error) {
			fill(place, el("p.issue", safe(reason(error))));
		}
	};
	const target = select(known.get("targets").map((name) => [name]), sessionStorage.getItem("target") ?? "openai", draw);
	const strict = select([["prefer", "where possible"], ["off"], ["require", "required"]], "prefer", draw);
	draw();
	return el("div.card", el("div.row.pick", el("label", "Provider ", target), el("label", "Strict ", strict)), place);
}

function drawView(tool, view) {
	const losses = view.get("losses");
	const notes = new Map();
	for (const loss of losses) {
		const [at, kind, keyword, detail] = ["pointer", "kind", "keyword", "detail"].map((key) => loss.get(key));
		notes.set(at, [...(notes.get(at) ?? []), `${kind} ${keyword}: ${detail}`]);
	}
	const problems = view.get("problems").map((one) => el("p.issue", safe(`${one.get("pointer")} ${one.get("reason")}; ${one.get("fix")}`)));
	const declaration = view.get("declaration");
	if (!declaration) return el("div", el("p", "This provider takes no such tool."), problems);
	const rest = view.get("request");
	const call = view.get("call");
	const facts = [`about ${view.get("tokens").text} tokens`, view.get("strict").includes(true) ? "strict" : "not strict", losses.length ? `${losses.length} notes, at their places` : "nothing is lost"];
	return el("div", el("p.quiet", facts.join(" · ")), problems, el("div.pair",
		el("div", el("h2", "Sent"), json(declaration, "Declaration as sent"), rest.size > 0 && [el("h2", "Beside it"), json(rest, "Rest of the request")], el("h2", "This call on the wire"), call ? json(call, "The call on the wire") : el("p.quiet", "The arguments are no JSON object.")),
		el("div", el("h2", "Your schema"), json(tool.get("inputSchema"), "Your schema, with what is lost", notes))));
}
