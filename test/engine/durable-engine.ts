import type { DurableContext } from "@aws/durable-execution-sdk-js";
import { nameOfStart } from "../../lambdas/change/operation/accepted.ts";
import type { Start } from "../../lambdas/commands/request.ts";
import { untilTime, type WaitOptions } from "../../lambdas/engine/durable.ts";
import type { Steps } from "../../lambdas/steps/steps.ts";
import { type Ended, type Outside, sandboxEngine } from "../sandbox/durable/backends.ts";

/** Fakes the time that a workflow's waits take; `tearDown` puts it back. */
export const { setUp, tearDown } = sandboxEngine;

/**
 * Runs a piece of a workflow on the sandbox's engine to its end.
 * @param meanwhile what happens outside while it runs
 * @param called name of the execution
 */
export const run = (
  work: (ctx: DurableContext) => Promise<unknown>,
  meanwhile: (outside: Outside) => Promise<void> = async () => undefined,
  called?: string,
): Promise<Ended> =>
  sandboxEngine.run((_event: unknown, ctx: DurableContext) => work(ctx), { meanwhile, called, direct: true });

/** Runs a whole workflow to its end, by the name under which the front door starts it. */
export const runStarted = (start: Start, work: (ctx: DurableContext) => Promise<unknown>): Promise<Ended> =>
  run(work, undefined, nameOfStart(start));

/** The verb that reads the request from which the front door has made this start, a moment ago. */
export const acceptedAs =
  ({ request, asker: requester }: Pick<Start, "request" | "asker">) =>
  async () => ({ request, requester, requestedAt: new Date().toISOString() });

/** An audit that takes every act; what is in it is tested with the ledger. */
const append = async () => ({ sequence: 1, hash: "" });
const audit: object = { append, appendAll: append, lateExports: async () => [] };

/** The few verbs that a piece needs, beside the audit's; any other that it calls is a TypeError. */
export function verbs(given: object): Steps {
  const few: object = {
    now: Date.now,
    timestamp: () => new Date().toISOString(),
    audit,
    together: () => few,
    ...given,
  };
  return few as Steps;
}

/** WaitOptions of ten minutes from now that nobody cancels, but for what a test changes. */
export const tenMinutes = (changes: Partial<WaitOptions> = {}): WaitOptions => ({
  ...untilTime(inMinutes(10), Date.now),
  ...changes,
});

/** A moment so many minutes from now, by the faked time. */
export const inMinutes = (minutes: number): number => Date.now() + minutes * 60_000;

/** An error by which a client says that the service was busy: whether anything was done is not known. */
export const timeout = (): Error => Object.assign(new Error("no answer"), { name: "TimeoutError" });
