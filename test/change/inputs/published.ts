import type { Input, InputContent } from "../../../lambdas/inputs/input.ts";
import type { BlockedContent } from "../../../lambdas/steps/input-watches.ts";
import { certificate } from "../../stack/certificates.ts";

/** PEM of the authorities that the cluster publishes. */
export const PEM = await certificate(true, new Date(Date.UTC(2036, 0, 1)));

/** The object with these authorities, as the cluster publishes it. */
export const publishedConfig = { spec: { kubeAPIServerServingCAData: Buffer.from(PEM).toString("base64") } };

/** The verbs by which an input is read, kept and watched: the cluster publishes one bundle of authorities. */
export function inputVerbs() {
  const noted: string[] = [];
  const blocked: BlockedContent[] = [];
  const stored = new Map<string, InputContent>();
  const seen = { reads: 0, stored: "" };
  const watch = {
    claim: async () => true,
    read: async () => {
      seen.reads += 1;
      return { blocked: null, comparedAt: 0, stored: seen.stored, remarks: [], asked: [], accepted: [] };
    },
    note: async (_tick: string, outcome: string) => {
      noted.push(outcome);
      return outcome === "refused" ? "bad" : null;
    },
    noteComparison: async () => void noted.push("compared"),
    noteStored: async (whole: string) => {
      seen.stored = whole;
    },
    noteRead: async () => {
      noted.push("read");
      return { news: null, remarks: [] };
    },
    accept: async () => undefined,
    block: async (block: BlockedContent) => void blocked.push(block),
  };
  return {
    noted,
    blocked,
    seen,
    verbs: {
      inputObjects: { read: async () => [[publishedConfig]] },
      inputStore: {
        put: async (_input: Input, content: InputContent) => void stored.set(content.sha256, content),
        get: async (_input: Input, identity: string) => stored.get(identity),
      },
      inputWatches: { of: () => watch },
    },
  };
}
