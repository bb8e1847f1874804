import { directory, templateFile, templateHash, textFile } from "../../machine/actions.ts";
import type { PayloadFile } from "../../machine/payload.ts";
import type { Action } from "../../machine/plan.ts";
import type { SentInput } from "../../records/machine-record.ts";
import type { InputContent, SecretFacts, TextFile } from "../input.ts";
import { expectationAt, sentFiles } from "../sent-files.ts";
import { ecrHostsIn, isEcr, isRenewal, renewalActions, renewalFile, renewalRemoval, renewedFolder } from "./ecr.ts";
import type { MirrorFile } from "./mirrors.ts";

const folderOfPath = (path: string): string => path.slice(0, path.lastIndexOf("\\"));
/** Name of the folder of a registry below containerd's config_path, by the path of a file of the registry. */
export const folderNamed = (path: string): string => renewedFolder(path) ?? folderOfPath(path).split("\\").at(-1) ?? "";

/** The file of a registry; one with credentials names the version of the secret. */
export const textFileOf = (
  { path, text, credentials }: { path: string } & Pick<MirrorFile, "text" | "credentials">,
  secret: SecretFacts | undefined,
): TextFile => ({
  path,
  text,
  ...(secret && credentials.some((host) => !isEcr(host))
    ? { secret: { secretId: secret.secretId, version: secret.version } }
    : {}),
});

const write = ({ path, text, secret }: TextFile, sent: SentInput | undefined): readonly Action[] => {
  // The machine's task writes it.
  if (ecrHostsIn(text).length > 0) return [];
  const file = secret ? templateFile(path, text, secret) : textFile(path, text);
  return [directory(folderOfPath(path)), { ...file, ...expectationAt(path, sent, [templateHash(text)]) }];
};

const remove = (path: string, sent: SentInput | undefined): readonly Action[] => [
  { do: "remove-file", path, ...expectationAt(path, sent) },
  { do: "remove-directory", path: folderOfPath(path) },
];

/**
 * Actions for the files of a content, in their order, which change what the machine's task renews in one run.
 * @param script the task's script; missing for a content without such files
 */
function writeAll({ files, scripts }: InputContent, sent: SentInput | undefined): readonly Action[] {
  const [script] = scripts ?? [];
  const first = files.findIndex(({ path }) => isRenewal(path));
  if (!script || first < 0) return files.flatMap((file) => write(file, sent));
  const others = (some: readonly TextFile[]) => some.filter(({ path }) => !isRenewal(path));
  return [
    ...others(files.slice(0, first)).flatMap((file) => write(file, sent)),
    ...renewalActions(
      files.filter(({ path }) => isRenewal(path)),
      script,
      sent,
    ),
    ...others(files.slice(first)).flatMap((file) => write(file, sent)),
  ];
}

/** Actions that end the renewal of what a machine must not keep; without any left, the task goes too. */
function endRenewals(removed: readonly string[], content: InputContent, sent: SentInput | undefined) {
  const ended = removed.filter(isRenewal);
  const { has, may } = sentFiles(sent);
  const stays = [...has, ...may].some(({ path }) => isRenewal(path) && !removed.includes(path));
  const isLast = ended.length > 0 && !stays && !content.files.some(({ path }) => isRenewal(path));
  const removals = ended.map((path): Action => ({ do: "remove-file", path }));
  return [...removals, ...(isLast ? renewalRemoval : [])];
}

/** Does the file of a registry have passwords of ECR, which the machine's task renews? */
export const isRenewed = ({ text }: Pick<MirrorFile, "text">): boolean => ecrHostsIn(text).length > 0;

/** The files of a content: those of the machine's task stand between those that forbid a source and the others. */
export function mirrorTexts(
  applied: readonly (Omit<MirrorFile, "registry"> & { readonly path: string })[],
  secret: SecretFacts | undefined,
  script: PayloadFile | undefined,
): readonly TextFile[] {
  const renewals = applied.flatMap((one) =>
    script && isRenewed(one) ? [renewalFile({ ...one, file: textFileOf(one, secret) }, script)] : [],
  );
  const texts = (forbids: boolean): readonly TextFile[] =>
    applied.filter(({ forbidsSource }) => forbidsSource === forbids).map((one) => textFileOf(one, secret));
  return [...texts(true), ...renewals, ...texts(false)];
}

/**
 * Actions that change a machine to a content: what the task must not renew any more comes first, then the files in their
 * order, removals last.
 * @param removed recorded paths that the machine does not keep
 */
export const mirrorActions = (
  content: InputContent,
  sent: SentInput | undefined,
  removed: readonly string[],
): readonly Action[] => [
  ...endRenewals(removed, content, sent),
  ...writeAll(content, sent),
  ...removed.filter((path) => !isRenewal(path)).flatMap((path) => remove(path, sent)),
];
