import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { cleanUp, emptyFolder, type Running, start } from "../outside/running.ts";
import { openBrowser, picture, type } from "./window.ts";

/** Milliseconds of the host that an operation of minutes may take, on a machine that is busy with other tests. */
const LONG = { timeout: 120_000 };

let sandbox: Running;
let browser: Awaited<ReturnType<typeof openBrowser>>;
let window: Page;
const faults: string[] = [];

beforeAll(async () => {
  [sandbox, browser] = await Promise.all([start(emptyFolder()), openBrowser()]);
  window = await browser.context.newPage();
  window.on("pageerror", (error) => faults.push(error.message));
  // Right after the banner the sandbox still loads the handlers.
  await window.goto(sandbox.endpoints.ui);
});

afterAll(async () => {
  await browser?.close();
  await sandbox?.signal("SIGKILL");
  cleanUp();
});

afterEach(async ({ task }) => {
  if (task.result?.state === "fail") await picture(window, `failed: ${task.name}`);
});

const region = (name: string) => window.getByRole("region", { name });
const pace = (speed: number) => window.getByRole("button", { name: `${speed}×` }).click();
const message = (title: string) =>
  window.getByRole("article").filter({ has: window.getByRole("heading", { name: title }) });

/** Injects a fault that applies this many times. */
async function injectFault(kind: string, times: number): Promise<void> {
  await window.getByRole("button", { name: kind, exact: true }).click();
  await window.getByLabel("times").fill(String(times));
  await window.getByRole("button", { name: "Inject" }).click();
}

test("takes an add from the composer to two Ready nodes, in one message and beside it", async () => {
  // Faster than this a busy machine cannot keep up, and deadlines pass on the sandbox's clock.
  await pace(60);
  await type(window, "/win add web 2");
  await window.getByText("To stop it:").waitFor();
  await message("Add 2 nodes to web").getByText("2 nodes are Ready.").waitFor(LONG);
  expect(await message("Add 2 nodes to web").count()).toBe(1);
  await region("Operations").getByText("succeeded").waitFor();
  const joined = region("Nodes").getByRole("row").filter({ hasText: "Ready" });
  expect(await joined.count()).toBe(6);
  await window.getByRole("button", { name: /replies/ }).click();
  await picture(window, "sandbox-add");
  expect(faults).toEqual([]);
});

test("tells a failure in the machine's own words, and terminates by button", async () => {
  await pace(60);
  // The first damaged download is fetched once more.
  await injectFault("download corrupt", 2);
  await type(window, "/win add batch 1");
  const failed = message("Add 1 node to batch");
  await failed.getByRole("button", { name: "Terminate now" }).waitFor(LONG);
  await pace(10);
  await failed
    .getByText(/sha256/)
    .first()
    .waitFor();
  await failed.getByRole("button", { name: "Terminate now" }).scrollIntoViewIfNeeded();
  await picture(window, "sandbox-failure");
  await failed.getByRole("button", { name: "Terminate now" }).click();
  await window.getByRole("dialog").getByRole("button", { name: "Terminate" }).click();
  await pace(300);
  await failed
    .getByText(/terminated by/i)
    .first()
    .waitFor(LONG);
  await region("Instances").getByText("terminated").waitFor(LONG);
  expect(faults).toEqual([]);
});

test("offers EC2's reboot of a machine that does not come back, and opens the screenshot of its console", async () => {
  await pace(60);
  await injectFault("boot hangs", 1);
  await type(window, "/win reboot ip-10-0-3-7 --force ip-10-0-3-7.us-west-2.compute.internal");
  const reboot = message("Reboot ip-10-0-3-7");
  await reboot.getByRole("button", { name: /^Approve \(/ }).waitFor(LONG);
  await window.getByRole("button", { name: /Arjun/ }).click();
  await reboot.getByRole("button", { name: /^Approve \(/ }).click(LONG);
  await reboot.getByText("rebooting the machine").first().waitFor(LONG);
  await pace(300);
  await reboot.getByRole("link", { name: "Screenshot" }).waitFor(LONG);
  await pace(10);
  await picture(window, "sandbox-late");
  const opens = browser.context.waitForEvent("page", LONG);
  await reboot.getByRole("link", { name: "Screenshot" }).click();
  const screen = await opens;
  await screen.locator("img").waitFor(LONG);
  expect(new URL(screen.url()).origin).toBe(sandbox.endpoints.aws);
  await picture(screen, "sandbox-screen");
  await screen.close();
  await window.getByRole("button", { name: /Olivia/ }).click();
  await reboot.getByRole("button", { name: "Reboot through EC2…" }).click();
  await window.getByRole("dialog").getByRole("button", { name: "Reboot through EC2" }).click();
  await pace(300);
  await reboot
    .getByText(/was rebooted/)
    .first()
    .waitFor(LONG);
  expect(faults).toEqual([]);
});

test("removes a node only after somebody said so in its dialog", async () => {
  await pace(10);
  const dialog = window.getByRole("dialog", { name: "Remove a node" });
  await type(window, "/win remove ip-10-0-3-7");
  await dialog.getByText(/will be evicted/).waitFor(LONG);
  await picture(window, "sandbox-dialog");
  await dialog.getByRole("button", { name: "Keep" }).click();
  await dialog.waitFor({ state: "detached" });
  await type(window, "/win remove ip-10-0-3-7");
  await dialog.getByRole("button", { name: "Remove" }).click(LONG);
  await pace(300);
  await message("Remove ip-10-0-3-7")
    .getByText(/was removed and its instance terminated/)
    .waitFor(LONG);
  await region("Nodes").getByRole("cell", { name: "ip-10-0-3-7", exact: true }).waitFor({ state: "detached" });
  expect(faults).toEqual([]);
});

test("tells a visitor in private that nothing was done, and shows the operations to everybody", async () => {
  await window.getByRole("button", { name: /Vera/ }).click();
  await type(window, "/win add web");
  await window.getByText(/You do not have permission to use/).waitFor();
  await window.emulateMedia({ colorScheme: "dark" });
  await picture(window, "sandbox-visitor-dark");
  await window.getByRole("button", { name: /Olivia/ }).click();
  await message("Add 2 nodes to web").waitFor();
  expect(await window.getByText(/You do not have permission to use/).count()).toBe(0);
});
