import { expect, test } from "vitest";
import { isMinting } from "../../bin/connect/foreign-access.ts";

const secrets = (...resourceNames: string[]) => ({
  apiGroups: [""],
  resources: ["secrets"],
  verbs: ["get"],
  resourceNames,
});

test("a rule gives access to a token by any Secret, or by one that is named after an account", () => {
  expect(isMinting(secrets())).toBe(true);
  expect(isMinting(secrets("join-token-x7k2p"))).toBe(true);
  expect(isMinting(secrets("look-dockercfg-x7k2p"))).toBe(true);
  expect(isMinting(secrets("builder-token-x7k2p"))).toBe(false);
});

test("a rule for service accounts of other names gives none, and one for pods does whatever they are called", () => {
  const rule = { apiGroups: [""], verbs: ["create"] };
  expect(isMinting({ ...rule, resources: ["serviceaccounts/token"], resourceNames: ["builder"] })).toBe(false);
  expect(isMinting({ ...rule, resources: ["serviceaccounts/token"], resourceNames: ["act"] })).toBe(true);
  expect(isMinting({ ...rule, resources: ["pods"], resourceNames: ["any"] })).toBe(true);
});
