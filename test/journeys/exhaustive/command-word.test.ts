import { afterEach, expect, test } from "vitest";
import { expectSound, settled } from "../evidence.ts";
import { type Journey, startJourney } from "../journey.ts";
import { web } from "../others.ts";

let here: Journey;
afterEach(() => here.close());

test("a deployment with another command word is told no command that it does not have", async () => {
  here = await startJourney({ seedNodes: true, configuration: { command: "/win-b" } });
  const name = web.name;
  for (const typed of [
    ...["help", "help add", "nodez", "add wbe", "node", "cancel add-3f9c2a71", "approve add-3f9c2a71", "pause add-1"],
    ...["nodes", `node ${name}`, "node nosuchnode", `why ${name}`, "operations", "doctor", "audit"],
    ...[
      "add web 99",
      "add web --dry-run",
      `remove ${name} --dry-run`,
      `cordon ${name} --dry-run`,
      "guard web --dry-run",
    ],
    ...[`drain ${name} --dry-run`, `reboot ${name} --dry-run`, "reboot web --dry-run", `assist ${name}`],
    ...["freeze", 'freeze web --reason "release night"', `drain ${name}`, "nodes", "thaw web", `drain ${name}`],
  ]) {
    await here.type("operator", `/win-b ${typed}`);
    await settled(here);
  }
  const messages = here.simulator.slack.messages();
  const said = messages.map(({ text, blocks }) => `${text} ${JSON.stringify(blocks)}`);
  expect(said.filter((words) => words.includes("/win-b ")).length).toBeGreaterThan(15);
  // The page of the sandbox and its people are not the product's.
  expect(said.filter((words) => /\/win[ `]/.test(words))).toEqual([]);
  await expectSound(here);
});
