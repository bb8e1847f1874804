import { afterEach, expect, test } from "vitest";
import { type Journey, startJourney } from "../../journey.ts";
import { stopAll } from "../../stopping.ts";

let here: Journey;
afterEach(() => here.close());

test("an operation whose executions were stopped is closed by the sweep, which gives back what it held", async () => {
  here = await startJourney();
  await here.type("operator", "/win add web 1");
  const id = (await here.operations())[0]?.id ?? "";
  await here.until(async () => (await here.nodes(id))[0]?.stage === "features", 30);
  await stopAll(here);
  await here.pass(40);

  const [operation] = await here.operations();
  expect(operation).toMatchObject({ status: "failed", summary: "its execution ended as STOPPED" });
  const [node] = await here.nodes(id);
  expect(node).toMatchObject({ status: "failed", outcome: `instance ${node?.instanceId} was left as is` });
  expect(here.said().filter((text) => text.includes("stalled and needs attention"))).toHaveLength(1);

  // The pool's promise, the place and the lease are free: the next add fits and the machine may be removed.
  await here.type("operator", "/win add web 7");
  await here.until(async () => (await here.operations())[0]?.status === "running", 5);
  expect((await here.operations())[0]?.summary).not.toContain("too many");
});
