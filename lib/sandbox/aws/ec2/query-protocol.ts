import { NormalizedSchema } from "@smithy/core/schema";
import { AwsError } from "../../core/aws-service.ts";
import { element, escapedText, XML_DECLARATION } from "../xml.ts";

/** A schema of @aws-sdk/client-ec2 ("RunInstancesRequest$"): AWS's own model of names, types and required members. */
export type Schema = Parameters<typeof NormalizedSchema.of>[0];

/** A form's fields as a tree: "BlockDeviceMapping.1.Ebs.VolumeSize=50" is five steps deep. */
interface Branch {
  value?: string;
  readonly children: Map<string, Branch>;
}

const plant = (): Branch => ({ children: new Map() });

function tree(form: URLSearchParams): Branch {
  const root = plant();
  for (const [name, value] of form) {
    let at = root;
    for (const step of name.split(".")) {
      const next = at.children.get(step) ?? plant();
      at.children.set(step, next);
      at = next;
    }
    at.value = value;
  }
  return root;
}

const capitalised = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

const lowered = (name: string): string => name.charAt(0).toLowerCase() + name.slice(1);

/** The name of a member in a request (smithy.io, "EC2 query protocol": ec2QueryName, else xmlName capitalised). */
function queryName(name: string, schema: NormalizedSchema): string {
  const traits = schema.getMergedTraits();
  return String(traits.ec2QueryName ?? capitalised(traits.xmlName ?? name));
}

const invalid = (value: string, path: string): AwsError =>
  new AwsError("InvalidParameterValue", `Invalid value '${value}' for ${path}`);

function numberOf(value: string, path: string): number {
  // All numbers in EC2's requests are integers.
  if (!/^-?\d{1,18}$/.test(value)) throw invalid(value, path);
  return Number(value);
}

function booleanOf(value: string, path: string): boolean {
  if (!/^(true|false)$/i.test(value)) throw invalid(value, path);
  return value.toLowerCase() === "true";
}

function simpleOf(value: string, schema: NormalizedSchema, path: string): unknown {
  if (schema.isBooleanSchema()) return booleanOf(value, path);
  if (schema.isNumericSchema()) return numberOf(value, path);
  if (schema.isTimestampSchema()) return new Date(value);
  if (schema.isBlobSchema()) return Buffer.from(value, "base64");
  return value;
}

function listOf(branch: Branch, schema: NormalizedSchema, path: string): unknown[] {
  const places = [...branch.children.keys()].sort((one, other) => Number(one) - Number(other));
  return places.map((place) => {
    if (!/^\d+$/.test(place)) throw unknownParameter(`${path}.${place}`);
    return memberOf(branch.children.get(place) ?? plant(), schema.getValueSchema(), `${path}.${place}`);
  });
}

function memberOf(branch: Branch, schema: NormalizedSchema, path: string): unknown {
  const holdsOthers = schema.isStructSchema() || schema.isListSchema();
  // "InstanceId=i-1" for "InstanceId.1=i-1": as an empty list it would mean every instance.
  if (holdsOthers ? branch.value !== undefined : branch.children.size > 0) throw unknownParameter(path);
  if (schema.isStructSchema()) return structOf(branch, schema, path);
  if (schema.isListSchema()) return listOf(branch, schema, path);
  return simpleOf(branch.value ?? "", schema, path);
}

const unknownParameter = (path: string): AwsError =>
  new AwsError("UnknownParameter", `The parameter ${path} is not recognized`);

/** Lists the required members: the schema puts them first and holds their number. */
const requiredMembers = (schema: NormalizedSchema): string[] => {
  const raw = schema.getSchema() as unknown as readonly unknown[];
  return (raw[4] as string[]).slice(0, Number(raw[6] ?? 0));
};

function structOf(branch: Branch, schema: NormalizedSchema, path: string): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  const left = new Set(branch.children.keys());
  const required = requiredMembers(schema);
  for (const [name, member] of schema.structIterator()) {
    const key = queryName(name, member);
    const child = branch.children.get(key);
    if (child) result[name] = memberOf(child, member, path ? `${path}.${key}` : key);
    else if (required.includes(name))
      throw new AwsError("MissingParameter", `The request must contain the parameter ${lowered(name)}`);
    left.delete(key);
  }
  for (const name of left) throw unknownParameter(path ? `${path}.${name}` : name);
  return result;
}

/**
 * Reads a form as the input of an action, strictly: a field that is not in AWS's model is refused.
 * @param form the request's body, without Action and Version
 * @throws AwsError UnknownParameter, MissingParameter, InvalidParameterValue
 */
export const readInput = <Input>(schema: Schema, form: URLSearchParams): Input =>
  structOf(tree(form), NormalizedSchema.of(schema), "") as Input;

function textOf(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  return escapedText(String(value));
}

const listElement = (name: string, items: readonly unknown[], schema: NormalizedSchema): string => {
  const member = schema.getValueSchema();
  const itemName = member.getMergedTraits().xmlName ?? "member";
  return element(name, items.map((item) => anyElement(itemName, item, member)).join(""));
};

function anyElement(name: string, value: unknown, schema: NormalizedSchema): string {
  if (schema.isListSchema()) return listElement(name, value as unknown[], schema);
  if (schema.isStructSchema()) return element(name, members(value as Record<string, unknown>, schema));
  return element(name, textOf(value));
}

function members(value: Readonly<Record<string, unknown>>, schema: NormalizedSchema): string {
  const parts: string[] = [];
  for (const [name, member] of schema.structIterator()) {
    const content = value[name];
    if (content === undefined || content === null) continue;
    parts.push(anyElement(member.getMemberTraits().xmlName ?? name, content, member));
  }
  return parts.join("");
}

/**
 * Writes an action's output as XML, with names and nesting of AWS's model.
 * @param schema of the output ("Reservation$"), or "unit" for actions without an output
 */
export function writeOutput(action: string, schema: Schema, output: object, requestId: string): string {
  const normal = NormalizedSchema.of(schema);
  const id = element("requestId", requestId);
  const content = normal.isUnitSchema() ? element("return", "true") : members({ ...output }, normal);
  const open = `${action}Response xmlns="http://ec2.amazonaws.com/doc/2016-11-15/"`;
  return `${XML_DECLARATION}<${open}>${id}${content}</${action}Response>`;
}

/** Writes an error as EC2 does. */
export function writeError(error: AwsError, requestId: string): string {
  const one = element("Error", element("Code", error.code) + element("Message", escapedText(error.message)));
  return XML_DECLARATION + element("Response", element("Errors", one) + element("RequestID", requestId));
}
