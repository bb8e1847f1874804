import { badRequest } from "../model/failure.ts";
import { at, type Fields, fieldsOf, listOf } from "../model/object.ts";
import type { Rule } from "./rbac.ts";
import { AUDIENCE, audiencesOf, type Tokens } from "./tokens.ts";
import { type Attributes, type Authorizer, type User, userInfoOf } from "./users.ts";

/** Sources of the reviews' answers: the authoriser, the rules of a user and the tokens. */
export interface Authorizers {
  readonly authorize: Authorizer;
  readonly rules: (user: User, namespace: string | undefined) => Rule[];
  readonly tokens: Tokens;
}

type Review = (spec: Fields, user: User, authorizers: Authorizers) => Fields;

const text = (value: unknown): string => (typeof value === "string" ? value : "");

function attributesOf(spec: Fields): Attributes {
  const path = at(spec, "nonResourceAttributes", "path");
  const wanted = fieldsOf(path === undefined ? spec.resourceAttributes : spec.nonResourceAttributes);
  if (Object.keys(wanted).length === 0) {
    throw badRequest("exactly one of nonResourceAttributes or resourceAttributes must be specified");
  }
  return {
    verb: text(wanted.verb),
    ...(path === undefined ? {} : { path: text(path) }),
    group: text(wanted.group),
    resource: text(wanted.resource),
    subresource: text(wanted.subresource),
    name: text(wanted.name),
    namespace: text(wanted.namespace) || undefined,
  };
}

function accessOf(spec: Fields, user: User, { authorize }: Authorizers): Fields {
  const { isAllowed, reason } = authorize(user, attributesOf(spec));
  return { allowed: isAllowed, ...(reason ? { reason } : {}) };
}

const rulesOf: Review = (spec, user, { rules }) => {
  const everything: Rule[] = user.groups.includes("system:masters")
    ? [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }]
    : [];
  const all = [...everything, ...rules(user, text(spec.namespace) || undefined)];
  return {
    resourceRules: all.filter((rule) => rule.resources).map(({ nonResourceURLs: _urls, ...rule }) => rule),
    nonResourceRules: all.flatMap(({ verbs, nonResourceURLs }) =>
      nonResourceURLs ? [{ verbs, nonResourceURLs }] : [],
    ),
    incomplete: false,
  };
};

const subjectOf = (spec: Fields): User => ({ name: text(spec.user), groups: listOf<string>(spec.groups) });

const quoted = (words: readonly string[]): string => `[${words.map((word) => `"${word}"`).join(" ")}]`;

/** Builds the error with which the authenticators refuse a token (union of k8s.io/apiserver, serviceaccount/jwt.go). */
function whyNot(token: string, audiences: readonly string[]): string {
  const invalid = "invalid bearer token";
  const meant = audiencesOf(token);
  const wanted = audiences.length > 0 ? audiences : [AUDIENCE];
  return meant.length === 0 || meant.some((one) => wanted.includes(one))
    ? invalid
    : `[${invalid}, token audiences ${quoted(meant)} is invalid for the target audiences ${quoted(wanted)}]`;
}

const tokenReview: Review = (spec, _user, { tokens }) => {
  const audiences = listOf<string>(spec.audiences);
  const token = text(spec.token);
  const holder = tokens.userOf(token, audiences.length > 0 ? audiences : undefined);
  return holder ? { authenticated: true, user: userInfoOf(holder) } : { user: {}, error: whyNot(token, audiences) };
};

/** Functions that compute the status of each kind of review. */
export const reviews: Readonly<Record<string, Review>> = {
  selfsubjectaccessreviews: accessOf,
  subjectaccessreviews: (spec, _user, authorizers) => accessOf(spec, subjectOf(spec), authorizers),
  selfsubjectrulesreviews: rulesOf,
  selfsubjectreviews: (_spec, user) => ({ userInfo: userInfoOf(user) }),
  tokenreviews: tokenReview,
};
