// The calls that were made on this page, the newest first.

import { button, chip, el, fill, region } from "./dom.js";
import { members } from "./json.js";

export async function drawHistory(place, api) {
	const list = el("tbody");
	const more = el("p");
	const load = async (before) => {
		const { rows, next } = await api.get(`page/data/history?before=${before}`);
		list.append(...rows.map(drawRow));
		fill(more, next ? button("", "Older calls", () => load(next.text)) : list.childElementCount ? "" : "No calls yet.");
	};
	await load("");
	const heads = ["Tool", "Outcome", "When", "Took", "Arguments"].map((name) => el("th", { scope: "col" }, name));
	fill(place, el("a.back", { href: "#/" }, "← Tools"), el("h1", "History"), fill(region("div.scroll", "Calls"), el("table", el("thead", el("tr", heads)), list)), more);
}

function drawRow(row) {
	const { id, begun, tool, kind, seconds, preview } = members(row);
	const state = kind === "ok" ? "ok" : /running|approval/.test(kind) ? "warning" : "error";
	const link = el("a", { href: `#/tools/${encodeURIComponent(tool)}?call=${id.text}` }, tool);
	const took = seconds && `${(1000 * seconds.text).toFixed(0)} ms`;
	return el("tr", [link, chip(kind, state), new Date(1000 * begun.text).toLocaleString("en-GB"), took, el("code", preview)].map((cell) => el("td", cell)));
}
