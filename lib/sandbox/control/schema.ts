import { z } from "zod";

const text = z.string();
/** ISO 8601 in UTC, sandbox time. */
const moment = z.iso.datetime();
/** An object in the shape of another API (EC2's Instance, Kubernetes' Node, Block Kit's block). */
const asElsewhere = z.record(text, z.unknown());

const machine = z.object({
  instanceId: text,
  bootId: text,
  power: text,
  services: z.array(
    z.object({ name: text, state: text, startType: text, commandLine: text, environment: z.array(text) }),
  ),
  files: z.array(z.object({ path: text, sha256: text, size: z.int().min(0) })),
  routes: z.array(z.object({ prefix: text, nextHop: text, interface: text })),
  tasks: z.array(z.object({ name: text, enabled: z.boolean() })),
  certificates: z.array(z.object({ store: text, thumbprint: text, subject: text })),
  features: z.array(text),
});

const operation = z.object({
  id: text,
  command: text,
  user: text,
  status: z.enum(["running", "waiting", "succeeded", "failed", "cancelled"]),
  nodes: z.array(z.object({ name: text, stage: text })),
});

const message = z.object({
  channel: text,
  ts: text,
  threadTs: text.optional(),
  onlyTo: text.optional(),
  user: text,
  text,
  blocks: z.array(asElsewhere),
  broadcast: z.boolean().optional(),
  edited: z.boolean(),
});

const call = z.object({
  seq: z.int(),
  at: moment,
  service: text,
  action: text,
  principal: text,
  status: z.int(),
  error: text.nullable(),
});

const person = z.object({ id: text, name: text, roles: z.array(text), kubernetesToken: text });

const match = z.record(text, text);
const fault = z.object({ id: text, kind: text, match, count: z.int().min(1).optional() });
const kind = z.object({
  kind: text,
  sentence: text,
  fields: z.record(text, text),
  values: z.record(text, z.array(text)).optional(),
});

/** Schemas of the control API's answers, by name. */
export const answers = {
  State: z.object({
    now: moment,
    instances: z.array(asElsewhere),
    machines: z.array(machine),
    nodes: z.array(asElsewhere),
    operations: z.array(operation),
  }),
  Messages: z.array(message),
  Calls: z.array(call).max(1000),
  People: z.object({ teamId: text, channelId: text, people: z.array(person) }),
  Faults: z.object({ kinds: z.array(kind), inForce: z.array(fault) }),
  FaultInjected: z.object({ id: text }),
  FaultEnded: z.object({ id: text }),
  Clock: z.object({ now: moment, speed: z.number().positive() }),
  Problem: z.object({ error: text }),
} as const;

/** The clock runs at most this much faster than the host, and jumps at most 30 days at once; both assumed. */
const FASTEST = 10_000;
const FURTHEST_SECONDS = 30 * 24 * 3600;

/** Schemas of the bodies that the control API takes, by name. */
export const bodies = {
  FaultInjection: z.strictObject({ kind: text, count: z.int().min(1).optional(), match: match.optional() }),
  ClockChange: z.union(
    [
      z.strictObject({ speed: z.number().positive().max(FASTEST) }),
      z.strictObject({ advance: z.number().positive().max(FURTHEST_SECONDS) }),
    ],
    `either speed, a number up to ${FASTEST}, or advance, seconds up to ${FURTHEST_SECONDS}`,
  ),
} as const;

/** The shape of one answer. */
export type Answer<Name extends keyof typeof answers> = z.infer<(typeof answers)[Name]>;

const reference = (name: keyof typeof answers | keyof typeof bodies) => ({ $ref: `#/$defs/${name}` });

/** Body and answer of each call; each may answer a Problem instead. */
const calls = {
  "GET /state": { answer: reference("State") },
  "GET /messages": { answer: reference("Messages") },
  "GET /calls": { query: ["service", "after"], answer: reference("Calls") },
  "GET /people": { answer: reference("People") },
  "GET /faults": { answer: reference("Faults") },
  "POST /faults": { body: reference("FaultInjection"), answer: reference("FaultInjected") },
  "DELETE /faults/:id": { answer: reference("FaultEnded") },
  "POST /clock": { body: reference("ClockChange"), answer: reference("Clock") },
};

/** The document of GET /schema: JSON Schema 2020-12, one definition per answer and body. */
export const schemaDocument = (): Record<string, unknown> => ({
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "Casement sandbox: control API",
  calls,
  $defs: Object.fromEntries(
    Object.entries({ ...answers, ...bodies }).map(([name, shape]) => {
      const { $schema, ...definition } = z.toJSONSchema(shape, { io: "input" });
      return [name, definition];
    }),
  ),
});
