import type { Action } from "../../../../lambdas/machine/plan.ts";
import { sha256Of } from "../disk.ts";
import { Fault } from "../scripts/causes.ts";
import { saveStarted } from "../scripts/environment.ts";
import { filledText } from "../secret-values.ts";
import { serviceOf } from "../services.ts";
import type { ActionHandler } from "./applying.ts";

type VariableAction = Extract<Action, { do: "service-variable" }>;

/** Test-Foreign of variables.ps1: a URL is compared without its name and password. */
const isForeign = ({ name, expects }: VariableAction, own: readonly string[]): boolean =>
  expects !== undefined &&
  own.some((text) => !expects.includes(sha256Of(text.slice(name.length + 1).replaceAll(/\/\/[^/@]*@/g, "//"))));

/** Sets or removes one variable of a service's own environment; a running process keeps what it started with. */
export const serviceVariable: ActionHandler<"service-variable"> = async (run, action) => {
  const { machine, restartDue } = run;
  const { service: name } = action;
  const service = serviceOf(machine, name);
  if (!service) throw new Error("there is no such service");
  const isOwn = (text: string): boolean => text.split("=")[0]?.toLowerCase() === action.name.toLowerCase();
  const own = service.environment.filter(isOwn);
  const { value: given } = action;
  const value = typeof given === "object" && given !== null ? await filledText(run, given) : given;
  const wanted = value === null ? [] : [`${action.name}=${value}`];
  if (own.join("\n") === wanted.join("\n")) return false;
  if (isForeign(action, own)) {
    if (value === null) return false;
    throw new Fault(
      "foreign-variable",
      `Casement did not set ${action.name} in the environment of the service ${name}`,
    );
  }
  saveStarted(machine, service);
  service.environment = [...service.environment.filter((text) => !isOwn(text)), ...wanted];
  if (service.processId !== 0) restartDue.add(service.name);
  machine.save();
  return true;
};
