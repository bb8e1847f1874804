import { directory, type SecretVersion, templateFile, templateHash, textFile } from "../../machine/actions.ts";
import { casementFolder, registriesScript, registriesTask } from "../../machine/machine-paths.ts";
import type { PayloadFile } from "../../machine/payload.ts";
import type { Action, FileAction } from "../../machine/plan.ts";
import type { SentInput } from "../../records/machine-record.ts";
import type { TextFile } from "../input.ts";
import { expectationAt } from "../sent-files.ts";

/**
 * A private registry of ECR (Amazon ECR User Guide, "Private registry authentication"). Its passwords live twelve hours, so
 * that each machine asks for them with its own role. The kubelet's credential provider is no help: it goes by the name of
 * the image (Kubernetes, "Configure a kubelet image credential provider", matchImages), never by that of a mirror.
 */
const ECR = /^\d{12}\.dkr\.ecr(?:-fips)?\.[a-z0-9-]+\.amazonaws\.com(?:\.cn)?$/;

/** The registry under the name that IPv6 reaches too (Amazon ECR User Guide, "Making requests to Amazon ECR registries"; in China its credential helper). */
const DUAL_STACK = /^(\d{12}\.dkr)-(ecr(?:-fips)?\.[a-z0-9-]+)\.on\.(?:aws|amazonwebservices\.com(\.cn))$/;

/**
 * Finds the private registry of ECR that a host is, without its port: the machine's task asks for the password by this name, and
 * it opens both.
 */
export function ecrRegistryOf(host: string): string | undefined {
  const registry = host.replace(
    DUAL_STACK,
    (_, account, place, china = "") => `${account}.${place}.amazonaws.com${china}`,
  );
  return ECR.test(registry) ? registry : undefined;
}

/** Is a host, without its port, a private registry of ECR? */
export const isEcr = (host: string): boolean => ecrRegistryOf(host) !== undefined;

/** Holes of a file that the machine fills with passwords of ECR. */
const HOLE = /"Basic <<(\d{12}\.dkr\.ecr[^>]*)>>"/g;

/** Lists the registries of ECR whose passwords a file needs, each once. */
export const ecrHostsIn = (text: string): readonly string[] => [
  ...new Set([...text.matchAll(HOLE)].map(([, host = ""]) => host)),
];

/** Folder with one file for each registry whose passwords the machine's task renews. */
const wantedFolder = `${casementFolder}\\registries`;

const { name: TASK, record: RECORD } = registriesTask;

/** Minutes between two runs of the task: it renews after six hours, and at each run until one has succeeded. */
const EVERY_MINUTES = 10;
/** Seconds for a run: it tries four minutes to reach AWS, and each registry may be asked for two. */
const RUN_SECONDS = 600;

/** Path of what the task is to write for a registry. */
const wantedPath = (folder: string): string => `${wantedFolder}\\${folder}.json`;

/** The folder of the registry whose passwords a file asks the task to renew; undefined for any other path. */
export const renewedFolder = (path: string): string | undefined =>
  path.startsWith(`${wantedFolder}\\`) ? path.slice(wantedFolder.length + 1).replace(/\.json$/, "") : undefined;

/** Does a content, or a machine, have files of the task? */
export const isRenewal = (path: string): boolean => renewedFolder(path) !== undefined;

/** Does a machine have files of the task, for sure? @param sent its mirrors, as recorded */
export const isRenewing = (sent: SentInput | undefined): boolean =>
  sent?.unconfirmed === undefined && (sent?.files ?? []).some(({ path }) => isRenewal(path));

/** A registry's file as the task writes it. */
interface RenewedFile {
  readonly file: TextFile;
  readonly folder: string;
  readonly forbidsSource: boolean;
}

/**
 * Makes the file that has the machine's task write a registry's hosts.toml. Each password of ECR is the registry's host
 * there: what other credentials fill are holes, which the plan fills.
 * @param script the task's script: machines get the file again when it changes
 */
export const renewalFile = ({ file, folder, forbidsSource }: RenewedFile, script: PayloadFile): TextFile => ({
  path: wantedPath(folder),
  text: JSON.stringify({
    script: script.sha256,
    path: file.path,
    hosts: ecrHostsIn(file.text),
    forbids: forbidsSource,
    text: file.text.replaceAll(HOLE, '"Basic $1"'),
  }),
  ...(file.secret ? { secret: file.secret } : {}),
});

/** Adds the hashes that the registry's file may have: the task refuses what others wrote. */
const withExpectation = (text: string, sent: SentInput | undefined): string => {
  const wanted = JSON.parse(text) as { readonly path: string; readonly text: string };
  const own = templateHash(wanted.text.replaceAll(/"Basic [^"<]*"/g, '"Basic <<>>"'));
  return JSON.stringify({ ...wanted, ...expectationAt(wanted.path, sent, [own]) });
};

const writeWanted = ({ path, text, secret }: TextFile, sent: SentInput | undefined): FileAction => {
  const whole = withExpectation(text, sent);
  const file = secret ? templateFile(path, whole, secret satisfies SecretVersion) : textFile(path, whole);
  return { ...file, access: "system" };
};

/** Actions that put the task's script and files on a machine, and let it write the files of its registries. */
export const renewalActions = (
  files: readonly TextFile[],
  script: FileAction,
  sent: SentInput | undefined,
): readonly Action[] => [
  script,
  directory(wantedFolder, "system"),
  ...files.map((file) => writeWanted(file, sent)),
  { do: "task", name: TASK, script: registriesScript, arguments: [], everyMinutes: EVERY_MINUTES },
  { do: "run-task", name: TASK, withinSeconds: RUN_SECONDS, record: RECORD },
];

/** Actions that remove the task with all that it left, once it has no files any more. */
export const renewalRemoval: readonly Action[] = [
  { do: "remove-task", name: TASK },
  { do: "remove-file", path: RECORD },
  { do: "remove-file", path: registriesScript },
  { do: "remove-directory", path: wantedFolder },
];
