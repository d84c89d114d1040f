// The list of tools, one tool at a time, the history, and the inbox.

import { Api, reason, takeToken } from "./api.js";
import { announce, chip, el, fill, select } from "./dom.js";
import { drawHistory } from "./history.js";
import { drawInbox } from "./inbox.js";
import { members } from "./json.js";
import { drawTool } from "./tool.js";

const MOST_ROWS = 100;
const FEWEST = 3;
const LOOK_MS = 3000;

const isInbox = location.pathname.endsWith("/inbox");
const key = isInbox ? "toolhaft approver" : "toolhaft page";
const main = el("main");
const gone = el("p.gone", { role: "alert", hidden: true });
const nav = el("nav", { label: "Page" });
const api = new Api(key, (isGone) => {
	gone.hidden = !isGone;
	gone.textContent = isGone ? "The server does not answer. What you typed is kept." : "";
});
let known;
let costs = new Map();

document.body.append(el("header", el("strong", "toolhaft"), nav), gone, el("p.unseen", { id: "said", role: "status" }), main);

function askToken(words) {
	const field = el("input", { type: "password", id: "token", autocomplete: "off", required: true });
	const onsubmit = (event) => {
		event.preventDefault();
		sessionStorage[key] = field.value.trim();
		start();
	};
	fill(main, el("form.card.narrow", { onsubmit }, el("h1", isInbox ? "Inbox" : "Tools"), el("p", words), el("label", { for: "token" }, "Token"), field, el("button.primary", "Open")));
	field.focus();
}

function fail(place, error) {
	if (error.status !== 401) return fill(place, el("p.card.issue", { role: "alert" }, reason(error)));
	delete sessionStorage[key];
	clearInterval(looking);
	return askToken("That token was not accepted.");
}

const list = el("ul.tools");
const count = el("p.quiet", { role: "status" });
const search = el("input", { type: "search", placeholder: "Search tools", label: "Search tools", oninput: drawList });
const picked = el("label.row.quiet");
const content = el("section.content", { tabindex: "-1" });

async function loadTools() {
	known = await api.get("page/data/tools");
	known.tools = known.tools.map(members);
	for (const tool of known.tools) {
		tool.words = `${tool.name} ${tool.title ?? ""} ${tool.summary}`.toLowerCase();
		tool.group = tool.name.split(/[_./:-]/, 1)[0];
	}
	const target = sessionStorage.target ?? "openai";
	fill(picked, "Tokens at", select(known.targets.map((name) => [name]), target, (event) => survey(event.target.value)));
	drawList();
	survey(target);
}

async function survey(target) {
	sessionStorage.target = target;
	costs = (await api.get(`page/data/survey?target=${target}`).catch(reason)).tools ?? new Map();
	drawList();
}

function drawList() {
	const words = search.value.toLowerCase().split(/\s+/);
	const tools = known.tools;
	const found = tools.filter((tool) => words.every((word) => tool.words.includes(word)));
	const sizes = new Map();
	for (const { group } of found) sizes.set(group, (sizes.get(group) ?? 0) + 1);
	let last = "";
	fill(list, found.slice(0, MOST_ROWS).map((tool) => {
		const group = sizes.size > 1 && sizes.get(tool.group) >= FEWEST ? tool.group : "";
		const head = group !== last && el("li.group", group || "others");
		last = group;
		return [head, row(tool)];
	}));
	count.textContent = `${found.length} of ${tools.length} tools${found.length > MOST_ROWS ? `, the first ${MOST_ROWS} shown` : ""}`;
	markCurrent();
}

function row(tool) {
	const { name, summary } = tool;
	const cost = members(costs.get(name) ?? []);
	const chips = ["error", "warning"].filter((kind) => cost[kind]).map((kind) => chip(`${kind}s: ${cost[kind].text}`, kind));
	const tokens = cost.tokens !== undefined && el("span.quiet", cost.tokens?.text ?? "refused", el("span.unseen", " tokens"));
	return el("li", el("a", { href: `#/tools/${encodeURIComponent(name)}` }, el("code", name), tokens, el("span.summary", summary), chips));
}

function markCurrent() {
	const here = location.hash.split("?")[0] || "#/";
	for (const link of document.querySelectorAll("[href^='#']")) link.ariaCurrent = link.hash === here ? "page" : "false";
}

async function route() {
	const [, page, rest] = location.hash.split("/");
	const [name, query] = (rest ?? "").split("?");
	document.body.classList.toggle("in-content", Boolean(page));
	try {
		document.title = `${page === "tools" ? decodeURIComponent(name) : page ? "History" : "Tools"} · toolhaft`;
		markCurrent();
		if (page === "tools") await drawTool(content, api, name, new URLSearchParams(query).get("call"), known);
		else if (page === "history") await drawHistory(content, api);
		else fill(content, el("h1", "Try a tool"), el("p.description", "Choose one and see what providers get."));
	} catch (error) {
		fail(content, error);
	}
	if (page) content.focus({ preventScroll: true });
	window.scrollTo(0, 0);
}

// The tools change when the server loads them again; what was typed stays.
async function look() {
	try {
		if ((await api.get("page/data/version")).version === known.version) return;
		await loadTools();
		announce("The tools have changed");
		await route();
	} catch (error) {
		if (error.status === 401) fail(main, error);
		else reason(error);
	}
}

let looking;

async function start() {
	clearInterval(looking);
	try {
		if (!(await takeToken(key, api))) return askToken(isInbox ? "The inbox needs an approver’s token." : "The page needs the token that the server printed.");
		if (isInbox) {
			looking = await drawInbox(main, nav, api, fail);
			return;
		}
		await loadTools();
	} catch (error) {
		return fail(main, error);
	}
	fill(nav, el("a", { href: "#/" }, "Tools"), known.keeps && el("a", { href: "#/history" }, "History"), known.decides && el("a", { href: "inbox" }, "Inbox"), el("span.quiet", known.server));
	fill(main, el("div.split", el("aside", { label: "Tools" }, el("div.sticky", el("h1.unseen", "Tools"), search, picked, count), list), content));
	looking = setInterval(look, LOOK_MS);
	return route();
}

window.addEventListener("hashchange", () => {
	if (/^#(token|code)=/.test(location.hash)) start();
	else if (known) route();
});
start();
