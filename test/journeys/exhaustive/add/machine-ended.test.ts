import { afterEach, expect, test } from "vitest";
import type { StageName } from "../../../../lambdas/stages.ts";
import { expectSound, heldBack, joinSecrets, newest, settled, spoken, wordsOf } from "../../evidence.ts";
import { asked, impatient, launchedId } from "../../failing.ts";
import { type Journey, startJourney } from "../../journey.ts";
import { askEc2, injectFault, reached, terminateFromOutside } from "../../outside.ts";

let here: Journey;
afterEach(() => here.close());

/** EC2 takes some seconds to end an instance, and a look comes every quarter of a minute. */
const NOTICED_WITHIN_MS = 60_000;

test.for<StageName>(["agent", "features", "payload", "client-csr", "serving-csr", "network"])(
  "an instance that is terminated during %s is noticed within a minute",
  async (stage) => {
    // What the stages after the kubelet's start wait for does not come by itself.
    here = await startJourney({ configuration: impatient });
    if (stage === "client-csr") injectFault(here, "kubelet-wrong-csr", { how: "other-name" });
    await here.type("operator", "/win add web");
    if (stage === "serving-csr") {
      await reached(here, "node");
      injectFault(here, "kubelet-wrong-csr", { how: "extra-san" });
    }
    await reached(here, stage);
    const since = Date.now();
    await terminateFromOutside(here, launchedId(here));
    await settled(here);
    const { operation, nodes } = await newest(here);
    expect(operation.status).toBe("failed");
    expect(nodes[0]?.failure).toMatchObject({
      stage,
      why: expect.stringMatching(/^i-\w+ is (shutting-down|terminated): /),
    });
    expect(Date.parse(nodes[0]?.endedAt ?? "") - since).toBeLessThan(4 * NOTICED_WITHIN_MS);
    const told = spoken(here).thread.map(wordsOf).join("\n");
    expect(told).not.toContain("needs a decision");
    expect(joinSecrets(here)).toEqual([]);
    expect(await heldBack(here)).toEqual([]);
    await expectSound(here);
  },
);

test.for<StageName>(["agent", "features", "payload", "client-csr", "serving-csr", "network"])(
  "an instance that is stopped during %s is noticed within a minute, and a person decides about it",
  async (stage) => {
    here = await startJourney({ configuration: impatient });
    await here.type("operator", "/win add web");
    await reached(here, stage);
    const since = Date.now();
    await askEc2(here, "StopInstances", { "InstanceId.1": launchedId(here) });
    const node = await asked(here);
    expect(Date.now() - since).toBeLessThan(NOTICED_WITHIN_MS);
    expect(node.failure).toMatchObject({ why: expect.stringMatching(/^i-\w+ is stopp(ing|ed): /) });
    expect(node.failure?.left).toContain("its kubelet is not running");
    await here.press("operator", "terminate-instance");
    await settled(here);
    expect(await heldBack(here)).toEqual([]);
    await expectSound(here);
  },
);

test("a machine that ends while a person is asked about it needs no decision any more", async () => {
  here = await startJourney({ configuration: impatient });
  injectFault(here, "feature-install-fails");
  await here.type("operator", "/win add web");
  await asked(here);
  const since = Date.now();
  await terminateFromOutside(here, launchedId(here));
  await settled(here);
  expect(Date.now() - since).toBeLessThan(6 * NOTICED_WITHIN_MS);
  const { operation, nodes } = await newest(here);
  expect(operation.status).toBe("failed");
  expect(nodes[0]).toMatchObject({
    status: "failed",
    decideBy: null,
    outcome: "the instance was terminated outside Casement",
  });
  expect(await heldBack(here)).toEqual([]);
  await expectSound(here);
});
