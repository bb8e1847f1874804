import type { FailedRenewal } from "../../inputs/mirrors/failed-renewals.ts";
import { hostsIn } from "../../inputs/mirrors/hosts-toml.ts";
import type { MirrorFault, UnusedMirror } from "../../inputs/mirrors/mirror-lines.ts";
import type { MirrorFile, Mirrors } from "../../inputs/mirrors/mirrors.ts";
import type { WidenedMirror } from "../../inputs/mirrors/registries.ts";
import { typeThis } from "../../messages/command/syntax.ts";
import { mirrorFaultText, unusedCredentialsText, unusedMirrorText } from "../../messages/mirrors/faults.ts";
import { failedRenewalLine } from "../../messages/mirrors/renewals.ts";
import { context, section, sections } from "../../messages/slack/blocks.ts";
import { sign } from "../../messages/slack/signs.ts";
import { code, codeBlock, counted, plain, prose, some } from "../../messages/slack/text.ts";
import type { Message } from "../../records/records.ts";

/** A registry's file, and the nodes that do not have it. */
export interface ShownRegistry extends MirrorFile {
  readonly path: string;
  readonly without: readonly string[];
  /** Question that a person must answer before nodes get the file; null if there is none. */
  readonly question: string | null;
  /** Nodes that do not renew the passwords of ECR in the file. */
  readonly notRenewed: readonly FailedRenewal[];
}

/** Facts of the list of registries. */
interface ShownMirrors
  extends Pick<Mirrors, "inexpressible" | "unused" | "unusedCredentials" | "unenforced" | "widened"> {
  readonly registries: readonly ShownRegistry[];
  /** Number of Windows nodes that Casement manages. */
  readonly nodes: number;
  /** Nodes that do not renew their passwords of ECR. */
  readonly renewals: readonly FailedRenewal[];
  /** Time of the answer, ISO 8601. */
  readonly at: string;
}

/** Most lines of one kind. */
const MOST_LINES = 30;

/** Most nodes in one line. */
const MOST_NODES = 5;

/** Answer for a registry that no mirror set names. */
export const unknownRegistry = (registry: string): string =>
  `No mirror set concerns ${code(registry)}: Windows nodes pull from it directly. ${typeThis("mirrors")} lists all registries.`;

const nodesText = ({ without, question }: ShownRegistry, nodes: number): string => {
  if (question !== null) return "not written before the question below is answered";
  if (nodes === 0) return "no node to write it to";
  if (without.length === 0) return `on ${nodes === 1 ? "the node" : `all ${nodes} nodes`}`;
  return `on ${nodes - without.length} of ${counted(nodes, "node")}; not yet on ${some(without.map(code), MOST_NODES)}`;
};

function registryLine(shown: ShownRegistry, nodes: number): string {
  const { registry, text, credentials, forbidsSource, isUnencrypted } = shown;
  const hosts = some([...new Set(hostsIn(text))].map(code), 4);
  const last = forbidsSource ? "never the registry itself" : "then the registry itself";
  const signedIn = credentials.length > 0 ? ` · with credentials for ${some(credentials.map(code), 4)}` : "";
  const marks = `${signedIn}${isUnencrypted ? ` · ${sign.warning} unencrypted` : ""}`;
  return `${signOf(shown)} ${code(registry)} → ${hosts}, ${last}${marks} · ${nodesText(shown, nodes)}${renewalMark(shown)}`;
}

function signOf({ without, question, notRenewed }: ShownRegistry): string {
  if (without.length > 0) return question === null ? sign.running : sign.decide;
  return notRenewed.length > 0 ? sign.warning : sign.done;
}

const renewalMark = ({ notRenewed }: ShownRegistry): string =>
  notRenewed.length === 0
    ? ""
    : ` · password of ECR not renewed on ${some(
        notRenewed.map(({ node }) => code(node)),
        MOST_NODES,
      )}`;

const renewalLines = (failed: readonly FailedRenewal[], at: string): readonly string[] =>
  failed.map((one) => failedRenewalLine(one, at));

