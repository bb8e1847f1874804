import { afterEach, expect, test } from "vitest";
import { newest } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { homeOf, shortName, web } from "../../others.ts";
import { dialogOf, openly, privately } from "../../reading.ts";
import { ask, expectKept, withSeedNodes } from "../../removal.ts";

let here: Journey;
afterEach(() => here.close());

test("Keep, or closing the dialog, changes nothing", async () => {
  here = await withSeedNodes();
  await ask(here, "ip-10-0-3-7");
  await here.dismiss("operator");
  await expectKept(here, web);
  expect((await newest(here)).operation).toMatchObject({
    status: "cancelled",
    summary: "The dialog was closed. Nothing was changed.",
  });
  expect(openly(here)).toEqual([]);
});

test("a dialog that is closed before it was filled changes nothing", async () => {
  here = await withSeedNodes();
  await here.type("operator", "/win remove ip-10-0-3-7");
  await here.dismiss("operator");
  await expectKept(here, web);
  expect((await newest(here)).operation.status).toBe("cancelled");
});

test("cancelled while the dialog waits, it says so in the dialog", async () => {
  here = await withSeedNodes();
  await ask(here, "ip-10-0-3-7");
  const { operation } = await newest(here);
  await here.type("approver", `/win cancel ${operation.id}`);
  await expectKept(here, web);
  expect((await newest(here)).operation).toMatchObject({ status: "cancelled", cancelledBy: "U0APPROVER" });
  expect(dialogOf(here, "operator")).toContain("Cancelled. Nothing was changed.");
});

test("a dry run tells the requester what would go and changes nothing", async () => {
  here = await withSeedNodes();
  const home = homeOf(here, "reports");
  const shown = await here.type("operator", `/win remove ${shortName(home)} --dry-run`);
  expect(shown.views).toEqual([]);
  await expectKept(here, home);
  const said = privately(here, "operator").at(-1) ?? "";
  for (const word of ["Dry run: nothing was changed", home.instanceId, "reports-", "local data", "To apply:"])
    expect(said).toContain(word);
  expect(openly(here)).toEqual([]);
});
