import { DeleteObjectCommand, PutObjectCommand } from "@aws-sdk/client-s3";
import { type Clients, clients } from "../../lambdas/clients/clients.ts";
import type { FunctionName } from "../../lib/functions.ts";
import { activity } from "../../lib/sandbox/core/activity.ts";
import { demo } from "../../lib/sandbox/demo.ts";
import { inProcess } from "../../lib/sandbox/in-process.ts";
import { lambdaName } from "../../lib/sandbox/simulator.ts";
import { settingsOf } from "../steps/test-simulator.ts";
import type { Journey } from "./journey.ts";

/** A thief of the credentials of a function's role. */
export interface Thief {
  /** @returns "done", or the error's name */
  put(item: object): Promise<string>;
  update(key: object, fields: Readonly<Record<string, unknown>>): Promise<string>;
  /** Starts an execution of a function. */
  start(workflow: string, name: string, payload: object): Promise<string>;
  /** Asks the function that appends to the audit, by the alias of a caller. */
  append(alias: string, payload: object): Promise<unknown>;
  /** Puts an object into the bucket. */
  putObject(key: string, content: object, more?: { readonly IfNoneMatch?: string }): Promise<string>;
  deleteObject(key: string): Promise<string>;
  /** Completes a callback. */
  wake(callback: string, answer: object): Promise<string>;
}

/** Takes the credentials of a function's role, and calls AWS with them past the function's code. */
export function thief(here: Journey, role: FunctionName): Thief {
  const { dynamodb, functions, invoke, s3 }: Clients = clients(
    settingsOf(here.simulator, role),
    inProcess(here.simulator, activity()),
  );
  const outcome = (work: Promise<unknown>): Promise<string> =>
    here.drive(
      work.then(
        () => "done",
        (error: Error) => error.name,
      ),
    );
  const TableName = demo.ledgerTable;
  return {
    put: (item) => outcome(dynamodb("PutItem", { TableName, Item: { ...item } })),
    update: (key, fields) =>
      outcome(
        dynamodb("UpdateItem", {
          TableName,
          Key: { ...key },
          UpdateExpression: `SET ${Object.keys(fields)
            .map((_, at) => `#f${at} = :v${at}`)
            .join(", ")}`,
          ExpressionAttributeNames: Object.fromEntries(Object.keys(fields).map((name, at) => [`#f${at}`, name])),
          ExpressionAttributeValues: Object.fromEntries(Object.values(fields).map((value, at) => [`:v${at}`, value])),
        }),
      ),
    start: (workflow, name, payload) => outcome(functions.start(`${lambdaName(workflow)}:live`, name, payload)),
    append: (alias, payload) =>
      here.drive(invoke(`${lambdaName("append-audit")}:${alias}`, payload).catch((error: Error) => error.name)),
    putObject: (Key, content, more = {}) =>
      outcome(s3.send(new PutObjectCommand({ Bucket: demo.bucket, Key, Body: JSON.stringify(content), ...more }))),
    deleteObject: (Key) => outcome(s3.send(new DeleteObjectCommand({ Bucket: demo.bucket, Key }))),
    wake: (callback, answer) => outcome(functions.succeed(callback, answer)),
  };
}
