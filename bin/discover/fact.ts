import { ApiException } from "@kubernetes/client-node";
import { z } from "zod";
import { lacksCredentials, wordsOf } from "../../lambdas/steps/client-errors.ts";

/** A value for the configuration with its source, or the reason why there is none. */
export type Fact<T> = { readonly value: T; readonly source: string } | { readonly missing: string };

/** Returns the value of a fact; undefined if it is missing. */
export const found = <T>(fact: Fact<T>): T | undefined => ("missing" in fact ? undefined : fact.value);

/** Derives a fact from another one. @param take returns undefined where there is no such part */
export function part<T, U>(fact: Fact<T>, name: string, take: (value: T) => U | undefined): Fact<U> {
  if ("missing" in fact) return fact;
  const value = take(fact.value);
  const source = `${fact.source}: ${name}`;
  return value === undefined ? { missing: `${fact.source} has no ${name}` } : { value, source };
}

/** Returns the first fact that was found; if none was, the first one, whose reason is the most useful. */
export const firstOf = <T>(first: Fact<T>, ...others: readonly Fact<T>[]): Fact<T> =>
  [first, ...others].find((one) => !("missing" in one)) ?? first;

/** Explains why a service did not answer a person's own request. */
function reasonOf(error: unknown): string {
  if (error instanceof z.ZodError) return "the answer has another shape than expected";
  if (lacksCredentials(error)) return "there are no valid AWS credentials: set AWS_PROFILE, or log in";
  if (error instanceof ApiException && error.code === 401)
    return "the API server rejects your kubeconfig's credential: log in again";
  return wordsOf(error).replaceAll(/\s+/g, " ").slice(0, 200);
}

/**
 * Calls a service for a fact. A call that fails makes this fact missing, and the others go on.
 * @param source name of what is read, for the comment behind the value
 */
export async function read<T>(source: string, call: () => Promise<T>): Promise<Fact<T>> {
  try {
    return { value: await call(), source };
  } catch (error) {
    return { missing: `${source}: ${reasonOf(error)}` };
  }
}
