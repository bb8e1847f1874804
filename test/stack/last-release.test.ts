import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { readConfiguration } from "../../lambdas/configuration/published.ts";
import { readPayloadManifest } from "../../lambdas/machine/payload.ts";
import { okd } from "../../lambdas/profiles/okd/okd.ts";
import { nextRelease } from "../journeys/releases.ts";
import { documentOfToday, type KeptRelease, LAST_RELEASE, readerOf, releaseOfToday } from "./runtime-document.ts";

const last: KeptRelease = JSON.parse(readFileSync(LAST_RELEASE, "utf8"));
const copy = (value: unknown) => JSON.parse(JSON.stringify(value));

/** Faults that a release finds in a document, by the schema that it reads by. */
function faultsBy(schema: unknown, document: unknown): string[] {
  const ajv = new Ajv2020({ allErrors: true, strict: false, validateFormats: false });
  const isRight = ajv.validate(schema as object, copy(document));
  return isRight ? [] : (ajv.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

// Executions of the last release run on after a deployment, for up to twelve hours, and read the newest document. Where this
// fails, keep the old key or value in the document for one release, beside the new one.
describe("a release document of today", () => {
  it("can be read by the last release, whose executions still run", () => {
    expect(faultsBy(readerOf(last.written), documentOfToday())).toEqual([]);
  });

  it("gives the last release the deadlines by its own keys", () => {
    const { deadlines } = documentOfToday().configuration as { deadlines: Record<string, unknown> };
    expect(deadlines).toMatchObject({ agent: 20, evict: 15, keepFailed: 60, dialog: 10, terminate: 10 });
    expect(Object.keys(deadlines)).not.toContain("image");
  });

  it("of the next release can be read by this one", () => {
    const next = nextRelease(documentOfToday());
    expect(faultsBy(readerOf(releaseOfToday().written), next)).toEqual([]);
    expect(faultsBy(releaseOfToday().written, next)).not.toEqual([]);
  });
});

// Until a deployment publishes its document, and after one that rolls back, today's code reads the last release's. Where this
// fails, give the new key a default.
describe("a release document of the last release", () => {
  it("can be read by today's code", () => {
    const { configuration, payload } = last.document;
    expect(readConfiguration(configuration).cluster.name).toBe("prod-west");
    expect(readPayloadManifest(okd, payload).files.length).toBeGreaterThan(0);
  });

  it("is one that the last release would have written", () => {
    expect(faultsBy(last.written, last.document)).toEqual([]);
  });
});

describe("the reader of a release", () => {
  it("notices a value that it cannot know and a key that is missing", () => {
    const { configuration, payload } = copy(documentOfToday());
    const changed = { configuration: { ...configuration, command: 7, people: undefined, slack: {} }, payload };
    expect(faultsBy(readerOf(last.written), changed)).toEqual(
      expect.arrayContaining([
        "/configuration/command must be string",
        "/configuration/slack must have required property 'channel'",
      ]),
    );
  });
});
