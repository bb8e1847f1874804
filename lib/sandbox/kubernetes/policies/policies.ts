import type { Clock } from "../../core/clock.ts";
import type { Attempt } from "../access/admission.ts";
import { ApiFailure, forbidden } from "../model/failure.ts";
import type { KubeObject } from "../model/object.ts";
import { known } from "../model/resources.ts";
import type { Objects } from "../store/objects.ts";
import { delayedView } from "./delayed-view.ts";
import { outcomeOf, type Scope, scopeOf } from "./expressions.ts";
import { type MatchResources, matches } from "./matching.ts";

// Decisions and sentences of k8s.io/apiserver/pkg/admission/plugin/policy/validating (dispatcher.go, validator.go).

interface Validation {
  readonly expression: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
}

interface Policy extends KubeObject {
  readonly spec: {
    readonly failurePolicy?: "Fail" | "Ignore";
    readonly matchConstraints?: MatchResources;
    readonly matchConditions?: readonly { readonly name: string; readonly expression: string }[];
    readonly variables?: readonly { readonly name: string; readonly expression: string }[];
    readonly validations?: readonly Validation[];
  };
}

interface Binding extends KubeObject {
  readonly spec: { readonly policyName: string; readonly matchResources?: MatchResources };
}

/** An objection to an attempt, from one validation or from a condition that could not be evaluated. */
interface Objection {
  readonly message: string;
  readonly reason: string;
}

/** StatusReason → HTTP status (reasonToCode). */
const codes: Readonly<Record<string, number>> = {
  Forbidden: 403,
  Unauthorized: 401,
  RequestEntityTooLarge: 413,
  Invalid: 422,
};

/** Applies the policy's failurePolicy to an expression that cannot be evaluated; Fail by default. */
const onError = ({ spec }: Policy, error: string): Objection[] =>
  spec.failurePolicy === "Ignore" ? [] : [{ message: error, reason: "Invalid" }];

/** Evaluates the match conditions: one that is false exempts the attempt, whatever the result of the others. */
function conditions(policy: Policy, scope: Scope): "all hold" | "not meant" | { readonly error: string } {
  const outcomes = (policy.spec.matchConditions ?? []).map(({ expression }) => outcomeOf(expression, scope));
  if (outcomes.some((outcome) => "value" in outcome && outcome.value !== true)) return "not meant";
  return outcomes.find((outcome) => "error" in outcome) ?? "all hold";
}

function messageOf({ expression, message, messageExpression }: Validation, scope: Scope): string {
  const said = messageExpression ? outcomeOf(messageExpression, scope) : undefined;
  const made = said && "value" in said && typeof said.value === "string" ? said.value.trim() : "";
  return made || message || `failed expression: ${expression.trim()}`;
}

function objectionTo(policy: Policy, validation: Validation, scope: Scope): Objection[] {
  const outcome = outcomeOf(validation.expression, scope);
  if ("error" in outcome) return onError(policy, outcome.error);
  if (outcome.value === true) return [];
  return [{ message: messageOf(validation, scope), reason: validation.reason ?? "Invalid" }];
}

function objections(policy: Policy, scope: Scope): Objection[] {
  const meant = conditions(policy, scope);
  if (meant === "not meant") return [];
  if (meant !== "all hold") return onError(policy, meant.error);
  return (policy.spec.validations ?? []).flatMap((validation) => objectionTo(policy, validation, scope));
}

function refusal(attempt: Attempt, policy: Policy, binding: Binding, { message, reason }: Objection): ApiFailure {
  const words = `ValidatingAdmissionPolicy '${policy.metadata.name}' with binding '${binding.metadata.name}' denied request: ${message}`;
  const { message: said, details } = forbidden(attempt.type, attempt.name, words);
  return new ApiFailure(codes[reason] ?? 403, reason, said, { ...details, causes: [{ message: words }] });
}

/** The running admission plugin. */
export interface AdmissionPolicies {
  /** Judges an attempt; throws the first objection (422, or the code of the validation's reason). */
  judge(attempt: Attempt): void;
  /** Starts the delay: from now on a policy applies shortly after it is stored; stored ones apply at once. */
  begin(): void;
}

const GROUP = "admissionregistration.k8s.io";

/** The admission plugin ValidatingAdmissionPolicy over the policies and bindings that are stored. */
export function admissionPolicies(objects: Objects, clock: Clock): AdmissionPolicies {
  const policies = delayedView<Policy>(objects, known("validatingadmissionpolicies", GROUP), clock);
  const bindings = delayedView<Binding>(objects, known("validatingadmissionpolicybindings", GROUP), clock);
  const namespaces = known("namespaces");
  const judge = (policy: Policy, attempt: Attempt, namespace: KubeObject | undefined): void => {
    const binding = bindings
      .list()
      .find(({ spec }) => spec.policyName === policy.metadata.name && matches(spec.matchResources, attempt, namespace));
    if (!binding) return;
    const [first] = objections(policy, scopeOf(attempt, namespace, policy.spec.variables ?? []));
    if (first) throw refusal(attempt, policy, binding, first);
  };
  return {
    judge: (attempt) => {
      // A policy must not lock out the person who repairs it: the server exempts the policies' own kinds.
      if (attempt.type.group === GROUP) return;
      const namespace = attempt.namespace ? objects.get(namespaces, undefined, attempt.namespace) : undefined;
      for (const policy of policies.list())
        if (matches(policy.spec.matchConstraints, attempt, namespace)) judge(policy, attempt, namespace);
    },
    begin: () => {
      policies.begin();
      bindings.begin();
    },
  };
}
