import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { cleanUp, emptyFolder, type Running, start } from "../outside/running.ts";
import { openBrowser, picture, type } from "./window.ts";

/** Milliseconds of the host that an hour of the sandbox may take, on a machine that is busy with other tests. */
const LONG = { timeout: 90_000 };

const LAPTOP = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };

let sandbox: Running;
let browser: Awaited<ReturnType<typeof openBrowser>>;
let window: Page;

beforeAll(async () => {
  [sandbox, browser] = await Promise.all([start(emptyFolder()), openBrowser()]);
  window = await browser.context.newPage();
  await window.setViewportSize(LAPTOP);
  await window.goto(sandbox.endpoints.ui, { timeout: 20_000 });
}, 40_000);

afterAll(async () => {
  await browser?.close();
  await sandbox?.signal("SIGKILL");
  cleanUp();
});

afterEach(async ({ task }) => {
  if (task.result?.state === "fail") await picture(window, `failed: ${task.name}`);
});

const pace = (speed: number) => window.getByRole("button", { name: `${speed}×` }).click();

const act = (name: RegExp) => window.getByRole("button", { name }).click();

test("a rollout whose first node fails pauses, fits laptop and phone, and ends by its last button", {
  timeout: 300_000,
}, async () => {
  await sandbox.control("POST /faults", { kind: "data-plane-dead", match: {} });
  await pace(60);
  await type(window, "/win reboot web");
  const rollout = window.getByRole("article").filter({ has: window.getByRole("heading", { name: /Reboot .*web/ }) });
  await rollout.getByRole("button", { name: /^Approve \(/ }).waitFor(LONG);
  await picture(window, "rollout-plan");
  await act(/Arjun/);
  await rollout.getByRole("button", { name: /^Approve \(/ }).click(LONG);
  await pace(300);
  await rollout.getByRole("button", { name: /^Resume/ }).first().waitFor(LONG);
  await pace(10);
  await rollout.getByRole("button", { name: /^Resume/ }).first().scrollIntoViewIfNeeded();
  await picture(window, "rollout-paused");
  await window.setViewportSize(PHONE);
  await rollout.getByRole("button", { name: /^Resume/ }).first().scrollIntoViewIfNeeded();
  await picture(window, "rollout-paused-phone");
  expect(await window.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(PHONE.width);
  await window.setViewportSize(LAPTOP);
  await rollout.getByRole("button", { name: /^Cancel/ }).click(LONG);
  await picture(window, "rollout-cancel");
});
