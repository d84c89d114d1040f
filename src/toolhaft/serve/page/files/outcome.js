// How a call ended, what the model reads of it, and how it is kept.

import { reason } from "./api.js";
import { button, chip, copyButton, el, fill, json, long, safe, tabs } from "./dom.js";
import { parse, write } from "./json.js";

const LOOK_MS = 2000;
const IMAGES = /^image\/(png|jpeg|gif|webp|avif)$/;

export function drawOutcome(shown, tool, api, known) {
	const outcome = shown.get("outcome");
	const get = (key) => outcome.get(key);
	const isOk = get("kind") === "ok";
	const facts = {
		took: `${(1000 * shown.get("seconds").text).toFixed(1)} ms`,
		effect: get("effect"),
		caller: shown.get("caller"),
		"error id": get("error_id"),
	};
	const panels = [["text", "What the model reads", () => long(get("text") ?? "", "Text for the model")]];
	if (outcome.has("value")) panels.unshift(["value", "Value", () => json(get("value"), "Value")]);
	if (outcome.has("arguments")) panels.push(["arguments", "Arguments as run", () => json(get("arguments"), "Arguments")]);
	const listed = (key, kind, words) => get(key)?.map((one) => el(`p.${kind}`, el("code", safe(one.get("path").map((step) => step.text ?? step).join(".")) || "arguments"), " ", safe(words(one))));
	return el(`div.card.${isOk ? "good" : "failed"}`,
		el("h2", isOk ? "Succeeded " : "Failed ", chip(get("kind"), isOk ? "ok" : "error")),
		el("dl.row", Object.entries(facts).filter(([, value]) => value).map(([name, value]) => el("div", el("dt", name), el("dd", safe(value))))),
		listed("issues", "issue", (one) => one.get("message")),
		listed("coercions", "repair", (one) => one.get("words")),
		shown.get("approval") && drawWaiting(shown.get("approval"), api),
		get("content")?.map(drawPart),
		tabs("Outcome", panels, panels[0][0]),
		shown.get("kept") === false && known.get("keeps") && el("p.issue", "The history could not be written: see the log."),
		shown.get("recorded") && drawKeeping(shown, tool, api, known));
}

function drawPart(part) {
	const inner = part.get("resource") ?? part;
	const type = inner.get("mimeType") ?? "";
	const data = inner.get("data") ?? inner.get("blob");
	if (part.get("type") === "text") return undefined;
	if (data && IMAGES.test(type)) return el("img", { src: `data:${type};base64,${data}`, alt: "An image of the result" });
	if (inner.has("text")) return long(inner.get("text"), "A file of the result");
	const save = data && el("a", { href: `data:application/octet-stream;base64,${data}`, download: "result" }, "Save file");
	return el("p", safe(`${part.get("type")} ${type} ${inner.get("uri") ?? ""} `), save);
}

function drawWaiting(approval, api) {
	const path = approval.get("path");
	if (!path) return el("p.issue", safe(approval.get("why")));
	const place = el("div.note", { role: "status" }, "Waits for a decision in the ", el("a", { href: "inbox" }, "inbox"), ".");
	const look = async () => {
		try {
			const call = await api.get(`page/data${path}`);
			const status = call.get("status");
			if (!/waiting|running/.test(status)) {
				const rest = call.get("result") ?? call.get("problem");
				fill(place, `The call is ${status}. `, safe(call.get("reason") ?? ""), rest === undefined ? "" : json(rest, "Result"));
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
		known.get("saves") && button(".small", "Save as a test", () => fill(place, drawSaving(shown.get("recorded"), tool, api))),
		[...shown.get("exports")].map(([kind, text]) => copyButton(`Copy ${kind}`, () => text))), place);
}

function drawSaving(recorded, tool, api) {
	const area = el("textarea.code", { rows: "8", id: "line", value: write(recorded, 2) });
	const said = el("p", { role: "status" });
	const save = async () => {
		try {
			const answer = await api.get("page/data/save", parse(area.value));
			said.textContent = safe(`${answer.get("is_new") ? "Saved in" : "Stands already in"} ${answer.get("path")}. Run pytest.`);
		} catch (error) {
			said.textContent = safe(reason(error));
		}
	};
	return el("div.entries",
		tool.get("acts") && el("p.issue", "This tool acts: the test acts each time that it runs."),
		el("label", { for: "line" }, "Remove what differs from call to call, such as a time: only what is left is compared."),
		area, el("div.row", button(".primary", "Save", save)), said);
}
