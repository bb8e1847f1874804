import { marshall } from "@aws-sdk/util-dynamodb";
import type { Account } from "../../../lambdas/cluster/accounts.ts";
import { okd } from "../../../lambdas/profiles/okd/okd.ts";
import { MACHINES } from "../../../lambdas/records/ledger-table.ts";
import type { MachineParts } from "../../../lambdas/records/machine-record.ts";
import type { Settings } from "../../../lambdas/settings.ts";
import type { DoctorCheck, DoctorFacts } from "../../../lambdas/steps/doctor/check.ts";
import { configurationWith, manifest } from "../../profiles/okd/facts.ts";
import { type Answers, answering } from "../answering.ts";
import { type ApiAnswers, apiServer, clusterSecret } from "../api-server.ts";

/** Facts of an examination besides the answers of the services. */
interface Surroundings {
  readonly aws?: Answers;
  readonly account?: Account;
  /** Milliseconds since the epoch. */
  readonly now?: number;
  readonly facts?: Partial<DoctorFacts>;
  readonly settings?: Partial<Settings>;
}

/** A patient whose cluster answers so, and what was asked of it. */
export function patientOf(
  api: ApiAnswers,
  { aws = {}, account = "look", now = 0, facts = {}, settings = {} }: Surroundings = {},
) {
  const { exchange, requests } = apiServer(api);
  const { context, asked } = answering({ ...clusterSecret(), ...aws }, exchange);
  const patient: DoctorFacts = {
    context: { ...context, settings: { ...context.settings, account, ...settings }, now: () => now },
    by: "the doctor",
    profile: okd,
    configuration: configurationWith(),
    payload: manifest(),
    images: {},
    ...facts,
  };
  return { patient, requests, asked };
}

/** Runs a check in a cluster that answers so. @returns its findings, or the name and words of the error */
export async function foundIn(
  { observe }: Pick<DoctorCheck, "observe">,
  api: ApiAnswers,
  surroundings: Surroundings = {},
): Promise<unknown> {
  const { patient } = patientOf(api, surroundings);
  return observe(patient).catch(({ name, message }: Error) => `${name}: ${message}`);
}

/** The ledger with these parts of machines' records, by instance id, and nothing else. */
export const recorded = (records: Readonly<Record<string, Partial<MachineParts>>>): Answers => ({
  Query: ({ ExpressionAttributeValues }) => ({
    body: {
      Items: JSON.stringify(ExpressionAttributeValues).includes(`"${MACHINES}"`)
        ? Object.entries(records).map(([id, parts]) => {
            const stored = Object.entries(parts).map(([name, value]) => [name, { version: 1, value }]);
            return marshall({ pk: MACHINES, sk: id, ...Object.fromEntries(stored) }, { removeUndefinedValues: true });
          })
        : [],
    },
  }),
});
