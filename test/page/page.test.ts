import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { servedPage } from "./page-server.ts";
import { serve } from "./serve.ts";
import * as browsing from "./window.ts";

let browser: Awaited<ReturnType<typeof browsing.openBrowser>>;
let server: Awaited<ReturnType<typeof serve>>;
let window: Page;
let faults: string[];
let served: ReturnType<typeof servedPage>;

beforeAll(async () => {
  browser = await browsing.openBrowser();
});

afterAll(async () => {
  await server?.close();
  await browser?.close();
});

beforeEach(async () => {
  await server?.close();
  await window?.close();
  served = servedPage();
  server = await serve(served.page.answer);
  window = await browser.context.newPage();
  faults = [];
  window.on("pageerror", (error) => faults.push(error.message));
  await window.goto(server.address);
});

const composer = () => browsing.composer(window);
const picture = (name: string) => browsing.picture(window, name);
const type = (text: string) => browsing.type(window, text);

test("shows the simulator and an empty channel before the first message", async () => {
  await window.getByText("Nothing has been said here yet.").waitFor();
  await window.getByRole("cell", { name: "i-0a1b2c3d4e5f60711" }).waitFor();
  expect(await window.getByRole("region", { name: "Nodes" }).getByText("NotReady,SchedulingDisabled").count()).toBe(1);
  await picture("empty");
  expect(faults).toEqual([]);
});

test("shows each registry's file and the nodes that have it", async () => {
  const panel = window.getByRole("region", { name: "Registry mirrors" });
  await panel.getByRole("cell", { name: "mirror.example.com_5000_" }).waitFor();
  expect(await panel.getByRole("row").allInnerTexts()).toEqual([
    expect.stringMatching(/Registry.*Nodes/s),
    expect.stringMatching(/mirror\.example\.com_5000_\s+60303ae2\s+ip-10-0-0-21/),
    expect.stringMatching(/quay\.io\s+2c26b46b\s+ip-10-0-0-22/),
    expect.stringMatching(/quay\.io\s+9f86d081\s+ip-10-0-0-21/),
  ]);
  expect(faults).toEqual([]);
});

test("completes a command from the command list and the names of nodes and operations", async () => {
  await composer().pressSequentially("/w");
  await composer().press("Tab");
  await composer().pressSequentially("a");
  await composer().press("Tab");
  await window.getByText("/win add <pool> [count] [--dry-run]").waitFor();
  await picture("completion");
  await composer().pressSequentially("w");
  await composer().press("Tab");
  expect(await composer().inputValue()).toBe("/win add web ");
});

test("shows a dialog only to the person it was opened for, and gives the keyboard back after it", async () => {
  await type("/win remove ip-10-0-0-21");
  const dialog = window.getByRole("dialog", { name: "Remove a node" });
  await dialog.getByText("shop/debug").waitFor();
  const other = await browser.context.newPage();
  await other.goto(`${server.address}#U0APPROVER`);
  await other.getByText("Nothing has been said").waitFor();
  expect(await other.getByRole("dialog").count()).toBe(0);
  await other.close();
  await window.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  expect(await composer().evaluate((field) => field === field.ownerDocument.activeElement)).toBe(true);
});

test("shows an answer to one person alone only to that person", async () => {
  await type("/win help");
  await window.getByText("Only visible to you").waitFor();
  await picture("help");
  await window.getByRole("button", { name: /Vera/ }).click();
  await window.getByText("Nothing has been said here yet.").waitFor();
});

test("names to a screen reader what buttons and links are about", async () => {
  await type("/win add web 3");
  const row = window.getByRole("article").filter({ has: window.getByRole("heading", { name: "Add 3 nodes to web" }) });
  await row.getByRole("button", { name: "Terminate now (i-0a1b2c3d4e5f60712)" }).waitFor();
  await row.getByRole("link", { name: "Open in AWS (i-0a1b2c3d4e5f60712)" }).waitFor();
  await row.getByRole("button", { name: "Cancel operation (add-3f9c2a71)" }).waitFor();
});

test("shows of an operation's nodes what is done, under way or failed", async () => {
  const panel = window.getByRole("region", { name: "Operations" });
  await panel.getByText("Add 3 nodes to web").waitFor();
  expect(
    await panel
      .getByRole("listitem")
      .filter({ hasNot: window.getByRole("list") })
      .allInnerTexts(),
  ).toEqual([
    "ip-10-0-0-21 done",
    "i-0a1b2c3d4e5f60711 installing Windows features, with one reboot",
    "i-0a1b2c3d4e5f60712 needs a decision: binaries",
  ]);
});

