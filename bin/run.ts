import { flushCompileCache } from "node:module";
import { messageOf } from "../lib/message-of.ts";
import type { Figures } from "../lib/sandbox/core/figures.ts";
import { banner, writeEndpoints } from "./endpoints.ts";
import { type Flags, flagsOf, usage } from "./flags.ts";
import { bindPorts } from "./ports.ts";
import { StartError } from "./start-error.ts";
import type { Sandbox } from "./start-sandbox.ts";
import { openState, type State } from "./state.ts";
import { clearState, lockState } from "./state-lock.ts";

const STATE = ".sandbox";

/** Resumes an earlier run. If its state is damaged, the error names the remedy and shows no stack. */
async function resuming<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw new StartError(`the state in ${STATE} cannot be read (${messageOf(error)}): start anew with --fresh`, {
      cause: error,
    });
  }
}

async function calibrated(path: string): Promise<Figures> {
  const { readCalibration } = await import("./calibration-file.ts");
  return readCalibration(path);
}

async function start(flags: Flags): Promise<{ sandbox: Sandbox; state: State }> {
  // An invalid file is reported before the sandbox's state is changed.
  const figures = flags.calibration === null ? undefined : await calibrated(flags.calibration);
  lockState(STATE);
  const ports = await bindPorts(flags.port);
  // Ports and lock are checked first, because loading the modules takes most of the time to the banner.
  const { refuseUnknown, startSandbox } = await import("./start-sandbox.ts");
  refuseUnknown(flags);
  if (flags.fresh) clearState(STATE);
  const state = await resuming(() => openState(STATE, flags.nodes));
  const starting = () => startSandbox(state, ports, { ...flags, figures }, STATE);
  const sandbox = await (state.resumed ? resuming(starting) : starting());
  writeEndpoints(STATE, sandbox.endpoints, sandbox.kubeconfig);
  return { sandbox, state };
}

/** Lets Ctrl-C end the sandbox at any moment. Before the sandbox has started, the process just ends. */
function endOnSignal(): (sandbox: Sandbox) => void {
  let running: Sandbox | undefined;
  const end = async (): Promise<void> => {
    if (running) {
      console.log(`\nThe sandbox is stopping; its state stays in ${STATE}; \`npm start\` resumes it.`);
      await running.stop();
    }
    process.exit(0);
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, end);
  return (sandbox) => {
    running = sandbox;
  };
}

/**
 * Runs `npm start`: starts the simulator on loopback, mounts the handlers, and runs until Ctrl-C.
 * @param words the command line
 */
export async function main(words: readonly string[]): Promise<void> {
  if (words.includes("--help")) {
    const { knownNames } = await import("../lib/sandbox/neighbours/selection.ts");
    return console.log(usage(knownNames));
  }
  const started = endOnSignal();
  try {
    const { sandbox, state } = await start(flagsOf(words));
    started(sandbox);
    console.log(banner(sandbox.endpoints, state));
    // The banner does not wait for the handlers' modules, which take as long to load as everything else.
    await sandbox.loadHandlers();
    flushCompileCache();
  } catch (error) {
    console.error(error instanceof StartError ? `casement: ${error.message}` : error);
    process.exit(1);
  }
}
