import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { lambdaName } from "../../../../lib/sandbox/simulator.ts";
import { expectSound, heldBack, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { commandedBy, type DurableOperation, durableOperations, killAtEach, kills } from "../../killing.ts";
import { look } from "../../looking.ts";
import {
  createSet,
  diskOfNode,
  filesOn,
  nodes,
  ownPods,
  paged,
  reconciles,
  said,
  startMirroring,
} from "../../mirroring.ts";
import { injectFault } from "../../outside.ts";

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

const never = {
  source: "quay.io/team",
  mirrors: ["mirror.example.com/team"],
  mirrorSourcePolicy: "NeverContactSource",
} as const;
const start = () => startMirroring({ probe: { registries: { "quay.io": "quay.io/team/tool:1" } } });

/** Lets the change end: by schedule, or because a person asks for it. */
async function change(by: "schedule" | "person", end = "3 nodes updated"): Promise<void> {
  await createSet(here, "tag", "team", never);
  if (by === "person") await here.type("operator", "/win reconcile");
  await here.until(() => said(here, end) > 0, 60, "the change");
  await settled(here, 10);
}

describe.for(["schedule", "person"] as const)("a change of mirrors by a %s whose process dies", (by) => {
  let whole: readonly DurableOperation[];
  beforeAll(async () => {
    here = await start();
    await change(by);
    whole = durableOperations(here, (await reconciles(here))[0]?.executionArn);
    await here.close();
  });

  test.for(by === "schedule" ? kills : kills.slice(0, 2))(
    "at each of its operations gives every machine the file once (%s, %s)",
    async (kill) => {
      here = await start();
      expect(whole.map(({ name }) => name)).toContain("settle the rest");
      const { expectDied } = killAtEach(here, WORKFLOW, whole, kill);
      await change(by);
      expectDied();
      const [operation, ...others] = await reconciles(here);
      expect(others).toEqual([]);
      expect(operation).toMatchObject({ status: "succeeded", summary: expect.stringContaining("3 nodes updated.") });
      const files = nodes.map((node) => filesOn(here, node));
      expect(files.every((one) => one["quay.io\\hosts.toml"] !== undefined)).toBe(true);
      expect(commandedBy(here, operation?.id ?? "none").toSorted()).toEqual(
        nodes.map(({ instanceId }) => instanceId).toSorted(),
      );
      expect((await here.nodes(operation?.id ?? "")).map(({ status }) => status)).toEqual(Array(3).fill("succeeded"));
      expect((await look(here, "/win mirrors")).said).toContain("on all 3 nodes");
      expect(ownPods(here)).toEqual([]);
      expect(paged(here)).toEqual([]);
      expect(await heldBack(here)).toEqual([]);
      await expectSound(here);
    },
  );
});

describe("a wrong change of mirrors whose process dies", () => {
  let whole: readonly DurableOperation[];
  beforeAll(async () => {
    here = await start();
    injectFault(here, "registry-down", { host: "mirror.example.com" });
    await change("schedule", "1 node failed");
    whole = durableOperations(here, (await reconciles(here))[0]?.executionArn);
    await here.close();
  });

  test.for(kills.slice(0, 2))(
    "at each of its operations gives the first node back what it had (%s, %s)",
    async (kill) => {
      here = await start();
      expect(whole.map(({ name }) => name)).toContain("undo");
      killAtEach(here, WORKFLOW, whole, kill);
      injectFault(here, "registry-down", { host: "mirror.example.com" });
      await change("schedule", "1 node failed");
      const [operation, ...others] = await reconciles(here);
      expect(others).toEqual([]);
      expect(operation?.status).toBe("failed");
      expect(nodes.map((node) => filesOn(here, node))).toEqual([{}, {}, {}]);
      for (const node of nodes)
        expect(diskOfNode(here, node).directory("C:\\k\\containerd\\registries\\quay.io")).toBeUndefined();
      expect(commandedBy(here, operation?.id ?? "none")).toHaveLength(2);
      expect(ownPods(here)).toEqual([]);
      await here.pass(2);
      expect(paged(here)).toHaveLength(1);
      expect(await heldBack(here)).toEqual([]);
    },
  );
});
