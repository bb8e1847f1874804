import { afterEach, expect, test } from "vitest";
import { demoConfiguration } from "../../../../lib/sandbox/demo-configuration.ts";
import { expectSound, heldBack, settled } from "../../evidence.ts";
import { type Journey, startJourney } from "../../journey.ts";

let here: Journey;
afterEach(() => here.close());

/** Lets pool web, which has two seed nodes, take a third and no fourth. */
const { pools } = demoConfiguration({ apiServer: "https://api.example.com", authority: "none" });
const roomForOneMore = { pools: { ...pools, web: { ...pools.web, maximum: 3 } } };

test("two adds at once never pass the maximum together", async () => {
  here = await startJourney({ seedNodes: true, configuration: roomForOneMore });
  const both = [here.type("operator", "/win add web"), here.type("approver", "/win add web")];
  await here.drive(Promise.all(both));
  await settled(here);
  const operations = await here.operations();
  expect(operations.map(({ status }) => status).sort()).toEqual(["refused", "succeeded"]);
  expect(
    here.simulator.kubernetes
      .objects("nodes")
      .filter(({ metadata }) => metadata.labels?.["casement.dev/pool"] === "web"),
  ).toHaveLength(3);
  expect(await heldBack(here)).toEqual([]);
  await expectSound(here);
});
