import { describe, expect, test } from "vitest";
import {
  type Ec2MachineRow,
  lookFailed,
  machinesMessage,
  sentenceOf,
  type UnavailableService,
  unavailable,
  withoutEc2,
} from "../../../lambdas/messages/node/away.ts";
import {
  machineState,
  type UnregisteredRow,
  unregisteredBlocks,
  unregisteredMessage,
  waitsForPerson,
} from "../../../lambdas/messages/node/unregistered.ts";
import { say } from "../../../lambdas/messages/slack/blocks.ts";
import { readBlocks } from "../../journeys/reading.ts";

const now = "2026-11-21T14:30:00.000Z";
const kubernetes: UnavailableService = {
  service: "kubernetes",
  host: "api-int.example.com",
  reason: { kind: "answered", with: "503", words: null },
};
const ec2: UnavailableService = { service: "ec2", host: null, reason: { kind: "silent", seconds: 5 } };

describe("A service that does not answer a look", () => {
  test.each<readonly [UnavailableService, string]>([
    [kubernetes, "The Kubernetes API (`api-int.example.com`) answered 503."],
    [{ ...kubernetes, host: null }, "The Kubernetes API answered 503."],
    [ec2, "EC2 did not answer within 5 s."],
    [
      { service: "ssm", host: null, reason: { kind: "answered", with: "Throttling", words: "Rate exceeded." } },
      "SSM answered Throttling: Rate exceeded.",
    ],
    [{ ...ec2, reason: { kind: "failed", words: "no route." } }, "EC2 could not be read: no route."],
  ])("is named with how it failed: %#", (service, words) => {
    expect(sentenceOf(service)).toBe(words);
  });

  const row: Ec2MachineRow = {
    instanceId: "i-0a",
    state: "running",
    pool: null,
    name: "prod-west-web",
    zone: "us-west-2a",
    launchedAt: "2026-11-21T12:30:00.000Z",
  };

  test("leaves what EC2 shows of the machines", () => {
    const shown = machinesMessage(kubernetes, [row], now);
    expect(shown.text).toBe("⚠️ The Kubernetes API (`api-int.example.com`) answered 503. EC2 shows these machines:");
    const text = JSON.stringify(shown.blocks);
    expect(text).toContain("NAME            STATE     INSTANCE   AGE    POOL");
    expect(text).toContain("prod-west-web   running   i-0a       120m   &lt;none&gt;");
    expect(text).toContain("EC2 shows ZONE too.");
    expect(text).toContain("Check the API server; `{win} doctor` shows which services answer.");
  });

  test("leaves a table for a phone, whatever the names of machines are", () => {
    const machines = [3, 31].map((at) => ({
      ...{ ...row, instanceId: `i-0ab12cd34ef5678${at + 10}`, pool: "web", state: "shutting-down" },
      name: `ip-10-0-3-${at}.us-west-2.compute.internal`,
    }));
    const { blocks } = machinesMessage(kubernetes, machines, now);
    const lines = readBlocks(blocks.slice(1, 2)).split("\n");
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(60);
    expect(lines.join("\n")).toMatch(/ip-10-0-3-31 +shutting-down +i-0ab12cd34ef567841 +120m/);
    expect(readBlocks(blocks)).toContain(
      "All: POOL `web`, ZONE `us-west-2a`. Names end in `.us-west-2.compute.internal`.",
    );
  });

  test("leaves nothing where EC2 shows no machine, or does not answer either", () => {
    const none = machinesMessage(kubernetes, [], now);
    expect(none.text).toMatch(/EC2 shows no Windows machine of that name\.$/);
    expect(none.blocks).toHaveLength(2);
    expect(machinesMessage(kubernetes, ec2, now).text).toBe(
      "⚠️ The Kubernetes API (`api-int.example.com`) answered 503. EC2 did not answer within 5 s.",
    );
  });

  test("is said above an answer without it, and below how to find out more", () => {
    const text = JSON.stringify(withoutEc2(say("the nodes"), ec2).blocks);
    expect(text).toContain("⚠️ EC2 did not answer within 5 s. What EC2 would show is marked `&lt;unknown&gt;`.");
    expect(text.indexOf("the nodes")).toBeLessThan(text.indexOf("Check the AWS Health Dashboard;"));
    expect(unavailable("EC2", "Request limit exceeded")).toBe("EC2 is not available: Request limit exceeded");
    expect(lookFailed("List the nodes", "boom.").text).toBe(
      "❌ *List the nodes*: boom. `{win} doctor` shows which services answer; if that fails too, run `npm run doctor` in a terminal.",
    );
  });
});

describe("A machine that is no node", () => {
  const row = (fields: Partial<UnregisteredRow> = {}): UnregisteredRow => ({
    instanceId: "i-0a",
    pool: "web",
    operation: "add-3f9c2a71",
    state: "kept",
    failedAt: "features",
    since: "2026-11-21T12:30:00.000Z",
    ...fields,
  });

  test.each<readonly [Partial<UnregisteredRow>, string, isLeft: boolean]>([
    [{}, "kept, failed at Windows features", true],
    [{ failedAt: null }, "kept, failed", true],
    [{ state: "left" }, "left by `add-3f9c2a71`", true],
    [{ state: "left", operation: null }, "left by an unknown operation", true],
    [{ state: "deciding" }, "failed at Windows features, needs a decision", false],
    [{ state: "provisioning" }, "being provisioned by `add-3f9c2a71`", false],
    [{ state: "provisioning", operation: null }, "being provisioned by an unknown operation", false],
  ])("has a state: %o", (fields, state, isLeft) => {
    expect(machineState(row(fields))).toBe(state);
    expect(waitsForPerson(row(fields))).toBe(isLeft);
  });

  test("is described with its pool, its operation, and the command that terminates it", () => {
    const kept = unregisteredMessage(row(), now);
    expect(kept.text).toBe(
      "`i-0a` (web) is not a node of the cluster: kept, failed at Windows features, 120m. Launched by `add-3f9c2a71`.",
    );
    expect(JSON.stringify(kept.blocks[1])).toContain("It is still billed. `{win} remove i-0a` terminates it.");
    const begun = unregisteredMessage(row({ state: "provisioning", pool: null, operation: null }), now);
    expect(begun.text).toBe(
      "`i-0a` (no pool) is not a node of the cluster: being provisioned by an unknown operation, 120m.",
    );
    expect(begun.blocks).toHaveLength(1);
  });

  test("is listed below the nodes, kept ones first, and counted from the seventh on", () => {
    expect(unregisteredBlocks([], now)).toEqual([]);
    const begun = row({ state: "provisioning", instanceId: "i-0b", pool: null });
    expect(JSON.stringify(unregisteredBlocks([begun, row()], now))).toContain(
      "*Machines that are not nodes*\\n• `i-0a` (web): kept, failed at Windows features, 120m\\n• `i-0b` (no pool): being provisioned by `add-3f9c2a71`, 120m",
    );
    expect(unregisteredBlocks([begun], now)).toHaveLength(1);
    const many = JSON.stringify(
      unregisteredBlocks(
        Array.from({ length: 8 }, () => row()),
        now,
      ),
    );
    expect(many).toContain("and 2 more machines");
    expect(many).toContain("`{win} remove i-0a` terminates a machine.");
    expect(
      JSON.stringify(
        unregisteredBlocks(
          Array.from({ length: 6 }, () => row()),
          now,
        ),
      ),
    ).not.toContain("more");
  });
});
