import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { lambdaName } from "../../../../lib/sandbox/simulator.ts";
import { expectSound, heldBack, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { commandedBy, type DurableOperation, durableOperations, killAtEach, kills } from "../../killing.ts";
import { look } from "../../looking.ts";
import { nodes, paged, reconciles, said } from "../../mirroring.ts";
import { environmentOf, PROXY, setProxy, startProxying, writtenOn } from "../../proxying.ts";

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

const credential = "casement:canary-of-winter";
const value = `HTTPS_PROXY=http://${credential}@${PROXY}`;

const foreign = "https_proxy=http://theirs.example.com:8080";

/** Lets the change end: by schedule, or because a person asks for it. */
async function change(by: "schedule" | "person", end = "3 nodes updated"): Promise<void> {
  await setProxy(here, { httpsProxy: `http://${credential}@${PROXY}` });
  if (by === "person") await here.type("operator", "/win reconcile");
  await here.until(() => said(here, end) > 0, 60, "the change");
  await settled(here, 10);
}

describe.for(["schedule", "person"] as const)("a change of the proxy by a %s whose process dies", (by) => {
  let whole: readonly DurableOperation[];
  beforeAll(async () => {
    here = await startProxying();
    await change(by);
    whole = durableOperations(here, (await reconciles(here))[0]?.executionArn);
    await here.close();
  });

  test.for(by === "schedule" ? kills : kills.slice(0, 2))(
    "at each of its operations gives every machine the variables once (%s, %s)",
    async (kill) => {
      here = await startProxying();
      expect(whole.map(({ name }) => name)).toContain("settle the rest");
      const { expectDied } = killAtEach(here, WORKFLOW, whole, kill);
      await change(by);
      expectDied();
      const [operation, ...others] = await reconciles(here);
      expect(others).toEqual([]);
      expect(operation).toMatchObject({ status: "succeeded", summary: expect.stringContaining("3 nodes updated.") });
      for (const node of nodes)
        for (const service of ["containerd", "kubelet"])
          expect(writtenOn(here, node, service)).toEqual([expect.stringMatching(/^NO_PROXY=/), value]);
      expect(commandedBy(here, operation?.id ?? "none").toSorted()).toEqual(
        nodes.map(({ instanceId }) => instanceId).toSorted(),
      );
      expect((await here.nodes(operation?.id ?? "")).map(({ status }) => status)).toEqual(Array(3).fill("succeeded"));
      expect((await look(here, "/win proxy")).said).toContain("on 3 nodes");
      expect(paged(here)).toEqual([]);
      expect(await heldBack(here)).toEqual([]);
      await expectSound(here);
    },
  );
});

describe("a change of the proxy that a machine refuses and whose process dies", () => {
  /** A cluster in which a person has set a variable of containerd on each machine. */
  async function startRefusing(): Promise<void> {
    here = await startProxying();
    for (const node of nodes) environmentOf(here, node).push(foreign);
  }

  let whole: readonly DurableOperation[];
  beforeAll(async () => {
    await startRefusing();
    await change("schedule", "1 node failed");
    whole = durableOperations(here, (await reconciles(here))[0]?.executionArn);
    await here.close();
  });

  test.for(kills.slice(0, 2))(
    "at each of its operations gives the first node back what it had (%s, %s)",
    async (kill) => {
      await startRefusing();
      expect(whole.map(({ name }) => name)).toContain("undo");
      const { expectDied } = killAtEach(here, WORKFLOW, whole, kill);
      await change("schedule", "1 node failed");
      expectDied();
      const [operation, ...others] = await reconciles(here);
      expect(others).toEqual([]);
      expect(operation?.status).toBe("failed");
      expect(nodes.map((node) => writtenOn(here, node))).toEqual(nodes.map(() => [foreign]));
      expect(nodes.flatMap((node) => writtenOn(here, node, "kubelet"))).toEqual([]);
      expect(commandedBy(here, operation?.id ?? "none")).toHaveLength(2);
      await here.pass(2);
      expect(paged(here)).toHaveLength(1);
      expect(await heldBack(here)).toEqual([]);
      await expectSound(here);
    },
  );
});
