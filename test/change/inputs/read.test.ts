import { ApiException } from "@kubernetes/client-node";
import { describe, expect, it } from "vitest";
import { readInput } from "../../../lambdas/change/inputs/read.ts";
import { inputs } from "../../../lambdas/inputs/list.ts";
import { verbs } from "../../engine/durable-engine.ts";
import { configurationWith } from "../../profiles/okd/facts.ts";
import { inputVerbs } from "./published.ts";

/** Reads the authority while the cluster answers a list of nodes so. @returns what the watch noted, and what was read */
async function readWhile(error: Error) {
  const { noted, verbs: ofInput } = inputVerbs();
  const steps = verbs({
    ...ofInput,
    machines: { given: { all: async () => new Map() } },
    nodes: {
      all: async () => {
        throw error;
      },
    },
  });
  return { noted, reading: await readInput(steps, wish, "tick-1") };
}

const wish = { input: inputs.kubeletClients, configuration: configurationWith(), isRequested: false };

describe("A tick that may not list the nodes", () => {
  it("is news for people with its reason, and no node is due", async () => {
    const { noted, reading } = await readWhile(new ApiException(403, "nodes is forbidden", {}, {}));
    expect(noted).toEqual(["refused"]);
    expect(reading).toMatchObject({ sha256: null, news: "bad", due: { nodes: [] } });
    expect(reading.why).toContain("the nodes that need it cannot be listed");
  });

  it.each([401, 503])(
    "says nothing when the API server answers %i: another watch or the next tick does",
    async (status) => {
      const { noted, reading } = await readWhile(new ApiException(status, "no", {}, {}));
      expect(noted).toEqual(["busy"]);
      expect(reading).toMatchObject({ sha256: null, news: null });
    },
  );
});