/** The question about a registry; it says what to type. */
const questionLines = ({ question }: Pick<ShownRegistry, "question">): readonly string[] =>
  question === null ? [] : [`${sign.decide} ${prose(question, 800)}`];

const listText = (name: string, list: readonly string[]): readonly string[] =>
  list.length > 0
    ? [`${sign.warning} The cluster's ${name} registries do not hold on Windows nodes: ${some(list.map(code), 8)}.`]
    : [];

function remarksOf({
  inexpressible,
  unused,
  unusedCredentials,
  unenforced,
}: Omit<ShownMirrors, "registries" | "nodes" | "renewals" | "at">): readonly string[] {
  const faults = [...inexpressible.map(mirrorFaultText), ...unused.map((one: UnusedMirror) => unusedMirrorText(one))];
  return [
    ...faults.map((one) => `${sign.warning} ${prose(one, 300)}`),
    ...(unusedCredentials.length > 0 ? [`${sign.warning} ${unusedCredentialsText(unusedCredentials.map(code))}`] : []),
    ...listText("blocked", unenforced.blocked),
    ...listText("allowed", unenforced.allowed),
  ];
}

const cut = (lines: readonly string[], noun: string): readonly string[] =>
  lines.length > MOST_LINES ? [...lines.slice(0, MOST_LINES), `and ${lines.length - MOST_LINES} more ${noun}`] : lines;

/** The list of registries with mirrors. */
export function mirrorsMessage(shown: ShownMirrors): Message {
  const { registries, nodes, renewals, at } = shown;
  const title =
    registries.length === 0
      ? "The cluster has no mirror set: Windows nodes pull from every registry directly."
      : `${registries.length === 1 ? "1 registry" : `${registries.length} registries`} with mirrors, ${counted(nodes, "managed Windows node")}.`;
  const lines = [
    ...cut(
      registries.map((one) => registryLine(one, nodes)),
      "registries",
    ),
    ...cut(renewalLines(renewals, at), "nodes"),
    ...cut([...registries.flatMap(questionLines), ...remarksOf(shown)], "remarks"),
  ];
  return {
    text: title,
    blocks: [
      section(`*Registry mirrors*: ${title}`),
      ...(lines.length > 0 ? sections(lines) : []),
      context(`${typeThis("mirrors", "<registry>")} shows its file · ${typeThis("reconcile")} writes it now`),
    ],
  };
}

const widenedText = ({ mirror, sources, pulls }: WidenedMirror): string =>
  `containerd knows registries, not repositories: ${code(mirror)}, mirror of ${some(sources.map(code), 4)}, also serves every other image of the registry${pulls === "digest" ? " that is pulled by digest" : ""}.`;

/** One registry: its mirror sets, its nodes, its file. */
export function registryMessage(
  registry: string,
  facts: {
    readonly shown: ShownRegistry | undefined;
    readonly faults: readonly MirrorFault[];
    readonly widened: readonly WidenedMirror[];
    readonly nodes: number;
    readonly at: string;
  },
): Message {
  const { shown, faults, widened, nodes, at } = facts;
  const objects = [...new Set(shown?.sources.flatMap((source) => source.objects) ?? [])];
  const lines = [
    ...(shown ? [registryLine(shown, nodes), ...renewalLines(shown.notRenewed, at), ...questionLines(shown)] : []),
    ...(objects.length > 0
      ? [
          `From ${some(
            objects.map((one) => code(plain(one))),
            8,
          )}.`,
        ]
      : []),
    ...widened.filter((one) => one.registry === registry).map(widenedText),
    ...faults.map((one) => `${sign.warning} ${prose(mirrorFaultText(one), 300)}`),
  ];
  return {
    text: `Mirrors of ${registry}`,
    blocks: [
      section(`*Mirrors of ${code(registry)}*`),
      ...sections(cut(lines, "lines")),
      ...(shown ? [section(codeBlock(shown.text, 2_500)), context(code(shown.path))] : []),
    ],
  };
}
