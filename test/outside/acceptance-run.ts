import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Running } from "./running.ts";

const PROGRAM = fileURLToPath(new URL("../../bin/acceptance.ts", import.meta.url));

/** Host time after which a run that has not ended is killed. */
const ENOUGH_MS = 240_000;

/** Sandbox seconds that pass at each look. */
const PASS_SECONDS = 10;

/** A run of `npm run acceptance` that has ended. */
interface Ended {
  /** Null when it was killed. */
  readonly code: number | null;
  readonly text: string;
}

/** Acts of people and of the test while a run goes on. */
interface Meanwhile {
  /** An approver approves what waits for an approval. */
  readonly approves?: boolean;
  /** An operator types the commands that the run asks for, and confirms. */
  readonly types?: boolean;
  /** Called with the output at each poll. */
  readonly onPoll?: (text: string, child: ChildProcess) => Promise<void> | void;
}

const page = async ({ endpoints }: Running, path: string, body?: object) => {
  const options = body ? { method: "POST", body: JSON.stringify(body) } : {};
  return (await (await fetch(`${endpoints.ui}${path}`, options)).json()) as {
    readonly views: readonly { readonly id: string; readonly submit?: unknown }[];
  };
};

const say = (here: Running, userId: string, text: string) =>
  page(here, "/page/type", { userId, channelId: "C0WINDOWS", text });

const OPERATOR = "U0OPERATOR";

/** The dialog of a removal can be confirmed once it shows what would go. */
async function confirm(here: Running): Promise<void> {
  for (let looks = 0; looks < 30; looks += 1) {
    const { views } = await page(here, `/page/desk?as=${OPERATOR}`);
    const dialog = views.at(-1);
    if (dialog?.submit) {
      await page(here, "/page/submit", { userId: OPERATOR, viewId: dialog.id, values: {} });
      return;
    }
    await here.control("POST /clock", { advance: PASS_SECONDS });
  }
}

async function approve(here: Running, isNew: (what: string) => boolean): Promise<void> {
  const { operations } = await here.control("GET /state");
  const waiting = operations.filter(({ command, status }) => command === "reboot" && status === "waiting");
  for (const { id } of waiting) if (isNew(id)) await say(here, "U0APPROVER", `/win approve ${id}`);
}

/** Types what the run asks for: the commands stand alone on a line. */
async function typeWanted(here: Running, text: string, isNew: (what: string) => boolean): Promise<void> {
  for (const [, line = ""] of text.matchAll(/^ {4}(\/win .*)$/gm)) {
    if (!isNew(line)) continue;
    await say(here, OPERATOR, line);
    if (line.startsWith("/win remove")) await confirm(here);
  }
}

/** People at work: each thing is done once. */
function people(here: Running, { approves = true, types = true }: Meanwhile) {
  const done = new Set<string>();
  const isNew = (what: string): boolean => !done.has(what) && done.add(what).size > 0;
  return async (text: string): Promise<void> => {
    if (approves) await approve(here, isNew);
    if (types) await typeWanted(here, text, isNew);
  };
}

/**
 * Runs `npm run acceptance` against a sandbox, whose clock is moved meanwhile: what it measures does not depend on this machine.
 */
export async function accept(here: Running, words: readonly string[], meanwhile: Meanwhile = {}): Promise<Ended> {
  const child = spawn(process.execPath, [PROGRAM, "--sandbox", "--yes", ...words], { cwd: here.folder });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (text += chunk));
  let code: number | null | undefined;
  child.once("close", (ended) => {
    code = ended;
  });
  const act = people(here, meanwhile);
  for (const end = Date.now() + ENOUGH_MS; code === undefined; ) {
    if (Date.now() > end) child.kill("SIGKILL");
    await act(text);
    await meanwhile.onPoll?.(text, child);
    await here.control("POST /clock", { advance: PASS_SECONDS });
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return { code, text };
}

/** The files of the runs in a sandbox's folder, by how their names end. */
export function filesOf({ folder }: Running, end: ".run.json" | ".report.json" | ".calibration.json") {
  const runs = join(folder, "acceptance");
  return readdirSync(runs)
    .filter((name) => name.endsWith(end))
    .map((name) => ({ path: join(runs, name), content: JSON.parse(readFileSync(join(runs, name), "utf8")) }));
}
