import { typeThis } from "../command/syntax.ts";
import { code, counted } from "../slack/text.ts";

/** Windows nodes of the cluster, and how many of them are NotReady. */
interface Unready {
  readonly notReady: number;
  readonly all: number;
}

/**
 * Refusal to disturb a Ready node while many are NotReady: "`web-1` is Ready and stays in service: …. Next: …."
 * @param most the part that may be NotReady, "30%"
 * @param pool whose reboot would recover nodes; null where it is in none
 */
export const staysInService = (node: string, { notReady, all }: Unready, most: string, pool: string | null): string =>
  `${code(node)} is Ready and stays in service: ${notReady} of ${counted(all, "Windows node")} are NotReady, more than ${most} (${code("mostNotReady")}). Next: recover those first: ${typeThis("reboot", ...(pool === null ? [] : [pool]))} reboots NotReady nodes alone until then.`;
