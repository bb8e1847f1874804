import { describe, expect, it } from "vitest";
import { openStore } from "../../../lib/sandbox/core/store.ts";
import { handClock } from "../hand-clock.ts";
import { instance, minutes, type Stand, standOf } from "./stand.ts";

const one = instance(1);

const stateOf = (stand: Stand, service: string): string | undefined =>
  stand.machines.describe(one.instanceId)?.services.find(({ name }) => name === service)?.state;

describe("a first boot", () => {
  it("takes three to six minutes until the agent is online", async () => {
    const stand = standOf();
    const began = stand.clock.now();
    stand.start(one);
    expect(stand.machines.describe(one.instanceId)?.power).toBe("booting");
    await stand.online(one.instanceId);
    const took = stand.clock.now() - began;
    expect(took).toBeGreaterThan(minutes(3));
    expect(took).toBeLessThan(minutes(6));
    expect(stand.machines.describe(one.instanceId)?.power).toBe("running");
  });

  it("leaves the six link-local routes on the adapter that has the address", async () => {
    const stand = standOf();
    stand.start(one);
    await stand.online(one.instanceId);
    const routes = stand.machines
      .describe(one.instanceId)
      ?.routes.filter((route) => route.prefix.startsWith("169.254"));
    expect(routes).toHaveLength(6);
    expect(new Set(routes?.map((route) => `${route.nextHop} ${route.interface}`))).toEqual(
      new Set(["10.0.0.1 Ethernet"]),
    );
  });

  it("never reaches Systems Manager without an instance profile", async () => {
    const stand = standOf();
    stand.start(instance(2, { instanceProfileArn: null }));
    await stand.clock.advance(minutes(60));
    expect(stand.pings).toEqual([]);
  });

  it("does not raise a machine for a Linux instance", async () => {
    const stand = standOf();
    stand.start(instance(3, { platform: "linux" }));
    expect(stand.machines.all()).toEqual([]);
  });
});

describe("power", () => {
  it("goes with the instance, and everything that ran goes with it", async () => {
    const stand = standOf();
    stand.start(one);
    await stand.online(one.instanceId);
    stand.simulation.bus.announce({ kind: "instance-state", instanceId: one.instanceId, state: "shutting-down" });
    const seen = stand.machines.describe(one.instanceId);
    expect(seen?.power).toBe("off");
    expect(seen?.services.every((service) => service.state === "Stopped")).toBe(true);
    const before = stand.pings.length;
    await stand.clock.advance(minutes(30));
    expect(stand.pings).toHaveLength(before);
  });

  it("raises the boot id by one at a reboot from outside", async () => {
    const stand = standOf();
    stand.start(one);
    await stand.online(one.instanceId);
    const before = Number(stand.machines.describe(one.instanceId)?.bootId);
    stand.simulation.bus.announce({ kind: "instance-reboot", instanceId: one.instanceId });
    await stand.clock.advance(minutes(3));
    expect(Number(stand.machines.describe(one.instanceId)?.bootId)).toBe(before + 1);
    expect(stand.machines.describe(one.instanceId)?.power).toBe("running");
  });

  it("hangs in its boot under boot-hangs until it is rebooted", async () => {
    const stand = standOf();
    stand.simulation.faults.inject("boot-hangs", { instanceId: one.instanceId }, 1);
    stand.start(one);
    await stand.clock.advance(minutes(60));
    expect(stand.machines.describe(one.instanceId)?.power).toBe("booting");
    stand.simulation.bus.announce({ kind: "instance-reboot", instanceId: one.instanceId });
    await stand.online(one.instanceId);
  });
});

