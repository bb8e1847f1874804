import { looks } from "../capabilities/answers.ts";
import { lambdaEntry } from "../steps/host.ts";

/** The entry for Lambda and for the sandbox. */
export const { createHandler, handler } = lambdaEntry(looks);
