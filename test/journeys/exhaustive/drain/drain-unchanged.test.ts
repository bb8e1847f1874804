import { afterEach, describe, expect, test } from "vitest";
import { newest } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { isCordoned, run, SHORT, unasked } from "../../on-web.ts";
import { podOn, podsOn, web } from "../../others.ts";
import { openly, privately } from "../../reading.ts";

let here: Journey;
afterEach(() => here.close());

describe("A drain", () => {
  test("shows its plan to the requester alone with --dry-run, and changes nothing", async () => {
    here = await unasked("drain");
    const pods = podsOn(here, web);
    await run(here, `drain ${SHORT} --dry-run`, 60);
    expect(privately(here, "operator").at(-1)).toMatch(
      /Plan to drain[\s\S]*✅ The guard of the metadata route is in order[\s\S]*will be evicted[\s\S]*To apply: `\/win drain/,
    );
    expect(podsOn(here, web)).toEqual(pods);
    expect(isCordoned(here)).toBe(false);
  });

  test("evicts nothing while a pod would be lost, and names the option that allows it", async () => {
    here = await unasked("drain");
    here.simulator.kubernetes.create(podOn(web, "by-hand"));
    await here.pass(1);
    const pods = podsOn(here, web);
    await run(here, `drain ${SHORT}`, 60);
    expect((await newest(here)).operation.status).toBe("refused");
    expect(openly(here).at(-1)).toMatch(
      /nothing was evicted: nothing recreates default\/by-hand: --force evicts them;.* Next: `\/win drain (\S+) --force \1`/,
    );
    expect(podsOn(here, web)).toEqual(pods);
    expect(isCordoned(here)).toBe(false);
  });

  test("evicts no pod of a Job without a retry, which would fail with it", async () => {
    here = await unasked("drain");
    const container = { name: "c", image: "registry.example.com/shop/storefront:1.4" };
    const template = { spec: { nodeName: web.name, restartPolicy: "Never", containers: [container] } };
    const metadata = { name: "nightly", namespace: "default" };
    const job = { apiVersion: "batch/v1", kind: "Job", metadata, spec: { backoffLimit: 0, template } };
    here.simulator.kubernetes.create(job as never);
    await here.pass(1);
    const pods = podsOn(here, web);
    await run(here, `drain ${SHORT}`, 60);
    expect((await newest(here)).operation.status).toBe("refused");
    expect(openly(here).at(-1)).toMatch(
      /the owner of default\/nightly-\w+ \(Job\/nightly: backoffLimit 0, no retry left\) may not create another pod: --force evicts them/,
    );
    expect(podsOn(here, web)).toEqual(pods);
  });

  test("takes --force only with the node's name behind it", async () => {
    here = await unasked("drain");
    await run(here, `drain ${SHORT} --force ${SHORT.slice(0, -2)}`, 60);
    expect((await newest(here)).operation.status).toBe("not-started");
    expect(privately(here, "operator").at(-1)).toContain("--force requires the node's name");
    expect(isCordoned(here)).toBe(false);
  });
});
