// How a call ended, what the model reads of it, and how it is kept.

import { reason } from "./api.js";
import { attempt, button, chip, copyButton, el, fill, json, long, tabs } from "./dom.js";
import { members, parse, write } from "./json.js";

const LOOK_MS = 2000;
const IMAGES = /^image\/(png|jpeg|gif|webp|avif)$/;

export function drawOutcome(shown, tool, api, known) {
	const { outcome, seconds, caller, approval, kept, recorded } = members(shown);
	const { kind, value, text, effect, error_id, issues, coercions, content, arguments: sent } = members(outcome);
	const isOk = kind === "ok";
	const facts = { took: `${(1000 * seconds.text).toFixed(1)} ms`, effect, caller, "error id": error_id };
	const panels = [["text", "What the model reads", () => long(text ?? "", "Text for the model")]];
	if (value !== undefined) panels.unshift(["value", "Value", () => json(value, "Value")]);
	if (sent) panels.push(["arguments", "Arguments as run", () => json(sent, "Arguments")]);
	const listed = (name, all) => all?.map(members).map(({ path, message, words }) => el(`p.${name}`, el("code", path.map((step) => step.text ?? step).join(".") || "arguments"), " ", words ?? message));
	return el(`div.card.${isOk ? "good" : "failed"}`,
		el("h2", isOk ? "Succeeded " : "Failed ", chip(kind, isOk ? "ok" : "error")),
		el("dl.row", Object.entries(facts).filter(([, fact]) => fact).map(([name, fact]) => el("div", el("dt", name), el("dd", fact)))),
		listed("issue", issues),
		listed("repair", coercions),
		approval && drawWaiting(members(approval), api),
		content?.map(drawPart),
		tabs("Outcome", panels, panels[0][0]),
		kept === false && known.keeps && el("p.issue", "The history could not be written: see the log."),
		recorded && drawKeeping(shown, tool, api, known));
}

function drawPart(part) {
	const kind = part.get("type");
	const { mimeType: type = "", blob, data = blob, text, uri = "" } = members(part.get("resource") ?? part);
	if (kind === "text") return;
	if (data && IMAGES.test(type)) return el("img", { src: `data:${type};base64,${data}`, alt: "An image of the result" });
	if (text !== undefined) return long(text, "A file of the result");
	const save = data && el("a", { href: `data:application/octet-stream;base64,${data}`, download: "result" }, "Save file");
	return el("p", `${kind} ${type} ${uri} `, save);
}

function drawWaiting({ path, why }, api) {
	if (!path) return el("p.issue", why);
	const place = el("div.note", { role: "status" }, "Waits for a decision in the ", el("a", { href: "inbox" }, "inbox"), ".");
	const look = async () => {
		try {
			const { status, result, problem, reason: words } = await api.get(`page/data${path}`);
			if (!/waiting|running/.test(status)) {
				const rest = result ?? problem;
				fill(place, `The call is ${status}. `, words, rest !== undefined && json(rest, "Result"));
				return;
			}
		} catch (error) {
			reason(error);
		}
		if (place.isConnected) setTimeout(look, LOOK_MS);
	};
	setTimeout(look, LOOK_MS);
	return place;
}

function drawKeeping(shown, tool, api, known) {
	const place = el("div");
	return el("div.run", el("div.row",
		known.saves && button(".small", "Save as a test", () => fill(place, drawSaving(shown.get("recorded"), tool, api))),
		[...shown.get("exports")].map(([kind, text]) => copyButton(`Copy ${kind}`, () => text))), place);
}

function drawSaving(recorded, tool, api) {
	const area = el("textarea.code", { rows: "8", id: "line", value: write(recorded, 2) });
	const said = el("p", { role: "status" });
	const save = () => attempt(said, async () => {
		const { is_new: isNew, path } = await api.get("page/data/save", parse(area.value));
		return `${isNew ? "Saved in" : "Stands already in"} ${path}. Run pytest.`;
	});
	return el("div.entries",
		tool.acts && el("p.repair", "This tool acts: the test acts each time that it runs."),
		el("label", { for: "line" }, "Only what is left here is compared. Remove what differs from call to call."),
		area, el("div.row", button(".primary", "Save", save)), said);
}
