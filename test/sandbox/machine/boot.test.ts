import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { InstanceFacts } from "../../../lib/sandbox/core/ports.ts";
import { openStore } from "../../../lib/sandbox/core/store.ts";
import { manualClock } from "../manual-clock.ts";
import { type Fixture, instance, machineFixture, minutes } from "./fixture.ts";

const one = instance(1);

const stateOf = (fixture: Fixture, service: string): string | undefined =>
  fixture.machines.describe(one.instanceId)?.services.find(({ name }) => name === service)?.state;

describe("a first boot", () => {
  it("takes three to six minutes until the agent is online", async () => {
    const fixture = machineFixture();
    const began = fixture.clock.now();
    fixture.start(one);
    expect(fixture.machines.describe(one.instanceId)?.power).toBe("booting");
    await fixture.online(one.instanceId);
    const took = fixture.clock.now() - began;
    expect(took).toBeGreaterThan(minutes(3));
    expect(took).toBeLessThan(minutes(6));
    expect(fixture.machines.describe(one.instanceId)?.power).toBe("running");
  });

  it("puts the six link-local routes on the adapter that has the address", async () => {
    const fixture = machineFixture();
    fixture.start(one);
    await fixture.online(one.instanceId);
    const routes = fixture.machines
      .describe(one.instanceId)
      ?.routes.filter((route) => route.prefix.startsWith("169.254"));
    expect(routes).toHaveLength(6);
    expect(new Set(routes?.map((route) => `${route.nextHop} ${route.interface}`))).toEqual(
      new Set(["10.0.0.1 Ethernet"]),
    );
  });

  it("never reaches Systems Manager without an instance profile", async () => {
    const fixture = machineFixture();
    fixture.start(instance(2, { instanceProfileArn: null }));
    await fixture.clock.advance(minutes(60));
    expect(fixture.pings).toEqual([]);
  });

  it("builds no machine for a Linux instance", async () => {
    const fixture = machineFixture();
    fixture.start(instance(3, { platform: "linux" }));
    expect(fixture.machines.all()).toEqual([]);
  });
});

describe("power", () => {
  it("ends with the instance, and so does everything that ran", async () => {
    const fixture = machineFixture();
    fixture.start(one);
    await fixture.online(one.instanceId);
    fixture.simulation.bus.announce({ kind: "instance-state", instanceId: one.instanceId, state: "shutting-down" });
    const seen = fixture.machines.describe(one.instanceId);
    expect(seen?.power).toBe("off");
    expect(seen?.services.every((service) => service.state === "Stopped")).toBe(true);
    const before = fixture.pings.length;
    await fixture.clock.advance(minutes(30));
    expect(fixture.pings).toHaveLength(before);
  });

  it("increases the boot id by one at a reboot from outside", async () => {
    const fixture = machineFixture();
    fixture.start(one);
    await fixture.online(one.instanceId);
    const before = Number(fixture.machines.describe(one.instanceId)?.bootId);
    fixture.simulation.bus.announce({ kind: "instance-reboot", instanceId: one.instanceId });
    await fixture.clock.advance(minutes(3));
    expect(Number(fixture.machines.describe(one.instanceId)?.bootId)).toBe(before + 1);
    expect(fixture.machines.describe(one.instanceId)?.power).toBe("running");
  });

  it("hangs in its boot under boot-hangs until it is rebooted", async () => {
    const fixture = machineFixture();
    fixture.simulation.faults.inject("boot-hangs", { instanceId: one.instanceId }, 1);
    fixture.start(one);
    await fixture.clock.advance(minutes(60));
    expect(fixture.machines.describe(one.instanceId)?.power).toBe("booting");
    fixture.simulation.bus.announce({ kind: "instance-reboot", instanceId: one.instanceId });
    await fixture.online(one.instanceId);
  });
});

