import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type AssistTask,
  assistanceHeld,
  guardMachine,
  releaseMachine,
  restoreMachine,
  tagMachine,
} from "../../../lambdas/capabilities/assist/stages.ts";
import { Refused } from "../../../lambdas/errors.ts";
import { TAG } from "../../../lambdas/tags.ts";
import { lease, node, nodeTask } from "../../change/node/a-node.ts";
import { run, setUp, tearDown } from "../../engine/durable-engine.ts";

beforeAll(setUp);
afterAll(tearDown);

const owner = { kind: "machine-set", owner: "winworker" } as const;
const wanted = {
  ...{ instanceId: lease.instanceId, launchedAt: "2026-11-21T08:00:00.000Z", owner, node: node.name },
  ...{ operation: "assist-1", askedBy: "U0OPERATOR", approvedBy: ["U0APPROVER"] },
};

interface Scene {
  readonly isTagged?: boolean;
  readonly isSilent?: boolean;
  /** The record in the ledger. */
  readonly record?: object | undefined;
  readonly stage?: string;
  readonly wanted?: null;
  /** Result of route.ps1. */
  readonly route?: object;
  /** Orders that IAM refuses before it lets one pass. */
  readonly refusals?: number;
  readonly untagError?: string;
}

/** Runs one stage. @returns what was done, in order */
async function stage(work: (task: AssistTask) => Promise<unknown>, scene: Scene = {}) {
  const { isTagged = false, isSilent = false, route = { ok: true }, refusals = 0, untagError } = scene;
  const did: string[] = [];
  let [tagged, refused] = [isTagged, 0];
  let result: unknown;
  let summary = "";
  const given = {
    audit: {
      append: async (_chain: unknown, _mark: unknown, act: { detail?: object }) =>
        void did.push(`audit ${JSON.stringify(act?.detail ?? act)}`),
      lateExports: async () => [],
    },
    health: {
      agent: async () => ({
        registered: true,
        online: !isSilent,
        lastPingAt: isSilent ? "2020-01-01T00:00:00.000Z" : new Date().toISOString(),
      }),
    },
    instances: {
      describe: async () => ({ ...lease, state: "running", tags: tagged ? { [TAG.managed]: "prod-west" } : {} }),
      tagAssisted: async () => {
        did.push("tag");
        tagged = true;
      },
      untagAssisted: async () => {
        if (untagError) throw new Refused(untagError);
        did.push("untag");
      },
    },
    machine: {
      send: async (
        _held: unknown,
        { script, mark, request }: { script: string; mark: string; request: { do: string } },
      ) => {
        if (refused++ < refusals) throw Object.assign(new Error("not authorized"), { name: "AccessDeniedException" });
        did.push(`${script} ${request.do} "${mark.replace("remove-1:0 ", "")}"`);
        return "command-1";
      },
      commandState: async () => ({ state: "done", result: { script: "route", ...route } }),
    },
    machines: {
      assistance: {
        of: async () => ("record" in scene ? scene.record : { ...wanted, state: "assisted" }),
        write: async ({ state, operation }: { state: string; operation: string }) =>
          void did.push(`write ${state} ${operation}`),
        end: async () => void did.push("end"),
      },
      seen: { forget: async () => void did.push("forget"), noteOrder: async () => undefined },
    },
  };
  const ended = await run(async (ctx) => {
    const base = nodeTask(ctx, given) as unknown as AssistTask;
    const task = {
      ...base,
      wanted: "wanted" in scene ? null : wanted,
      summary: "",
      stage: scene.stage ?? "guard",
    } as AssistTask;
    result = await work(task);
    summary = task.summary;
    return null;
  });
  return { failure: ended.error?.message ?? null, did: did.filter((one) => !one.startsWith("audit")), result, summary };
}

