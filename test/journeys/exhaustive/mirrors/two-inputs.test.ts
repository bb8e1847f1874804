import { afterEach, expect, test } from "vitest";
import { expectSound, heldBack } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { authorityOn, nodes, replaceSignerOf, startTalking } from "../../kubelet-signer.ts";
import { createSet, filesOn, paged, said } from "../../mirroring.ts";

let here: Journey;
afterEach(() => here.close());

const quay = { source: "quay.io/team", mirrors: ["mirror.example.com/team"] };

/** Sends a tick of a schedule. */
const tick = (rule: "inputs" | "authority") =>
  here.simulator.lambda.send("casement-prod-west-cloud-events", {
    "detail-type": "Scheduled Event",
    id: `tick of ${rule}`,
    resources: [`arn:aws:events:us-west-2:111122223333:rule/casement-prod-west-${rule}`],
  });

test("two schedules at once give the same nodes both inputs, one after the other, and neither fails", async () => {
  here = await startTalking(nodes);
  const before = nodes.map((node) => authorityOn(here, node));
  await createSet(here, "tag", "team", quay);
  await replaceSignerOf(here);
  for (const rule of ["inputs", "authority"] as const) tick(rule);
  const haveBoth = () =>
    nodes.every((node, at) => "quay.io\\hosts.toml" in filesOn(here, node) && authorityOn(here, node) !== before[at]);
  await here.until(haveBoth, 40, "both inputs on each node");
  await here.pass(16);
  expect(said(here, "failed")).toBe(0);
  expect(paged(here)).toEqual([]);
  const operations = (await here.operations()).filter(({ request }) =>
    ["reconcile", "authority"].includes(request.command),
  );
  expect(new Set(operations.map(({ request }) => request.command)).size).toBe(2);
  for (const { status } of operations) expect(["succeeded", "cancelled"]).toContain(status);
  expect(await heldBack(here)).toEqual([]);
  await expectSound(here);
});
