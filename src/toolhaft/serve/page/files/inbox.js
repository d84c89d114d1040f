// Calls that wait for a person, and the decision about each.

import { attempt, button, chip, el, fill, json } from "./dom.js";
import { drawForm } from "./form.js";
import { equal, members, pointer, write } from "./json.js";
import { Form } from "./model.js";

const LOOK_MS = 2000;
const MORE = 50;

export async function drawInbox(place, nav, api, fail) {
	const cards = new Map();
	const list = el("div.entries");
	const count = el("p.quiet", { role: "status" });
	const more = button("", "Later calls", () => {
		most += MORE;
		return look();
	}, { hidden: true });
	let most = MORE;
	let version = "";
	const look = async () => {
		const inbox = await api.get(`page/data/inbox?version=${version}&most=${most}`);
		if (inbox.unchanged) return;
		version = inbox.version;
		const shown = new Set(inbox.calls.map((call) => call.get("id")));
		for (const [id, card] of cards) if (!shown.has(id)) card.late();
		for (const call of inbox.calls) {
			const id = call.get("id");
			if (cards.has(id)) continue;
			cards.set(id, new Card(call, inbox.tools.get(call.get("prepared").get("name")), api));
			list.append(cards.get(id).element);
		}
		const waiting = Number(inbox.waiting.text);
		more.hidden = waiting <= most;
		fill(count, `${waiting || "No"} ${waiting === 1 ? "call waits" : "calls wait"}${waiting > most ? `, the oldest ${most} shown` : ""}`);
		document.title = `${waiting ? `(${waiting}) ` : ""}Inbox · toolhaft`;
		fill(nav, el("a", { href: "./" }, "Tools"), el("a", { href: "inbox", "aria-current": "page" }, "Inbox"), el("span.quiet", `as ${inbox.approver}`));
	};
	await look();
	fill(place, el("div.narrow", el("h1", "Inbox"), count, list, more));
	return setInterval(() => look().catch((error) => error.status && fail(place, error)), LOOK_MS);
}

class Card {
	constructor(call, tool, api) {
		const { prepared, caller, expires, earlier } = members(call);
		Object.assign(this, { call, tool, api, asked: prepared, earlier });
		const name = prepared.get("name");
		this.said = el("p", { role: "status", tabindex: "-1" });
		this.body = el("div");
		this.buttons = el("div.row.decide");
		this.element = el("article.card", { label: `Call of ${name}` },
			el("h2", name, " ", earlier && chip("asked before", "warning")),
			el("p.quiet", `Asked by ${caller ?? "somebody"}, until ${new Date(1000 * expires.text).toLocaleTimeString("en-GB")}.`),
			el("p.description", tool?.get("description")),
			this.body, this.buttons, this.said);
		this.draw();
	}

	draw() {
		fill(this.body, this.drawArguments());
		fill(this.buttons,
			button(".primary", "Approve", () => this.decide("approve")),
			this.tool ? button("", "Edit…", () => this.edit()) : "",
			button(".danger", "Deny…", () => this.deny()));
	}

	// All of it. Defaults, and what was different before, have notes.
	drawArguments() {
		const declared = this.tool?.get("inputSchema").get("properties") ?? new Map();
		const given = this.asked.get("arguments");
		const { earlier } = this;
		const notes = new Map();
		const say = (at, words) => notes.set(at, [...(notes.get(at) ?? []), words]);
		for (const [key, value] of given) {
			const node = declared.get(key);
			if (node instanceof Map && node.has("default") && equal(node.get("default"), value)) say(pointer([key]), "the default");
			if (earlier && !equal(earlier.get(key), value)) say(pointer([key]), earlier.has(key) ? `was ${write(earlier.get(key)).slice(0, 80)}` : "new since the earlier ask");
		}
		const lost = [...(earlier?.keys() ?? [])].filter((key) => !given.has(key));
		if (lost.length) say("", `no longer there: ${lost.join(", ")}`);
		return json(given, "Arguments", notes, Infinity);
	}

	edit() {
		const form = new Form(this.tool.get("inputSchema"));
		form.set(this.asked.get("arguments"));
		const save = button(".primary", "Approve with changes", () => this.decide("edit", { arguments: form.get() }));
		fill(this.body, drawForm(form, () => { save.disabled = form.faults().length > 0; }));
		fill(this.buttons, save, button("", "Back", () => this.draw()));
	}

	deny() {
		const words = el("textarea", { rows: "2", maxlength: "500" });
		this.body.append(el("label", "Words for the model (may be empty)", words));
		fill(this.buttons, button(".danger", "Deny", () => this.decide("deny", words.value && { reason: words.value })), button("", "Back", () => this.draw()));
		words.focus();
	}

	async decide(decision, more) {
		const enable = (isOn) => this.buttons.querySelectorAll("button").forEach((one) => { one.disabled = !isOn; });
		enable(false);
		this.said.focus();
		this.isDecided = true;
		const asked = { decision, digest: this.asked.get("digest"), ...more };
		const error = await attempt(this.said, async () => {
			const { status } = await this.api.get(`approvals/${this.call.get("id")}`, asked);
			this.end("");
			return { denied: "Denied.", done: "Approved, and it ran." }[status] ?? `Now ${status}.`;
		});
		if (!error) return;
		this.isDecided = /^40[49]$/.test(error.status);
		enable(!this.isDecided);
	}

	late() {
		if (!this.isDecided) this.end([...this.said.childNodes, " It was decided elsewhere, or it expired."]);
	}

	end(words) {
		this.isDecided = true;
		this.buttons.remove();
		fill(this.said, words);
	}
}
