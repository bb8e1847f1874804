import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { listen } from "../../bin/ports.ts";
import { ecr } from "../../lib/sandbox/aws/ecr.ts";
import { type AwsEndpoint, awsEndpoint } from "../../lib/sandbox/aws/endpoint.ts";
import { issueRoleCredentials, type RoleCredentials } from "../../lib/sandbox/aws/role-credentials.ts";
import { s3 } from "../../lib/sandbox/aws/s3/s3.ts";
import { secretsManager } from "../../lib/sandbox/aws/secrets-manager/secrets-manager.ts";
import type { Key } from "../../lib/sandbox/aws/signature.ts";
import type { Call } from "../../lib/sandbox/core/calls.ts";
import { received, send } from "../../lib/sandbox/core/http.ts";
import type { WireRequest, WireResponse } from "../../lib/sandbox/core/wire.ts";
import { demo } from "../../lib/sandbox/demo.ts";
import { metadataService } from "../../lib/sandbox/machine/metadata-service.ts";
import { realAccess, simulationFor } from "../sandbox/aws/fixture.ts";
import { manualClock } from "../sandbox/manual-clock.ts";

/** The instance of the emulated machine. */
export const INSTANCE = "i-0aaaaaaaaaaaaaaaa";
const ROLE = "casement-prod-west-node";
const HOUR = 3_600_000;
const LARGEST = 1_000_000;

/** Replaces one of AWS's answers: an answer, or "cut" for one that ends after half of its body. */
export type Instead = WireResponse | "cut";

/** The simulated S3 and Secrets Manager on loopback, with real signatures, and the metadata service. */
export interface Account {
  /** Environment variables with their addresses. */
  readonly addresses: Promise<Readonly<Record<string, string>>>;
  /** Stores an object in the cluster's bucket; returns its location as a plan names it. */
  put(key: string, content: string): { readonly bucket: string; readonly key: string; readonly version: string };
  /** Stores a secret that this instance may read; returns its name. */
  keep(name: string, text: string, more?: { readonly instanceId?: string; readonly version?: string }): string;
  /** Answers of AWS, oldest first: "GetObject 200". */
  answers(): string[];
  /** Replaces the services' next answers. */
  instead(...answers: Instead[]): void;
  /** Moves AWS's clock away from the machine's. */
  skew(ms: number): void;
  /** Sets the lifetime of credentials that are issued from now on, in ms. */
  lifetime(ms: number): void;
  /** Number of times that credentials were issued. */
  issued(): number;
  /** Removes the role from the instance. */
  withoutRole(): void;
  close(): void;
}

const said = ({ action, principal, status }: Call): string =>
  principal === `instance/${INSTANCE}` ? `${action} ${status}` : `${principal} ${status}`;

async function sendHalf({ status, body }: WireResponse, outgoing: ServerResponse): Promise<void> {
  const whole = Buffer.from(body as Uint8Array);
  outgoing.writeHead(status, { "content-length": String(whole.length) });
  outgoing.write(whole.subarray(0, whole.length / 2), () => outgoing.destroy());
}

const serverOf = (
  handle: (request: WireRequest, incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>,
) =>
  createServer(async (incoming, outgoing) => {
    const request = await received(incoming, LARGEST);
    if (request) await handle(request, incoming, outgoing);
  });

/**
 * Opens the account on two loopback ports.
 * @param metadataAnswers whether the machine reaches its metadata service now
 */
export function playedAccount(options: { readonly mac: string; readonly metadataAnswers: () => boolean }): Account {
  const simulation = simulationFor(manualClock());
  const buckets = s3(simulation);
  buckets.createBucket(demo.bucket);
  const secrets = secretsManager(simulation, demo);
  const keys = new Map<string, Key>();
  const tampered: Instead[] = [];
  let ahead = 0;
  let lifetime = 6 * HOUR;
  let issued = 0;
  let hasRole = true;
  const credentials = (): RoleCredentials => {
    issued += 1;
    return issueRoleCredentials(keys, simulation.random, INSTANCE, Date.now() + lifetime);
  };
  const role = { name: ROLE, credentials };
  const facts = () => ({
    mac: options.mac,
    region: demo.region,
    domain: "amazonaws.com",
    role: hasRole ? role : undefined,
  });
  const metadata = metadataService(facts, simulation.random, Date.now);
  const door: AwsEndpoint = awsEndpoint({
    simulation,
    region: demo.region,
    hostNow: () => Date.now() + ahead,
    keys,
    services: [buckets.service, secrets.service, ecr(simulation, demo).service],
    access: realAccess(),
  });
  const aws = serverOf(async (request, _, outgoing) => {
    const instead = tampered.shift();
    const answer = instead === undefined || instead === "cut" ? await door.answer(request) : instead;
    await (instead === "cut" ? sendHalf(answer, outgoing) : send(answer, outgoing));
  });
  const imds = serverOf(async (request, incoming, outgoing) => {
    if (options.metadataAnswers()) await send(metadata(request), outgoing);
    else incoming.socket.destroy();
  });
  const addresses = Promise.all([listen(aws, 0), listen(imds, 0)]).then(([awsPort, imdsPort]) => ({
    AWS_ENDPOINT_URL: `http://localhost:${awsPort}`,
    AWS_EC2_METADATA_SERVICE_ENDPOINT: `http://127.0.0.1:${imdsPort}`,
  }));

  return {
    addresses,
    put: (key, content) => ({ bucket: demo.bucket, key, version: buckets.seed(demo.bucket, key, content) }),
    keep: (name, text, { instanceId = INSTANCE, version } = {}) => {
      const arn = `arn:aws:ec2:${demo.region}:${demo.accountId}:instance/${instanceId}`;
      secrets.seed(name, text, { "casement:cluster": demo.cluster.name, "casement:instance-arn": arn }, version);
      return name;
    },
    answers: () => simulation.calls.after(0).map(said),
    instead: (...answers) => void tampered.push(...answers),
    skew: (ms) => {
      ahead = ms;
    },
    lifetime: (ms) => {
      lifetime = ms;
    },
    issued: () => issued,
    withoutRole: () => {
      hasRole = false;
    },
    close: () => {
      for (const server of [aws, imds]) {
        server.close();
        server.closeAllConnections();
      }
    },
  };
}
