import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  configureMachine,
  guardRoute,
  installFeatures,
  replaceToken,
} from "../../../lambdas/capabilities/add/configure.ts";
import type { MachinePlan } from "../../../lambdas/machine/plan.ts";
import { answersHash } from "../../../lambdas/machine/questions.ts";
import { okd } from "../../../lambdas/profiles/okd/okd.ts";
import type { Profile } from "../../../lambdas/profiles/profile.ts";
import { callLog, machine, taskOn } from "../../change/a-task.ts";
import { run, setUp, tearDown } from "../../engine/durable-engine.ts";
import { answers, recorded } from "../../engine/recorded.ts";
import { nodeRecord } from "../../messages/records.ts";

beforeAll(setUp);
afterAll(tearDown);

const ID = machine.instanceId;

interface Scene {
  /** Words on the place where the kubelets' authority was read, if it is not the usual one. */
  readonly why?: string | null;
  readonly profile?: Profile;
  /** Tokens that the machine was given before. */
  readonly tokens?: readonly string[];
  /** Answers of the scripts, by their place among all; the last one answers all others too. */
  readonly results?: readonly object[];
}

type Stage = typeof configureMachine;

/** Runs a stage. @returns what was done to machine and ledger, in order, and the task as the stage left it */
async function staged(stage: Stage, { why = null, profile = okd, tokens = [], results = [{}] }: Scene = {}) {
  let sent = 0;
  const { steps, calls } = recorded(
    {
      kubeletAuthority: { read: answers({ pem: "NEW", authorities: [], why }) },
      ledger: { nodes: answers([nodeRecord({ operation: "add-1", index: 0, notes: [] })]) },
      joinSecret: { nameOf: () => "casement/prod-west/join" },
      machine: {
        commandState: async () => ({
          ...{ state: "done" },
          result: { ok: true, failed: null, ...results[Math.min(sent - 1, results.length - 1)] },
        }),
      },
    },
    {
      machine: {
        requestFor: async (plan: MachinePlan) => ({ plan }),
        send: async () => {
          sent += 1;
          return `command-${sent}`;
        },
      },
      joinSecret: { create: async () => `token-${sent}`, remove: answers() },
      machines: { given: { record: answers() } },
      ledger: { changeNode: answers() },
    },
  );
  const left: { kubeletClients?: string; tokens?: unknown } = {};
  const ended = await run(async (ctx) => {
    const { now, timestamp, audit, ...nouns } = steps;
    const task = taskOn(ctx, callLog(), nouns, { profile, tokens: [...tokens] as never, kubeletClients: "OLD" });
    await stage(task);
    Object.assign(left, { kubeletClients: task.kubeletClients, tokens: task.tokens });
  });
  const plans = ended.events.flatMap((event) => event.match(/^StepSucceeded plan: (.*)/)?.[1] ?? []);
  return { plans, calls, left, error: ended.error, verbs: calls.map(([verb]) => verb) };
}

describe("The configuration of a machine", () => {
  test("comes before its join token, which comes right before the start of its kubelet", async () => {
    const { plans, calls, left } = await staged(configureMachine);
    expect(plans).toEqual(["configure", "start the kubelet"]);
    const order = calls.flatMap(([verb]) => (/requestFor|create|given/.test(verb) ? [verb] : []));
    expect(order).toEqual(["machine.requestFor", "machines.given.record", "joinSecret.create", "machine.requestFor"]);
    expect(left).toEqual({ kubeletClients: "NEW", tokens: ["token-1"] });
    expect(calls.find(([verb]) => verb === "machines.given.record")).toEqual([
      ...["machines.given.record", ID, "add-1:0", "kubeletClients"],
      expect.any(Function),
    ]);
    expect(calls.find(([verb]) => verb === "joinSecret.create")?.at(-1)).toBe(ID);
  });

  test("says where its authority was read, if that is not the usual place", async () => {
    const noted = async (why: string | null) =>
      (await staged(configureMachine, { why })).calls.flatMap(
        ([, , , change]) => (change as { notes?: unknown })?.notes ?? [],
      );
    expect(await noted("It was read from the API server.")).toEqual(["It was read from the API server."]);
    expect(await noted(null)).toEqual([]);
  });

  test("has no token for a kind of cluster whose machines join without one", async () => {
    const profile: Profile = { ...okd, join: { by: "instance-role" } };
    const { verbs, left } = await staged(configureMachine, { profile });
    expect(verbs).not.toContain("joinSecret.create");
    expect(left.tokens).toEqual([]);
    expect((await staged(replaceToken, { profile })).calls).toEqual([]);
  });

  test("gets another token for one that expired: the old secret goes first, and the kubelet starts anew", async () => {
    const { plans, verbs, left } = await staged(replaceToken, { tokens: ["token-a", "token-b"] });
    expect(plans).toEqual(["start the kubelet 3"]);
    expect(verbs.filter((verb) => /joinSecret|requestFor/.test(verb))).toEqual([
      ...["joinSecret.remove", "joinSecret.create", "machine.requestFor"],
    ]);
    expect(left.tokens).toEqual(["token-a", "token-b", "token-0"]);
  });
});

describe("A machine that cannot be set up", () => {
  const unreachable = { ok: false, failed: { action: "file", error: "no route", code: "aws-unreachable" } };

  test.each<[string, object, string]>([
    [
      "reaches AWS through its agent's proxy alone",
      { hashes: { agent: answersHash({ proxiedBy: ["service"] }) } },
      "agent-proxied",
    ],
    ["reaches AWS by no proxy", { hashes: {} }, "aws-unreachable"],
  ])("fails with its cause where it %s", async (_which, look, code) => {
    const { error } = await staged(guardRoute, { results: [unreachable, look] });
    expect(error.type).toBe(`StageFailed:${code}`);
  });

  test("fails for any other reason without a look at its agent", async () => {
    const denied = { ok: false, failed: { action: "file", error: "AccessDenied", code: "aws-refuses-machine" } };
    const { error, verbs } = await staged(guardRoute, { results: [denied] });
    expect([error.type, verbs.filter((verb) => verb === "machine.send").length]).toEqual([
      "StageFailed:aws-refuses-machine",
      1,
    ]);
  });

  test.each([
    [{ features: [] }, "the feature Containers is not installed after the reboot"],
    [{ features: ["Containers"] }, undefined],
  ])("lacks a feature that Windows did not install: %j", async (seen, why) => {
    const done = { rebootDue: false, rebootPending: false, hnsNetworks: [], ...seen };
    expect((await staged(installFeatures, { results: [done] })).error.message).toBe(why);
  });
});
