import type { DurableContext } from "@aws/durable-execution-sdk-js";
import { untilTime, type WaitOptions } from "../../lambdas/engine/durable.ts";
import type { Steps } from "../../lambdas/steps/steps.ts";
import { type Ended, type Outside, sandboxEngine } from "../sandbox/durable/backends.ts";

/** Fakes the time that a workflow's waits take; `tearDown` puts it back. */
export const { setUp, tearDown } = sandboxEngine;

/**
 * Runs a piece of a workflow on the sandbox's engine to its end.
 * @param meanwhile what happens outside while it runs
 */
export const run = (
  work: (ctx: DurableContext) => Promise<unknown>,
  meanwhile: (outside: Outside) => Promise<void> = async () => undefined,
): Promise<Ended> => sandboxEngine.run((_event: unknown, ctx: DurableContext) => work(ctx), { meanwhile });

/** An audit that takes every act; what is in it is tested with the ledger. */
const append = async () => ({ sequence: 1, hash: "" });
const audit: object = { append, writer: async () => append, lateExports: async () => [] };

/** The few verbs that a piece needs, beside the audit's; any other that it calls is a TypeError. */
export const verbs = (given: object): Steps =>
  ({ now: Date.now, timestamp: () => new Date().toISOString(), audit, ...given }) as Steps;

/** WaitOptions of ten minutes from now that nobody cancels, but for what a test changes. */
export const tenMinutes = (changes: Partial<WaitOptions> = {}): WaitOptions => ({
  ...untilTime(inMinutes(10), Date.now),
  ...changes,
});

/** A moment so many minutes from now, by the faked time. */
export const inMinutes = (minutes: number): number => Date.now() + minutes * 60_000;

/** An error by which a client says that the service was busy: whether anything was done is not known. */
export const timeout = (): Error => Object.assign(new Error("no answer"), { name: "TimeoutError" });
