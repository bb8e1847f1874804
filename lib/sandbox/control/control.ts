import type { z } from "zod";
import { type FaultKind, type FaultValues, whyNever, withValues } from "../core/faults.ts";
import type { Simulation } from "../core/simulation.ts";
import { json, pathOf, queryOf, textOf, type WireRequest, type WireResponse } from "../core/wire.ts";
import { crossOriginRefusal } from "./cross-origin.ts";
import { type Answer, bodies, schemaDocument } from "./schema.ts";

/** Readers behind the control API's answers, in the shapes of its schema. */
export interface StateReaders {
  instances(): Promise<Answer<"State">["instances"]> | Answer<"State">["instances"];
  machines(): Promise<Answer<"State">["machines"]> | Answer<"State">["machines"];
  nodes(): Promise<Answer<"State">["nodes"]> | Answer<"State">["nodes"];
  operations(): Promise<Answer<"State">["operations"]> | Answer<"State">["operations"];
  messages(): readonly object[];
  people(): Answer<"People">;
  /** Names of what is there now and may be hit by a fault, by field of `match`. */
  faultValues(): FaultValues;
}

/** Controls of the sandbox's clock. */
export interface Speed {
  /** Factor by which the sandbox's clock is faster than the host's. */
  current(): number;
  set(speed: number): void;
  /** Moves the clock; resolves once it has moved and what became due has been done. */
  advance(seconds: number): Promise<void>;
}

/** Parts that the control API is built from. */
export interface ControlOptions {
  readonly simulation: Simulation;
  readonly speed: Speed;
  readonly readers: StateReaders;
}

/** The control API. */
export interface Control {
  answer(request: WireRequest): Promise<WireResponse>;
}

/** A fault in a request, in one sentence, with its HTTP status. */
class Problem extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  constructor(status: number, sentence: string, headers: Readonly<Record<string, string>> = {}) {
    super(sentence);
    this.status = status;
    this.headers = headers;
  }
}

interface Asked {
  readonly request: WireRequest;
  /** Text that stood in place of ":id". */
  readonly id: string;
}

type Handler = (asked: Asked) => unknown;

const JSON_TYPE = "application/json";

/** Refuses a name that a record would swallow: a match that was meant to be narrow would then apply everywhere. */
function withoutPrototype(name: string, value: unknown): unknown {
  if (name === "__proto__") throw new Problem(400, "No field can be called __proto__.");
  return value;
}

function bodyOf<Shape extends z.ZodType>(shape: Shape, request: WireRequest): z.infer<Shape> {
  let value: unknown;
  try {
    value = JSON.parse(textOf(request), withoutPrototype);
  } catch (error) {
    throw error instanceof Problem ? error : new Problem(400, "The body must be JSON.");
  }
  const checked = shape.safeParse(value);
  if (checked.success) return checked.data;
  const [issue] = checked.error.issues;
  throw new Problem(400, `The body does not fit the schema: ${issue?.path.join(".") || "body"}: ${issue?.message}.`);
}

async function state({ simulation, readers }: ControlOptions): Promise<Answer<"State">> {
  const [instances, machines, nodes, operations] = await Promise.all([
    readers.instances(),
    readers.machines(),
    readers.nodes(),
    readers.operations(),
  ]);
  return { now: new Date(simulation.clock.now()).toISOString(), instances, machines, nodes, operations };
}

function calls({ simulation }: ControlOptions, { request }: Asked): Answer<"Calls"> {
  const query = new URLSearchParams(queryOf(request));
  const after = Number(query.get("after") ?? 0);
  if (!Number.isInteger(after)) throw new Problem(400, "after must be the seq of a call, a whole number.");
  return simulation.calls.after(after, query.get("service") ?? undefined);
}

/** Kinds of faults, with every value that a field of them can have now. */
const kinds = ({ simulation, readers }: ControlOptions): FaultKind[] => {
  const present = readers.faultValues();
  return simulation.faults.kinds().map((kind) => withValues(kind, present));
};