describe("the agent", () => {
  it("sends a heartbeat every five minutes and none while it is silenced", async () => {
    const stand = standOf();
    stand.start(one);
    await stand.online(one.instanceId);
    await stand.clock.advance(minutes(15) + 5_000);
    expect(stand.pings).toHaveLength(4);
    stand.simulation.faults.inject("agent-silent", { node: one.privateDnsName });
    await stand.clock.advance(minutes(15));
    expect(stand.pings).toHaveLength(4);
    expect(
      stand.machines.deliver(one.instanceId, { commandId: "c", documentName: "d", steps: [], parameters: {} }),
    ).toBe(false);
  });

  it("that was struck once never registers, until its machine boots again", async () => {
    const stand = standOf();
    stand.simulation.faults.inject("agent-never-online", { instanceId: one.instanceId }, 1);
    stand.start(one);
    await stand.clock.advance(minutes(60));
    expect(stand.pings).toEqual([]);
    stand.simulation.bus.announce({ kind: "instance-reboot", instanceId: one.instanceId });
    await stand.online(one.instanceId);
  });

  it("keeps its heartbeat but fails every command when the route goes while it runs", async () => {
    const stand = standOf();
    stand.start(one);
    await stand.online(one.instanceId);
    stand.simulation.faults.inject("lose-metadata-route", { instanceId: one.instanceId });
    const report = await stand.run(one.instanceId, "observe", {});
    expect(report.status).toBe("Failed");
    expect(report.steps[0]?.stderr).toContain("document process failed unexpectedly");
    await stand.clock.advance(minutes(10));
    expect(stand.pings.length).toBeGreaterThan(2);
    await stand.clock.advance(minutes(60));
    const before = stand.pings.length;
    await stand.clock.advance(minutes(30));
    expect(stand.pings).toHaveLength(before);
  });

  it("stops at its start without the route, and stays stopped without recovery", async () => {
    const stand = standOf();
    stand.simulation.faults.inject("lose-metadata-route", { instanceId: one.instanceId });
    stand.start(one);
    await stand.clock.advance(minutes(30));
    expect(stateOf(stand, "AmazonSSMAgent")).toBe("Stopped");
    expect(stand.machines.logOf(one.instanceId).join("\n")).toContain("failed to find agent identity");
  });

  it("comes back by its recovery actions once the route is there", async () => {
    const stand = standOf();
    stand.start(one);
    await stand.online(one.instanceId);
    await stand.apply(one.instanceId, [{ do: "service-recovery", name: "AmazonSSMAgent", restartAfter: [30, 60, 60] }]);
    stand.simulation.faults.inject("service-crashes", { service: "AmazonSSMAgent" }, 1);
    await stand.clock.until(() => stateOf(stand, "AmazonSSMAgent") === "Stopped", minutes(1));
    const before = stand.pings.length;
    await stand.clock.advance(minutes(2));
    expect(stateOf(stand, "AmazonSSMAgent")).toBe("Running");
    expect(stand.pings.length).toBeGreaterThan(before);
  });
});

describe("a killed process", () => {
  it("goes on where it was: boot, agent and a command that was under way", async () => {
    const clock = handClock();
    const store = openStore(":memory:");
    const instances = new Map([[one.instanceId, one]]);
    const before = standOf({ clock, store, instances });
    before.start(one);
    await clock.advance(minutes(1));
    const again = standOf({ clock: handClock(clock.now()), store, instances });
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
    const third = standOf({ clock: handClock(again.clock.now()), store, instances });
    third.machines.resume();
    await third.clock.until(() => third.reports.length > 0, minutes(2));
    expect(third.reports.map((report) => report.commandId)).toEqual(["long"]);
  });

  it("starts the services that its boot had not come to", async () => {
    const clock = handClock();
    const store = openStore(":memory:");
    const instances = new Map([[one.instanceId, one]]);
    const before = standOf({ clock, store, instances });
    before.start(one);
    await clock.until(() => before.machines.describe(one.instanceId)?.power === "running", minutes(10));
    const again = standOf({ clock: handClock(clock.now()), store, instances });
    again.machines.resume();
    await again.online(one.instanceId);
    expect(again.machines.describe(one.instanceId)?.routes.map(({ prefix }) => prefix)).toContain("169.254.169.254/32");
  });
});
