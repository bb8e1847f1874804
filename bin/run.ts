import { flushCompileCache } from "node:module";
import { messageOf } from "../lib/message-of.ts";
import { claim, forget } from "./claim.ts";
import { banner, writeEndpoints } from "./endpoints.ts";
import { type Flags, flagsOf, usage } from "./flags.ts";
import { takePlaces } from "./listen.ts";
import { type Memory, recall } from "./memory.ts";
import type { Sandbox } from "./raise.ts";
import { StartError } from "./start-error.ts";

const STATE = ".sandbox";

/** Takes up an earlier run's state. If it is damaged or from another version, the error names the way out, not a stack. */
async function takingUp<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw new StartError(`the state in ${STATE} cannot be read (${messageOf(error)}): start anew with --fresh`, {
      cause: error,
    });
  }
}

async function start(flags: Flags): Promise<{ sandbox: Sandbox; memory: Memory }> {
  claim(STATE);
  const places = await takePlaces(flags.port);
  // Most of the time to the banner is reading programs: what can be refused before is refused before.
  const { raise, refuseUnknown } = await import("./raise.ts");
  refuseUnknown(flags);
  if (flags.fresh) forget(STATE);
  const memory = await takingUp(() => recall(STATE));
  const raising = () => raise(memory, places, flags, STATE);
  const sandbox = await (memory.resumed ? takingUp(raising) : raising());
  writeEndpoints(STATE, sandbox.endpoints, sandbox.kubeconfig);
  return { sandbox, memory };
}

/** Ctrl-C ends the sandbox at any moment; before it stands, there is nothing to be put away. */
function endOnSignal(): (sandbox: Sandbox) => void {
  let standing: Sandbox | undefined;
  const end = async (): Promise<void> => {
    if (standing) {
      console.log(`\nThe sandbox is stopping; its state stays in ${STATE} and \`npm start\` goes on with it.`);
      await standing.stop();
    }
    process.exit(0);
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, end);
  return (sandbox) => {
    standing = sandbox;
  };
}

/**
 * `npm start`: raises the simulator on loopback, mounts the handlers, and runs until Ctrl-C.
 * @param words the command line
 */
export async function main(words: readonly string[]): Promise<void> {
  if (words.includes("--help")) {
    const { knownNames } = await import("../lib/sandbox/neighbours/choice.ts");
    return console.log(usage(knownNames));
  }
  const standing = endOnSignal();
  try {
    const { sandbox, memory } = await start(flagsOf(words));
    standing(sandbox);
    console.log(banner(sandbox.endpoints, memory.resumed));
    flushCompileCache();
  } catch (error) {
    console.error(error instanceof StartError ? `casement: ${error.message}` : error);
    process.exit(1);
  }
}
