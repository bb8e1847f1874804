import { expect } from "vitest";
import { receiver } from "../../lambdas/front-door/receive.ts";
import type { HttpEvent } from "../../lambdas/front-door/verify.ts";
import type { OperationRecord } from "../../lambdas/records/records.ts";
import { fakeFrontDoor, type Memory } from "./fake-front-door.ts";
import { slashCommand } from "./signed.ts";

/** Answer of the front door to a command. */
interface Answer {
  readonly response_type: string;
  readonly text: string;
  readonly blocks: readonly unknown[];
}

/** A front door on steps in memory, and functions that send requests to it. */
export interface FrontDoorDriver {
  readonly memory: Memory;
  readonly send: (event: HttpEvent) => Promise<{ readonly statusCode: number; readonly body: string }>;
  /** Types a command; every answer must be private. */
  readonly answerTo: (text: string, fields?: Readonly<Record<string, string>>) => Promise<Answer>;
  /** The same, and only the words. */
  readonly type: (text: string, fields?: Readonly<Record<string, string>>) => Promise<string>;
  readonly onlyOperation: () => OperationRecord;
}

/** Builds a new front door on new steps. */
export function frontDoorInMemory(): FrontDoorDriver {
  const { door: own, memory } = fakeFrontDoor();
  const door = receiver(own);
  const answerTo: FrontDoorDriver["answerTo"] = async (text, fields) => {
    const { statusCode, body } = await door(slashCommand(text, fields), {});
    expect(statusCode).toBe(200);
    const said = JSON.parse(body) as Answer;
    expect(said.response_type).toBe("ephemeral");
    return said;
  };
  return {
    memory,
    send: (event) => door(event, {}),
    answerTo,
    type: async (text, fields) => (await answerTo(text, fields)).text,
    onlyOperation: () => {
      const [only, ...others] = memory.operations.values();
      if (!only || others.length > 0) throw new Error(`${memory.operations.size} operations instead of one`);
      return only;
    },
  };
}
