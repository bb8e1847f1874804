import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { userOf } from "../../lambdas/cluster/accounts.ts";
import type { Call } from "../../lib/sandbox/core/calls.ts";
import { openStore } from "../../lib/sandbox/core/store.ts";
import { type Journey, type JourneyOptions, startJourney } from "./journey.ts";
import type { Write } from "./ledger-writes.ts";

/** A call that the simulator has answered, while the answer is still on its way: the process dies then. */
export interface Moment {
  readonly after: string;
  readonly service: string;
  readonly action: string;
  readonly principal?: string;
  /** Number of the call among those that match, from 1. */
  readonly count: number;
  /** Calls count from this earlier moment on: a plan tries as dry runs what is done after it. */
  readonly since?: string;
  /** Words of the write, for a call that writes to the ledger. */
  readonly writes?: RegExp;
}

/** Users of the cluster who remove nodes and who let machines join. */
export const remover = userOf("act");
export const joiner = userOf("join");

/** State that a killed process leaves: its store, its ledger, and the time of its end. */
export interface LeftState {
  readonly file: string;
  readonly ledger: readonly Write[];
  readonly now: number;
}

/** Does the call start an execution, if it invokes a function? One that waits for its answer, as the audit's does, starts none. */
const isStart = ({ action, status }: Pick<Call, "action" | "status">): boolean => action !== "Invoke" || status === 202;

const fits = (
  { service, action, principal, writes }: Moment,
  call: Omit<Call, "seq" | "at">,
  newest: Write | undefined,
): boolean =>
  call.error === null &&
  call.service === service &&
  call.action === action &&
  isStart(call) &&
  (principal === undefined || call.principal === principal) &&
  (writes === undefined || writes.test(newest?.body ?? ""));

/** Copies the journey's store and ledger at each moment, as they are right then. */
function copyAt(here: Journey, from: string, moments: readonly Moment[]): Map<string, LeftState> {
  const { calls } = here.simulator.simulation;
  const record = calls.record;
  const states = new Map<string, LeftState>();
  const seen = new Map<string, number>();
  calls.record = (call) => {
    record(call);
    for (const moment of moments.filter((one) => fits(one, call, here.ledgerWrites.at(-1)))) {
      if (moment.since !== undefined && !states.has(moment.since)) continue;
      const times = (seen.get(moment.after) ?? 0) + 1;
      seen.set(moment.after, times);
      if (times !== moment.count) continue;
      const folder = `${from}-${states.size}`;
      cpSync(from, folder, { recursive: true });
      states.set(moment.after, { file: join(folder, FILE), ledger: [...here.ledgerWrites], now: Date.now() });
    }
  };
  return states;
}

const FILE = "store.sqlite";

/** A journey that ran once, with the state that a killed process would have left at each moment. */
export interface Restarts {
  /** Resumes the journey from the state at that moment. */
  from(after: string): Promise<Journey>;
  end(): void;
}

/**
 * Runs a journey on files and copies its state at each moment.
 * @param journey types, presses and waits until all has ended
 */
export async function recordRestarts(
  options: JourneyOptions,
  moments: readonly Moment[],
  journey: (here: Journey) => Promise<void>,
): Promise<Restarts> {
  const parent = mkdtempSync(join(tmpdir(), "casement-restart-"));
  const folder = join(parent, "files");
  mkdirSync(folder);
  const first = await startJourney(options, openStore(join(folder, FILE)));
  const states = copyAt(first, folder, moments);
  await journey(first);
  await first.close();
  return {
    from: (after) => {
      const left = states.get(after);
      if (!left) throw new Error(`the journey never came to where ${after}`);
      // A process that starts anew draws other random numbers.
      const { configuration } = options;
      const onwards = { ledger: left.ledger, now: left.now, seed: left.now % 1_000 };
      return startJourney({ ...onwards, ...(configuration ? { configuration } : {}) }, openStore(left.file));
    },
    end: () => rmSync(parent, { recursive: true, force: true }),
  };
}
