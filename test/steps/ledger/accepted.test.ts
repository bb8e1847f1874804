import { afterAll, beforeAll, expect, test } from "vitest";
import { START, type TestSimulator, testSimulator } from "../test-simulator.ts";

let simulator: TestSimulator;
beforeAll(async () => {
  simulator = await testSimulator();
});
afterAll(() => simulator.close());

const at = new Date(START).toISOString();
const door = () => simulator.as("front-door").ledger;
const sweep = () => simulator.as("sweep");
/** Seconds since the epoch, so many days after the beginning. */
const inDays = (days: number): number => START / 1_000 + days * 86_400;

test("A press of I have it is kept for each person, the last one alone, for two days", async () => {
  const press = { wait: "approval drain-1", userId: "U1", cause: "press-1", at, channel: "C1", messageTs: "1.0" };
  await door().pressWait(press);
  await door().pressWait({ ...press, cause: "press-2" });
  await door().pressWait({ ...press, userId: "U2" });
  expect(await sweep().reminders.presses()).toMatchObject([
    { ...press, cause: "press-2", expiresAt: inDays(2) },
    { ...press, userId: "U2" },
  ]);
});

test("A request stays as the front door has accepted it first, as long as the record of its operation", async () => {
  const first = {
    request: { command: "drain", node: "win-1", dryRun: false },
    requester: { userId: "U1", userName: "olivia", channel: "C1" },
    requestedAt: at,
  } as const;
  expect(await door().keepAccepted("drain-1", first)).toEqual(first);
  const again = await door().keepAccepted("drain-1", { ...first, requester: { ...first.requester, userId: "U2" } });
  expect(again).toMatchObject({ ...first, expiresAt: inDays(445) });
  expect(await sweep().ledger.accepted("drain-1")).toMatchObject(first);
  expect(await sweep().ledger.accepted("drain-2")).toBeUndefined();
});

test("A dialog is that of the operation for which the front door has opened it", async () => {
  await door().keepDialog("remove-1", "V1");
  const opened = [door().isDialogOf("remove-1", "V1"), door().isDialogOf("remove-1", "V2")];
  expect(await Promise.all([...opened, door().isDialogOf("remove-2", "V1")])).toEqual([true, false, false]);
});
