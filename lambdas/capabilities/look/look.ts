import { lambdaEntry } from "../../steps/host.ts";
import { looks } from "../answers.ts";

/** The entry for Lambda and for the sandbox. */
export const { createHandler, handler } = lambdaEntry(looks);
