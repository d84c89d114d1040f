// Requests to the server, with a token.

import { JsonError, members, parse, write } from "./json.js";

const base = new URL("..", import.meta.url);

export class Refused extends Error {
	constructor(status, detail) {
		super(detail);
		this.status = status;
	}
}

export function reason(error) {
	if (error.name === "AbortError") return "Cancelled: the call may have taken effect.";
	if (error instanceof Refused || error instanceof JsonError) return error.message;
	throw error;
}

// A token comes in the fragment, which no request carries, and stays in the tab.
// A code is exchanged for the token, once.
export async function takeToken(key, api) {
	const [, kind, sent] = /^#(token|code)=(.+)/.exec(location.hash) ?? [];
	if (sent) {
		history.replaceState(null, "", location.pathname);
		sessionStorage[key] = kind === "token" ? sent : (await api.get("page/data/open", { code: sent })).token;
	}
	return sessionStorage[key];
}

export class Api {
	constructor(key, ongone) {
		Object.assign(this, { key, ongone });
	}

	gone(error, words) {
		if (error.name === "AbortError") throw error;
		this.ongone(true);
		throw new Refused(0, words);
	}

	async send(path, body, signal, words = "The server does not answer.") {
		const headers = { authorization: `Bearer ${sessionStorage[this.key]}` };
		if (body) headers["content-type"] = "application/json";
		const options = { method: body ? "POST" : "GET", headers, signal, body: body && write(body) };
		const response = await fetch(new URL(path, base), options).catch((error) => this.gone(error, words));
		this.ongone(false);
		if (response.ok) return response;
		throw new Refused(response.status, parse(await response.text()).get("detail"));
	}

	async get(path, body) {
		return members(parse(await (await this.send(path, body)).text()));
	}

	async lines(path, body, signal, onprogress) {
		const words = "The server is gone: the call may have taken effect.";
		const reader = (await this.send(path, body, signal, words)).body.pipeThrough(new TextDecoderStream()).getReader();
		let rest = "";
		let last;
		for (;;) {
			const { done, value } = await reader.read().catch((error) => this.gone(error, words));
			if (done) return last?.has("outcome") ? last : this.gone({}, words);
			const parts = (rest + value).split("\n");
			rest = parts.pop();
			for (const part of parts) {
				last = parse(part);
				if (last.has("progress")) onprogress(last.get("progress"));
			}
		}
	}
}
