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

/** Everything the ground remembers. Values are plain JSON; what was set survives a kill of the process. */
export interface Store {
  /** The collection of that name; asked twice, the same one. */
  collection<T>(name: string): Collection<T>;
  /** Runs `work` as one transaction: after a crash either all of its writes are there or none. */
  together<R>(work: () => R): R;
  close(): void;
}

/**
 * Opens the ground's memory.
 * @param path a file, or ":memory:" for a journey
 */
export function openStore(path: string): Store {
  const database = new DatabaseSync(path);
  // A killed process loses nothing that SQLite has handed to the operating system, so no fsync is needed here.
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF;");
  database.exec(
    "CREATE TABLE IF NOT EXISTS entry (collection TEXT, key TEXT, value TEXT, PRIMARY KEY (collection, key)) WITHOUT ROWID",
  );
  const read = database.prepare("SELECT key, value FROM entry WHERE collection = ?");
  const write = database.prepare("INSERT OR REPLACE INTO entry VALUES (?, ?, ?)");
  const remove = database.prepare("DELETE FROM entry WHERE collection = ? AND key = ?");
  const collections = new Map<string, Collection<unknown>>();

  const load = (name: string): Collection<unknown> => {
    const entries = new Map<string, unknown>();
    for (const row of read.all(name)) entries.set(String(row.key), JSON.parse(String(row.value)));
    return {
      get: (key) => entries.get(key),
      set: (key, value) => {
        entries.set(key, value);
        write.run(name, key, JSON.stringify(value));
      },
      delete: (key) => {
        if (entries.delete(key)) remove.run(name, key);
      },
      has: (key) => entries.has(key),
      keys: () => [...entries.keys()],
      values: () => [...entries.values()],
      get size() {
        return entries.size;
      },
    };
  };

  return {
    collection: <T>(name: string) => {
      const known = collections.get(name) ?? load(name);
      collections.set(name, known);
      return known as Collection<T>;
    },
    together: (work) => {
      database.exec("BEGIN");
      try {
        const result = work();
        database.exec("COMMIT");
        return result;
      } catch (error) {
        database.exec("ROLLBACK");
        throw error;
      }
    },
    close: () => database.close(),
  };
}
