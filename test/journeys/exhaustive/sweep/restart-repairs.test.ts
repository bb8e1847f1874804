import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { PROVE_AGAIN } from "../../../../lambdas/messages/slack/buttons.ts";
import { calls, expectSound, heldBack, newest, nodeNamed, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { isCordoned, SHORT } from "../../on-web.ts";
import { web } from "../../others.ts";
import { endFault, injectFault } from "../../outside.ts";
import { inThreads, openly } from "../../reading.ts";
import { type Moment, type Restarts, recordRestarts, remover } from "../../restarts.ts";

const ofWeb = { instanceId: web.instanceId };
const bootIdOf = (here: Journey): string | undefined => nodeNamed(here, web.name)?.status?.nodeInfo?.bootID;

/** Commands that SSM took, as they are when a journey is over, by the function that sent them. */
interface Sent {
  readonly documentName: string;
  readonly comment: string;
}

/** Documents of the commands that an operation sent. */
const documentsOf = (here: Journey, operation: string): string[] => {
  const all = [...here.simulator.simulation.store.collection<Sent>("ssm-commands").values()]
    .filter(({ comment }) => comment.includes(operation))
    .map(({ documentName }) => /-(apply|observe|reboot|guard|route)-/.exec(documentName)?.[1] ?? documentName);
  return all.filter((name, at) => name !== "observe" || all.indexOf(name) === at);
};

/** A command of a person whose process dies at each of the moments. */
interface Row {
  readonly what: string;
  readonly moments: readonly Moment[];
  readonly journey: (first: Journey) => Promise<void>;
  /** Documents that were sent; of looks, which may be repeated, one. */
  readonly sent: readonly string[];
  readonly summary: RegExp;
  readonly isCordoned: boolean;
}

const start = { service: "lambda", action: "Invoke", principal: "front-door" } as const;
const posted = { service: "slack", action: "chat.postMessage" } as const;
const patched = { service: "kubernetes", action: "patch nodes", principal: remover } as const;

async function type(first: Journey, command: string): Promise<void> {
  await first.type("operator", command);
  await settled(first, 120);
}

/** A reboot whose kubelet does not start is mended past the bot; then Check again is pressed. */
async function checkAgain(first: Journey): Promise<void> {
  const fault = injectFault(first, "service-exits", { ...ofWeb, service: "kubelet" });
  await type(first, `/win reboot ${SHORT} --force ${web.name}`);
  endFault(first, fault);
  first.simulator.simulation.bus.announce({ kind: "instance-reboot", ...ofWeb });
  await first.pass(15);
  await first.press("operator", PROVE_AGAIN);
  await settled(first, 60);
}

const prover = { service: "ssm", action: "SendCommand", principal: "reboot-node", since: "Check again was pressed" };
const guarder = { service: "ssm", action: "SendCommand", principal: "guard-node" } as const;

const rows: readonly Row[] = [
  {
    what: "a guard",
    moments: [
      { after: "the guard was started", ...start, count: 1 },
      { after: "the message was posted", ...posted, count: 1 },
      { after: "the guard was sent", ...guarder, count: 1 },
      { after: "the guard was looked at", ...guarder, count: 2 },
    ],
    journey: (first) => type(first, `/win guard ${SHORT}`),
    sent: ["route", "observe"],
    summary: /^The guard of the metadata route works on 1 node\.$/,
    isCordoned: false,
  },
  {
    what: "a proof",
    moments: [
      { after: "Check again was pressed", ...start, count: 2 },
      { after: "the message of the proof was posted", ...posted, count: 1, since: "Check again was pressed" },
      { after: "the proof was asked", ...prover, count: 1 },
      { after: "the proof was asked again", ...prover, count: 2 },
      { after: "the node was given back", ...patched, count: 1, since: "Check again was pressed" },
    ],
    journey: checkAgain,
    sent: ["observe"],
    summary: /it passed every check of the proof; the node is schedulable again/,
    isCordoned: false,
  },
  {
    what: "a cordon",
    moments: [
      { after: "the cordon was started", ...start, count: 1 },
      { after: "the message was posted", ...posted, count: 1 },
      { after: "the node was cordoned", ...patched, count: 1 },
    ],
    journey: (first) => type(first, `/win cordon ${SHORT}`),
    sent: [],
    summary: /is cordoned: no new pods/,
    isCordoned: true,
  },
  {
    what: "an uncordon",
    moments: [
      { after: "the uncordon was started", ...start, count: 2 },
      { after: "the node was uncordoned", ...patched, count: 1, since: "the uncordon was started" },
    ],
    journey: async (first) => {
      await type(first, `/win cordon ${SHORT}`);
      await type(first, `/win uncordon ${SHORT}`);
    },
    sent: [],
    summary: /is schedulable again\.$/,
    isCordoned: false,
  },
];

describe.each(rows)("a process that dies during $what and is started again on its files", (row) => {
  let restarts: Restarts;
  let here: Journey | undefined;
  let boot: string | undefined;

  beforeAll(async () => {
    const deadlines = { reboot: { reboot: 20, prove: 12 } };
    const options = { seedNodes: true, configuration: { approvals: { reboot: { needs: 0 } }, deadlines } };
    restarts = await recordRestarts(options, row.moments, async (first) => {
      await row.journey(first);
      boot = bootIdOf(first);
    });
  });
  afterEach(async () => {
    await here?.close();
    here = undefined;
  });
  afterAll(() => restarts.end());

  test.each(row.moments)("right after $after, does it once and says so once", async ({ after }) => {
    here = await restarts.from(after);
    await settled(here, 120);
    const { operation } = await newest(here);
    expect(operation).toMatchObject({ status: "succeeded", summary: expect.stringMatching(row.summary) });
    expect(documentsOf(here, operation.id).toSorted()).toEqual([...row.sent].toSorted());
    expect([isCordoned(here), bootIdOf(here)]).toEqual([row.isCordoned, boot]);
    expect(calls(here, "ec2", "RebootInstances")).toEqual([]);
    expect(await heldBack(here)).toEqual([]);
    // The message of the earlier reboot may name the operation that proved it.
    const own = openly(here).filter((text) => text.includes(`\`${operation.id}\` ·`));
    expect(own).toHaveLength(1);
    const told = inThreads(here);
    expect(new Set(told).size).toBe(told.length);
    await expectSound(here);
  });
});
