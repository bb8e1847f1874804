import type { Fact } from "../core/bus.ts";
import type { Simulation } from "../core/simulation.ts";
import type { Execution } from "./model.ts";

/** Changes that stay together, and what follows once they are in the store. */
export interface Effects {
  /** Runs `work` as one transaction; inside another one it joins it. What follows happens after the outermost. */
  atomically<R>(work: () => R): R;
  /** Something happened to this execution: it may have to be invoked, or its timer set anew. */
  touch(arn: string): void;
  /** Announces the present state of the execution: on the bus and, when it has ended, to those who wait for it. */
  tell(execution: Execution): void;
  /** Resolves when the execution has ended; what was waited for is forgotten with the process. */
  ending(arn: string): Promise<Execution>;
}

/** @param wake looks after an execution that was touched */
export function effects({ store, bus }: Pick<Simulation, "store" | "bus">, wake: (arn: string) => void): Effects {
  const waiting = new Map<string, ((execution: Execution) => void)[]>();
  let depth = 0;
  let touched = new Set<string>();
  let told: Execution[] = [];

  const follow = (): void => {
    const [arns, news] = [touched, told];
    touched = new Set();
    told = [];
    for (const execution of news) publish(execution);
    for (const arn of arns) wake(arn);
  };
  const publish = (execution: Execution): void => {
    bus.announce(fact(execution));
    if (execution.status === "RUNNING") return;
    for (const resolve of waiting.get(execution.arn) ?? []) resolve(execution);
    waiting.delete(execution.arn);
  };
  const outermost = <R>(work: () => R): R => {
    depth = 1;
    try {
      return store.together(work);
    } finally {
      depth = 0;
      follow();
    }
  };
  return {
    atomically: (work) => (depth > 0 ? work() : outermost(work)),
    touch: (arn) => void touched.add(arn),
    tell: (execution) => void told.push(execution),
    ending: (arn) => new Promise((resolve) => waiting.set(arn, [...(waiting.get(arn) ?? []), resolve])),
  };
}

const fact = ({ arn, functionName, status }: Execution): Fact => ({ kind: "execution", arn, functionName, status });
