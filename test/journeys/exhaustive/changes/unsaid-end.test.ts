import { afterEach, expect, test } from "vitest";
import { calls, heldBack, newest } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { createSet, reconciles, startMirroring } from "../../mirroring.ts";
import { SHORT } from "../../on-web.ts";
import { web } from "../../others.ts";
import { endFault, injectFault } from "../../outside.ts";
import { openly } from "../../reading.ts";
import { withSeedNodes } from "../../removal.ts";

let here: Journey;
afterEach(() => here.close());

const commands = [
  `reboot ${SHORT} --force ${web.name}`,
  "reboot web",
  `drain ${SHORT}`,
  `guard ${SHORT}`,
  `cordon ${SHORT}`,
  "freeze web --for 4h --reason audit",
  "add web 1",
  "reconcile",
] as const;

const pages = () => calls(here, "sns", "Publish").filter(({ error }) => error === null);

test.each(commands)(
  "/win %s that cannot begin while Slack takes no message shows its end afterwards",
  async (command) => {
    here = await withSeedNodes({ configuration: { approvals: {} } });
    const down = injectFault(here, "slack-down");
    await here.type("operator", `/win ${command}`);
    await here.until(async () => (await newest(here)).operation.endedAt !== null, 60, "its end");
    const { operation } = await newest(here);
    await here.pass(30);
    endFault(here, down);
    await here.pass(12);
    const about = openly(here).filter((text) => text.includes(`\`${operation.id}\``));
    expect(about).toEqual([
      expect.stringContaining(
        "Not begun: gave up after several minutes because a service was unavailable. Slack answered 503.",
      ),
    ]);
    expect(about[0]).toMatch(/^❌/);
    expect(pages()).toHaveLength(1);
    expect(await heldBack(here)).toEqual([]);
  },
);

test.each(["drain", "freeze", "add"])(
  "/win %s that ends as Slack takes messages again shows its end once",
  async (name) => {
    here = await withSeedNodes({ configuration: { approvals: {} } });
    const down = injectFault(here, "slack-down");
    await here.type("operator", `/win ${commands.find((command) => command.startsWith(name))}`);
    await here.until(async () => (await newest(here)).operation.endedAt !== null, 60, "its end");
    endFault(here, down);
    await here.pass(15);
    const { operation } = await newest(here);
    expect(openly(here).filter((text) => text.includes(`\`${operation.id}\``))).toHaveLength(1);
  },
);

test("a mistake that Slack does not take is shown in the channel afterwards", async () => {
  here = await withSeedNodes({ configuration: { approvals: {} } });
  const down = ["chat.postEphemeral", "response_url"].map((method) => injectFault(here, "slack-down", { method }));
  await here.type("operator", "/win drain ip-10-9-9-9");
  await here.until(async () => (await newest(here)).operation.endedAt !== null, 60, "its end");
  const { operation } = await newest(here);
  await here.pass(15);
  for (const fault of down) endFault(here, fault);
  await here.pass(6);
  const about = openly(here).filter((text) => text.includes(`\`${operation.id}\``));
  expect(about).toEqual([expect.stringMatching(/not started[\s\S]*Windows node `ip-10-9-9-9` not found/)]);
});

test("a change by a schedule that Slack does not take is shown with its end afterwards, once", async () => {
  here = await startMirroring();
  const down = injectFault(here, "slack-down");
  await createSet(here, "digest", "team", { source: "quay.io/team", mirrors: ["mirror.example.com/team"] });
  await here.until(async () => ((await reconciles(here))[0]?.endedAt ?? null) !== null, 60, "its end");
  const [operation] = await reconciles(here);
  await here.pass(15);
  endFault(here, down);
  await here.pass(12);
  const about = openly(here).filter((text) => text.includes(`\`${operation?.id}\``));
  expect(about).toEqual([expect.stringContaining("3 nodes updated")]);
});
