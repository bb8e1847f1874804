import { proxyOfRequest } from "../../../lambdas/inputs/proxy/go-rules.ts";
import type { ImagePull, Images } from "../core/ports.ts";
import { readReference } from "../registries/image-reference.ts";
import { pull } from "../registries/pull.ts";
import { imageDigest, type Registries } from "../registries/registries.ts";
import { pathKey } from "./disk.ts";
import type { Machine } from "./machine.ts";
import { environmentOf } from "./process-environment.ts";
import { runningContainerd } from "./programs/containerd.ts";

/** Digests of the images on a machine, by their names. */
type Present = Readonly<Record<string, string>>;

/** Tags of Windows' base images, by build. */
const releases: Readonly<Record<string, string>> = {
  "10.0.17763": "ltsc2019",
  "10.0.20348": "ltsc2022",
  "10.0.26100": "ltsc2025",
};

const nameIn = (path: string): string => path.slice(path.lastIndexOf("\\") + 1);

/** Reads the folders below config_path as containerd finds them. */
function filesBelow({ disk }: Machine, folder: string): Record<string, Uint8Array> {
  const found: Record<string, Uint8Array> = {};
  if (folder === "") return found;
  for (const { path } of disk.directoriesIn(folder)) {
    found[`${nameIn(path)}/`] = new Uint8Array();
    for (const file of disk.filesIn(path))
      found[`${nameIn(path)}/${nameIn(file.path)}`] = Buffer.from(file.content ?? "", "base64");
  }
  return found;
}

/** Lists the images of a machine that has pulled none: Windows' own and the sandboxes' (assumed). */
function ownImages(machine: Machine, pause: string): Present {
  const release = releases[machine.facts().build ?? ""] ?? "ltsc2022";
  const windows = ["servercore", "nanoserver"].map((name) => `mcr.microsoft.com/windows/${name}:${release}`);
  const all = [...windows, pause].filter(Boolean).map(readReference);
  return Object.fromEntries(all.map(({ text, repository, tag = "" }) => [text, imageDigest(repository, tag)]));
}

const UNAVAILABLE =
  'rpc error: code = Unavailable desc = connection error: desc = "transport: Error while dialing: open \\\\.\\pipe\\containerd-containerd: The system cannot find the file specified."';

/** Puts gRPC's code before an error; the kubelet leaves out Unknown (cri-client, remote_image.go). */
function asGrpc(error: string, hung: boolean): string {
  if (hung) return `rpc error: code = DeadlineExceeded desc = ${error}`;
  return error.endsWith(": not found") ? `rpc error: code = NotFound desc = ${error}` : error;
}

/** The registries of ECR, and the address at which their passwords are asked for. */
const ECR = /^\d{12}\.dkr\.ecr\.([a-z0-9-]+)\.amazonaws\.com\//;

/**
 * Can the kubelet's plugin get a password of ECR for this image? It is a child of the kubelet, and has its environment
 * (kubelet's pkg/credentialprovider/plugin).
 */
function hasPassword(machine: Machine, { proxies }: Registries, image: string): boolean {
  const [, region] = ECR.exec(image) ?? [];
  const url = `https://api.ecr.${region}.amazonaws.com`;
  const proxy = region === undefined ? undefined : proxyOfRequest(url, environmentOf(machine, "kubelet"));
  return proxy === undefined || proxies.carry(proxy, url, machine.id) === undefined;
}

/** Opens the images of a machine, as its containerd keeps and pulls them. */
export function imagesOf(machine: Machine): Images {
  const pulled = machine.simulation.store.collection<Present>("machine-images");
  const present = (): Present => {
    const pause = runningContainerd(machine)?.pause ?? "";
    return { ...ownImages(machine, pause), ...pulled.get(machine.id) };
  };
  const fetch = (image: string): ImagePull => {
    const { registries } = machine.ports;
    if (!registries) return { pulled: true };
    const containerd = runningContainerd(machine);
    if (!containerd) return { pulled: false, error: UNAVAILABLE, heldMs: 0 };
    const environment = environmentOf(machine, "containerd");
    const isKnown = hasPassword(machine, registries, image);
    const { outcome } = pull({
      image,
      version: containerd.version,
      files: filesBelow(machine, containerd.registries),
      isWindows: true,
      root: pathKey(containerd.registries),
      present: Object.values(present()),
      ask: (request) => {
        if (!isKnown && ECR.test(`${new URL(request.url).host}/`)) return { status: 401, demandsPassword: true };
        return registries.answer(request, machine.id, proxyOfRequest(request.url, environment));
      },
    });
    if (outcome.pulled) {
      pulled.set(machine.id, { ...pulled.get(machine.id), [readReference(image).text]: outcome.digest });
      return { pulled: true };
    }
    const { error, hung } = outcome;
    return { pulled: false, error: asGrpc(error, hung), heldMs: hung ? containerd.pullTimeout : 0 };
  };
  return { isPresent: (image) => Object.hasOwn(present(), readReference(image).text), pull: fetch };
}
