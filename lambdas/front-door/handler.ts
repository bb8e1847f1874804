import { readFileSync } from "node:fs";
import { settings } from "../settings.ts";
import { CONFIGURATION_FILE, type DoorConfiguration } from "./configuration.ts";
import type { HttpAnswer } from "./receive.ts";
import { hostedFrontDoor } from "./hosted.ts";
import type { HttpEvent } from "./verify.ts";

/** Validated when it was deployed; it lies beside the bundled code. */
const configuration = (): DoorConfiguration =>
  JSON.parse(readFileSync(new URL(CONFIGURATION_FILE, import.meta.url), "utf8"));

/** The same handler for a given runtime. */
export const createHandler = hostedFrontDoor;

let door: ReturnType<typeof createHandler> | undefined;

/** The Lambda entry, behind a Function URL. */
export const handler = (event: HttpEvent, context: unknown): Promise<HttpAnswer> => {
  door ??= createHandler({
    settings: settings(),
    configuration: configuration(),
    now: Date.now,
    slackNow: Date.now,
  });
  return door(event, context);
};
