import { DatabaseSync } from "node:sqlite";

/** Named values of one kind. `get` returns the live object: after changing it, `set` it again or the change is lost. */
export interface Collection<T> {
  get(key: string): T | undefined;
  set(key: string, value: T): void;
  delete(key: string): void;
  has(key: string): boolean;
  keys(): string[];
  values(): T[];
  readonly size: number;
}

/** State of the simulator. Values are plain JSON; a value that was set survives a kill of the process. */
export interface Store {
  /** The collection of that name; asked twice, the same one. */
  collection<T>(name: string): Collection<T>;
  /**
   * Runs `work` as one transaction: after a crash either all of its writes are there or none. Inside another one it
   * joins it.
   */
  together<R>(work: () => R): R;
  /** Copies every value, for another store that begins with them. */
  snapshot(): Snapshot;
  close(): void;
}

/** Key and JSON of a value. */
type Row = readonly [key: string, json: string];

/** The values of a store at one moment, by collection. */
export type Snapshot = ReadonlyMap<string, readonly Row[]>;

/** Storage of values beside the process's own memory. */
interface Disk {
  /** Key and JSON of every value of a collection. */
  rows(collection: string): readonly Row[];
  write(collection: string, key: string, value: unknown): void;
  remove(collection: string, key: string): void;
  /** Opens a transaction at the next write: most of the controllers' rounds write nothing. */
  begin(): void;
  commit(): void;
  rollback(): void;
  close(): void;
}

/** One transaction of a database, opened by its first write. */
function transaction(database: DatabaseSync) {
  const [begin, commit, rollback] = ["BEGIN", "COMMIT", "ROLLBACK"].map((verb) => database.prepare(verb));
  let state: "none" | "asked" | "open" = "none";
  const end = (how: typeof commit): void => {
    if (state === "open") how?.run();
    state = "none";
  };
  return {
    begin: (): void => {
      state = "asked";
    },
    open: (): void => {
      if (state !== "asked") return;
      begin?.run();
      state = "open";
    },
    commit: (): void => end(commit),
    rollback: (): void => end(rollback),
  };
}

function file(path: string): Disk {
  const database = new DatabaseSync(path);
  // A killed process loses nothing that SQLite has handed to the operating system, so no fsync is needed here.
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF;");
  database.exec(
    "CREATE TABLE IF NOT EXISTS entry (collection TEXT, key TEXT, value TEXT, PRIMARY KEY (collection, key)) WITHOUT ROWID",
  );
  const read = database.prepare("SELECT key, value FROM entry WHERE collection = ?");
  const write = database.prepare("INSERT OR REPLACE INTO entry VALUES (?, ?, ?)");
  const remove = database.prepare("DELETE FROM entry WHERE collection = ? AND key = ?");
  const { begin, open, commit, rollback } = transaction(database);
  return {
    rows: (collection) => read.all(collection).map(({ key, value }) => [String(key), String(value)]),
    write: (collection, key, value) => {
      open();
      write.run(collection, key, JSON.stringify(value));
    },
    remove: (collection, key) => {
      open();
      remove.run(collection, key);
    },
    begin,
    commit,
    rollback,
    close: () => database.close(),
  };
}

const nothing = (): void => undefined;

/** In-memory storage, for journeys: it begins with the given values, and nothing is written. */
const nowhere = (before: Snapshot): Disk => ({
  rows: (collection) => before.get(collection) ?? [],
  write: nothing,
  remove: nothing,
  begin: nothing,
  commit: nothing,
  rollback: nothing,
  close: nothing,
});

interface KeptCollection extends Collection<unknown> {
  rows(): readonly Row[];
}

function collectionOn(disk: Disk, name: string): KeptCollection {
  const entries = new Map<string, unknown>(disk.rows(name).map(([key, json]) => [key, JSON.parse(json)]));
  return {
    get: (key) => entries.get(key),
    set: (key, value) => {
      entries.set(key, value);
      disk.write(name, key, value);
    },
    delete: (key) => {
      if (entries.delete(key)) disk.remove(name, key);
    },
    has: (key) => entries.has(key),
    rows: () => [...entries].map(([key, value]) => [key, JSON.stringify(value)]),
    keys: () => [...entries.keys()],
    values: () => [...entries.values()],
    get size() {
      return entries.size;
    },
  };
}

/**
 * Opens the simulator's store.
 * @param path a file, or ":memory:" for a journey
 * @param before values that a store in memory begins with
 */
export function openStore(path: string, before: Snapshot = new Map()): Store {
  const disk = path === ":memory:" ? nowhere(before) : file(path);
  const collections = new Map<string, KeptCollection>();
  let together = false;
  return {
    collection: <T>(name: string) => {
      const known = collections.get(name) ?? collectionOn(disk, name);
      collections.set(name, known);
      return known as Collection<T>;
    },
    together: (work) => {
      if (together) return work();
      together = true;
      disk.begin();
      try {
        const result = work();
        disk.commit();
        return result;
      } catch (error) {
        disk.rollback();
        throw error;
      } finally {
        together = false;
      }
    },
    snapshot: () => new Map([...collections].map(([name, collection]) => [name, collection.rows()])),
    close: () => disk.close(),
  };
}
