import { createRequire } from "node:module";

/** A refusal in DynamoDB's words. */
export interface DynaliteError {
  readonly statusCode: number;
  readonly body: { readonly __type: string } & Readonly<Record<string, unknown>>;
}

/** The database without its HTTP server. */
export interface Dynalite {
  /** Runs an action ("PutItem") on its input, as DynamoDB's JSON has it. */
  run(action: string, input: object): Promise<{ readonly output: object } | DynaliteError>;
  /** A number beside the tables; 0 before the first was written. */
  readonly mark: { read(): Promise<number>; write(mark: number): Promise<void> };
  close(): Promise<void>;
}

interface TableDescription {
  readonly TableName: string;
  TableStatus: string;
  readonly GlobalSecondaryIndexes?: { IndexStatus: string }[];
}

type Done<Value = unknown> = (error: unknown, value: Value) => void;

interface Store {
  readonly db: {
    close(): Promise<void>;
    get(key: string): Promise<number | undefined>;
    put(key: string, value: number): Promise<void>;
  };
  readonly tableDb: { put(key: string, value: TableDescription, done: Done): void };
}

interface Validations {
  readonly types: unknown;
  readonly custom: unknown;
}

/** dynalite 4.0.0 is CommonJS without types; these are the modules that its own HTTP handler is made of. */
const require = createRequire(import.meta.url);
const { create }: { create(options: object): Store } = require("dynalite/db");
const {
  checkTypes,
  checkValidations,
}: {
  checkTypes(data: object, types: unknown): object;
  checkValidations(data: object, types: unknown, custom: unknown, store: Store): void;
} = require("dynalite/validations");

/** Key of the mark: keys of tables and items begin with the name of their part. */
const MARK = "mark";

const moduleName = (action: string): string => action.charAt(0).toLowerCase() + action.slice(1);

const isRefusal = (error: unknown): error is DynaliteError =>
  typeof error === "object" && error !== null && "statusCode" in error && "body" in error;

/** Runs one action through validation and execution; both refuse by throwing. */
function perform(store: Store, action: string, input: object): Promise<object> {
  const { types, custom }: Validations = require(`dynalite/validations/${moduleName(action)}`);
  const execute: (store: Store, data: object, done: Done<object>) => void = require(
    `dynalite/actions/${moduleName(action)}`,
  );
  const data = checkTypes(structuredClone(input), types);
  checkValidations(data, types, custom, store);
  return new Promise((resolve, reject) => {
    execute(store, data, (error, output) => (error ? reject(error) : resolve(output)));
  });
}

/** Makes a table active at once: dynalite would wait for a timer of the host, which may be stopped. */
function activate(store: Store, table: TableDescription): Promise<void> {
  table.TableStatus = "ACTIVE";
  for (const index of table.GlobalSecondaryIndexes ?? []) index.IndexStatus = "ACTIVE";
  return new Promise((resolve, reject) => {
    store.tableDb.put(table.TableName, table, (error) => (error ? reject(error) : resolve()));
  });
}

/**
 * Opens dynalite's database in process: without a socket, and without the host's timers.
 * @param path directory of LevelDB's files; in memory if omitted
 */
export function openDynalite(path?: string): Dynalite {
  const store = create({ createTableMs: 0, deleteTableMs: 0, updateTableMs: 0, ...(path ? { path } : {}) });
  return {
    run: async (action, input) => {
      try {
        const output = await perform(store, action, input);
        if (action !== "DeleteTable" && "TableDescription" in output)
          await activate(store, output.TableDescription as TableDescription);
        return { output };
      } catch (error) {
        if (isRefusal(error)) return { statusCode: error.statusCode, body: error.body };
        throw error;
      }
    },
    mark: {
      read: async () => (await store.db.get(MARK)) ?? 0,
      write: (mark) => store.db.put(MARK, mark),
    },
    close: () => store.db.close(),
  };
}
