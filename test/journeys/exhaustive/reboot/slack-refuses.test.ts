import { afterEach, describe, expect, test } from "vitest";
import { notified } from "../../connecting.ts";
import { heldBack, newest, nodeNamed, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { isCordoned, SHORT, unasked } from "../../on-web.ts";
import { web } from "../../others.ts";
import { endFault, injectFault } from "../../outside.ts";
import { inThreads, openly } from "../../reading.ts";

let here: Journey;
afterEach(() => here.close());

const bootIdOf = (): string | undefined => nodeNamed(here, web.name)?.status?.nodeInfo?.bootID;
const calls = (words: string): string[] => notified(here).filter((text) => text.includes(words));

describe("A reboot whose messages Slack refuses", () => {
  test.each([
    ["is_archived", "reboot"],
    ["not_in_channel", "guard"],
    ["msg_too_long", "prove"],
  ])("with %s from stage %s on is proven, people are called once, and its message is redrawn", async (code, stage) => {
    here = await unasked("reboot");
    const before = bootIdOf();
    await here.type("operator", `/win reboot ${SHORT} --force ${web.name}`);
    await here.until(async () => (await newest(here)).nodes[0]?.stage === stage, 60, `the stage ${stage}`);
    const fault = injectFault(here, "slack-refuses", { code });
    await here.until(() => bootIdOf() !== before && !isCordoned(here), 60, "the node to be given back");
    await here.pass(90);
    expect((await newest(here)).operation).toMatchObject({ status: "succeeded" });
    expect(calls("Slack has refused messages for ten minutes")).toHaveLength(1);
    expect(openly(here).at(-1)).not.toContain("✅");
    endFault(here, fault);
    await here.pass(10);
    const [message, ...more] = openly(here);
    expect(more).toEqual([]);
    expect(message).toContain("✅ Reboot ip-10-0-3-7");
    expect(await heldBack(here)).toEqual([]);
  });
});

test("A node that waits for a person while Slack refuses reminders pages people once", async () => {
  here = await unasked("reboot", { reboot: { reboot: 20 } });
  const hangs = injectFault(here, "boot-hangs", {
    instanceId: nodeNamed(here, web.name)?.spec?.providerID?.split("/").at(-1) ?? "",
  });
  await here.type("operator", `/win reboot ${SHORT} --force ${web.name}`);
  await settled(here, 120);
  endFault(here, hangs);
  const fault = injectFault(here, "slack-refuses");
  const before = here.simulator.topic.notifications().length;
  await here.pass(120);
  const paged = here.simulator.topic.notifications().slice(before);
  expect(paged.map(({ message }) => message)).toEqual([expect.stringContaining(web.name)]);
  endFault(here, fault);
  await here.pass(10);
  expect(inThreads(here).filter((text) => text.includes("⏰"))).toHaveLength(1);
});
