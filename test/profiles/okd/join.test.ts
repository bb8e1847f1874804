import { expect, test } from "vitest";
import { join } from "../../../lambdas/profiles/okd/join.ts";
import { configurationWith } from "./facts.ts";

test("a machine joins with a short-lived token, and trusts the API server by the authority on its disk", () => {
  expect(JSON.parse(join.kubeconfig(configurationWith(), "token-1"))).toEqual({
    ...{ apiVersion: "v1", kind: "Config", "current-context": "bootstrap" },
    clusters: [
      {
        name: "local",
        cluster: {
          server: "https://api-int.prod-west.example.com:6443",
          "certificate-authority": "C:\\k\\bootstrap-ca.crt",
        },
      },
    ],
    users: [{ name: "bootstrap", user: { token: "token-1" } }],
    contexts: [{ name: "bootstrap", context: { cluster: "local", user: "bootstrap" } }],
  });
});