describe("An assistance that begins", () => {
  test("holds who asked for it and who approved it", () => {
    const start = { operation: "assist-1", asker: { userId: "U0OPERATOR", userName: "olivia", channel: "C0" } };
    const machine = { instanceId: lease.instanceId, launchedAt: wanted.launchedAt };
    const judged = { chosen: { name: node.name }, machine, owner } as Parameters<typeof assistanceHeld>[1];
    const by = { op: { start }, approvedBy: ["U0APPROVER"] } as unknown as Parameters<typeof assistanceHeld>[0];
    expect(assistanceHeld(by, judged)).toEqual(wanted);
  });

  test("records its approval before the tag, and waits until EC2 shows it", async () => {
    expect(await stage(tagMachine)).toMatchObject({ failure: null, did: ["write beginning assist-1", "tag"] });
  });

  test("is none without a record of what is wanted", async () => {
    expect((await stage(tagMachine, { wanted: null })).failure).toBe("an assistance that ends sets no tag");
    expect((await stage(guardMachine, { wanted: null })).failure).toBe("an assistance that ends installs no guard");
  });

  test("fails in the machine's words when its guard cannot be installed", async () => {
    const route = { ok: false, failed: { action: "route", error: "no such interface" } };
    expect((await stage(guardMachine, { route })).failure).toBe("route: no such interface");
    expect((await stage(guardMachine, { route: {} })).failure).toBe("route.ps1 did not finish and does not say why");
  });

  test("sends again while IAM does not see the tag yet, six times at most", async () => {
    const route = { ok: false, failed: { action: "route", error: "stop here" } };
    const seen = await stage(guardMachine, { refusals: 5, route });
    expect(seen).toMatchObject({ failure: "route: stop here", did: ['route install "install the guard, attempt 6"'] });
    expect(await stage(guardMachine, { refusals: 6, route })).toMatchObject({ failure: "not authorized", did: [] });
  });
});

describe("An assistance that ends", () => {
  const removed = 'route remove "remove the guard"';
  const taken = ["untag", "end", "forget"];

  test("loses its power first, then its guard, its tag and its record", async () => {
    expect(await stage(releaseMachine, { isTagged: true })).toMatchObject({
      ...{ failure: null, did: ["write beginning assist-1", removed, ...taken] },
      summary: `${node.name} is not assisted any more: guard and tag are taken away.`,
    });
  });

  test("leaves the guard on a machine whose agent is silent, and says how it is taken away", async () => {
    const { did, summary } = await stage(releaseMachine, { isTagged: true, isSilent: true });
    expect(did).toEqual(["write beginning assist-1", ...taken]);
    expect(summary).toMatch(
      /^ip-10-0-0-20 is not assisted any more: the tag is taken away\. Its SSM agent did not answer/,
    );
  });

  test("writes no record where there is none, and takes no tag off where there is none", async () => {
    expect((await stage(releaseMachine, { record: undefined })).did).toEqual([removed, "end", "forget"]);
  });
});

describe("An assistance that failed", () => {
  const clean = "guard and tag were taken away again";

  test("takes the tag off, and the guard that may have been installed", async () => {
    expect(await stage(restoreMachine, { isTagged: true })).toMatchObject({
      ...{ did: ['route remove "take the guard away again"', "untag", "end", "forget"], result: clean },
    });
    expect(await stage(restoreMachine, { isTagged: true, stage: "tag" })).toMatchObject({
      ...{ did: ["untag", "end", "forget"], result: clean },
    });
  });

  test("says what may still be there", async () => {
    const guard = "the tag was taken away again, and the guard may still be on the machine: ";
    expect((await stage(restoreMachine, { isSilent: true })).result).toBe(`${guard}its SSM agent does not answer`);
    const route = { ok: false, failed: { action: "route", error: "no such interface" } };
    expect((await stage(restoreMachine, { route })).result).toBe(`${guard}route: no such interface`);
    expect((await stage(restoreMachine, { isTagged: true, untagError: "denied" })).result).toBe(
      `the tag ${TAG.managed} may still be on the instance, where it has no power: denied`,
    );
  });
});
