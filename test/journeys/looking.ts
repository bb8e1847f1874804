import { expect } from "vitest";
import { settled } from "./evidence.ts";
import type { Journey } from "./journey.ts";
import { openly, privately } from "./reading.ts";

/** One private answer of a look as it stands at the end, and the seconds until a person could read something. */
export interface Looked {
  readonly said: string;
  readonly first: string;
  readonly seconds: number;
}

/** Types a look and waits for its end; it must be one message, to the requester alone. */
export async function look(here: Journey, text: string): Promise<Looked> {
  const before = privately(here, "operator").length;
  const inChannel = openly(here).length;
  const begin = Date.now();
  await here.type("operator", text);
  let end = 0;
  let first = "";
  await here.until(
    () => {
      const said = privately(here, "operator").at(-1) ?? "";
      if (end === 0 && said !== "" && !said.includes("Fetching")) {
        end = Date.now();
        first = said;
      }
      return end > 0;
    },
    2,
    "an answer",
  );
  const seconds = (end - begin) / 1_000;
  await settled(here, 4);
  expect(privately(here, "operator").length - before).toBe(1);
  expect(openly(here)).toHaveLength(inChannel);
  return { said: privately(here, "operator").at(-1) ?? "", first, seconds };
}

/** Asks why, which must be answered within 20 s. @param node as a person types it */
export async function why(here: Journey, node = "ip-10-0-3-7"): Promise<Looked> {
  const looked = await look(here, `/win why ${node}`);
  expect(looked.seconds).toBeLessThan(20);
  return looked;
}