test("says in Slack's words that a command of nobody is not valid", async () => {
  await type("/lose everything");
  await window.getByText("/lose is not a valid command.").waitFor();
});

test("injects a fault and ends it", async () => {
  await window.getByRole("button", { name: "slack down" }).click();
  await window.getByLabel("method").fill("chat.postMessage");
  await window.getByLabel("times").fill("3");
  await picture("fault");
  await window.getByRole("button", { name: "Inject" }).click();
  await window.getByText("method = chat.postMessage · 3 more").waitFor();
  expect(served.simulation.faults.inForce()).toMatchObject([
    { kind: "slack-down", match: { method: "chat.postMessage" } },
  ]);
  await window.getByRole("button", { name: "End", exact: true }).click();
  await window.getByText(/method = chat.postMessage/).waitFor({ state: "detached" });
  expect(served.simulation.faults.inForce()).toEqual([]);
});

test("changes the clock's speed and shows it", async () => {
  await window.getByRole("button", { name: "60×" }).click();
  await window.locator('button[aria-pressed="true"]', { hasText: "60×" }).waitFor();
});

test("says how fast the clock really runs when the host cannot keep up", async () => {
  await window.getByRole("button", { name: "60×" }).click();
  // The clock of this page runs as the host's does, whatever its speed.
  await window.getByRole("button", { name: /^60× \(now [\d.]+×\)$/ }).waitFor();
  await window.getByRole("button", { name: "1×", exact: true }).click();
  await window.getByRole("button", { name: "60×", exact: true }).waitFor();
});

test("closes its suggestions with Escape until more is typed, and Shift+Tab goes back", async () => {
  await composer().pressSequentially("/win a");
  await window.getByRole("listbox").waitFor();
  await composer().press("Escape");
  await window.getByRole("listbox").waitFor({ state: "detached" });
  await composer().pressSequentially("d");
  await window.getByRole("listbox").waitFor();
  await composer().press("Shift+Tab");
  expect(await composer().inputValue()).toBe("/win ad");
  expect(await composer().evaluate((field) => field === field.ownerDocument.activeElement)).toBe(false);
});

test("is not cut on a phone", async () => {
  await window.setViewportSize({ width: 390, height: 844 });
  await type("/win nodes");
  await window.getByText("BUILD").waitFor();
  expect(await window.evaluate("document.documentElement.scrollWidth")).toBe(390);
  const { x = 0, width = 0 } = (await window.getByRole("button", { name: "Send" }).boundingBox()) ?? {};
  expect(x + width).toBeLessThanOrEqual(390);
  await picture("phone");
});

test("is readable in the dark", async () => {
  await window.emulateMedia({ colorScheme: "dark" });
  await type("/win nodes");
  await window.getByText("BUILD").waitFor();
  await type("/win add web 3");
  await window.getByRole("heading", { name: "Add 3 nodes to web" }).waitFor();
  await picture("dark");
  const background = await window.evaluate("getComputedStyle(document.body).backgroundColor");
  expect(background).toBe("rgb(21, 24, 29)");
});

test("says that the sandbox does not answer once it is gone, and gives back what could not be sent", async () => {
  await window.getByText("Nothing has been said here yet.").waitFor();
  await server.close();
  await window.getByText("The sandbox does not answer").waitFor();
  await type("/win nodes");
  await window.getByText("Not sent:").waitFor();
  expect(await composer().inputValue()).toBe("/win nodes");
});

test("stays where somebody reads, and comes back for what they do themselves", async () => {
  for (let line = 0; line < 30; line += 1) void served.slack.ui.type("U0APPROVER", "C0WINDOWS", `line ${line}`);
  await window.getByText("line 29").waitFor();
  const log = window.getByRole("log");
  const fromEnd = () => log.evaluate((list) => list.scrollHeight - list.scrollTop - list.clientHeight);
  expect(await fromEnd()).toBeLessThan(2);
  await log.evaluate((list) => list.scrollTo({ top: 0 }));
  await log.dispatchEvent("scroll");
  void served.slack.ui.type("U0APPROVER", "C0WINDOWS", "while you read");
  await window.getByText("while you read").waitFor();
  expect(await fromEnd()).toBeGreaterThan(100);
  await type("hello");
  await window.getByText("hello", { exact: true }).waitFor();
  expect(await fromEnd()).toBeLessThan(2);
});
