import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BrowserContext, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { smallGround } from "./ground.ts";
import { serve } from "./serve.ts";

/** Chromium as a test needs it: no sandbox (tests run as root), nothing that talks to the network by itself. */
const QUIET = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

let browser: BrowserContext;
let folder: string;
let server: Awaited<ReturnType<typeof serve>>;
let window: Page;
let faults: string[];
let world: ReturnType<typeof smallGround>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "casement-page-"));
  await mkdir(".ci-output/page", { recursive: true });
  browser = await chromium.launchPersistentContext(folder, {
    executablePath: "/usr/bin/chromium",
    args: QUIET,
    viewport: { width: 1280, height: 800 },
    timeout: 15_000,
  });
  browser.setDefaultTimeout(4_000);
});

afterAll(async () => {
  await server?.close();
  await browser?.close();
  await rm(folder, { recursive: true, force: true });
});

beforeEach(async () => {
  await server?.close();
  await window?.close();
  world = smallGround();
  server = await serve(world.page.answer);
  window = await browser.newPage();
  faults = [];
  window.on("pageerror", (error) => faults.push(error.message));
  await window.goto(server.address);
});

const composer = () => window.getByRole("combobox", { name: /Message as/ });
const picture = (name: string) => window.screenshot({ path: `.ci-output/page/${name}.png` });

async function type(text: string): Promise<void> {
  await composer().fill(text);
  await composer().press("Enter");
}

test("shows the world and an empty channel before anything was said", async () => {
  await window.getByText("Nothing has been said here yet.").waitFor();
  await window.getByRole("cell", { name: "i-0a1b2c3d4e5f60711" }).waitFor();
  expect(await window.getByRole("region", { name: "Nodes" }).getByText("NotReady,SchedulingDisabled").count()).toBe(1);
  await picture("empty");
  expect(faults).toEqual([]);
});

test("completes a command from the command list and the names of the world", async () => {
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

test("takes an add from the command to a failed node's button, asks first, and updates the message in place", async () => {
  await type("/win add web 3");
  await window.getByRole("heading", { name: "Add 3 nodes to web" }).waitFor();
  await window.getByRole("button", { name: /repl/ }).click();
  await window.getByText("sha256 of kubelet.exe").first().waitFor();
  await picture("operation");
  await window.getByRole("button", { name: "Terminate now" }).first().click();
  await window.getByRole("dialog", { name: "Terminate the instance?" }).waitFor();
  await picture("confirm");
  await window.getByRole("dialog").getByRole("button", { name: "Terminate" }).click();
  await window.getByText("terminated by Olivia Ortiz").first().waitFor();
  expect(await window.getByRole("heading", { name: "Add 3 nodes to web" }).count()).toBe(1);
  expect(await window.getByText("(edited)").count()).toBe(1);
  expect(faults).toEqual([]);
});

test("shows a dialog, submits it, and leaves the other person's screen alone", async () => {
  await type("/win remove ip-10-0-0-21");
  const dialog = window.getByRole("dialog", { name: "Remove a node" });
  await dialog.getByText("shop/debug").waitFor();
  await picture("dialog");
  const other = await browser.newPage();
  await other.goto(`${server.address}#U0APPROVER`);
  await other.getByText("Nothing has been said").waitFor();
  expect(await other.getByRole("dialog").count()).toBe(0);
  await other.close();
  await dialog.getByRole("button", { name: "Remove" }).click();
  await dialog.waitFor({ state: "detached" });
  await window.getByText("@Olivia Ortiz").waitFor();
});

test("shows an answer to one person alone only to that person", async () => {
  await type("/win help");
  await window.getByText("Only visible to you").waitFor();
  await picture("help");
  await window.getByRole("button", { name: /Vera/ }).click();
  await window.getByText("Nothing has been said here yet.").waitFor();
});

test("says in Slack's words that a command of nobody is not valid", async () => {
  await type("/lose everything");
  await window.getByText("/lose is not a valid command.").waitFor();
});

test("orders a mishap that the ground then suffers, and ends it", async () => {
  await window.getByRole("button", { name: "slack down" }).click();
  await window.getByLabel("method").fill("chat.postMessage");
  await picture("mishap");
  await window.getByRole("button", { name: "Let it happen" }).click();
  await window.getByText("method = chat.postMessage").waitFor();
  expect(world.foundation.mishaps.inForce()).toMatchObject([
    { kind: "slack-down", match: { method: "chat.postMessage" } },
  ]);
  await window.getByRole("button", { name: "End", exact: true }).click();
  await window.getByText("method = chat.postMessage").waitFor({ state: "detached" });
  expect(world.foundation.mishaps.inForce()).toEqual([]);
});

test("changes the clock's speed and shows it", async () => {
  await window.getByRole("button", { name: "60×" }).click();
  await window.locator('button[aria-pressed="true"]', { hasText: "60×" }).waitFor();
});

test("is readable in the dark", async () => {
  await window.emulateMedia({ colorScheme: "dark" });
  await type("/win nodes");
  await window.getByText("BUILD").waitFor();
  await type("/win add web 3");
  await window.getByRole("heading", { name: "Add 3 nodes to web" }).waitFor();
  await picture("dark");
  const ground = await window.evaluate("getComputedStyle(document.body).backgroundColor");
  expect(ground).toBe("rgb(21, 24, 29)");
});

test("says that the sandbox does not answer once it is gone", async () => {
  await window.getByText("Nothing has been said here yet.").waitFor();
  await server.close();
  await window.getByText("The sandbox does not answer").waitFor();
});