describe("a boot that installs updates", () => {
  const updating = async () => {
    const fixture = machineFixture();
    fixture.start(one);
    await fixture.online(one.instanceId);
    fixture.simulation.faults.inject("updates-at-boot", { instanceId: one.instanceId }, 1);
    fixture.simulation.bus.announce({ kind: "instance-reboot", instanceId: one.instanceId });
    await fixture.clock.advance(minutes(9));
    return fixture;
  };
  const power = ({ machines }: Fixture) => machines.describe(one.instanceId)?.power;
  const screen = ({ machines }: Fixture) => Buffer.from(machines.screens.of(one.instanceId) ?? []);
  const drawn = (name: string) => readFileSync(`lib/sandbox/machine/screens/${name}.jpg`);

  it("takes ten to thirty minutes longer, and its screen says so", async () => {
    const fixture = await updating();
    expect([power(fixture), screen(fixture).equals(drawn("updating"))]).toEqual(["booting", true]);
    await fixture.clock.advance(minutes(24));
    expect([power(fixture), screen(fixture).equals(drawn("sign-in"))]).toEqual(["running", true]);
  });

  it("undoes them for as long when it is reset meanwhile", async () => {
    const fixture = await updating();
    fixture.simulation.bus.announce({ kind: "instance-reboot", instanceId: one.instanceId });
    await fixture.clock.advance(minutes(12));
    expect([power(fixture), screen(fixture).equals(drawn("undoing"))]).toEqual(["booting", true]);
    await fixture.clock.advance(minutes(24));
    expect(power(fixture)).toBe("running");
  });

  it("goes on after a restart of the process", async () => {
    const store = openStore(":memory:");
    const instances = new Map<string, InstanceFacts>();
    const first = machineFixture({ store, instances });
    first.start(one);
    await first.online(one.instanceId);
    first.simulation.faults.inject("updates-at-boot", { instanceId: one.instanceId }, 1);
    first.simulation.bus.announce({ kind: "instance-reboot", instanceId: one.instanceId });
    await first.clock.advance(minutes(5));
    const again = machineFixture({ clock: manualClock(first.clock.now()), store, instances });
    again.machines.resume();
    expect(screen(again).equals(drawn("updating"))).toBe(true);
    await again.clock.advance(minutes(33));
    expect(power(again)).toBe("running");
  });
});

describe("the agent", () => {
  it("sends a heartbeat every five minutes, and none while it is silenced", async () => {
    const fixture = machineFixture();
    fixture.start(one);
    await fixture.online(one.instanceId);
    await fixture.clock.advance(minutes(15) + 5_000);
    expect(fixture.pings).toHaveLength(4);
    fixture.simulation.faults.inject("agent-silent", { node: one.privateDnsName });
    await fixture.clock.advance(minutes(15));
    expect(fixture.pings).toHaveLength(4);
    expect(
      fixture.machines.deliver(one.instanceId, { commandId: "c", documentName: "d", steps: [], parameters: {} }),
    ).toBe(false);
  });

  it("that a fault has hit never registers, until its machine boots again", async () => {
    const fixture = machineFixture();
    fixture.simulation.faults.inject("agent-never-online", { instanceId: one.instanceId }, 1);
    fixture.start(one);
    await fixture.clock.advance(minutes(60));
    expect(fixture.pings).toEqual([]);
    fixture.simulation.bus.announce({ kind: "instance-reboot", instanceId: one.instanceId });
    await fixture.online(one.instanceId);
  });

  it("that hangs in its boot is reset four minutes after EC2 was asked to reboot it, and not before", async () => {
    const fixture = machineFixture();
    fixture.simulation.faults.inject("boot-hangs", { instanceId: one.instanceId }, 1);
    fixture.start(one);
    await fixture.clock.advance(minutes(30));
    const hung = fixture.machines.describe(one.instanceId)?.bootId;
    fixture.simulation.bus.announce({ kind: "instance-reboot", instanceId: one.instanceId });
    await fixture.clock.advance(minutes(3.9));
    expect(fixture.machines.describe(one.instanceId)?.bootId).toBe(hung);
    await fixture.online(one.instanceId);
    expect(fixture.machines.describe(one.instanceId)?.bootId).not.toBe(hung);
  });

  it("keeps its heartbeat but fails every command when the route goes while it runs", async () => {
    const fixture = machineFixture();
    fixture.start(one);
    await fixture.online(one.instanceId);
    fixture.simulation.faults.inject("lose-metadata-route", { instanceId: one.instanceId });
    const report = await fixture.run(one.instanceId, "observe", {});
    expect(report.status).toBe("Failed");
    expect(report.steps[0]?.stderr).toContain("document process failed unexpectedly");
    await fixture.clock.advance(minutes(10));
    expect(fixture.pings.length).toBeGreaterThan(2);
    await fixture.clock.advance(minutes(60));
    const before = fixture.pings.length;
    await fixture.clock.advance(minutes(30));
    expect(fixture.pings).toHaveLength(before);
  });

  it("stops at its start without the route, and stays stopped without recovery", async () => {
    const fixture = machineFixture();
    fixture.simulation.faults.inject("lose-metadata-route", { instanceId: one.instanceId });
    fixture.start(one);
    await fixture.clock.advance(minutes(30));
    expect(stateOf(fixture, "AmazonSSMAgent")).toBe("Stopped");
    expect(fixture.machines.logOf(one.instanceId).join("\n")).toContain("failed to find agent identity");
  });

  it("comes back by its recovery actions once the route is there", async () => {
    const fixture = machineFixture();
    fixture.start(one);
    await fixture.online(one.instanceId);
    await fixture.apply(one.instanceId, [
      { do: "service-recovery", name: "AmazonSSMAgent", restartAfter: [30, 60, 60] },
    ]);
    fixture.simulation.faults.inject("service-crashes", { service: "AmazonSSMAgent" }, 1);
    await fixture.clock.until(() => stateOf(fixture, "AmazonSSMAgent") === "Stopped", minutes(1));
    const before = fixture.pings.length;
    await fixture.clock.advance(minutes(2));
    expect(stateOf(fixture, "AmazonSSMAgent")).toBe("Running");
    expect(fixture.pings.length).toBeGreaterThan(before);
  });
});

