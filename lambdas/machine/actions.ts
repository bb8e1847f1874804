import { createHash } from "node:crypto";
import type { Action } from "./plan.ts";

type ActionOf<Kind extends Action["do"]> = Extract<Action, { do: Kind }>;
type Access = ActionOf<"file">["access"];

/** A directory that everybody may read as far as the folder above allows, or SYSTEM and Administrators alone. */
export const directory = (path: string, access: Access = "inherited"): ActionOf<"directory"> => ({
  do: "directory",
  path,
  access,
});

/** A small text file that travels inside the plan; never a secret. */
export const textFile = (path: string, text: string): ActionOf<"file"> => ({
  do: "file",
  path,
  source: { from: "inline", base64: Buffer.from(text).toString("base64") },
  sha256: createHash("sha256").update(text).digest("hex"),
  access: "inherited",
});

/** A JSON file, indented so that a person on the machine can read it. */
export const jsonFile = (path: string, value: unknown): ActionOf<"file"> =>
  textFile(path, `${JSON.stringify(value, null, 2)}\n`);

/** Asks for a service not to run. */
export const stopService = (name: string): ActionOf<"service-state"> => ({
  do: "service-state",
  name,
  state: "Stopped",
});

/**
 * Asks for a service to run.
 * @param log where its program writes why it does not
 */
export const startService = (name: string, log: string): ActionOf<"service-state"> => ({
  do: "service-state",
  name,
  state: "Running",
  log,
});
