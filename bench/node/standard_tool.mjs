// The same calls through a tool of the StandardTool shape on node, with zod and with valibot.
// Standard input: the calls, as JSON by workload. Standard output: microseconds by "vendor: workload".
import * as v from "valibot";
import { z } from "zod";

const ROUNDS = 60;
const COUNT = 2000;

// What standard-tool's own builder does for a call: validate, name every fault, hand over the value.
function standardTool({ inputSchema, execute }) {
  const validate = inputSchema["~standard"].validate;
  return {
    async execute(input, meta) {
      let result = validate(input);
      if (result instanceof Promise) result = await result;
      if (result.issues) throw new Error(`input validation failed: ${rendered(result.issues)}`);
      return execute(result.value, meta);
    },
  };
}

function rendered(issues) {
  return issues.map((one) => `${place(one.path ?? [])}${one.message}`).join("; ");
}

function place(path) {
  const keys = path.map((step) => (typeof step === "object" ? step.key : step));
  return keys.length ? `${keys.join(".")}: ` : "";
}

const SCHEMAS = {
  zod: {
    flat: z.object({ city: z.string(), days: z.int().min(1).max(14), units: z.string() }),
    nested: z.object({
      city: z.string(), days: z.int(), customer: z.string(), email: z.string(),
      street: z.string(), country: z.string(), express: z.boolean(), discount: z.number(),
      priority: z.int(), notes: z.string(), tags: z.array(z.string()),
      items: z.array(z.object({ sku: z.string(), quantity: z.int(), price: z.number() })),
    }),
  },
  valibot: {
    flat: v.object({
      city: v.string(), units: v.string(),
      days: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(14)),
    }),
    nested: v.object({
      city: v.string(), days: v.pipe(v.number(), v.integer()), customer: v.string(),
      email: v.string(), street: v.string(), country: v.string(), express: v.boolean(),
      discount: v.number(), priority: v.pipe(v.number(), v.integer()), notes: v.string(),
      tags: v.array(v.string()),
      items: v.array(v.object({
        sku: v.string(), quantity: v.pipe(v.number(), v.integer()), price: v.number(),
      })),
    }),
  },
};

const take = async ({ city, days }) => ({ city, days });

async function toText(tool, raw) {
  try {
    return JSON.stringify(await tool.execute(typeof raw === "string" ? JSON.parse(raw) : raw));
  } catch (error) {
    return error.message;
  }
}

async function microseconds(work) {
  const times = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const start = process.hrtime.bigint();
    for (let n = 0; n < COUNT; n += 1) await work();
    times.push(Number(process.hrtime.bigint() - start) / COUNT / 1000);
  }
  return Math.min(...times);
}

let text = "";
for await (const chunk of process.stdin) text += chunk;
const found = {};
for (const [vendor, schemas] of Object.entries(SCHEMAS)) {
  for (const [name, { shape, raw, to_text }] of Object.entries(JSON.parse(text))) {
    const tool = standardTool({ inputSchema: schemas[shape], execute: take });
    const work = to_text ? () => toText(tool, raw) : () => tool.execute(raw);
    found[`${vendor}: ${name}`] = await microseconds(work);
  }
}
console.log(JSON.stringify(found));
