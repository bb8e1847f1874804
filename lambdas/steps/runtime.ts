import { GetObjectCommand, type GetObjectCommandOutput } from "@aws-sdk/client-s3";
import { z } from "zod";
import type { Configuration, Rules } from "../configuration/configuration.ts";
import { readConfiguration, readRules } from "../configuration/published.ts";
import { RUNTIME_KEY } from "../configuration/runtime-key.ts";
import { Refused } from "../errors.ts";
import { type PayloadManifest, readPayloadManifest } from "../machine/payload.ts";
import { profileOf } from "../profiles/list.ts";
import type { EventContext } from "./context.ts";

const shape = z.object({ configuration: z.unknown(), payload: z.unknown() });

/** Content of the release document. An execution that waits may need an older version than the newest. */
export interface ReleaseDocument {
  readonly version: string;
  readonly configuration: Configuration;
  readonly payload: PayloadManifest;
}

/** Reads the versioned release document. */
export const runtime = (context: EventContext) => ({
  /**
   * Reads the whole document.
   * @param version the S3 version, or null for the newest
   * @throws Refused if the document does not exist, since a deployment without a payload writes none, or if this code
   * cannot read it; the message then names the paths of its faults
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

function documentOf(context: EventContext, wanted: string | null) {
  const read = async () => {
    const answer = await fetched(context, wanted);
    const text = (await answer.Body?.transformToString()) ?? "null";
    return { document: readable(() => shape.parse(JSON.parse(text))), version: answer.VersionId ?? wanted ?? "" };
  };
  return context.together?.remember(`release ${wanted}`, read) ?? read();
}

/** Turns a parse error into a Refused: the document may belong to a release whose deployment is still running. */
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

/** S3's errors for a missing key; a caller who may not list the bucket gets AccessDenied (API Reference, GetObject). */
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
