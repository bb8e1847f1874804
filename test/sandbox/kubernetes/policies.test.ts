import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type StillCluster, sandboxOnly, stillCluster } from "./cluster.ts";

const GROUP = "/apis/admissionregistration.k8s.io/v1";
const MAPS = "/api/v1/namespaces/default/configmaps";

let cluster: StillCluster;
beforeEach(async () => {
  cluster = await stillCluster();
});
afterEach(() => cluster.stop());

const policy = (spec: object) => ({
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "ValidatingAdmissionPolicy",
  metadata: { name: "maps" },
  spec: {
    matchConstraints: {
      resourceRules: [
        { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE", "UPDATE"], resources: ["configmaps"] },
      ],
    },
    ...spec,
  },
});
const binding = (spec: object = {}) => ({
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "ValidatingAdmissionPolicyBinding",
  metadata: { name: "bound" },
  spec: { policyName: "maps", validationActions: ["Deny"], ...spec },
});

/** A policy takes effect shortly after it is stored. */
async function inForce(spec: object, bindingSpec: object = {}): Promise<void> {
  expect((await cluster.admin(`POST ${GROUP}/validatingadmissionpolicies`, policy(spec))).status).toBe(201);
  expect((await cluster.admin(`POST ${GROUP}/validatingadmissionpolicybindings`, binding(bindingSpec))).status).toBe(
    201,
  );
  await cluster.pass(2);
}

const write = (data: Record<string, string>, labels = {}) =>
  cluster.admin(`POST ${MAPS}`, { metadata: { generateName: "m-", labels }, data });

describe("ValidatingAdmissionPolicy", () => {
  it("denies with the message, the policy and the binding in the server's words", async () => {
    await inForce({
      validations: [{ expression: "object.data.all(key, key != 'secret')", message: "no secrets here" }],
    });
    const { status, body } = await write({ secret: "x" });
    expect([status, body.reason]).toEqual([422, "Invalid"]);
    expect(body.message).toMatch(
      /^configmaps "m-\w{5}" is forbidden: ValidatingAdmissionPolicy 'maps' with binding 'bound' denied request: no secrets here$/,
    );
    expect((await write({ fine: "x" })).status).toBe(201);
  });

  it("uses the expression where there is no message, and the value of a messageExpression", async () => {
    await inForce({
      validations: [
        { expression: "size(object.data) < 2" },
        { expression: "!('b' in object.data)", messageExpression: "'b is ' + object.data.b", reason: "Forbidden" },
      ],
    });
    expect((await write({ a: "1", c: "2" })).body.message).toContain(
      "denied request: failed expression: size(object.data) < 2",
    );
    const { status, body } = await write({ b: "wrong" });
    expect([status, body.reason]).toEqual([403, "Forbidden"]);
    expect(body.message).toContain("denied request: b is wrong");
  });

  it("fails closed when an expression cannot be evaluated, open when the policy says Ignore", async () => {
    await inForce({ validations: [{ expression: "object.data.missing == 'x'" }] });
    expect((await write({ a: "1" })).body.message).toMatch(/resulted in error: no such key: missing/i);
    await cluster.admin(`DELETE ${GROUP}/validatingadmissionpolicies/maps`);
    await cluster.admin(
      `POST ${GROUP}/validatingadmissionpolicies`,
      policy({ failurePolicy: "Ignore", validations: [{ expression: "object.data.missing == 'x'" }] }),
    );
    await cluster.pass(2);
    expect((await write({ a: "1" })).status).toBe(201);
  });

  it("takes effect about a second after it was stored, and ends as long after its deletion", async () => {
    sandboxOnly("needs the sandbox's clock");
    const validations = [{ expression: "object.data.all(key, key != 'secret')", message: "no secrets here" }];
    await cluster.admin(`POST ${GROUP}/validatingadmissionpolicybindings`, binding());
    await cluster.admin(`POST ${GROUP}/validatingadmissionpolicies`, policy({ validations }));
    expect((await write({ secret: "x" })).status).toBe(201);
    await cluster.pass(1);
    expect((await write({ secret: "x" })).status).toBe(422);
    await cluster.admin(`DELETE ${GROUP}/validatingadmissionpolicies/maps`);
    expect((await write({ secret: "x" })).status).toBe(422);
    await cluster.pass(1);
    expect((await write({ secret: "x" })).status).toBe(201);
  });

  it.each([
    ["has() of the pointer itself is true", "has(object.spec.boundObjectRef)", 201],
    ["has() of a field behind it is false", "has(object.spec.boundObjectRef.kind)", 422],
    ["an optional field behind it has its other value", "object.spec.?boundObjectRef.?kind.orValue('') == ''", 201],
    ["a field behind it is an error", "object.spec.boundObjectRef.kind == ''", 422],
  ])("sees a pointer that the API writes without omitempty as null: %s", async (_what, expression, status) => {
    const rules = [
      { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["serviceaccounts/token"] },
    ];
    await inForce({ matchConstraints: { resourceRules: rules }, validations: [{ expression }] });
    const path = "POST /api/v1/namespaces/casement/serviceaccounts/look/token";
    expect((await cluster.admin(path, { spec: { expirationSeconds: 600 } })).status).toBe(status);
  });

  it("ignores what a condition, a selector or the binding does not match", async () => {
    await inForce(
      {
        matchConditions: [{ name: "people", expression: "!request.userInfo.username.startsWith('system:')" }],
        validations: [{ expression: "false" }],
      },
      { matchResources: { objectSelector: { matchLabels: { guarded: "yes" } } } },
    );
    expect((await write({ a: "1" })).status).toBe(201);
    expect((await write({ a: "1" }, { guarded: "yes" })).status).toBe(422);
    const system = cluster.as("system:robot", ["system:masters"]);
    const body = { metadata: { generateName: "m-", labels: { guarded: "yes" } } };
    expect((await system(`POST ${MAPS}`, body)).status).toBe(201);
  });

  it("judges a dry run, and judges an update by both states", async () => {
    await inForce({
      variables: [{ name: "before", expression: "oldObject == null ? '' : oldObject.data.a" }],
      validations: [{ expression: "variables.before == '' || variables.before == object.data.a", message: "fixed" }],
    });
    const { body } = await write({ a: "1" });
    const path = `${MAPS}/${body.metadata.name}`;
    const changed = { ...body, data: { a: "2" } };
    expect((await cluster.admin(`PUT ${path}?dryRun=All`, changed)).status).toBe(422);
    expect((await cluster.admin(`PUT ${path}`, { ...body, data: { a: "1", b: "2" } })).status).toBe(200);
  });

  it.each([
    ["an expression that does not parse", { validations: [{ expression: "object.data.all(" }] }, "compilation failed"],
    ["a variable that nobody declares", { validations: [{ expression: "nobody == 1" }] }, "compilation failed"],
    [
      "the authorizer",
      { validations: [{ expression: "authorizer.group('').check('x').allowed()" }] },
      "compilation failed",
    ],
    [
      "parameters",
      { paramKind: { apiVersion: "v1", kind: "ConfigMap" }, validations: [{ expression: "true" }] },
      "does not evaluate it",
    ],
    ["no validations", {}, "must contain at least one item"],
  ])("refuses %s when it is created instead of pretending", async (_what, spec, words) => {
    if (words !== "must contain at least one item") sandboxOnly("evaluates what the sandbox refuses");
    const { status, body } = await cluster.admin(`POST ${GROUP}/validatingadmissionpolicies`, policy(spec));
    expect(status).toBe(422);
    expect(body.message).toContain(words);
  });
});
