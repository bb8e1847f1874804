import { z } from "zod";
import {
  configurationOf,
  configurationSchema,
  publishedConfiguration,
} from "../../lambdas/configuration/configuration.ts";
import { manifestSchemaOf } from "../../lambdas/machine/payload.ts";
import { okd } from "../../lambdas/profiles/okd/okd.ts";
import { releaseContent } from "../../lib/release-content.ts";
import { manifest } from "../profiles/okd/facts.ts";
import { exampleWith } from "./example.ts";

/** The file that holds how the last release reads a release document, and one that it has written. */
export const LAST_RELEASE = "test/stack/last-release.json";

/** A release as far as another one meets it: in the bucket. */
export interface KeptRelease {
  /** JSON Schema of the release document as it is written. */
  readonly written: object;
  readonly document: { readonly configuration: object; readonly payload: object };
}

const made = {
  bucket: "casement-prod-west-bucket",
  ledgerTable: "casement-prod-west-ledger",
  instanceProfileArn: "arn:aws:iam::111122223333:instance-profile/node",
  securityGroup: "sg-0d10000000000a100",
};

/** Document that a deployment of the repository's example writes today. */
export const documentOfToday = (): KeptRelease["document"] => ({
  configuration: publishedConfiguration(configurationOf(releaseContent(exampleWith({}), null, made).configuration)),
  payload: manifest(),
});

const runtimeDocument = z.object({ configuration: configurationSchema, payload: manifestSchemaOf(okd) });

/** This release, as the next one will meet it. */
export const releaseOfToday = (): KeptRelease => ({
  written: z.toJSONSchema(runtimeDocument, { io: "input" }),
  document: documentOfToday(),
});

/** The schema by which a release reads: it leaves out what it does not know instead of refusing it. */
export const readerOf = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(readerOf);
  if (typeof schema !== "object" || schema === null) return schema;
  const tolerant = Object.entries(schema).filter(([key, value]) => key !== "additionalProperties" || value !== false);
  return Object.fromEntries(tolerant.map(([key, value]) => [key, readerOf(value)]));
};
