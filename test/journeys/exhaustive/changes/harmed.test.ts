import { afterEach, describe, expect, test } from "vitest";
import { expectSound, heldBack, newest, nodeNamed, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { cordonByHand, ec2, guardedPod, kubectl, otherWeb, shortName, stateOf, web } from "../../others.ts";
import { endFault, injectFault } from "../../outside.ts";
import { openly } from "../../reading.ts";
import { confirmRemoval, withSeedNodes } from "../../removal.ts";

let here: Journey;
afterEach(() => here.close());

type Harm = "deleted" | "stopped" | "terminated";

/** An end of a change whose node was harmed. */
interface HarmedEnd {
  readonly status: "succeeded" | "failed";
  /** Its summary, and the reason of its failure below it. */
  readonly says: RegExp;
  readonly code?: string;
  /** Minutes until it ends, where pods get their grace or a machine registers again; by default 2. */
  readonly within?: number;
  /** The node stays cordoned, and the summary says so. */
  readonly cordoned?: true;
}

const instance = { "InstanceId.1": web.instanceId };
const harms: Readonly<Record<Harm, () => Promise<void>>> = {
  deleted: () => kubectl(here, "DELETE", `/api/v1/nodes/${web.name}`),
  stopped: () => ec2(here, "StopInstances", instance),
  terminated: () => ec2(here, "TerminateInstances", instance),
};

const holdBy = (kind: string, match: Record<string, string>) => async () => {
  const fault = injectFault(here, kind, match);
  return async () => void endFault(here, fault);
};
const id = { instanceId: web.instanceId };
const holdPatches = holdBy("kubernetes-5xx", { verb: "patch", resource: "nodes" });
const forever = async () => async () => undefined;

/** Keeps a change in a stage. @returns lets it go on a minute after the harm */
const holds: Readonly<Record<string, () => Promise<() => Promise<void>>>> = {
  slot: () => cordonByHand(here, otherWeb).then(forever),
  cordon: holdPatches,
  evict: () => guardedPod(here, web).then(forever),
  reboot: holdBy("updates-at-boot", id),
  restore: holdPatches,
};

const WEB = shortName(web);
const begins: Readonly<Record<string, () => Promise<unknown>>> = {
  drain: () => here.type("operator", `/win drain ${WEB} --force ${web.name}`),
  reboot: () => here.type("operator", `/win reboot ${WEB} --force ${web.name}`),
  restart: () => here.type("operator", `/win restart ${WEB}`),
  remove: () => confirmRemoval(here, WEB),
};

const GONE = "no longer exists";
const ENDED =
  "i-0a1b2c3d4e5f60718 is (stopping|stopped|shutting-down|terminated): EC2 says Client.UserInitiatedShutdown";
const nothingLeft: HarmedEnd = { status: "succeeded", says: new RegExp(GONE) };
const ended = (left: string): HarmedEnd => ({
  status: "failed",
  code: "machine-ended",
  says: new RegExp(`${left}[\\s\\S]*${ENDED}`),
});
const notBegun: HarmedEnd = {
  status: "failed",
  says: /nothing was changed[\s\S]*EC2 says that its instance is stopped/,
};
const untouched = ended("nothing was changed");
const givenBack = ended("the node is schedulable again");
const ending = ended("EC2 is terminating");
const stuck: HarmedEnd = {
  ...ended("the node stays cordoned, because pods on it do not end"),
  within: 9,
  cordoned: true,
};
const removed: HarmedEnd = { status: "succeeded", says: /was removed and its instance terminated/, within: 9 };
const notProven: HarmedEnd = { ...ended("the node stays cordoned until it is proven"), cordoned: true };
const notThere: HarmedEnd = { status: "failed", code: "node-deleted", says: /its Node no longer exists/, within: 3 };
const anew: HarmedEnd = {
  status: "failed",
  code: "registered-anew",
  says: /a new Node .* has taken its place/,
  within: 30,
};
const done = (left: string): HarmedEnd => ({
  status: "succeeded",
  says: new RegExp(`work[\\s\\S]*${left}`),
  within: 3,
});

/** Every stage of a change of a node in service, and what becomes of it with each harm. */
const table: Readonly<Record<string, Readonly<Record<string, Readonly<Record<Harm, HarmedEnd>>>>>> = {
  drain: {
    slot: { deleted: nothingLeft, stopped: stuck, terminated: nothingLeft },
    cordon: { deleted: nothingLeft, stopped: stuck, terminated: nothingLeft },
    evict: { deleted: nothingLeft, stopped: stuck, terminated: nothingLeft },
  },
  reboot: {
    slot: { deleted: nothingLeft, stopped: notBegun, terminated: untouched },
    guard: { deleted: nothingLeft, stopped: untouched, terminated: untouched },
    cordon: { deleted: nothingLeft, stopped: givenBack, terminated: nothingLeft },
    evict: { deleted: nothingLeft, stopped: givenBack, terminated: nothingLeft },
    reboot: { deleted: anew, stopped: givenBack, terminated: ending },
    prove: { deleted: notThere, stopped: notProven, terminated: ending },
    restore: { deleted: done(GONE), stopped: done("schedulable again"), terminated: done("EC2 is terminating") },
  },
  restart: {
    slot: { deleted: nothingLeft, stopped: notBegun, terminated: ending },
    cordon: { deleted: nothingLeft, stopped: givenBack, terminated: ended("its Node no longer exists") },
    restart: { deleted: nothingLeft, stopped: givenBack, terminated: ending },
    prove: { deleted: notThere, stopped: notProven, terminated: ending },
    restore: { deleted: done(GONE), stopped: done("schedulable again"), terminated: done("EC2 is terminating") },
  },
  remove: {
    // Its dialog refuses a removal that has no slot.
    cordon: { deleted: removed, stopped: removed, terminated: removed },
    evict: { deleted: removed, stopped: removed, terminated: removed },
  },
};

const rows = Object.entries(table).flatMap(([command, stages]) =>
  Object.entries(stages).flatMap(([stage, ends]) =>
    (Object.keys(harms) as Harm[]).map((harm) => ({ command, stage, harm, end: ends[harm] })),
  ),
);

const nodeNow = async () => (await newest(here)).nodes[0];
const inStage = (stage: string): Promise<void> =>
  here.until(async () => (await nodeNow())?.stage === stage, 60, `stage ${stage}`);

/** Brings the change into its stage, and keeps it there where it would not stay by itself. @returns lets it go on */
async function begin(command: string, stage: string): Promise<() => Promise<void>> {
  const hold = holds[stage] ?? forever;
  const isLate = stage === "restore";
  const early = isLate ? null : await hold();
  await begins[command]?.();
  if (isLate) await inStage("prove");
  const letGo = early ?? (await hold());
  await inStage(stage);
  return letGo;
}

describe("A node that is harmed by others while it is changed", () => {
  test.each(rows)("$command, $stage, $harm: the change ends with that cause", async ({ command, stage, harm, end }) => {
    const approvals = Object.fromEntries(Object.keys(begins).map((word) => [word, { needs: 0 }]));
    here = await withSeedNodes({ configuration: { approvals } });
    const letGo = await begin(command, stage);
    const since = Date.now();
    await here.drive(harms[harm]());
    await here.pass(1);
    if (stage !== "reboot") await letGo();
    await settled(here, 60);
    const { operation, nodes } = await newest(here);
    const { summary = "", endedAt } = operation;
    const { failure } = nodes[0] ?? {};
    expect([operation.status, failure?.code]).toEqual([end.status, end.code]);
    expect(`${summary}\n${failure?.why ?? ""}`).toMatch(end.says);
    expect((Date.parse(endedAt ?? "") - since) / 60_000).toBeLessThan(end.within ?? 2.5);
    expect(openly(here).at(-1)).not.toContain(": Ready after");
    await here.pass(3);
    const isThere = nodeNamed(here, web.name) !== undefined;
    expect(isThere && nodeNamed(here, web.name)?.spec?.unschedulable === true).toBe(isThere && end.cordoned === true);
    expect(await heldBack(here)).toEqual([]);
    if (command === "remove") expect(stateOf(here, web)).toBe("terminated");
    await expectSound(here);
  });
});
