import { expect, test } from "vitest";
import { accountOf, settings } from "../lambdas/settings.ts";

const complete = {
  AWS_REGION: "us-west-2",
  AWS_ACCESS_KEY_ID: "AKIA",
  AWS_SECRET_ACCESS_KEY: "secret",
  CASEMENT_CLUSTER: "prod-west",
  CASEMENT_BUCKET: "casement-bucket",
  CASEMENT_LEDGER_TABLE: "casement-table",
  CASEMENT_SLACK_SECRET: "casement/prod-west/slack",
  CASEMENT_FUNCTIONS: '{"sweep":"casement-sweep:live"}',
  CASEMENT_DOCUMENTS: '{"apply":"1a2b"}',
};

const least = {
  region: "us-west-2",
  credentials: { accessKeyId: "AKIA", secretAccessKey: "secret" },
  awsEndpoint: undefined,
  cluster: "prod-west",
  bucket: "casement-bucket",
  ledgerTable: "casement-table",
  account: undefined,
  slackSecret: "casement/prod-west/slack",
  slackUrl: "https://slack.com/api/",
  retentionDays: 400,
  functions: { sweep: "casement-sweep:live" },
  documents: { apply: "1a2b" },
};

/** The lines about variables in the error of an environment; none if it is accepted. */
function faultsOf(environment: Record<string, string | undefined>): string[] {
  try {
    settings(environment);
    return [];
  } catch (error) {
    return String(error).split("\n");
  }
}

test("An environment without optional variables is read with the defaults", () => {
  expect(settings(complete)).toStrictEqual(least);
});

test("Each optional variable is read", () => {
  const all = settings({
    ...complete,
    AWS_SESSION_TOKEN: "session",
    AWS_ENDPOINT_URL: "http://aws.sandbox.test",
    CASEMENT_ACCOUNT: "look",
    CASEMENT_SLACK_URL: "http://slack.sandbox.test/api/",
    CASEMENT_FRONT_DOOR_URL: "https://door.example.com/",
    CASEMENT_HUMAN_TOPIC: "arn:aws:sns:us-west-2:1:people",
    CASEMENT_RETENTION_DAYS: "90",
  });
  expect(all).toStrictEqual({
    ...least,
    credentials: { accessKeyId: "AKIA", secretAccessKey: "secret", sessionToken: "session" },
    awsEndpoint: "http://aws.sandbox.test",
    account: "look",
    slackUrl: "http://slack.sandbox.test/api/",
    frontDoorUrl: "https://door.example.com/",
    humanTopic: "arn:aws:sns:us-west-2:1:people",
    retentionDays: 90,
  });
});

test("An empty session token and an empty topic count as none", () => {
  expect(settings({ ...complete, AWS_SESSION_TOKEN: "", CASEMENT_HUMAN_TOPIC: "" })).toStrictEqual(least);
});

test("Every missing variable is named at once", () => {
  expect(faultsOf({})).toEqual([
    "Error: The environment of this function is not complete:",
    "  AWS_REGION: must be set",
    "  AWS_ACCESS_KEY_ID: must be set",
    "  AWS_SECRET_ACCESS_KEY: must be set",
    "  CASEMENT_CLUSTER: must be set",
    "  CASEMENT_BUCKET: must be set",
    "  CASEMENT_LEDGER_TABLE: must be set",
    "  CASEMENT_SLACK_SECRET: must be set",
    "  CASEMENT_FUNCTIONS: must be a JSON object of strings",
    "  CASEMENT_DOCUMENTS: must be a JSON object of strings",
  ]);
});

test.each([
  ["CASEMENT_FUNCTIONS", "{", "a JSON object of strings"],
  ["CASEMENT_FUNCTIONS", "null", "a JSON object of strings"],
  ["CASEMENT_FUNCTIONS", "[]", "a JSON object of strings"],
  ["CASEMENT_FUNCTIONS", '"sweep"', "a JSON object of strings"],
  ["CASEMENT_DOCUMENTS", '{"apply":"1a2b","reboot":1}', "a JSON object of strings"],
  ["AWS_ENDPOINT_URL", "aws", "a URL"],
  ["CASEMENT_SLACK_URL", "slack", "a URL"],
  ["CASEMENT_FRONT_DOOR_URL", "door", "a URL"],
  ["CASEMENT_ACCOUNT", "admin", "look, act or join"],
  ["CASEMENT_RETENTION_DAYS", "0", "a whole number of days"],
  ["CASEMENT_RETENTION_DAYS", "90 days", "a whole number of days"],
  ["CASEMENT_RETENTION_DAYS", "x90", "a whole number of days"],
  ["CASEMENT_RETENTION_DAYS", "10000", "a whole number of days"],
])("%s of %s is refused, and its value is not quoted", (name, value, what) => {
  expect(faultsOf({ ...complete, [name]: value })).toEqual([
    "Error: The environment of this function is not complete:",
    `  ${name}: must be ${what}`,
  ]);
});

test("A function without an account in the cluster cannot be asked for one", () => {
  expect(accountOf({ account: "act" })).toBe("act");
  expect(() => accountOf({})).toThrow(new Error("this function has no account in the cluster"));
});
