import { afterEach, describe, expect, test } from "vitest";
import { calls, heldBack, newest, nodeNamed, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { forcedDrain, isCordoned, run, SHORT, unasked } from "../../on-web.ts";
import { web } from "../../others.ts";
import { asAdministrator, injectFault } from "../../outside.ts";
import { poolOfFour } from "../../pool-of-four.ts";
import { withSeedNodes } from "../../removal.ts";
import { remover } from "../../restarts.ts";

let here: Journey;
afterEach(() => here.close());

const stageNow = async () => (await newest(here)).nodes[0]?.stage;

const BINDINGS = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings";

/** Has the API server refused an account for a missing right? */
const refused = (): boolean => calls(here, "kubernetes").some(({ error }) => / cannot \S+ resource /.test(error ?? ""));

/** Starts the API server anew at the next request of the bot, and waits until it has refused one. */
async function startServer(): Promise<void> {
  injectFault(here, "kubernetes-starts", { principal: remover }, 1);
  await here.until(refused, 30, "the refusal");
}

/** Starts the API server anew in a stage of the command, which ends as if nothing had happened. */
async function unharmed(command: string, stage: string): Promise<void> {
  await here.type("operator", command);
  await here.until(async () => (await stageNow()) === stage, 60, `the stage ${stage}`);
  await startServer();
  await settled(here, 120);
  const { operation, nodes } = await newest(here);
  expect(nodes.map(({ failure }) => failure)).toEqual(nodes.map(() => null));
  expect(operation.status).toBe("succeeded");
  expect(await heldBack(here)).toEqual([]);
}

describe("An API server that has just started ends no", () => {
  test("drain, as it cordons", async () => {
    here = await unasked("drain");
    injectFault(here, "kubernetes-starts", { principal: remover, verb: "patch", resource: "nodes" }, 1);
    expect(await run(here, forcedDrain.replace("/win ", ""), 60)).toContain("is drained");
    expect([refused(), isCordoned(here)]).toEqual([true, true]);
  });

  test("drain, as it evicts", async () => {
    here = await unasked("drain");
    await unharmed(forcedDrain, "evict");
    expect(isCordoned(here)).toBe(true);
  });

  test.each(["evict", "reboot", "prove"])("reboot, in stage %s", async (stage) => {
    here = await unasked("reboot");
    await unharmed(`/win reboot ${SHORT} --force ${web.name}`, stage);
    expect(isCordoned(here)).toBe(false);
  });

  test("guard", async () => {
    here = await withSeedNodes();
    injectFault(here, "kubernetes-starts", {}, 1);
    await run(here, `guard ${SHORT}`, 60);
    expect([refused(), (await newest(here)).operation.status]).toEqual([true, "succeeded"]);
  });

  test("rollout, between two nodes", async () => {
    const { here: journey, names } = await poolOfFour(1);
    here = journey;
    const boots = () => names.map((name) => nodeNamed(here, name)?.status?.nodeInfo?.bootID);
    const before = boots();
    await here.type("operator", "/win reboot web");
    await here.until(async () => (await newest(here)).nodes[0]?.status === "succeeded", 120, "the first node");
    await startServer();
    await settled(here, 300);
    expect((await newest(here)).operation.status).toBe("succeeded");
    expect(boots().filter((boot, index) => boot !== before[index])).toHaveLength(4);
  });
});

test("A right that an account lacks ends a drain after the fourth refusal, seconds later", async () => {
  here = await unasked("drain");
  await here.type("operator", forcedDrain);
  await here.until(async () => (await stageNow()) === "evict", 60, "the stage evict");
  for (const name of ["casement-act", "casement-look"]) await asAdministrator(here, "DELETE", `${BINDINGS}/${name}`);
  const since = Date.now();
  await here.until(async () => (await newest(here)).nodes[0]?.failure != null, 5, "the failure");
  expect((await newest(here)).nodes[0]?.failure?.why).toContain("cannot ");
  expect(Date.now() - since).toBeLessThan(60_000);
});
