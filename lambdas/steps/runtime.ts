import { GetObjectCommand } from "@aws-sdk/client-s3";
import { z } from "zod";
import { type Configuration, configurationOf } from "../configuration.ts";
import { type PayloadManifest, payloadManifestOf } from "../desired/okd-payload.ts";
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
   * @throws Error when it is missing or not valid, with the paths of what is wrong
   */
  read: async (version: string | null): Promise<Runtime> => {
    const answer = await world.clients.s3.send(
      new GetObjectCommand({
        Bucket: world.settings.bucket,
        Key: RUNTIME_KEY,
        ...(version ? { VersionId: version } : {}),
      }),
    );
    const document = shape.parse(JSON.parse((await answer.Body?.transformToString()) ?? "null"));
    return {
      version: answer.VersionId ?? version ?? "",
      configuration: configurationOf(document.configuration),
      payload: payloadManifestOf(document.payload),
    };
  },
});
