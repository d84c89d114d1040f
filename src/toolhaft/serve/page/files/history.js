// The calls that were made on this page, the newest first.

import { button, chip, el, fill, safe } from "./dom.js";

export async function drawHistory(place, api) {
	const rows = el("tbody");
	const more = el("p");
	const load = async (before) => {
		const page = await api.get(`page/data/history${before ? `?before=${before}` : ""}`);
		const next = page.get("next");
		rows.append(...page.get("rows").map(drawRow));
		fill(more, next ? button("", "Older calls", () => load(next.text)) : rows.childElementCount ? "" : "No call was made yet.");
	};
	await load();
	const heads = ["When", "Tool", "Outcome", "Took", "Arguments"].map((name) => el("th", { scope: "col" }, name));
	const table = el("div.scroll", { tabindex: "0", role: "region", label: "Calls" }, el("table", el("thead", el("tr", heads)), rows));
	fill(place, el("a.back", { href: "#/" }, "← All tools"), el("h1", "History"), table, more);
}

function drawRow(row) {
	const kind = row.get("kind");
	const when = new Date(1000 * row.get("begun").text).toLocaleString("en-GB");
	const state = kind === "ok" ? "ok" : /running|approval/.test(kind) ? "warning" : "error";
	const link = el("a", { href: `#/tools/${encodeURIComponent(row.get("tool"))}?call=${row.get("id").text}` }, safe(row.get("tool")));
	const took = row.get("seconds") && `${(1000 * row.get("seconds").text).toFixed(0)} ms`;
	return el("tr", [when, link, chip(kind, state), took, el("code", safe(row.get("preview")))].map((cell) => el("td", cell)));
}