describe("a killed process", () => {
  it("resumes its boot, its agent and a command that was under way", async () => {
    const clock = manualClock();
    const store = openStore(":memory:");
    const instances = new Map([[one.instanceId, one]]);
    const before = machineFixture({ clock, store, instances });
    before.start(one);
    await clock.advance(minutes(1));
    const again = machineFixture({ clock: manualClock(clock.now()), store, instances });
    again.machines.resume();
    await again.online(one.instanceId);
    again.machines.deliver(one.instanceId, {
      commandId: "long",
      documentName: "d",
      parameters: {},
      steps: [
        {
          name: "s",
          action: "aws:runPowerShellScript",
          script: ["# casement-script: observe"],
          timeoutSeconds: 60,
          platform: null,
        },
      ],
    });
    await again.clock.advance(500);
    const third = machineFixture({ clock: manualClock(again.clock.now()), store, instances });
    third.machines.resume();
    await third.clock.until(() => third.reports.length > 0, minutes(2));
    expect(third.reports.map((report) => report.commandId)).toEqual(["long"]);
  });

  it("has its agent report at once, so that restarts within its pace do not make it silent", async () => {
    const store = openStore(":memory:");
    const instances = new Map([[one.instanceId, one]]);
    const first = machineFixture({ clock: manualClock(), store, instances });
    first.start(one);
    await first.online(one.instanceId);
    let now = first.clock.now();
    for (let restart = 1; restart <= 3; restart += 1) {
      const again = machineFixture({ clock: manualClock(now + minutes(4)), store, instances });
      again.machines.resume();
      await again.clock.advance(1_000);
      expect(again.pings).toHaveLength(1);
      now = again.clock.now();
    }
  });

  it("starts the services that its boot had not reached", async () => {
    const clock = manualClock();
    const store = openStore(":memory:");
    const instances = new Map([[one.instanceId, one]]);
    const before = machineFixture({ clock, store, instances });
    before.start(one);
    await clock.until(() => before.machines.describe(one.instanceId)?.power === "running", minutes(10));
    const again = machineFixture({ clock: manualClock(clock.now()), store, instances });
    again.machines.resume();
    await again.online(one.instanceId);
    expect(again.machines.describe(one.instanceId)?.routes.map(({ prefix }) => prefix)).toContain("169.254.169.254/32");
  });
});
