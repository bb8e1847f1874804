import type { JsonName } from "@peculiar/x509";
import { describe, expect, it } from "vitest";
import { suspicion } from "../../../lambdas/steps/cluster/csr-rules.ts";
import { client, nodeName, rightNames, serving, signed } from "./signing-requests.ts";

const named = (name: string): JsonName => [{ O: ["system:nodes"] }, { CN: [name] }];
const joiningAs = async (name: string) => client({ pem: await signed({ subject: named(name) }) });

describe("A request in another node's name", async () => {
  const other = "ip-10-0-9-9.us-west-2.compute.internal";
  const known = { instances: [nodeName, other], nodes: [] };
  const joining = await joiningAs(`system:node:${other}`);
  const renewing = { ...joining, username: `system:node:${other}` };
  const asksToServe = serving({
    username: `system:node:${other}`,
    pem: await signed({ subject: named(`system:node:${other}`), names: rightNames }),
  });

  it.each([
    ["another instance that joins", joining, known],
    ["a node that renews its certificate", renewing, { ...known, nodes: [other] }],
    ["another node that asks for its serving certificate", asksToServe, { ...known, nodes: [other] }],
    ["a signer that is none of ours", { ...joining, signerName: "example.com/nodes" }, { instances: [], nodes: [] }],
    ["a certificate that is no node's", await joiningAs("bob"), { instances: [], nodes: [] }],
    ["something that cannot be read", client({ pem: "garbage" }), { instances: [], nodes: [] }],
  ])("is not strange from %s", (_, pending, names) => {
    expect(suspicion(pending, names)).toBeNull();
  });

  it.each([
    ["the name of no instance", joining, { instances: [nodeName], nodes: [] }, /no instance of this cluster/],
    ["a newcomer, for the name of a Node that exists", joining, { ...known, nodes: [other] }, /already exists/],
    [
      "one node on behalf of another",
      { ...asksToServe, username: "system:node:ip-10-0-8-8" },
      { ...known, nodes: [other] },
      /on behalf of/,
    ],
    ["a name of any length", await joiningAs(`system:node:${"x".repeat(5_000)}`), known, /^.{300}$/],
  ])("is strange from %s", (_, pending, names, why) => {
    expect(suspicion(pending, names)).toMatch(why);
  });
});
