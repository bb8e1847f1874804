import type { FunctionName } from "../../../lib/functions.ts";
import { newest } from "../../journeys/evidence.ts";
import type { Journey } from "../../journeys/journey.ts";
import { outcomeOf } from "../../journeys/on-web.ts";
import { web } from "../../journeys/others.ts";

/** A way that people or schedules take through the product, and the functions whose executions are kept of it. */
export interface Way {
  readonly name: string;
  readonly keeps: readonly FunctionName[];
  begin(): Promise<Journey>;
  go(here: Journey): Promise<unknown>;
}

/** Option that a command needs which costs pods of the node of pool web their data. */
export const FORCE = `--force ${web.name}`;

/** Types commands one after another, each after the end of the one before. */
export const commands =
  (...lines: readonly string[]) =>
  async (here: Journey): Promise<void> => {
    for (const line of lines) await outcomeOf(here, `/win ${line}`);
  };

/** Lets time pass until the node of the newest operation has entered this stage. */
export const stageReached = (here: Journey, stage: string): Promise<void> =>
  here.until(async () => (await newest(here)).nodes[0]?.stage === stage, 60, `the stage ${stage}`);
