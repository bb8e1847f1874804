import { describe, expect, it } from "vitest";
import { configurationOf } from "../../../lambdas/configuration.ts";
import type { InstanceFacts } from "../../../lib/sandbox/core/surroundings.ts";
import { configuration, instance, jobOf, minutes, okdFacts, type Stand, stages, standOf } from "./stand.ts";

const SECOND = 1_000;

async function booted(facts: InstanceFacts): Promise<Stand> {
  const stand = standOf();
  stand.start(facts);
  await stand.online(facts.instanceId);
  return stand;
}

/** Milliseconds that this takes on the stand's clock. */
async function lasts({ clock }: Stand, work: Promise<unknown>): Promise<number> {
  const began = clock.now();
  await work;
  return clock.now() - began;
}

/** Does what the guard stage does on the machine: its plan, and a look. */
async function guardStage(stand: Stand, facts: InstanceFacts): Promise<void> {
  await stand.apply(facts.instanceId, stages.guard(okdFacts(facts, stand.manifest)));
  await stand.observe(facts.instanceId);
}

/** A plan with one download, applied by a script with a line more. */
async function applyWith(stand: Stand, { instanceId }: InstanceFacts, line: string): Promise<void> {
  const [file] = stand.manifest.files.filter(({ name }) => name === "guard.ps1");
  const actions = [
    { do: "directory", path: "C:\\Casement", access: "system" },
    {
      do: "file",
      path: "C:\\Casement\\guard.ps1",
      source: { from: "bucket", bucket: configuration.bucket, key: file?.key, version: file?.versionId },
      sha256: file?.sha256,
      access: "inherited",
    },
  ];
  const job = jobOf("command-0", "apply", { plan: { format: 2, operation: "test", notAfter: 9e9, actions } });
  const [step] = job.steps;
  if (!step) throw new Error("the document has no step");
  stand.machines.deliver(instanceId, { ...job, steps: [{ ...step, script: [...step.script, line] }] });
  await stand.clock.until(() => stand.reports.some(({ commandId }) => commandId === "command-0"), minutes(10));
  expect(stand.reports.at(-1)?.status).toBe("Success");
}

describe("a script on a disk that nobody has read yet", () => {
  const one = instance(1);

  it("starts slowly, faster from then on, and slowly again after a boot", async () => {
    const stand = await booted(one);
    const cold = await lasts(stand, stand.apply(one.instanceId, []));
    expect(cold).toBeGreaterThan(6 * SECOND);
    expect(await lasts(stand, stand.apply(one.instanceId, []))).toBeLessThan(6 * SECOND);
    const pings = stand.pings.length;
    stand.simulation.bus.announce({ kind: "instance-reboot", instanceId: one.instanceId });
    await stand.clock.until(() => stand.pings.length > pings + 1, minutes(15));
    expect(await lasts(stand, stand.apply(one.instanceId, []))).toBeGreaterThan(6 * SECOND);
  });

  it("waits for minutes where it names a cmdlet of AWS's module", async () => {
    const [ours, named] = [await booted(one), await booted(one)];
    expect(await lasts(ours, applyWith(ours, one, "exit 0"))).toBeLessThan(60 * SECOND);
    expect(await lasts(named, applyWith(named, one, "Read-S3Object -Key x"))).toBeGreaterThan(220 * SECOND);
  });

  it("looks for longer than three minutes on Windows Server 2025, within what its document allows", async () => {
    const newest = instance(2, { build: "10.0.26100" });
    const stand = await booted(newest);
    const looked = await lasts(stand, stand.observe(newest.instanceId));
    expect(looked).toBeGreaterThan(210 * SECOND);
    expect(looked).toBeLessThan(640 * SECOND);
  });

  it.for(["10.0.17763", "10.0.20348", "10.0.26100"])("leaves time for the guard stage on build %s", async (build) => {
    const facts = instance(3, { build });
    const stand = await booted(facts);
    const { guard } = configurationOf(configuration).deadlines;
    expect(await lasts(stand, guardStage(stand, facts))).toBeLessThan(minutes(guard) / 1.5);
  });
});
