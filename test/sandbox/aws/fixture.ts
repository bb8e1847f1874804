import type { Server } from "node:http";
import { listen } from "../../../bin/ports.ts";
import { permissionsFor } from "../../../lib/role-permissions.ts";
import { access } from "../../../lib/sandbox/aws/access.ts";
import { type AwsEndpoint, awsEndpoint } from "../../../lib/sandbox/aws/endpoint.ts";
import type { AwsService } from "../../../lib/sandbox/core/aws-service.ts";
import type { Clock } from "../../../lib/sandbox/core/clock.ts";
import { createSimulation, type Simulation } from "../../../lib/sandbox/core/simulation.ts";
import { openStore, type Store } from "../../../lib/sandbox/core/store.ts";
import { demo } from "../../../lib/sandbox/demo.ts";
import { place } from "../../../lib/sandbox/demo-account.ts";
import { httpServer } from "../../../lib/sandbox/http-server.ts";
import { sdkTransport } from "../../../lib/sandbox/in-process.ts";
import type { Statement } from "../../../lib/statement.ts";

/** A simulation on a clock that is moved by hand. */
export const simulationFor = (clock: Clock, options: { seed?: number; store?: Store } = {}): Simulation =>
  createSimulation({ clock, store: options.store ?? openStore(":memory:"), seed: options.seed ?? 7 });

const everything: Statement = { sid: "Everything", actions: ["*"], resources: ["*"] };

/** Secret of every key in the tests; the key id names the principal. */
export const secretOf = (principal: string): string => `secret-of-${principal}`;

/** The simulator's IAM with the real permissions, and an administrator who may do everything. */
export const realAccess = () =>
  access({
    accountId: demo.accountId,
    region: demo.region,
    rolePrefix: "casement-prod-west",
    permissions: { ...permissionsFor(place), admin: [everything] },
  });

const principals = [
  "admin",
  "front-door",
  "add-nodes",
  "provision-node",
  "remove-node",
  "look",
  "cloud-events",
  "release",
  "nobody",
];

/** A endpoint in front of the services, with one key per principal. */
export function endpointFor(
  simulation: Simulation,
  services: AwsService[],
  hostNow: () => number = Date.now,
): AwsEndpoint {
  const keys = new Map(principals.map((principal) => [`AKIA${principal}`, { secret: secretOf(principal), principal }]));
  keys.set("AKIAnode", { secret: secretOf("node"), principal: "instance/i-0aaaaaaaaaaaaaaaa" });
  return awsEndpoint({ simulation, region: demo.region, hostNow, keys, services, access: realAccess() }, (bug) => {
    throw bug;
  });
}

/** Settings of every real client in the tests. */
export const clientOf = (endpoint: AwsEndpoint, principal = "admin") => ({
  region: demo.region,
  endpoint: "http://aws.sandbox.test",
  credentials: { accessKeyId: `AKIA${principal}`, secretAccessKey: secretOf(principal) },
  requestHandler: sdkTransport((request) => endpoint.answer(request)) as never,
  maxAttempts: 1,
});

/** The endpoint on a loopback port. */
export async function opened(endpoint: AwsEndpoint): Promise<{ url: string; server: Server }> {
  const server = httpServer((request) => endpoint.answer(request));
  return { url: `http://127.0.0.1:${await listen(server, 0)}`, server };
}

/** Reads the error's code as the SDK names it, or "none". */
export const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "none",
    (error: Error) => error.name,
  );
