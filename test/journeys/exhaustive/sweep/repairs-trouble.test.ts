import { afterEach, describe, expect, test } from "vitest";
import { demoConfiguration } from "../../../../lib/sandbox/demo-configuration.ts";
import { calls, denied, expectSound, heldBack, newest, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { isCordoned, SHORT } from "../../on-web.ts";
import { web } from "../../others.ts";
import { endFault, injectFault } from "../../outside.ts";
import { inThreads, openly, privately } from "../../reading.ts";
import { withSeedNodes } from "../../removal.ts";

let here: Journey;
afterEach(() => here.close());

const demo = demoConfiguration({ apiServer: "https://kubernetes.sandbox.invalid", authority: "" });
const both = ["operator", "approver"];
const policy = { ...demo.policy, reboot: both, guard: both, cordon: both, uncordon: both };

interface Row {
  readonly command: string;
  readonly says: RegExp;
  readonly isCordoned: boolean;
  /** Commands that the machine is sent; a proof looks until the node has been well for a minute. */
  readonly sent?: number;
  /** Words for a second person who asks at the same moment. */
  readonly second: RegExp;
}

const rows: readonly Row[] = [
  { command: `guard ${SHORT}`, says: /works on 1 node/, isCordoned: false, sent: 2, second: /is working on it/ },
  {
    command: `prove ${SHORT}`,
    says: /it passed every check of the proof/,
    isCordoned: false,
    second: /is working on it/,
  },
  {
    command: `cordon ${SHORT}`,
    says: /is cordoned: no new pods/,
    isCordoned: true,
    sent: 0,
    second: /is working on it|was already cordoned/,
  },
];

/** Commands to the machine that SSM took, apart from those of schedules. */
const taken = (): number =>
  calls(here, "ssm", "SendCommand").filter(
    ({ principal, error }) => error === null && ["guard-node", "reboot-node"].includes(principal),
  ).length;

async function expectDone({ says, isCordoned: ends, sent }: Row): Promise<void> {
  await settled(here, 60);
  const { operation } = await newest(here);
  expect(operation).toMatchObject({ status: "succeeded", summary: expect.stringMatching(says), callbacks: {} });
  expect([isCordoned(here), await heldBack(here)]).toEqual([ends, []]);
  if (sent !== undefined) expect(taken()).toBe(sent);
  const [message, ...more] = openly(here);
  expect([message, more]).toEqual([expect.stringContaining("✅"), []]);
  const told = inThreads(here);
  expect(new Set(told).size).toBe(told.length);
  expect(denied(here)).toEqual([]);
}

const troubles = [
  { trouble: "the API server answers 503 for 40 s", faults: [["kubernetes-5xx", {}]], seconds: 40 },
  { trouble: "the API server throttles it", faults: [["kubernetes-throttle", {}]], seconds: 20 },
  { trouble: "Slack is down for four minutes", faults: [["slack-down", {}]], seconds: 240 },
  {
    trouble: "EC2 and SSM throttle it",
    faults: [
      ["aws-throttle", { service: "ec2" }],
      ["aws-throttle", { service: "ssm" }],
    ],
    seconds: 30,
  },
] as const;

describe.each(rows)("/win $command", (row) => {
  test.each(troubles)("is done once and told once although $trouble", async ({ faults, seconds }) => {
    here = await withSeedNodes({ configuration: { policy } });
    await here.type("operator", `/win ${row.command}`);
    const injected = faults.map(([kind, match]) => injectFault(here, kind, match));
    await here.pass(seconds / 60);
    for (const id of injected) endFault(here, id);
    await expectDone(row);
  });

  test("by two people at once is done once, and the second one is told why not", async () => {
    here = await withSeedNodes({ configuration: { policy } });
    await Promise.all([here.type("operator", `/win ${row.command}`), here.type("approver", `/win ${row.command}`)]);
    await settled(here, 60);
    if (row.sent !== undefined) expect(taken()).toBe(row.sent);
    expect(isCordoned(here)).toBe(row.isCordoned);
    expect([...openly(here), ...privately(here, "approver"), ...privately(here, "operator")].join("\n")).toMatch(
      row.second,
    );
    expect(await heldBack(here)).toEqual([]);
    await expectSound(here);
  });
});

describe("A guard that is cancelled", () => {
  const cancelled = async (): Promise<string> => {
    await here.type("operator", `/win guard ${SHORT}`);
    await here.until(() => taken() > 0, 5, "the command");
    await here.type("operator", `/win cancel ${(await newest(here)).operation.id}`);
    await settled(here, 30);
    expect(await heldBack(here)).toEqual([]);
    await expectSound(here);
    return (await newest(here)).operation.status;
  };

  test("once the machine has its command is finished, and looked at", async () => {
    here = await withSeedNodes();
    expect(await cancelled()).toBe("succeeded");
    expect(taken()).toBe(2);
  });

  test("while no agent takes its command is called off, and may be repeated", async () => {
    here = await withSeedNodes();
    const fault = injectFault(here, "agent-silent", { instanceId: web.instanceId });
    expect(await cancelled()).toBe("cancelled");
    const told = openly(here).at(-1);
    expect(told).toMatch(/route.ps1 was called off: the operation was cancelled/);
    expect(told).toContain("run `/win guard` on the node once more");
    expect(told).not.toContain("[Reboot through EC2…]");
    endFault(here, fault);
    await here.type("operator", `/win guard ${SHORT}`);
    await settled(here, 60);
    expect((await newest(here)).operation.status).toBe("succeeded");
  });
});