/** Writes the whole name of a node that is named up to its first dot, as people type it in commands. */
function withWholeName(match: Readonly<Record<string, string>>, { node = [] }: FaultValues) {
  const [name, ...others] = node.filter((one) => one.startsWith(`${match.node}.`));
  return name === undefined || others.length > 0 || node.includes(match.node ?? "") ? match : { ...match, node: name };
}

function inject(options: ControlOptions, { request }: Asked): Answer<"FaultInjected"> {
  const { kind, match: typed = {}, count } = bodyOf(bodies.FaultInjection, request);
  const known = kinds(options).find((one) => one.kind === kind);
  if (!known) throw new Problem(400, `There is no fault kind "${kind}": GET /faults lists them.`);
  const match = withWholeName(typed, known.values ?? {});
  const why = whyNever(known, match);
  if (why !== null) throw new Problem(400, why);
  const injected = options.simulation.faults.inject(kind, match, count);
  if (!injected) throw new Error(`the fault ${kind} with ${JSON.stringify(match)} was not injected`);
  return { id: injected.id };
}

function end({ simulation }: ControlOptions, { id }: Asked): Answer<"FaultEnded"> {
  if (simulation.faults.end(id)) return { id };
  throw new Problem(404, "There is no fault in force with that id.");
}

async function moveClock({ simulation, speed }: ControlOptions, { request }: Asked): Promise<Answer<"Clock">> {
  const change = bodyOf(bodies.ClockChange, request);
  if ("speed" in change) speed.set(change.speed);
  else await speed.advance(change.advance);
  return { now: new Date(simulation.clock.now()).toISOString(), speed: speed.current() };
}

/** The calls by path and method; exactly the table of design §9. */
function table(options: ControlOptions): Readonly<Record<string, Readonly<Record<string, Handler>>>> {
  const { faults } = options.simulation;
  return {
    "/state": { GET: () => state(options) },
    "/messages": { GET: () => options.readers.messages() },
    "/calls": { GET: (asked) => calls(options, asked) },
    "/people": { GET: () => options.readers.people() },
    "/faults": {
      GET: () => ({ kinds: kinds(options), inForce: faults.inForce() }),
      POST: (asked) => inject(options, asked),
    },
    "/faults/:id": { DELETE: (asked) => end(options, asked) },
    "/clock": { POST: (asked) => moveClock(options, asked) },
    "/schema": { GET: () => schemaDocument() },
  };
}

function handlerFor(routes: ReturnType<typeof table>, method: string, path: string): { handler: Handler; id: string } {
  // "/mishaps" is the former name of "/faults": programs outside this repository still call it.
  const [, id = ""] = /^\/(?:faults|mishaps)\/([^/]+)$/.exec(path) ?? [];
  const pattern = id === "" ? path.replace(/^\/mishaps$/, "/faults") : "/faults/:id";
  const route = Object.hasOwn(routes, pattern) ? routes[pattern] : undefined;
  if (!route) throw new Problem(404, `There is nothing at ${path}; GET /schema lists the calls.`);
  const handler = Object.hasOwn(route, method) ? route[method] : undefined;
  if (!handler) {
    const allowed = Object.keys(route);
    const sentence = `${path} answers to ${allowed.join(" and ")}, not to ${method}.`;
    // RFC 9110 §15.5.6: an answer 405 says in Allow what would be allowed.
    throw new Problem(405, sentence, { allow: allowed.join(", ") });
  }
  return { handler, id };
}

/**
 * Builds the control API: JSON in, JSON out; what is wrong is `{ error }` with one sentence and status 400, 403, 404
 * or 405.
 */
export function control(options: ControlOptions): Control {
  const routes = table(options);
  return {
    answer: async (request) => {
      try {
        const refusal = crossOriginRefusal(request.headers);
        if (refusal) throw new Problem(403, refusal);
        const { handler, id } = handlerFor(routes, request.method, pathOf(request));
        return json(await handler({ request, id }));
      } catch (error) {
        if (error instanceof Problem) return json({ error: error.message }, error.status, JSON_TYPE, error.headers);
        throw error;
      }
    },
  };
}
