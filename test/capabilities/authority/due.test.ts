import { ApiException } from "@kubernetes/client-node";
import { describe, expect, it } from "vitest";
import { readAuthority } from "../../../lambdas/capabilities/authority/due.ts";
import { verbs } from "../../engine/durable-engine.ts";
import { configurationWith } from "../../profiles/okd/facts.ts";

/** Reads the authority while the cluster answers a list of nodes so. @returns what the watch noted, and what was read */
async function readWhile(error: Error) {
  const noted: string[] = [];
  const steps = verbs({
    kubeletAuthority: { readPublished: async () => ({ pem: "PEM", authorities: [] }) },
    machines: { given: { all: async () => new Map() } },
    nodes: {
      all: async () => {
        throw error;
      },
    },
    authorityWatch: {
      read: async () => ({ blocked: null, comparedAt: 0 }),
      note: async (_tick: string, outcome: string) => {
        noted.push(outcome);
        return outcome === "refused" ? "bad" : null;
      },
    },
  });
  return { noted, reading: await readAuthority(steps, configurationWith(), "tick-1") };
}

describe("A tick that may not list the nodes", () => {
  it("is news for people with its reason, and no node is due", async () => {
    const { noted, reading } = await readWhile(new ApiException(403, "nodes is forbidden", {}, {}));
    expect(noted).toEqual(["refused"]);
    expect(reading).toMatchObject({ bundle: null, news: "bad", due: { nodes: [] } });
    expect(reading.why).toContain("the nodes that need it cannot be listed");
  });

  it.each([401, 503])(
    "says nothing when the API server answers %i: another watch or the next tick does",
    async (status) => {
      const { noted, reading } = await readWhile(new ApiException(status, "no", {}, {}));
      expect(noted).toEqual(["busy"]);
      expect(reading).toMatchObject({ bundle: null, news: null });
    },
  );
});
