import { readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { EC2_REBOOT, OPEN_SCREENSHOT } from "../../../../lambdas/messages/slack/buttons.ts";
import { notified } from "../../connecting.ts";
import { calls, expectSound, newest, settled, spoken } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { isCordoned, SHORT, unasked } from "../../on-web.ts";
import { web } from "../../others.ts";
import { endFault, injectFault } from "../../outside.ts";
import { openly } from "../../reading.ts";
import { withSeedNodes } from "../../removal.ts";

let here: Journey;
beforeEach(async () => {
  here = await unasked("reboot");
});
afterEach(() => here.close());

const ofWeb = { instanceId: web.instanceId };
const inEc2 = { service: "ec2", action: "GetConsoleScreenshot" };
const taken = () => calls(here, "ec2", "GetConsoleScreenshot");
const offer = (): string => openly(here)[0] ?? "";
const drawn = (screen: string): Buffer => readFileSync(`lib/sandbox/machine/screens/${screen}.jpg`);

async function untilOffered(): Promise<void> {
  await here.type("operator", `/win reboot ${SHORT} --force ${web.name}`);
  await here.until(() => offer().includes("rebooting the machine"), 60, "the reboot");
  await here.pass(29);
  expect(offer()).not.toContain("has not come back");
  await here.until(() => offer().includes("[Reboot through EC2…]"), 3, "the offer");
  await here.until(() => taken().length > 0, 1, "the screenshot");
}

/** Address behind the button; null while the message has none. */
function address(): string | null {
  const message = JSON.stringify(spoken(here).channel[0]?.blocks);
  return /"url":"([^"]*screenshots[^"]*)"/.exec(message)?.[1] ?? null;
}

const link = (): URL => new URL(address() ?? "");

/** Opens an address without credentials, as a browser does. */
const open = ({ host, pathname, search }: URL, method = "GET") =>
  here.simulator.aws.answer({ method, url: pathname + search, headers: { host }, body: new Uint8Array() });

describe("The offer of EC2's reboot", () => {
  test("links the screenshot of the console, by an address that opens this one picture and nothing else", async () => {
    injectFault(here, "boot-hangs", ofWeb, 1);
    await untilOffered();
    expect(offer()).toMatch(/\*Screenshot\* shows its screen at .* \(the link lapses by /);
    expect(offer()).toContain("[Reboot through EC2…]\n[Screenshot]\n[Open in AWS]");
    const picture = await open(link());
    expect([picture.status, picture.headers["content-type"]]).toEqual([200, "image/jpeg"]);
    expect(Buffer.from(picture.body as Uint8Array)).toEqual(drawn("starting"));
    expect((await open(link(), "PUT")).status).toBe(403);
    const other = new URL(link());
    other.pathname = other.pathname.replace("screenshots/", "payload/");
    expect((await open(other)).status).toBe(403);
    expect(taken().map(({ principal, status }) => [principal, status])).toEqual([["reboot-node", 200]]);
    await here.press("operator", EC2_REBOOT);
    await settled(here, 240);
    expect((await newest(here)).operation.status).toBe("succeeded");
    await expectSound(here);
  });

  test("shows that Windows works on updates, and no longer what an earlier screenshot showed", async () => {
    injectFault(here, "updates-at-boot", ofWeb, 1);
    const hangs = injectFault(here, "boot-hangs", ofWeb);
    await untilOffered();
    expect(Buffer.from((await open(link())).body as Uint8Array)).toEqual(drawn("updating"));
    const before = address();
    injectFault(here, "aws-answer-lost", { service: "ec2", action: "RebootInstances" }, 1);
    await here.press("operator", EC2_REBOOT);
    await here.until(() => address() !== null && address() !== before, 30, "the next screenshot");
    expect(offer()).toContain("EC2's answer is unknown");
    endFault(here, hangs);
    await here.pass(6);
    await here.press("operator", EC2_REBOOT);
    await settled(here, 240);
    expect((await newest(here)).operation.status).toBe("succeeded");
  });

  test("has a new screenshot every ten minutes", async () => {
    injectFault(here, "boot-hangs", ofWeb, 1);
    await untilOffered();
    await here.pass(31);
    expect(taken()).toHaveLength(4);
    expect(new Set(taken().map(({ status }) => status))).toEqual(new Set([200]));
    await here.press("operator", EC2_REBOOT);
    await settled(here, 240);
  });

  test.each([
    ["EC2 throttles", "aws-throttle", inEc2],
    ["EC2 fails", "aws-5xx", inEc2],
    ["S3 keeps no screenshot", "aws-5xx", { service: "s3", action: "PutObject" }],
  ])("stands without a screenshot while %s, and says where the console shows it", async (_, kind, where) => {
    injectFault(here, "boot-hangs", ofWeb, 1);
    const refused = injectFault(here, kind, where);
    await untilOffered();
    expect(offer()).toContain("Get instance screenshot");
    expect(offer()).not.toContain("[Screenshot]");
    endFault(here, refused);
    await here.until(() => offer().includes("[Screenshot]"), 15, "the screenshot");
    await here.press("operator", EC2_REBOOT);
    await settled(here, 240);
    expect((await newest(here)).operation.status).toBe("succeeded");
    expect(isCordoned(here)).toBe(false);
  });

  test("keeps a picture that still opens when the next one is refused, and has a newer one soon", async () => {
    injectFault(here, "boot-hangs", ofWeb, 1);
    await untilOffered();
    const before = link();
    // The client itself tries four times.
    injectFault(here, "aws-throttle", inEc2, 4);
    await here.until(() => taken().some(({ error }) => error !== null), 15, "the refusal");
    await here.pass(1);
    expect(link().href).toBe(before.href);
    await here.until(() => link().href !== before.href, 5, "the next screenshot");
    await here.press("operator", EC2_REBOOT);
    await settled(here, 240);
  });

  test("calls people past Slack too, once it waits for a quarter of an hour", async () => {
    injectFault(here, "boot-hangs", ofWeb, 1);
    await untilOffered();
    const called = () => notified(here).filter((text) => text.includes("has not come back from its reboot"));
    await here.pass(14);
    expect(called()).toEqual([]);
    await here.pass(7);
    expect(called()).toEqual([expect.stringContaining("docs/runbook.md#stage-reboot")]);
    await here.press("operator", EC2_REBOOT);
    await settled(here, 240);
    expect(called()).toHaveLength(1);
  });

  test("asks for nothing by a click on the link", async () => {
    injectFault(here, "boot-hangs", ofWeb, 1);
    await untilOffered();
    await here.press("visitor", OPEN_SCREENSHOT);
    await here.pass(5);
    expect(calls(here, "ec2", "RebootInstances")).toEqual([]);
    await here.press("operator", EC2_REBOOT);
    await settled(here, 240);
    expect((await newest(here)).operation.status).toBe("succeeded");
  });
});

describe("The offer after EC2 took a reboot", () => {
  test("stays away for half an hour, with the screen in view, and comes again", async () => {
    injectFault(here, "boot-hangs", ofWeb);
    await untilOffered();
    await here.press("operator", EC2_REBOOT);
    await here.until(() => offer().includes("had EC2 reboot the machine"), 5, "the order");
    await here.pass(15);
    expect(offer()).toMatch(/had EC2 reboot the machine, 1[4-6]m ago; \*Screenshot\* shows its screen/);
    expect(offer()).not.toContain("[Reboot through EC2…]");
    await here.until(() => offer().includes("[Reboot through EC2…]"), 20, "the second offer");
    expect(offer()).toContain("and it has not come back. Windows may still install updates: *Screenshot*");
    await here.press("operator", EC2_REBOOT);
    await here.until(() => calls(here, "ec2", "RebootInstances").length === 2, 5, "the second order");
    await settled(here, 240);
    expect(isCordoned(here)).toBe(true);
  });

  test("comes again without ordering what a second person pressed at the same moment", async () => {
    await here.close();
    here = await withSeedNodes({
      configuration: {
        approvals: { reboot: { needs: 0 } },
        policy: { ...here.configuration.policy, reboot: ["operator", "approver"] },
      },
    });
    injectFault(here, "boot-hangs", ofWeb);
    await untilOffered();
    await Promise.all([here.press("operator", EC2_REBOOT), here.press("approver", EC2_REBOOT)]);
    await here.until(() => calls(here, "ec2", "RebootInstances").length > 0, 5, "the order");
    await here.until(() => offer().includes("[Reboot through EC2…]"), 35, "the second offer");
    await here.pass(10);
    expect(calls(here, "ec2", "RebootInstances")).toHaveLength(1);
  });

  test("comes half an hour after a plan's own reboot through EC2", async () => {
    injectFault(here, "agent-silent", ofWeb);
    injectFault(here, "boot-hangs", ofWeb, 1);
    await here.pass(12);
    await here.type("operator", `/win reboot ${SHORT} --ec2 --force ${web.name}`);
    await here.until(() => calls(here, "ec2", "RebootInstances").length > 0, 60, "EC2's reboot");
    await here.pass(28);
    expect(offer()).not.toContain("[Reboot through EC2…]");
    await here.pass(4);
    expect(offer()).toContain("Casement had EC2 reboot the machine, 3");
    expect(offer()).toContain("[Reboot through EC2…]\n[Screenshot]");
    await here.press("operator", EC2_REBOOT);
    await here.until(() => calls(here, "ec2", "RebootInstances").length === 2, 5, "the second order");
  });
});
