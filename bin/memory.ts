import { join } from "node:path";
import { openStore, type Store } from "../lib/sandbox/core/store.ts";
import { forget } from "./claim.ts";
import { StartError } from "./start-error.ts";

/** State that one run of the sandbox leaves to the next. */
export interface Memory {
  readonly store: Store;
  /** Directory of the ledger's files. */
  readonly ledgerPath: string;
  /** It goes on with what an earlier run left. */
  readonly resumed: boolean;
  /** Runs before this one: a seed repeats a run, but no run may repeat the ids of the one before. */
  readonly run: number;
  /** The sandbox's time that was reached at most, in milliseconds since the epoch. */
  readonly reached: number | undefined;
  /** Keeps how far the sandbox's time may have come when this process ends. */
  reach(time: number): void;
  /** Marks seeding as complete: from now on an interrupted run is resumed. */
  settled(): void;
}

/** Counted up when a new version cannot go on with what an earlier one left: other accounts, tables or machines. */
const FORMAT = 2;

const OTHER_VERSION = "the state in .sandbox is of another version of Casement: start anew with --fresh";

/**
 * Opens the saved state. A first start that was interrupted before seeding was complete starts over.
 * @param folder a directory that this process has claimed
 * @throws StartError when another version left it
 */
export function recall(folder: string): Memory {
  const store = openStore(join(folder, "ground.db"));
  const notes = store.collection<number>("sandbox");
  const resumed = notes.has("settled");
  if (notes.size > 0 && !resumed) {
    store.close();
    forget(folder);
    return recall(folder);
  }
  if (resumed && notes.get("format") !== FORMAT) throw new StartError(OTHER_VERSION);
  notes.set("format", FORMAT);
  const run = (notes.get("run") ?? -1) + 1;
  notes.set("run", run);
  return {
    store,
    ledgerPath: join(folder, "ledger"),
    resumed,
    run,
    reached: notes.get("reached"),
    reach: (time) => notes.set("reached", time),
    settled: () => notes.set("settled", 1),
  };
}
