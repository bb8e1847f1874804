import { readFileSync } from "node:fs";
import { figuresIn } from "../lib/calibration/calibration.ts";
import { messageOf } from "../lib/message-of.ts";
import type { Figures } from "../lib/sandbox/core/figures.ts";
import { StartError } from "./start-error.ts";

/**
 * Reads a calibration file for the sandbox.
 * @throws StartError that names the file, the place in it and the fault
 */
export function readCalibration(path: string): Figures {
  try {
    return figuresIn(readFileSync(path, "utf8"));
  } catch (error) {
    throw new StartError(`--calibration ${path}: ${messageOf(error)}`);
  }
}
