import type { S3Client } from "@aws-sdk/client-s3";
import type { Settings } from "../settings.ts";
import { type FrontDoorClients, frontDoorClients } from "./front-door-clients.ts";
import { s3Client } from "./s3.ts";
import type { Transport } from "./transport.ts";

/** Clients of the event handler: the front door's, and S3, where the release document lies. */
export interface EventClients extends FrontDoorClients {
  readonly s3: S3Client;
}

/**
 * Builds the event handler's clients.
 * @param settings where the function runs, by whose credentials
 * @param transport replaces the network
 */
export const eventClients = (settings: Settings, transport?: Transport): EventClients => ({
  ...frontDoorClients(settings, transport),
  s3: s3Client(settings, transport),
});
