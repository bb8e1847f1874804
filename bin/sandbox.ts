import { mkdirSync, rmSync } from "node:fs";
import { openStore } from "../lib/sandbox/core/store.ts";
import { banner, writeEndpoints } from "./endpoints.ts";
import { flagsOf } from "./flags.ts";
import { freePorts, PortTaken } from "./listen.ts";
import { raise } from "./raise.ts";

const STATE = ".sandbox";

/** `npm start`: raises the ground on loopback, mounts the handlers, and runs until Ctrl-C. */
async function main(): Promise<void> {
  const flags = flagsOf(process.argv.slice(2));
  if (flags.fresh) rmSync(STATE, { recursive: true, force: true });
  mkdirSync(STATE, { recursive: true });
  const ports = await freePorts(flags.port);
  const sandbox = await raise(ports, flags, STATE, openStore);
  writeEndpoints(STATE, sandbox.endpoints, sandbox.kubeconfig);
  console.log(banner(sandbox.endpoints, sandbox.resumed));
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      console.log("\nThe sandbox is stopping; its state stays in .sandbox and `npm start` goes on with it.");
      void sandbox.stop().then(() => process.exit(0));
    });
  }
}

try {
  await main();
} catch (error) {
  const known = error instanceof PortTaken || (error instanceof Error && error.name === "FlagError");
  console.error(
    known || !(error instanceof Error) ? `casement: ${String(error instanceof Error ? error.message : error)}` : error,
  );
  process.exit(1);
}
