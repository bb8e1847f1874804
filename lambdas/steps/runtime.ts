import { GetObjectCommand, type GetObjectCommandOutput } from "@aws-sdk/client-s3";
import { z } from "zod";
import { type Configuration, configurationOf } from "../configuration.ts";
import { type PayloadManifest, payloadManifestOf } from "../desired/okd-payload.ts";
import { Refused } from "../errors.ts";
import type { World } from "./world.ts";

/** Where the runtime document lies; a deployment writes a new version, executions name the one they read. */
export const RUNTIME_KEY = "runtime/current.json";

const shape = z.object({ configuration: z.unknown(), payload: z.unknown() });

/** What a waiting execution needs and may have changed since it began. */
export interface Runtime {
  readonly version: string;
  readonly configuration: Configuration;
  readonly payload: PayloadManifest;
}

/** The versioned runtime document. */
export const runtime = (world: World) => ({
  /**
   * Reads it.
   * @param version the S3 version, or null for the newest
   * @throws Refused when it is not there: a deployment without a payload writes none
   * @throws Error when it is not valid, with the paths of what is wrong
   */
  read: async (version: string | null): Promise<Runtime> => {
    const answer = await fetched(world, version);
    const document = shape.parse(JSON.parse((await answer.Body?.transformToString()) ?? "null"));
    return {
      version: answer.VersionId ?? version ?? "",
      configuration: configurationOf(document.configuration),
      payload: payloadManifestOf(document.payload),
    };
  },
});

/** S3 answers AccessDenied for a missing key to whoever may not list the bucket (API Reference, GetObject). */
const NOT_THERE: ReadonlySet<string> = new Set(["NoSuchKey", "NoSuchVersion", "AccessDenied"]);

async function fetched(world: World, version: string | null): Promise<GetObjectCommandOutput> {
  const where = { Bucket: world.settings.bucket, Key: RUNTIME_KEY };
  try {
    return await world.clients.s3.send(new GetObjectCommand({ ...where, ...(version ? { VersionId: version } : {}) }));
  } catch (error) {
    if (!(error instanceof Error) || !NOT_THERE.has(error.name)) throw error;
    const why = `I am not set up completely: ${where.Bucket} gives me no ${RUNTIME_KEY} (${error.name}). docs/deploy.md says how it gets there.`;
    throw new Refused(why, { cause: error });
  }
}
