import type { S3Client } from "@aws-sdk/client-s3";
import type { Settings } from "../settings.ts";
import { type FrontDoorClients, frontDoorClients } from "./front-door-clients.ts";
import { s3Client } from "./s3.ts";
import type { Transport } from "./transport.ts";

/** Clients of the event handler: those of the front door, and S3, which stores the release document. */
export interface EventClients extends FrontDoorClients {
  readonly s3: S3Client;
}

/**
 * Builds the event handler's clients.
 * @param settings region and credentials of the function
 * @param transport replaces the network
 */
export const eventClients = (settings: Settings, transport?: Transport): EventClients => ({
  ...frontDoorClients(settings, transport),
  s3: s3Client(settings, transport),
});
