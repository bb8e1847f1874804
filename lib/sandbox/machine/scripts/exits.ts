import type { ServiceExits, ServiceQuestion } from "../../../../lambdas/machine/questions.ts";
import { HNS_SHOWN } from "../host-networking.ts";
import type { Machine } from "../machine.ts";
import { logTail } from "./causes.ts";

/** Events of the Service Control Manager about a service that ended, as Get-ExitAnswer of questions.ps1 selects them. */
const EXIT_EVENT = /^(\S+) Service Control Manager: (7023|7024|7031|7034) The (.+?) service /;

/** An end of a service, with the name that people see. */
interface Exit {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly isCrash: boolean;
  readonly shown: string;
}

const HOUR_MS = 3_600_000;

/** Exits within the last hour, the oldest first. */
function exitsOf(machine: Machine): readonly Exit[] {
  const from = machine.simulation.clock.now() - HOUR_MS;
  return machine.events().flatMap((line) => {
    const [, moment = "", id = "", shown = ""] = EXIT_EVENT.exec(line) ?? [];
    const at = Date.parse(moment);
    return at >= from ? [{ at, isCrash: id === "7031" || id === "7034", shown }] : [];
  });
}

/** Answers about one service, as Get-ExitAnswer of questions.ps1. @returns nothing for a service that did not exit */
export function exitAnswers(machine: Machine, questions: readonly ServiceQuestion[]): readonly ServiceExits[] {
  const all = exitsOf(machine);
  const ahead = machine.clock() - machine.simulation.clock.now();
  return questions.flatMap(({ name, log }): readonly ServiceExits[] => {
    const own = all.filter(({ shown }) => shown === (name === "hns" ? HNS_SHOWN : name));
    const newest = own.at(-1);
    if (newest === undefined) return [];
    const crashes = own.filter(({ isCrash }) => isCrash).length;
    const last = `${new Date(newest.at + ahead).toISOString().slice(0, 19)}Z`;
    const times = Math.max(crashes, own.length - crashes);
    return [{ name, times, last, log: log === undefined ? "" : logTail(machine, log) }];
  });
}
