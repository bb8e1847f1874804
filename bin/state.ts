import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Collection, openStore, type Store } from "../lib/sandbox/core/store.ts";
import { StartError } from "./start-error.ts";
import { clearState } from "./state-lock.ts";

/** Saved state of the sandbox, which the next run reads. */
export interface State {
  readonly store: Store;
  /** Directory of the ledger's files. */
  readonly ledgerPath: string;
  /** True if an earlier run is resumed. */
  readonly resumed: boolean;
  /** Number of runs before this one: a seed repeats a run, but no run may repeat the ids of an earlier one. */
  readonly run: number;
  /** Latest sandbox time that may have been shown, in milliseconds since the epoch. */
  readonly savedTime: number | undefined;
  /** Number of Windows nodes that the demo cluster was seeded with. */
  readonly nodes: number;
  /** Saves the latest time that this process may show: the next run begins there. */
  saveTime(time: number): void;
  /** Marks seeding as complete: from then on, an interrupted run is resumed. */
  markSeeded(): void;
}

/** Version of the saved state, including the names in it. Raise it when a new version cannot resume an older state. */
const FORMAT = 3;

/** The store of formats 1 and 2. */
const OLD_FILE = "ground.db";

/** Number of Windows nodes of a demo cluster for which nobody named one, and of states that do not name theirs. */
const USUAL_NODES = 4;

const OTHER_VERSION = "the state in .sandbox is of another version of Casement: start anew with --fresh";

const NO_STORE = "sandbox.db is missing or empty in .sandbox, beside the ledger: start anew with --fresh";

/** @throws StartError for a state of another version, and for a ledger whose store is gone */
function refuseUnreadable(notes: Collection<number>, resumed: boolean, ledgerPath: string): void {
  if (notes.size === 0 && existsSync(ledgerPath)) throw new StartError(NO_STORE);
  if (resumed && notes.get("format") !== FORMAT) throw new StartError(OTHER_VERSION);
}

/**
 * Opens the saved state. If the first start was interrupted before seeding was complete, the state starts over.
 * @param folder a directory that this process has locked
 * @param nodes number of Windows nodes for a new state; null for the saved number, or the usual
 * @throws StartError if another version wrote the state, if it has another number of nodes, or if only the ledger is left of it
 */
export function openState(folder: string, nodes: number | null = null): State {
  if (existsSync(join(folder, OLD_FILE))) throw new StartError(OTHER_VERSION);
  const store = openStore(join(folder, "sandbox.db"));
  const notes = store.collection<number>("sandbox");
  const ledgerPath = join(folder, "ledger");
  const resumed = notes.has("settled");
  if (notes.size > 0 && !resumed) {
    store.close();
    clearState(folder);
    return openState(folder, nodes);
  }
  refuseUnreadable(notes, resumed, ledgerPath);
  notes.set("format", FORMAT);
  const seeded = resumed ? (notes.get("nodes") ?? USUAL_NODES) : (nodes ?? USUAL_NODES);
  if (nodes !== null && nodes !== seeded) {
    store.close();
    throw new StartError(
      `the cluster in .sandbox began with ${seeded} Windows nodes: start anew with --fresh --nodes ${nodes}`,
    );
  }
  notes.set("nodes", seeded);
  const run = (notes.get("run") ?? -1) + 1;
  notes.set("run", run);
  return {
    store,
    ledgerPath,
    resumed,
    run,
    nodes: seeded,
    savedTime: notes.get("reached"),
    saveTime: (time) => notes.set("reached", time),
    markSeeded: () => notes.set("settled", 1),
  };
}
