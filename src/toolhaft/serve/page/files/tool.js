// One tool: its calls, its providers, its findings.

import { reason } from "./api.js";
import { announce, button, chip, el, fill, tabs } from "./dom.js";
import { drawForm } from "./form.js";
import { members, parse, write } from "./json.js";
import { Form } from "./model.js";
import { drawOutcome } from "./outcome.js";
import { drawTargets } from "./targets.js";

export async function drawTool(place, api, name, replayed, known) {
	const tool = await api.get(`page/data/tools/${name}`);
	const row = replayed && await api.get(`page/data/history/${replayed}`);
	const call = new Call(tool, api, known, row);
	const { findings } = tool;
	const badges = [tool.acts ? chip("acts", "warning") : chip("only reads", "ok"), tool.waits && chip("may wait", "warning")];
	const panels = [
		["call", "Call", () => call.draw()],
		["providers", "Providers", () => drawTargets(tool, api, known, () => call.text)],
		["findings", `Findings (${findings.length})`, () => drawFindings(tool, findings)],
	];
	fill(place,
		el("a.back", { href: "#/" }, "← Tools"),
		el("div.row", el("h1", tool.name), badges),
		el("p.description", [tool.title, tool.description].filter(Boolean).join("\n")),
		tabs("Tool", panels, row ? "call" : sessionStorage.tab, (key) => { sessionStorage.tab = key; }),
	);
}

function drawFindings(tool, findings) {
	const items = findings.map(members).map(({ severity, code, pointer, message, fix }) => el("li", chip(severity, severity), " ", el("code", `${code} ${pointer}`), el("p", message), el("p.quiet", `Fix: ${fix}`)));
	return el("div.card", items.length ? el("ul.entries", items) : "Nothing.", el("p.quiet", tool.origin));
}

// The arguments as fields, as JSON, or as a model's own text.
class Call {
	constructor(tool, api, known, row) {
		Object.assign(this, { tool, api, known });
		this.key = `draft ${tool.name}`;
		this.outcome = el("section.outcome", { label: "Outcome" });
		[this.mode, this.json, this.raw] = JSON.parse(sessionStorage[this.key] ?? '["form", "", ""]');
		if (row) {
			this.json = this.raw = row.sent;
			if (row.shown) this.show(row.shown);
		}
		const isRead = this.load();
		if (row) this.mode = isRead ? "form" : "text";
	}

	get text() {
		return this.mode === "text" ? this.raw : this.json || "{}";
	}

	load() {
		this.form = new Form(this.tool.inputSchema);
		try {
			this.form.set(parse(this.json || "{}"));
			return true;
		} catch (error) {
			this.fault = reason(error);
			return false;
		}
	}

	draw() {
		this.problem = el("p.issue", { role: "status" });
		this.send = button(".primary", "Call", () => this.run());
		this.cancel = button("", "Cancel", () => this.stop.abort(), { hidden: true });
		this.progress = el("p.quiet", { role: "status" });
		this.forms = el("div");
		const use = (text) => {
			this.json = this.raw = text;
			this.load();
			this.redraw();
		};
		const examples = this.tool.examples.map((example, place) => button(".small", `Example ${place + 1}`, () => use(write(example, 2))));
		const onkeydown = (event) => event.key === "Enter" && (event.ctrlKey || event.metaKey) && this.run();
		this.redraw();
		return el("div.pair", { onkeydown },
			el("div.card", this.forms, this.problem, el("div.row.run", this.send, this.cancel, button(".faint", "Clear", () => use("")), examples, el("span.quiet.keys", "Ctrl Enter"))),
			el("div", this.progress, this.outcome));
	}

	redraw() {
		const panels = [["form", "Form", () => this.drawFields()], ["json", "JSON", () => this.drawText("json")], ["text", "Model’s text", () => this.drawText("raw")]];
		fill(this.forms, tabs("Arguments", panels, this.mode, (mode) => mode === this.mode || this.choose(mode)));
		this.changed();
	}

	// What cannot be read stays where it was typed.
	choose(mode) {
		if (this.mode === "json" && mode === "form" && !this.load()) return false;
		if (mode === "text") this.raw ||= this.json;
		this.mode = mode;
		this.redraw();
		document.getElementById(`Arguments-${mode}-tab`).focus();
		return false;
	}

	drawFields() {
		return drawForm(this.form, () => {
			if (!this.form.faults().length) this.json = write(this.form.get(), 2);
			this.changed();
		});
	}

	drawText(key) {
		const isRaw = key === "raw";
		const oninput = (event) => {
			this[key] = event.target.value;
			if (!isRaw) this.load();
			this.changed();
		};
		const label = isRaw ? "Arguments as a model’s text" : "Arguments as JSON";
		return el("textarea.code", { rows: "14", oninput, value: isRaw ? this.raw : this.json || "{}", label });
	}

	changed() {
		const faults = this.mode === "form" ? this.form.faults().map(({ field, message }) => `${field.path.join(".")}: ${message}`) : [];
		if (this.mode === "json" && !this.load()) faults.push(this.fault);
		fill(this.problem, faults.join("; "));
		this.send.disabled = this.mode === "form" && faults.length > 0;
		sessionStorage[this.key] = write([this.mode, this.json, this.raw]);
	}

	async run() {
		if (this.send.disabled) return;
		this.stop = new AbortController();
		this.send.disabled = true;
		this.cancel.hidden = false;
		this.progress.textContent = "Running…";
		try {
			const asked = { tool: this.tool.name, text: this.text };
			this.show(await this.api.lines("page/data/call", asked, this.stop.signal, (progress) => this.tell(progress)));
		} catch (error) {
			fill(this.outcome, el("p.card.issue", { role: "alert" }, reason(error)));
		}
		fill(this.progress);
		this.cancel.hidden = true;
		this.send.disabled = false;
	}

	tell(progress) {
		const [done, total] = [progress.get("done").text, progress.get("total")?.text];
		fill(this.progress, el("progress", { value: done, max: total, label: "Progress" }), ` ${done}${total ? ` of ${total}` : ""} ${progress.get("message") ?? ""}`);
	}

	// Issues and repairs also stand at their fields.
	show(shown) {
		const outcome = shown.get("outcome");
		fill(this.outcome, drawOutcome(shown, this.tool, this.api, this.known));
		announce(`The call ended: ${outcome.get("kind")}`);
		this.outcome.scrollIntoView({ block: "nearest" });
		if (!this.forms || this.mode !== "form") return;
		const placed = (key) => outcome.get(key).map(members).map((one) => ({ ...one, path: one.path.map((step) => (step.text ? Number(step.text) : step)) }));
		this.form.mark(placed("issues"), placed("coercions"));
		this.redraw();
		this.forms.querySelector(".bad textarea, .bad input, .bad select")?.focus();
	}
}
