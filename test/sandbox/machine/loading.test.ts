import { describe, expect, it } from "vitest";
import { configurationOf } from "../../../lambdas/configuration/configuration.ts";
import type { InstanceFacts } from "../../../lib/sandbox/core/ports.ts";
import { configuration, type Fixture, instance, jobOf, machineFixture, minutes, okdFacts, stages } from "./fixture.ts";

const SECOND = 1_000;

async function booted(facts: InstanceFacts): Promise<Fixture> {
  const fixture = machineFixture();
  fixture.start(facts);
  await fixture.online(facts.instanceId);
  return fixture;
}

/** Measures the duration of work in milliseconds of the fixture's clock. */
async function lasts({ clock }: Fixture, work: Promise<unknown>): Promise<number> {
  const began = clock.now();
  await work;
  return clock.now() - began;
}

/** Does the work of the guard stage on the machine: its plan, and an observation. */
async function guardStage(fixture: Fixture, facts: InstanceFacts): Promise<void> {
  await fixture.apply(facts.instanceId, stages.guard(okdFacts(facts, fixture.manifest)));
  await fixture.observe(facts.instanceId);
}

/** A plan with one download, applied by a script with one more line. */
async function applyWith(fixture: Fixture, { instanceId }: InstanceFacts, line: string): Promise<void> {
  const [file] = fixture.manifest.files.filter(({ name }) => name === "guard.ps1");
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
  fixture.machines.deliver(instanceId, { ...job, steps: [{ ...step, script: [...step.script, line] }] });
  await fixture.clock.until(() => fixture.reports.some(({ commandId }) => commandId === "command-0"), minutes(10));
  expect(fixture.reports.at(-1)?.status).toBe("Success");
}

describe("a script on a cold disk", () => {
  const one = instance(1);

  it("starts slowly, faster from then on, and slowly again after a boot", async () => {
    const fixture = await booted(one);
    const cold = await lasts(fixture, fixture.apply(one.instanceId, []));
    expect(cold).toBeGreaterThan(6 * SECOND);
    expect(await lasts(fixture, fixture.apply(one.instanceId, []))).toBeLessThan(6 * SECOND);
    const pings = fixture.pings.length;
    fixture.simulation.bus.announce({ kind: "instance-reboot", instanceId: one.instanceId });
    await fixture.clock.until(() => fixture.pings.length > pings + 1, minutes(15));
    expect(await lasts(fixture, fixture.apply(one.instanceId, []))).toBeGreaterThan(6 * SECOND);
  });

  it("waits for minutes when it names a cmdlet of AWS's module", async () => {
    const [ours, named] = [await booted(one), await booted(one)];
    expect(await lasts(ours, applyWith(ours, one, "exit 0"))).toBeLessThan(60 * SECOND);
    expect(await lasts(named, applyWith(named, one, "Read-S3Object -Key x"))).toBeGreaterThan(220 * SECOND);
  });

  it("observes for longer than three minutes on Windows Server 2025, within its document's limit", async () => {
    const newest = instance(2, { build: "10.0.26100" });
    const fixture = await booted(newest);
    const looked = await lasts(fixture, fixture.observe(newest.instanceId));
    expect(looked).toBeGreaterThan(210 * SECOND);
    expect(looked).toBeLessThan(640 * SECOND);
  });

  it.for(["10.0.17763", "10.0.20348", "10.0.26100"])("fits the guard stage's time on build %s", async (build) => {
    const facts = instance(3, { build });
    const fixture = await booted(facts);
    const { guard } = configurationOf(configuration).deadlines.provision;
    expect(await lasts(fixture, guardStage(fixture, facts))).toBeLessThan(minutes(guard) / 1.5);
  });
});
