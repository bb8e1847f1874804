import { describe, expect, test } from "vitest";
import { okd } from "../../../lambdas/profiles/okd/okd.ts";
import { doctor, together } from "../../../lambdas/steps/doctor/doctor.ts";
import { configurationWith } from "../../profiles/okd/facts.ts";
import { type ApiAnswers, apiRefusal } from "../api-server.ts";
import { patientOf } from "./a-cluster.ts";
import { refusal } from "./a-patient.ts";

const REVIEW = "POST /apis/authentication.k8s.io/v1/selfsubjectreviews";
const RIGHTS = "POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
const TOKEN = "POST /api/v1/namespaces/casement/serviceaccounts/look/token";
const mine = { body: { status: { userInfo: { username: "system:serviceaccount:casement:look" } } } };
const denial = apiRefusal(422, "ValidatingAdmissionPolicy 'casement-tokens' denied it");
const connected: ApiAnswers = { [REVIEW]: mine, [RIGHTS]: { body: { status: { allowed: true } } }, [TOKEN]: denial };
const skipped = ["the credential's end", "the account's rights", "the admission policies"];

const verbs = (api: ApiAnswers, more: Parameters<typeof patientOf>[1] = {}) =>
  doctor(patientOf(api, more).patient.context);
const credentials = [
  {
    account: "look",
    issuedAt: "1970-01-01T00:00:00.000Z",
    renewsAt: "1970-01-01T12:00:00.000Z",
    at: "1970-01-01T00:00:00.000Z",
  },
];

describe("An account's access to the cluster", () => {
  const access = (api: ApiAnswers, more: Parameters<typeof patientOf>[1] = {}) =>
    verbs(api, more).examineAccess("olivia", okd);

  test("is examined by four checks, with the credential's age", async () => {
    expect(await access(connected)).toEqual({ findings: [], looked: 4, skipped: [], credentials });
  });

  test.each<[string, ApiAnswers[string], object]>([
    [
      "rejects the token",
      apiRefusal(401),
      { kind: "credential-unusable", account: "look", why: "the API server rejects the token" },
    ],
    ["is down", apiRefusal(503, "later"), { kind: "down", area: "Cluster", why: "the API server answered 503: later" }],
  ])("is not examined further where the server %s", async (_what, answer, finding) => {
    expect(await access({ ...connected, [REVIEW]: answer })).toEqual({
      findings: [finding],
      looked: 1,
      skipped,
      credentials,
    });
  });

  test("is examined on although the clocks differ, and each failed check is a finding", async () => {
    const date = new Date(-3_600_000).toUTCString();
    const found = await access({
      ...connected,
      [REVIEW]: { ...mine, headers: { date } },
      [TOKEN]: apiRefusal(503, "later"),
    });
    expect(found).toEqual({
      findings: [
        { kind: "clock", against: "the cluster", seconds: 3_600 },
        {
          kind: "no-answer",
          area: "Cluster",
          what: "the admission policies",
          why: "the API server answered 503: later",
          service: "the Kubernetes API",
        },
      ],
      looked: 4,
      skipped: [],
      credentials,
    });
  });

  test("is examined without a release, which is a finding of its own", async () => {
    const missing = { "": () => ({ status: 404, body: "<Error><Code>NoSuchKey</Code><Message>no</Message></Error>" }) };
    expect(await verbs(connected, { aws: missing }).examineAnyway("olivia", okd)).toEqual({
      findings: [
        {
          kind: "no-release",
          why: expect.stringContaining("Casement is not set up completely: the bucket casement has no "),
        },
      ],
      looked: 5,
      skipped: ["all checks that need a release"],
      credentials,
    });
  });

  test("is examined while AWS refuses the credentials", async () => {
    const expired = {
      "": () => ({ status: 400, body: "<Error><Code>ExpiredToken</Code><Message>no</Message></Error>" }),
      GetSecretValue: refusal("ExpiredTokenException"),
    };
    const { findings, looked } = await verbs({}, { aws: expired }).examineAnyway("olivia", okd);
    expect(findings.map(({ kind }) => kind)).toEqual(["no-credentials", "credential-unusable"]);
    expect(looked).toBe(2);
  });
});

test("The images of pools are those that can be read", async () => {
  const one = configurationWith();
  const web = one.pools.web as NonNullable<typeof one.pools.web>;
  const configuration = { ...one, pools: { web, old: { ...web, windows: "2019" as const } } };
  const image = ({ Name }: Record<string, unknown>) =>
    String(Name).includes("2022")
      ? { body: { Parameter: { Value: "ami-1" } } }
      : { status: 400, body: { __type: "ParameterNotFound", message: "no" } };
  expect(await verbs({}, { aws: { GetParameter: image } }).images(configuration)).toEqual({ web: "ami-1" });
});

test("Examinations are added up, with their credentials", () => {
  const one = { findings: [], looked: 2, skipped: ["a"], credentials };
  expect(together([one as never, { findings: [], looked: 1, skipped: [] }])).toEqual({
    findings: [],
    looked: 3,
    skipped: ["a"],
    credentials,
  });
});
