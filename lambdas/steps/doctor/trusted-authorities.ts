import { Refused } from "../../errors.ts";
import type { FoundObjects } from "../../inputs/input.ts";
import { trustedAuthoritiesInput } from "../../inputs/trust/input.ts";
import type { Finding } from "../../messages/doctor/finding.ts";
import { inputObjects } from "../cluster/input-objects.ts";
import { nodes } from "../cluster/nodes.ts";
import { inputContent, inputFound } from "../input-content.ts";
import { inputWatches } from "../input-watches.ts";
import { machines } from "../machines/machines.ts";
import { runtime } from "../runtime.ts";
import { secretFacts } from "../secret-facts.ts";
import type { DoctorCheck, DoctorFacts } from "./check.ts";
import { givenNodes, lackingFindings } from "./given-nodes.ts";

async function applied(patient: DoctorFacts, found: FoundObjects): Promise<Finding[]> {
  const { context, configuration } = patient;
  const [all, watch, examined] = await Promise.all([
    machines(context).given.all(),
    inputWatches(context).of(trustedAuthoritiesInput.rule).read(),
    givenNodes(patient),
  ]);
  const given = [...all.values()].flatMap(({ trustedAuthorities = [] }) => trustedAuthorities);
  const now = context.now();
  const facts = { configuration, given, now, isRequested: false, accepted: watch.accepted };
  const services = { nodes: nodes(context), secretFacts: secretFacts(context), runtime: runtime(context) };
  const content = await inputContent(trustedAuthoritiesInput, found, facts, services);
  const { remarks = [], asked = [] } = content;
  return [
    ...(remarks.length > 0 ? [{ kind: "authorities-remarks", remarks } as const] : []),
    ...(asked.length > 0 ? [{ kind: "authorities-asked", roots: asked.length } as const] : []),
    ...lackingFindings(trustedAuthoritiesInput, content, examined, { given: all, watch, now }),
  ];
}

async function observe(patient: DoctorFacts): Promise<readonly Finding[]> {
  try {
    const found = await inputFound(inputObjects(patient.context), trustedAuthoritiesInput, patient.configuration);
    return found === null ? [] : await applied(patient, found);
  } catch (error) {
    if (error instanceof Refused) return [{ kind: "input-unread", input: "trustedAuthorities", why: error.message }];
    throw error;
  }
}

/** Compares the authorities that the cluster trusts with what Windows nodes were given. */
export const trustedAuthoritiesCheck: DoctorCheck = { area: "Nodes", what: "the trusted authorities", observe };
