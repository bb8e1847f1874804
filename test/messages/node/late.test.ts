import { expect, test } from "vitest";
import { lateMachines } from "../../../lambdas/messages/node/late.ts";
import { SCREENSHOT_LINK_MS } from "../../../lambdas/records/late-reboot.ts";
import type { NodeRecord } from "../../../lambdas/records/records.ts";
import { nodeRecord } from "../records.ts";

const settings = { commandWord: "/win", region: "us-west-2", runbook: null };
const TAKEN = "2026-11-21T14:40:00.000Z";
const LINK = "https://bucket.s3.us-west-2.amazonaws.com/screenshots/reboot-1/i-1/a.jpg?X-Amz-Signature=1";

/** The message of a late machine, some milliseconds after its screenshot was taken. */
const shown = (url: string, later: number, fields: Partial<NodeRecord> = {}): string => {
  const late = {
    lateSince: TAKEN,
    callbacks: { decision: "callback" },
    screenshot: { triedAt: TAKEN, taken: { at: TAKEN, url } },
  };
  const now = new Date(Date.parse(TAKEN) + later).toISOString();
  return JSON.stringify(lateMachines([nodeRecord({ ...late, ...fields })], settings, now));
};

test("a late machine's message links its screenshot while the link works", () => {
  expect(shown(LINK, SCREENSHOT_LINK_MS - 1)).toContain(LINK);
  expect(shown(LINK, SCREENSHOT_LINK_MS)).not.toContain("X-Amz-Signature");
  expect(shown(LINK, SCREENSHOT_LINK_MS)).toContain("Get instance screenshot");
});

test("an address that is longer than Slack takes is left out, and the rest of the message stays", () => {
  const long = `${LINK}${"0".repeat(3_000)}`;
  expect(shown(long, 0)).not.toContain(LINK);
  expect(shown(long, 0)).toContain("Reboot through EC2…");
});

test("after EC2 took a reboot the message links the screen, and offers another reboot only while a press is waited for", () => {
  const ec2Reboot = { by: "U0OPERATOR", at: TAKEN };
  const waiting = shown(LINK, 60_000, { callbacks: {}, ec2Reboot });
  expect(waiting).toContain("had EC2 reboot the machine, 60s ago; *Screenshot* shows its screen");
  expect(waiting).not.toContain('"Reboot through EC2…"');
  const again = shown(LINK, 1_800_000, { ec2Reboot });
  expect(again).toContain("had EC2 reboot the machine, 30m ago, and it has not come back");
  expect(again).toContain('"Reboot through EC2…"');
});

test("the question before a reset points to the console where there is no screenshot", () => {
  expect(shown(LINK, 0)).toContain("Look at the screenshot first.");
  expect(shown(LINK, SCREENSHOT_LINK_MS)).toContain("Look at its screen in the EC2 console first.");
});
