import { execFileSync } from "node:child_process";
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { certificateFor } from "./certificates.ts";
import { pullImage } from "./cri.ts";
import { type Daemon, hostsFolder, type Program, type Settings, startDaemon } from "./daemon.ts";
import { imagesOf } from "./images.ts";
import type { NamespaceOptions, PullOrder, PullRecord } from "./orders.ts";
import { openRegistries, type ServerCertificate } from "./registries.ts";
import { allRequests, withLetters } from "./requests.ts";
import { type Squid, startSquid } from "./squid.ts";

/** A pull that takes longer is given up: nothing here waits on purpose but a registry that hangs. */
const PULL_LIMIT_MS = 20_000;

/** Time for which a pull is watched after a registry has left its request unanswered. */
const HANG_MS = 400;

/** A port that is named but empty, as it stands in the log and not on the wire. */
const EMPTY_PORT = /^(https?:\/\/[^/:]+):\//;

/** Gives every host an address on loopback. */
const addressesFor = (hosts: readonly string[]): ReadonlyMap<string, string> =>
  new Map(hosts.map((host, index) => [host, `127.0.${1 + Math.floor(index / 250)}.${1 + (index % 250)}`]));

/** Writes files below `config_path`, each by rename, as the product does. */
function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    const path = join(hostsFolder(folder), name);
    mkdirSync(name.endsWith("/") ? path : dirname(path), { recursive: true });
    if (name.endsWith("/")) continue;
    const bytes = text.startsWith("base64:") ? Buffer.from(text.slice("base64:".length), "base64") : text;
    writeFileSync(`${path}.new`, bytes);
    renameSync(`${path}.new`, path);
  }
}

/** The namespace of one containerd: its names and addresses, and the daemon. */
interface Place {
  readonly program: Program;
  readonly addresses: ReadonlyMap<string, string>;
  readonly certificate: ServerCertificate;
  readonly squid: Squid | undefined;
  daemon: Daemon;
  settings: string;
}

/** Keeps containerd running; it is started anew for a case that needs other settings. */
async function running(place: Place, settings: Settings): Promise<Daemon> {
  const wanted = JSON.stringify(settings);
  if (place.settings === wanted) return place.daemon;
  await place.daemon.stop();
  place.daemon = await startDaemon(place.program, settings);
  place.settings = wanted;
  return place.daemon;
}

async function pull(place: Place, order: PullOrder): Promise<PullRecord> {
  const { folder } = place.program;
  const images = imagesOf(order.salt);
  if (order.password) place.squid?.accept(order.password);
  const { session, log, logged } = await running(place, order.settings ?? {});
  if (order.files) {
    rmSync(hostsFolder(folder), { recursive: true, force: true });
    mkdirSync(hostsFolder(folder));
    writeFiles(folder, order.files);
  }
  const from = log.length;
  let end = Number.POSITIVE_INFINITY;
  const late = new AbortController();
  const giveUp = (): void => {
    // What containerd logs afterwards it does not send: its context has ended.
    end = log.length;
    late.abort();
  };
  const registries = await openRegistries({
    registries: order.registries,
    images,
    certificate: place.certificate,
    addressOf: (host) => place.addresses.get(host.replace(/:\d+$/, "").toLowerCase()) ?? "127.0.0.1",
    onRequest: () => writeFiles(folder, order.filesAfterResolve ?? {}),
    onHang: () => setTimeout(giveUp, HANG_MS),
  });
  const image = order.ref.replace(/\{(\w)\}/, (_, letter) => images[letter as keyof typeof images].digest);
  const signal = AbortSignal.any([late.signal, AbortSignal.timeout(PULL_LIMIT_MS)]);
  const { status, message } = await pullImage(session, { image, credentials: order.credentials }, signal);
  // The call's end is logged last: what is logged before it was asked by then.
  await logged(from, ({ msg }) => /^PullImage .* (returns|failed)/.test(msg));
  registries.close();
  const said = log
    .slice(from, end)
    .flatMap(({ msg, url = "", "request.method": method }) =>
      msg === "do request" && method ? [{ method, url: withLetters(url, images).replace(EMPTY_PORT, "$1/") }] : [],
    );
  const served = registries.asked.map(
    ([method, url, ...rest]) => [method, withLetters(url, images), ...rest] as (typeof registries.asked)[number],
  );
  return {
    ok: status === 0,
    message: withLetters(message, images).replaceAll(hostsFolder(folder), "<root>"),
    requests: allRequests(said, served, order.registries),
  };
}

/** Prepares the namespaces that this process was started in, and containerd. */
async function raise({ program: path, version, folder, hosts, squid: root }: NamespaceOptions): Promise<Place> {
  const addresses = addressesFor(hosts);
  const certificate = await certificateFor(hosts);
  const trusted = join(folder, "trusted.pem");
  const names = join(folder, "names");
  writeFileSync(trusted, certificate.cert);
  writeFileSync(names, [...addresses].map(([host, address]) => `${address} ${host}\n`).join(""));
  execFileSync("mount", ["--bind", names, "/etc/hosts"]);
  execFileSync("ip", ["link", "set", "lo", "up"]);
  mkdirSync(hostsFolder(folder));
  const program: Program = { path, major: Number.parseInt(version, 10), folder, trusted };
  const squid = root === undefined ? undefined : await startSquid(root, join(folder, "squid"));
  return { program, addresses, certificate, squid, daemon: await startDaemon(program, {}), settings: "{}" };
}

/** Tells the process that asked why something failed. */
const reasonOf = (error: unknown): string => (error instanceof Error ? `${error.stack}` : String(error));

const place = await raise(JSON.parse(process.argv[2] ?? ""));
let last = Promise.resolve();
process.on("message", ({ id, order }: { id: number; order: PullOrder }) => {
  last = last.then(async () => {
    const answer = await pull(place, order).then(
      (record) => ({ id, record }),
      (error: unknown) => ({ id, failure: reasonOf(error) }),
    );
    process.send?.(answer);
  });
});
// The first process of its own namespace of processes: containerd ends with it.
process.on("disconnect", () => process.exit(0));
process.send?.({ id: 0 });
