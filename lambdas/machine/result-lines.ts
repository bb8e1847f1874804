import { gunzipSync } from "node:zlib";
import { z } from "zod";
import type { DocumentScript } from "../scripts/documents.ts";
import type { Observation } from "./plan.ts";
import type { Answers } from "./questions.ts";

/**
 * Limits on what a machine may print. A machine's administrator decides what it prints, so that every line is parsed
 * and bounded here, before any other code sees it. SSM keeps 24,000 characters of an output, and none of the scripts
 * prints a text or a list that comes near these limits.
 */
const MOST = { words: 4_000, name: 400, items: 1_000 } as const;

const words = z.string().max(MOST.words);
const name = z.string().max(MOST.name);
const names = z.array(name).max(MOST.items);

/** A count, a size or a code of Windows: whole, and small enough to be exact. */
const whole = z.number().int();

/** The machine's clock in Unix seconds, within what a date can hold. */
const clock = z.number().min(0).max(1e11);

/** The last moment of the year 9999: the sum of two such times is still one that a date can hold. */
const LAST_MOMENT = Date.UTC(10_000, 0, 1) - 1;

/** Does the text name a moment between 1970 and 9999? */
const isMoment = (text: string): boolean => Date.parse(text) >= 0 && Date.parse(text) <= LAST_MOMENT;

const moment = z.string().max(40).refine(isMoment);

/** A boot's number, or its time where Windows does not count boots; empty if the machine could not tell. */
const bootId = z
  .string()
  .max(64)
  .refine((text) => !text.includes("T") || isMoment(text));

const code = name.optional();
const failed = z.object({ action: words, error: words, code }).nullable();

const apply = z.object({
  script: z.literal("apply"),
  ok: z.boolean(),
  changed: names,
  unchanged: whole,
  failed,
  rebootDue: z.boolean(),
  restartDue: names,
});

const reboot = z.object({
  script: z.literal("reboot"),
  ok: z.boolean(),
  bootIdBefore: bootId,
  bootIdAfter: bootId,
  error: words.nullable(),
  code,
});

const route = z.object({ script: z.literal("route"), ok: z.boolean(), changed: names, failed });

const guardState = z.object({
  present: z.boolean(),
  sha256: name.nullable(),
  taskEnabled: z.boolean(),
  lastResult: whole.nullable(),
  error: words,
});

const observed = { script: z.literal("observe"), ok: z.literal(true) };

/** Fields of an answer, so that none is forgotten here: a field without a schema is dropped. */
type Shape<Answer> = { readonly [K in keyof Required<Answer>]: z.ZodType<Answer[K]> };

/** Answer to an observation of everything. */
const observation = z.object({
  ...observed,
  bootId,
  clock,
  freeBytes: whole.optional(),
  build: name,
  metadataAnswers: z.boolean(),
  guard: guardState.extend({ paths: whole }),
  features: names,
  rebootPending: z.boolean(),
  rebootSigns: names.optional(),
  services: z.array(z.object({ name, state: name, startType: name })).max(MOST.items),
  hnsNetworks: names,
} satisfies Shape<Omit<Observation, "error" | "code">>);

/** Answer to an observation of files. */
const files = z.object({
  ...observed,
  files: z.array(z.object({ path: name, sha256: name.nullable() })).max(MOST.items),
});

/** Answer to questions: one hash, or one error, for each group. */
const verdict = z.object({
  ...observed,
  bootId,
  clock,
  hashes: z.record(name, name),
  failed: z.record(name, words),
});

/** The script could observe nothing. */
const blind = z.object({ script: z.literal("observe"), ok: z.literal(false), error: words.optional(), code });

const lines: Readonly<Record<DocumentScript, z.ZodType<object>>> = {
  apply,
  reboot,
  route,
  observe: z.union([observation, files, verdict, blind]),
};

/**
 * Parses what a script printed as its result line.
 * @returns only its known fields; undefined if it has another form
 */
export const parseResult = (script: DocumentScript, value: unknown): object | undefined =>
  lines[script].safeParse(value).data;

const events = z.array(z.object({ id: whole, at: moment, text: words })).max(MOST.items);

const unpacked = z.object({
  paths: z
    .array(
      z.object({
        path: name,
        kind: z.enum(["file", "folder"]).nullable(),
        sha256: name.nullable(),
        size: whole.nullable(),
      }),
    )
    .max(MOST.items),
  services: z
    .array(
      z.object({
        name,
        state: name.nullable(),
        startType: name.nullable(),
        exitCode: whole.nullable(),
        process: whole.nullable(),
        startedAt: moment.nullish(),
        log: words,
      }),
    )
    .max(MOST.items),
  exits: z.array(z.object({ name, times: whole, last: moment, log: words })).max(MOST.items),
  tasks: z
    .array(z.object({ name, enabled: z.boolean().nullable(), lastResult: whole.nullable(), error: words }))
    .max(MOST.items),
  rules: z
    .array(
      z.object({
        name,
        enabled: z.boolean().nullable(),
        action: name.nullable(),
        protocol: name.nullable(),
        ports: words.nullable(),
        remoteAddresses: names,
      }),
    )
    .max(MOST.items),
  registry: z.array(z.object({ key: name, name, value: z.string().max(50_000).nullable() })).max(MOST.items),
  certificates: z.array(z.object({ store: name, thumbprints: names })).max(MOST.items),
  routes: z
    .array(z.object({ prefix: name, nextHop: name, interface: name, mac: name, usable: z.boolean() }))
    .max(MOST.items),
  hns: z.object({
    networks: names,
    endpoints: z.array(z.object({ name, ip: name, attached: z.boolean() })).max(MOST.items),
  }),
  reboot: z.object({
    reasons: z.array(z.enum(["servicing", "windows-update", "file-renames", "computer-name", "proxy"])).max(10),
    file: name.optional(),
  }),
  boot: z.object({ bootedAt: moment, events }),
  guard: guardState.extend({ repairs: whole }),
  metadata: z.object({ answers: z.boolean() }),
  disk: z.object({ freeBytes: whole, sizeBytes: whole }),
  agent: z.object({ proxiedBy: z.array(z.enum(["service", "machine"])).max(2) }),
} satisfies Shape<Answers>);

/**
 * Limit on the bytes of unpacked answers. Gzip shrinks a text of one letter a thousandfold, so that 21,000 characters
 * could become more than a function's memory holds; real answers shrink to a fifth.
 */
const MOST_UNPACKED = 200_000;

/**
 * Unpacks the answers that `observe.ps1` printed before its verdict.
 * @param output the whole output of the command
 * @returns only the known groups; undefined if there are none, if they were cut off, or if they have another form
 */
export function answersIn(output: string): Answers | undefined {
  const [line] = output.trimEnd().split(/\r?\n/).slice(-2);
  const [, text] = /^answers ([A-Za-z0-9+/=]+)$/.exec(line ?? "") ?? [];
  if (text === undefined) return undefined;
  try {
    const bytes = gunzipSync(Buffer.from(text, "base64"), { maxOutputLength: MOST_UNPACKED });
    return unpacked.partial().safeParse(JSON.parse(bytes.toString("utf8"))).data as Answers | undefined;
  } catch {
    return undefined;
  }
}
