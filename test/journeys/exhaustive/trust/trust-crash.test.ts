import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { lambdaName } from "../../../../lib/sandbox/simulator.ts";
import { issue } from "../../../inputs/trust/issuing.ts";
import { expectSound, heldBack, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { commandedBy, type DurableOperation, durableOperations, killAtEach, kills } from "../../killing.ts";
import { look } from "../../looking.ts";
import { nodes, paged, reconciles } from "../../mirroring.ts";
import { injectFault } from "../../outside.ts";
import {
  asked,
  given,
  startTrusting,
  trustedEverywhere,
  trustedOn,
  trustOnly,
  trustOperations,
  trustThese,
} from "../../trusting.ts";

const WORKFLOW = lambdaName("reconcile");

let here: Journey;
beforeEach(() => {
  // The SDK writes every refused checkpoint to the log.
  vi.spyOn(console, "error").mockReturnValue(undefined);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await here.close();
});

const root = await issue({ subject: "CN=Test Root" });
const between = await issue({ subject: "CN=Test Issuing", by: root });
/** So many that a machine takes seconds to store them. */
const many = await Promise.all(Array.from({ length: 40 }, (_, at) => issue({ subject: `CN=Test Many ${at}` })));

const machines = nodes.map(({ instanceId }) => instanceId).toSorted();
const everywhere = (...names: readonly string[]) => nodes.map(() => names);

/** Lets the change end: by schedule, or because a person asks for it. */
async function change(by: "schedule" | "person"): Promise<void> {
  await trustThese(here, root, between);
  if (by === "person") await here.type("operator", "/win reconcile");
  await given(here, 1);
  await settled(here, 10);
}

describe.for([
  ["schedule", () => trustOperations(here)],
  ["person", () => reconciles(here)],
] as const)("a change of authorities by a %s whose process dies", ([by, operations]) => {
  let whole: readonly DurableOperation[];
  beforeAll(async () => {
    here = await startTrusting();
    await change(by);
    whole = durableOperations(here, (await operations())[0]?.executionArn);
    await here.close();
  });

  test.for(by === "schedule" ? kills : kills.slice(0, 2))(
    "at each of its operations gives every machine the authorities once (%s, %s)",
    async (kill) => {
      here = await startTrusting();
      expect(whole.map(({ name }) => name)).toContain("settle the rest");
      const { expectDied } = killAtEach(here, WORKFLOW, whole, kill);
      await change(by);
      expectDied();
      const [operation, ...others] = await operations();
      expect(others).toEqual([]);
      expect(operation).toMatchObject({ status: "succeeded", summary: expect.stringContaining("3 nodes updated.") });
      expect(trustedEverywhere(here)).toEqual(everywhere("CA Issuing", "Root Root"));
      expect(commandedBy(here, operation?.id ?? "none").toSorted()).toEqual(machines);
      expect((await here.nodes(operation?.id ?? "")).map(({ status }) => status)).toEqual(Array(3).fill("succeeded"));
      expect((await look(here, "/win authorities")).said.match(/on all 3 nodes/g)).toHaveLength(2);
      expect(paged(here)).toEqual([]);
      expect(await heldBack(here)).toEqual([]);
      await expectSound(here);
    },
  );
});

/** Lets a root be approved, and reach the nodes. @returns the request */
async function approved(): Promise<string> {
  await trustThese(here, root);
  const id = await asked(here);
  expect(trustedEverywhere(here)).toEqual(everywhere());
  await here.type("approver", `/win approve ${id}`);
  await given(here, 1);
  await settled(here, 10);
  return id;
}

describe("a request for the approval of a root whose process dies", () => {
  let whole: readonly DurableOperation[];
  beforeAll(async () => {
    here = await startTrusting({});
    const id = await approved();
    whole = durableOperations(here, (await trustOperations(here)).find((one) => one.id === id)?.executionArn);
    await here.close();
  });

  test.for(kills)(
    "at each of its operations asks once, and the approved root reaches every node (%s, %s)",
    async (kill) => {
      here = await startTrusting({});
      expect(whole.map(({ name }) => name)).toContain("record the decision");
      const { expectDied } = killAtEach(here, WORKFLOW, whole, kill);
      const id = await approved();
      expectDied();
      const [operation, request, ...others] = await trustOperations(here);
      expect(others).toEqual([]);
      expect(request).toMatchObject({ id, status: "succeeded", approval: { state: "approved", asking: 1 } });
      expect(request?.approval?.votes).toHaveLength(1);
      expect(operation).toMatchObject({ status: "succeeded", origin: { by: "rule", rule: "trust" } });
      expect(trustedEverywhere(here)).toEqual(everywhere("Root Root"));
      expect(commandedBy(here, operation?.id ?? "none").toSorted()).toEqual(machines);
      expect(paged(here)).toHaveLength(1);
      expect(await heldBack(here)).toEqual([]);
      await expectSound(here);
    },
  );
});

describe("a change of authorities that fails on the first machine and whose process dies", () => {
  let whole: readonly DurableOperation[];
  beforeAll(async () => {
    await startWithRoot();
    await fail();
    whole = durableOperations(here, (await trustOperations(here))[0]?.executionArn);
    await here.close();
  });

  /** A cluster whose nodes have one root. */
  async function startWithRoot(): Promise<void> {
    here = await startTrusting();
    await trustThese(here, root);
    await given(here, 1);
    await settled(here, 10);
  }

  /** Lets a change end whose first machine cannot store the last authorities. */
  async function fail(): Promise<void> {
    await trustOnly(here, ...many);
    const half = () => nodes.find((node) => trustedOn(here, node).length > 5);
    await here.until(() => half() !== undefined, 12, "the first authorities");
    injectFault(here, "disk-full", { instanceId: half()?.instanceId ?? "" }, 1);
    await here.until(async () => (await trustOperations(here))[0]?.endedAt !== null, 30, "the end");
    await settled(here, 10);
  }

  test.for(kills.slice(0, 2))("at each of its operations gives the machine back what it had (%s, %s)", async (kill) => {
    await startWithRoot();
    expect(whole.map(({ name }) => name)).toContain("undo");
    const { expectDied } = killAtEach(here, WORKFLOW, whole, kill);
    await fail();
    expectDied();
    const [operation, ...others] = await trustOperations(here);
    expect(others).toHaveLength(1);
    expect(operation?.status).toBe("failed");
    expect(trustedEverywhere(here)).toEqual(everywhere("Root Root"));
    expect(commandedBy(here, operation?.id ?? "none")).toHaveLength(2);
    await here.pass(2);
    expect(paged(here)).toHaveLength(1);
    expect(await heldBack(here)).toEqual([]);
    await expectSound(here);
  });
});
