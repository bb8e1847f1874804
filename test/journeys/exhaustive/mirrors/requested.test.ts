import { afterEach, expect, test } from "vitest";
import { requesterOf } from "../../../../lambdas/records/origin.ts";
import { expectSound } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { createSet, deleteSet, filesOn, reconciles, said, startMirroring } from "../../mirroring.ts";
import { batch, otherWeb, podOn, web } from "../../others.ts";
import { privately } from "../../reading.ts";

let here: Journey;
afterEach(() => here.close());

const quay = { source: "quay.io/team", mirrors: ["mirror.example.com/team"] };
const redhat = {
  source: "registry.redhat.io/ubi9",
  mirrors: ["mirror.example.com/ubi9"],
  mirrorSourcePolicy: "NeverContactSource",
} as const;

/** The operation that a person asked for, once it has ended. */
async function requested(words: string) {
  await here.type("operator", words);
  const own = async () => (await reconciles(here)).find((one) => requesterOf(one) !== null);
  await here.until(async () => typeof (await own())?.endedAt === "string", 30, "the end of the operation");
  return own();
}

test("a person writes mirrors to a pool now, and its message shows the nodes and the end", async () => {
  here = await startMirroring();
  await createSet(here, "digest", "team", quay);
  const operation = await requested("/win reconcile web");
  expect(operation).toMatchObject({ status: "succeeded" });
  expect(operation?.summary).toContain("2 nodes updated.");
  expect(Object.keys(filesOn(here, web))).toEqual(["quay.io\\hosts.toml"]);
  expect(Object.keys(filesOn(here, otherWeb))).toEqual(["quay.io\\hosts.toml"]);
  expect(filesOn(here, batch)).toEqual({});
  await expectSound(here);
});

test("a Never that would cut off images in use is asked for with them, and a person's reconcile applies it", async () => {
  here = await startMirroring();
  here.simulator.kubernetes.create(
    podOn(web, "report", {
      spec: { containers: [{ name: "report", image: "registry.redhat.io/rhel8/report:1" }] },
    }),
  );
  await createSet(here, "digest", "team", quay, redhat);
  await here.until(() => said(here, "3 nodes updated") === 1, 30, "what needs no question");
  expect(Object.keys(filesOn(here, web))).toEqual(["quay.io\\hosts.toml"]);
  expect(said(here, "registry.redhat.io/rhel8/report:1")).toBe(1);
  await here.pass(30);
  expect(said(here, "registry.redhat.io/rhel8/report:1")).toBe(1);
  const operation = await requested("/win reconcile");
  expect(operation).toMatchObject({ status: "succeeded" });
  expect(Object.keys(filesOn(here, batch))).toContain("registry.redhat.io\\hosts.toml");
  await expectSound(here);
});

test("mirror sets that are all gone leave the files until a person asks", async () => {
  here = await startMirroring();
  await createSet(here, "digest", "team", quay);
  await here.until(() => said(here, "3 nodes updated") === 1, 30, "the files");
  await deleteSet(here, "digest", "team");
  await here.until(() => said(here, "no mirror set any more") === 1, 30, "the question");
  expect(Object.keys(filesOn(here, web))).toEqual(["quay.io\\hosts.toml"]);
  expect(await requested("/win reconcile")).toMatchObject({ status: "succeeded" });
  for (const node of [web, otherWeb, batch]) expect(filesOn(here, node)).toEqual({});
  expect(privately(here, "operator").join()).not.toContain("error");
  await expectSound(here);
});
