import { expect, test } from "vitest";
import { commands } from "../../lambdas/commands/list.ts";
import { commandsDocument } from "../../lib/commands-document.ts";

test("docs/commands.md says what the list of commands says (written anew by vitest --update)", async () => {
  await expect(commandsDocument(commands, "/win")).toMatchFileSnapshot("../../docs/commands.md");
});
