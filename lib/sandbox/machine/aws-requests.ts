import { messageOf } from "../../message-of.ts";
import { endpointError } from "../aws/dialects.ts";
import { AwsError } from "../core/aws-service.ts";
import type { InstanceRole } from "../core/ports.ts";
import { reachesAws } from "./agent-proxy.ts";
import type { Machine } from "./machine.ts";
import { metadataAnswers } from "./metadata.ts";
import type { Process } from "./process.ts";
import { Fault } from "./scripts/causes.ts";
import { timeText } from "./scripts/request.ts";

/** aws.ps1 makes five attempts and waits 0.5 to 0.6 s times the square of the attempt's number between them. */
const TRIES = 5;
const APART_MS = [500, 600] as const;

const transientStatuses: ReadonlySet<number> = new Set([429, 500, 502, 503, 504]);
const transientCodes = /^(ExpiredToken|Throttling|RequestTimeout$|SlowDown)/;

/** A service that the scripts call: its name in signatures, and in errors. */
interface CalledService {
  readonly name: "s3" | "secretsmanager" | "ecr";
  readonly words: string;
}

/** The services of plans. */
export const calledServices = {
  s3: { name: "s3", words: "S3" },
  secretsManager: { name: "secretsmanager", words: "Secrets Manager" },
} as const satisfies Readonly<Record<string, CalledService>>;

/** An error that the next attempt may not meet. */
class TransientError extends Fault {}

function requireCredentials(machine: Machine): void {
  if (!metadataAnswers(machine)) throw new TransientError("metadata-silent", "the metadata service does not answer");
  if (machine.facts().instanceProfileArn !== null) return;
  const words = "The remote server returned an error: (404) Not Found.";
  throw new TransientError("metadata-silent", `the metadata service gave no credentials: ${words}`);
}

/** A machine, and the script's process on it. */
interface Caller {
  readonly machine: Machine;
  readonly process: Process;
}

/** A signature is valid for 15 minutes (Signature Version 4, "Troubleshooting"). */
const SIGNATURE_MS = 15 * 60_000;
/** From this difference on, the script's error names both clocks. */
const CLOCK_HINT_MS = 5 * 60_000;

const offBy = (machine: Machine): number => Math.abs(machine.clock() - machine.simulation.clock.now());

/** In the words of .NET, WebExceptionStatus.ConnectFailure. */
function requireWayOut(machine: Machine, { name, words }: CalledService): void {
  if (machine.faultApplies("aws-unreachable", { service: name }))
    throw new TransientError("aws-unreachable", `${words} does not answer: Unable to connect to the remote server`);
}

function requireRightClock(machine: Machine, { name }: CalledService): void {
  if (offBy(machine) > SIGNATURE_MS) throw endpointError(name, "expired");
}

/** Time after which aws.ps1 gives up a connection: HttpWebRequest.Timeout. */
const CONNECT_MS = 20_000;

async function requireDirectWay({ machine, process }: Caller, { words }: CalledService): Promise<void> {
  if (reachesAws(machine)) return;
  await process.pause(CONNECT_MS);
  // .NET's words for WebExceptionStatus.Timeout.
  throw new TransientError("aws-unreachable", `${words} does not answer: The operation has timed out`);
}

function clockNote(machine: Machine, { words }: CalledService): string {
  if (offBy(machine) < CLOCK_HINT_MS) return "";
  const [own, theirs] = [machine.clock(), machine.simulation.clock.now()].map((ms) => timeText(Math.floor(ms / 1_000)));
  return `; the clock of this machine says ${own}, the clock of ${words} ${theirs}`;
}

function faultOf(machine: Machine, error: unknown, service: CalledService): Error {
  if (!(error instanceof AwsError)) return error instanceof Error ? error : new Error(messageOf(error));
  const words = `${service.words} answered: ${error.message} (${error.status} ${error.code})${clockNote(machine, service)}`;
  return transientStatuses.has(error.status) || transientCodes.test(error.code)
    ? new TransientError("aws-refuses-machine", words)
    : new Fault("aws-refuses-machine", words);
}

/**
 * Calls AWS with the machine's role, as aws.ps1 does: retries transient errors and reports all others in the service's
 * words.
 * @throws Error with the script's message
 */
export async function fromAws<T>(
  { machine, process }: Caller,
  service: CalledService,
  ask: (role: InstanceRole) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      requireCredentials(machine);
      requireWayOut(machine, service);
      await requireDirectWay({ machine, process }, service);
      requireRightClock(machine, service);
      return await process.io(ask(machine.ports.role));
    } catch (error) {
      const fault = faultOf(machine, error, service);
      if (attempt >= TRIES || !(fault instanceof TransientError)) throw fault;
      const [least, most] = APART_MS;
      await process.pause(machine.duration(least * attempt ** 2, most * attempt ** 2));
    }
  }
}
