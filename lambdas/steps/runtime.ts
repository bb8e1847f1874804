import { GetObjectCommand, type GetObjectCommandOutput } from "@aws-sdk/client-s3";
import { z } from "zod";
import { type Configuration, type Rules, readConfiguration, readRules } from "../configuration.ts";
import { type PayloadManifest, readPayloadManifest } from "../desired/payload.ts";
import { Refused } from "../errors.ts";
import { profileOf } from "../profiles/list.ts";
import { RUNTIME_KEY } from "../release/runtime-key.ts";
import type { EventContext } from "./context.ts";

const shape = z.object({ configuration: z.unknown(), payload: z.unknown() });

/** Content of the release document: a waiting execution needs it, and it may have changed since the execution began. */
export interface ReleaseDocument {
  readonly version: string;
  readonly configuration: Configuration;
  readonly payload: PayloadManifest;
}

/** The versioned release document. */
export const runtime = (context: EventContext) => ({
  /**
   * Reads it.
   * @param version the S3 version, or null for the newest
   * @throws Refused when it is not there, since a deployment without a payload writes none, or when this code cannot read
   *   it: then the sentence holds the paths of what is wrong
   */
  read: async (version: string | null): Promise<ReleaseDocument> => {
    const { document, version: read } = await documentOf(context, version);
    return readable(() => {
      const configuration = readConfiguration(document.configuration);
      return { version: read, configuration, payload: readPayloadManifest(profileOf(configuration), document.payload) };
    });
  },

  /**
   * Reads only the newest rules: roles, policy and the Slack channel.
   * @throws Refused as `read` does
   */
  rules: async (): Promise<Rules> => {
    const { document } = await documentOf(context, null);
    return readable(() => readRules(document.configuration));
  },
});

async function documentOf(context: EventContext, wanted: string | null) {
  const answer = await fetched(context, wanted);
  const text = (await answer.Body?.transformToString()) ?? "null";
  return { document: readable(() => shape.parse(JSON.parse(text))), version: answer.VersionId ?? wanted ?? "" };
}

/** A document that this code cannot read may be one of a release that is being deployed just now. */
function readable<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Refused(
      `The deployed configuration cannot be read. If a deployment is running, try again when it has ended; otherwise deploy again (docs/deploy.md). ${why}`,
      { cause: error },
    );
  }
}

/** S3 answers AccessDenied for a missing key to a caller who may not list the bucket (API Reference, GetObject). */
const NOT_THERE: ReadonlySet<string> = new Set(["NoSuchKey", "NoSuchVersion", "AccessDenied"]);

async function fetched(context: EventContext, version: string | null): Promise<GetObjectCommandOutput> {
  const where = { Bucket: context.settings.bucket, Key: RUNTIME_KEY };
  try {
    return await context.clients.s3.send(
      new GetObjectCommand({ ...where, ...(version ? { VersionId: version } : {}) }),
    );
  } catch (error) {
    if (!(error instanceof Error) || !NOT_THERE.has(error.name)) throw error;
    const why = `Casement is not set up completely: the bucket ${where.Bucket} has no ${RUNTIME_KEY} (${error.name}). See docs/deploy.md.`;
    throw new Refused(why, { cause: error });
  }
}
