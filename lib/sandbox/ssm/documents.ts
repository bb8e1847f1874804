import { z } from "zod";
import { messageOf } from "../../message-of.ts";
import { AwsError } from "../core/aws-service.ts";
import type { Simulation } from "../core/simulation.ts";
import type { Collection } from "../core/store.ts";
import { sha256Of } from "../machine/disk.ts";
import type { Step } from "../machine/ssm-backend.ts";
import type { DocumentRecord } from "./model.ts";

/** Go's regexp/syntax, in which the agent reads patterns: "The counting forms … have an upper limit of n=1000". */
const MOST_REPEATS = 1_000;

/** Can the agent read this pattern too? RE2 also lacks lookarounds and back references. */
function fitsRe2(pattern: string): boolean {
  const counts = [...pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g)].flatMap(([, low, high]) => [Number(low), Number(high)]);
  return !counts.some((count) => count > MOST_REPEATS) && !/\(\?<?[=!]|\\[1-9]/.test(pattern);
}

const parameterSchema = z.object({
  type: z.enum(["String", "StringList"]),
  default: z.union([z.string(), z.array(z.string())]).optional(),
  allowedPattern: z.string().refine(fitsRe2, "the agent could not read this pattern").optional(),
  allowedValues: z.array(z.string()).optional(),
  minChars: z.number().optional(),
  maxChars: z.number().optional(),
  minItems: z.number().optional(),
  maxItems: z.number().optional(),
});

/** A parameter as a document declares it. */
export type DocumentParameter = z.infer<typeof parameterSchema>;

const stepSchema = z.object({
  name: z.string(),
  action: z.string(),
  precondition: z.object({ StringEquals: z.array(z.string()).length(2) }).optional(),
  inputs: z.object({
    runCommand: z.array(z.string()).default([]),
    timeoutSeconds: z.union([z.string(), z.number()]).optional(),
  }),
});

const contentSchema = z.object({
  schemaVersion: z.literal("2.2"),
  description: z.string().optional(),
  parameters: z.record(z.string(), parameterSchema).default({}),
  mainSteps: z.array(stepSchema).min(1),
});

/** A command document of schema 2.2. */
export type DocumentContent = z.infer<typeof contentSchema>;

/** A document's content and the parameters of one run together (user guide, "Creating SSM document content"). */
export const LARGEST_BYTES = 64 * 1024;

/** Reads a document. @throws AwsError InvalidDocumentContent */
export function contentOf(text: string): DocumentContent {
  if (Buffer.byteLength(text) > LARGEST_BYTES) {
    throw new AwsError("MaxDocumentSizeExceeded", "The size limit of a document is 64 KB.");
  }
  try {
    return contentSchema.parse(JSON.parse(text));
  } catch (error) {
    throw new AwsError("InvalidDocumentContent", messageOf(error));
  }
}

/** Reads a step's timeout: 5 to 172,800 seconds; out of range it is silently an hour (agent source, pluginutil). */
export function stepSeconds(given: string | number | undefined): number {
  const seconds = Number(given);
  return Number.isFinite(seconds) && seconds >= 5 && seconds <= 172_800 ? seconds : 3_600;
}

const platformIn = (equals: readonly string[] | undefined): string | null =>
  equals?.includes("platformType") ? (equals.find((one) => one !== "platformType") ?? null) : null;

type Values = Readonly<Record<string, readonly string[]>>;

/** Name of the parameter that a text is and nothing else: {{ commands }}. */
const parameterIn = (text: string): string => /^\{\{\s*([A-Za-z0-9_-]+)\s*\}\}$/.exec(text)?.[1] ?? "";

/** Replaces a line that is a list of lines; a single value stays where PowerShell's part of the simulator looks for it. */
const linesOf = (line: string, { parameters }: DocumentContent, values: Values): readonly string[] =>
  parameters[parameterIn(line)]?.type === "StringList" ? (values[parameterIn(line)] ?? []) : [line];

const argumentOf = (text: string, values: Values): string => values[parameterIn(text)]?.[0] ?? text;

/** Lists the steps as an agent receives them. @param values parameters of the run */
export const stepsOf = (content: DocumentContent, values: Values): Step[] =>
  content.mainSteps.map((step) => ({
    name: step.name,
    action: step.action,
    script: step.inputs.runCommand.flatMap((line) => linesOf(line, content, values)),
    timeoutSeconds: stepSeconds(argumentOf(String(step.inputs.timeoutSeconds), values)),
    platform: platformIn(step.precondition?.StringEquals),
  }));

const platforms: Readonly<Record<string, readonly string[]>> = {
  "aws:runPowerShellScript": ["Windows", "Linux", "MacOS"],
  "aws:runShellScript": ["Linux", "MacOS"],
};

/** Lists the platforms that a document supports. */
export function platformTypesOf(content: DocumentContent): string[] {
  const supported = content.mainSteps.flatMap((step) => {
    const wanted = platformIn(step.precondition?.StringEquals);
    return (platforms[step.action] ?? ["Windows"]).filter((one) => wanted === null || one === wanted);
  });
  return [...new Set(supported)];
}

/** Documents by name; each has versions from 1 on, and the last is the default. */
export interface Documents {
  create(name: string, content: string): DocumentRecord;
  /** @throws AwsError InvalidDocument or InvalidDocumentVersion */
  find(name: string, version?: string): DocumentRecord;
}

const versionOf = (versions: readonly DocumentRecord[], wanted: string): DocumentRecord | undefined =>
  wanted === "$LATEST" || wanted === "$DEFAULT" ? versions.at(-1) : versions.find((one) => one.version === wanted);

/** Opens the account's documents. */
export function openDocuments(simulation: Simulation): Documents {
  const stored: Collection<DocumentRecord[]> = simulation.store.collection("ssm-documents");
  return {
    create: (name, content) => {
      contentOf(content);
      const versions = stored.get(name) ?? [];
      const last = versions.at(-1);
      if (last?.content === content) return last;
      const createdAt = simulation.clock.now();
      const record = { name, version: String(versions.length + 1), content, sha256: sha256Of(content), createdAt };
      stored.set(name, [...versions, record]);
      return record;
    },
    find: (name, version = "$DEFAULT") => {
      const versions = stored.get(name);
      if (!versions) throw new AwsError("InvalidDocument", `Document with name ${name} does not exist.`);
      const record = versionOf(versions, version);
      if (record) return record;
      throw new AwsError("InvalidDocumentVersion", `Document ${name} has no version ${version}.`);
    },
  };
}
