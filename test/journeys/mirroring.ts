import { randomUUID } from "node:crypto";
import { secretTexts } from "../../bin/connect/registry-credentials.ts";
import { registriesSecret } from "../../lambdas/cluster/registries-secret.ts";
import { demo } from "../../lib/sandbox/demo.ts";
import { type Disk, diskOf } from "../../lib/sandbox/machine/disk.ts";
import { calls } from "./evidence.ts";
import { type Journey, startJourney } from "./journey.ts";
import { batch, kubectl, otherWeb, type SeedNode, web } from "./others.ts";

const CONFIG = "/apis/config.openshift.io/v1";

/** Paths of the mirror sets by digest and by tag. */
export const paths = { digest: `${CONFIG}/imagedigestmirrorsets`, tag: `${CONFIG}/imagetagmirrorsets` } as const;

/** One line of a mirror set. */
export interface MirrorSetLine {
  readonly source: string;
  readonly mirrors: readonly string[];
  readonly mirrorSourcePolicy?: "AllowContactingSource" | "NeverContactSource";
}

const kinds = {
  digest: { kind: "ImageDigestMirrorSet", field: "imageDigestMirrors" },
  tag: { kind: "ImageTagMirrorSet", field: "imageTagMirrors" },
} as const;

/** A mirror set as a cluster administrator writes it. */
export const mirrorSet = (pulls: keyof typeof kinds, name: string, ...lines: readonly MirrorSetLine[]): object => ({
  apiVersion: "config.openshift.io/v1",
  kind: kinds[pulls].kind,
  metadata: { name },
  spec: { [kinds[pulls].field]: lines },
});

/** Creates a mirror set. */
export const createSet = (here: Journey, pulls: keyof typeof kinds, name: string, ...lines: readonly MirrorSetLine[]) =>
  kubectl(here, "POST", paths[pulls], mirrorSet(pulls, name, ...lines));

/** Replaces the lines of a mirror set. */
export const editSet = (here: Journey, pulls: keyof typeof kinds, name: string, ...lines: readonly MirrorSetLine[]) =>
  kubectl(here, "PATCH", `${paths[pulls]}/${name}`, { spec: { [kinds[pulls].field]: lines } });

/** Deletes a mirror set. */
export const deleteSet = (here: Journey, pulls: keyof typeof kinds, name: string): Promise<void> =>
  kubectl(here, "DELETE", `${paths[pulls]}/${name}`);

/** Stores the credentials of registries as `npm run connect -- registries` does: host → "user:password". */
export async function storeCredentials(here: Journey, credentials: Readonly<Record<string, string>>): Promise<void> {
  const encoded = Object.entries(credentials).map(([host, one]) => [host, Buffer.from(one).toString("base64")]);
  const { value, description } = secretTexts(Object.fromEntries(encoded));
  const input = {
    SecretId: registriesSecret(demo.cluster.name),
    ClientRequestToken: randomUUID(),
    SecretString: value,
    Description: description,
  };
  const request = { method: "POST", url: "/", headers: {}, body: Buffer.from(JSON.stringify(input)) };
  const owner = { principal: "owner", require: () => undefined, context: {} };
  await here.drive(here.simulator.secrets.service.answer("UpdateSecret", request, owner as never));
}

/** Starts a cluster with nodes. */
export const startMirroring = (configuration: object = {}): Promise<Journey> =>
  startJourney({ seedNodes: true, configuration });

const FOLDER = "C:\\k\\containerd\\registries\\";

/** The hosts.toml files of a node's machine: folder → sha256. */
export const filesOn = (here: Journey, { instanceId }: SeedNode): Readonly<Record<string, string>> =>
  Object.fromEntries(
    (here.simulator.machines.describe(instanceId)?.files ?? [])
      .filter(({ path }) => path.startsWith(FOLDER))
      .map(({ path, sha256 }) => [path.slice(FOLDER.length), sha256]),
  );

/** Number of messages in the channel that contain words. */
export const said = (here: Journey, words: string): number => here.said().filter((one) => one.includes(words)).length;

/** Operations that wrote mirrors. */
export const reconciles = async (here: Journey) =>
  (await here.operations()).filter(({ request }) => request.command === "reconcile");

/** Asks for mirrors as a person and waits for the end. @returns the operation */
export async function requested(here: Journey, words = "/win reconcile") {
  const before = (await reconciles(here)).length;
  await here.type("operator", words);
  const own = async () => (await reconciles(here)).slice(0, -before || undefined)[0];
  await here.until(async () => typeof (await own())?.endedAt === "string", 40, "the end of the operation");
  return own();
}

/** Commands that were sent for an operation, each with its number of machines. */
export const commandsOf = (here: Journey, operation: string): readonly number[] =>
  here.simulator.simulation.store
    .collection<{ comment: string; instanceIds: readonly string[] }>("ssm-commands")
    .values()
    .filter(({ comment }) => comment.startsWith(operation))
    .map(({ instanceIds }) => instanceIds.length);

/** Requests to registries, as "GET host/path by instance", since a number of calls. */
export const asked = (here: Journey, registry: string): readonly string[] =>
  calls(here, "registry")
    .filter(({ action }) => new URL(action.split(" ")[1] ?? "").host === registry)
    .map(({ principal }) => principal.replace("instance/", ""));

/** Different words by which people were paged. */
export const paged = (here: Journey): readonly string[] => [
  ...new Set(here.simulator.topic.notifications().map(({ message }) => message)),
];

/** Pods of Casement, such as those that prove a pull. */
export const ownPods = (here: Journey): readonly string[] =>
  here.simulator.kubernetes
    .objects("pods")
    .map(({ metadata }) => metadata.name)
    .filter((name) => name.startsWith("probe-"));

/** The cluster's first nodes. */
export const nodes: readonly SeedNode[] = [web, otherWeb, batch];

/** Answer of an API server in place of the simulated one's; undefined to leave a request to it. */
export type Replacement = (url: string) => { readonly status: number; readonly body: object } | undefined;

/** Puts other answers in front of the API server, as a proxy that cuts lists does, or a cluster without a kind. @returns the way back */
export function replaceAnswers(here: Journey, replacement: Replacement): () => void {
  const { kubernetes } = here.simulator;
  const { answer } = kubernetes;
  kubernetes.answer = async (request, ...more) => {
    const other = request.method === "GET" ? replacement(request.url) : undefined;
    if (!other) return answer(request, ...more);
    const headers = { "content-type": "application/json" };
    return { status: other.status, headers, body: JSON.stringify(other.body) };
  };
  return () => {
    kubernetes.answer = answer;
  };
}

/** The disk of a node's machine, for a person who works on it. */
export const diskOfNode = ({ simulator: { simulation } }: Journey, { instanceId }: SeedNode): Disk =>
  diskOf(
    simulation.store.collection(`machine-files/${instanceId}`),
    simulation.store.collection(`machine-directories/${instanceId}`),
  );

/** Path of a registry's file on machines. */
export const fileFor = (registry: string): string => `${FOLDER}${registry}\\hosts.toml`;
