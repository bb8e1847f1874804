import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { clients } from "../../../lambdas/clients/clients.ts";
import { isBusy } from "../../../lambdas/steps/client-errors.ts";
import { roster } from "../../../lambdas/steps/slack/roster.ts";
import { type TestSimulator, testSimulator } from "../test-simulator.ts";
import { peopleRefused, refusals } from "./refusing.ts";

let simulator: TestSimulator;
beforeAll(async () => {
  simulator = await testSimulator();
});
afterAll(() => simulator.close());

/** The directory as the front door reads it, at a time. */
const readAt = (later = 0) => {
  const settings = simulator.settings("front-door");
  const now = () => simulator.simulation.clock.now() + later;
  return roster({ clients: clients(settings, simulator.transport), settings, now }).read();
};

describe("the directory", () => {
  beforeEach(async () => {
    await simulator.as("cloud-events").people.synchronise(simulator.configuration);
  });

  it("names the members of groups that hold roles, and who everybody with a role is", async () => {
    expect(await readAt()).toMatchObject({
      groups: { S0OPERATORS: ["U0OPERATOR", "U0APPROVER"] },
      memberships: { U0OPERATOR: "member", U0APPROVER: "member" },
    });
  });

  it("says nothing of people without a role", async () => {
    expect((await readAt())?.memberships).not.toHaveProperty("U0VISITOR0");
  });

  it("is not believed any more after half an hour", async () => {
    expect(await readAt(29 * 60_000)).toBeDefined();
    expect(await readAt(30 * 60_000)).toBeUndefined();
  });

  it("takes somebody whom Slack does not know for a guest, and a group that is gone for empty", async () => {
    const people = { operator: ["U0GONE", "S0GONE"] };
    await simulator.as("cloud-events").people.synchronise({ ...simulator.configuration, people });
    expect(await readAt()).toMatchObject({ groups: { S0GONE: [] }, memberships: { U0GONE: "guest" } });
  });

  it("takes everybody for people of a shared channel when the channel is one", async () => {
    const slack = { ...simulator.configuration.slack, channel: "C0PARTNERS" };
    await simulator.as("cloud-events").people.synchronise({ ...simulator.configuration, slack });
    expect((await readAt())?.memberships).toMatchObject({ U0OPERATOR: "shared-channel" });
  });
});

describe("a call that Slack refuses", () => {
  it.each(refusals)("makes nobody a guest, and may be tried again: %s", async (refusal) => {
    const people = peopleRefused(refusal);
    await expect(people.membership(simulator.configuration, "U0OPERATOR")).rejects.toSatisfy(isBusy);
    await expect(people.groupsOf(["S0OPERATORS"], "U0OPERATOR")).rejects.toSatisfy(isBusy);
  });

  it("leaves the directory as it was, also where Slack does not show the channel", async () => {
    const { people } = simulator.as("cloud-events");
    await people.synchronise(simulator.configuration);
    const before = await readAt();
    const gone = { ...simulator.configuration.slack, channel: "C0NOWHERE" };
    await expect(people.synchronise({ ...simulator.configuration, slack: gone })).rejects.toSatisfy(isBusy);
    expect(await readAt()).toEqual(before);
  });
});

describe("asked afresh", () => {
  it("Slack says who somebody is now", async () => {
    const { people } = simulator.as("add-nodes");
    expect(await people.membership(simulator.configuration, "U0OPERATOR")).toBe("member");
    expect(await people.membership(simulator.configuration, "U0GONE")).toBe("guest");
  });

  it("Slack says which of the groups somebody is in", async () => {
    const { people } = simulator.as("add-nodes");
    expect(await people.groupsOf(["S0OPERATORS", "S0APPROVERS"], "U0OPERATOR")).toEqual(["S0OPERATORS"]);
  });
});
