import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BrowserContext, chromium, type Page } from "playwright-core";

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

const PICTURES = ".ci-output/page";

/** A browser without a past; `close` leaves nothing behind. */
export async function openBrowser(): Promise<{ readonly context: BrowserContext; close(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), "casement-page-"));
  await mkdir(PICTURES, { recursive: true });
  const context = await chromium.launchPersistentContext(folder, {
    executablePath: "/usr/bin/chromium",
    args: QUIET,
    viewport: { width: 1280, height: 800 },
    timeout: 60_000,
  });
  context.setDefaultTimeout(15_000);
  return {
    context,
    close: async () => {
      await context.close();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Keeps what the window shows as a file of the run's output. */
export const picture = (window: Page, name: string): Promise<unknown> =>
  window.screenshot({ path: `${PICTURES}/${name}.png` });

/** Field in which a person types. */
export const composer = (window: Page) => window.getByRole("combobox", { name: /Message as/ });

/** Types a line and sends it. */
export async function type(window: Page, text: string): Promise<void> {
  await composer(window).fill(text);
  await composer(window).press("Enter");
}
