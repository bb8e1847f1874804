import { z } from "zod";
import { AwsError, type Caller } from "../core/aws-service.ts";
import { pageOf } from "./paging.ts";

/** A parameter of Parameter Store. */
export interface Parameter {
  readonly name: string;
  readonly type: "String" | "StringList" | "SecureString";
  readonly value: string;
}

/** Input of GetParameter; lengths and ranges here and below are those of the API reference. */
export const getParameterInput = z.strictObject({
  Name: z.string().min(1).max(2048),
  WithDecryption: z.boolean().default(false),
});
/** Input of GetParametersByPath. */
export const byPathInput = z.strictObject({
  Path: z.string().startsWith("/"),
  Recursive: z.boolean().default(false),
  WithDecryption: z.boolean().default(false),
  MaxResults: z.number().int().min(1).max(10).default(10),
  NextToken: z.string().optional(),
});

/** Region, account and parameters of Parameter Store. */
export interface ParameterStore {
  readonly region: string;
  readonly account: string;
  /** AWS's public parameters by name, and the account's own. */
  all(): readonly Parameter[];
}

/** Builds a parameter's ARN; AWS's public parameters belong to no account. */
const arnOf = ({ region, account }: ParameterStore, name: string): string =>
  `arn:aws:ssm:${region}:${name.startsWith("/aws/") ? "" : account}:parameter/${name.replace(/^\//, "")}`;

/** Shows a value: a secret one is decrypted if the caller may use the key; otherwise its ciphertext is shown. */
function shownValue(store: ParameterStore, one: Parameter, decrypt: boolean, caller: Caller): string {
  if (one.type !== "SecureString") return one.value;
  if (!decrypt) return `AQICAH${Buffer.from(one.name).toString("base64")}`;
  caller.require("kms:Decrypt", [`arn:aws:kms:${store.region}:${store.account}:alias/aws/ssm`]);
  return one.value;
}

const shape = (store: ParameterStore, one: Parameter, decrypt: boolean, caller: Caller): object => ({
  Name: one.name,
  Type: one.type,
  Value: shownValue(store, one, decrypt, caller),
  Version: Number(VERSION),
  ARN: arnOf(store, one.name),
  DataType: "text",
});

/** No parameter of this simulator was ever overwritten. */
const VERSION = "1";

/** GetParameter, "name" or "name:version". @throws AwsError ParameterNotFound, AccessDeniedException, … */
export function getParameter(store: ParameterStore, input: z.output<typeof getParameterInput>, caller: Caller): object {
  const [name = "", version = VERSION] = input.Name.split(":");
  caller.require("ssm:GetParameter", [arnOf(store, name)]);
  const found = store.all().find((one) => one.name === name);
  if (!found) throw new AwsError("ParameterNotFound", "");
  if (version !== VERSION)
    throw new AwsError("ParameterVersionNotFound", `Systems Manager could not find version ${version} of ${name}.`);
  return { Parameter: shape(store, found, input.WithDecryption, caller) };
}

/** GetParametersByPath: those directly below a path, or all below it. @throws AwsError AccessDeniedException */
export function getParametersByPath(
  store: ParameterStore,
  input: z.output<typeof byPathInput>,
  caller: Caller,
): object {
  caller.require("ssm:GetParametersByPath", [arnOf(store, input.Path)]);
  const base = input.Path.endsWith("/") ? input.Path : `${input.Path}/`;
  const below = store
    .all()
    .filter(({ name }) => name.startsWith(base) && (input.Recursive || !name.slice(base.length).includes("/")));
  const { items, ...next } = pageOf(below, input.MaxResults, input.NextToken);
  return { Parameters: items.map((one) => shape(store, one, input.WithDecryption, caller)), ...next };
}
