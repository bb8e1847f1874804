import { isDeepStrictEqual } from "node:util";
import { type Cause, forbiddenField, required, unsupported, wrong } from "../model/failure.ts";
import { at, type KubeObject, listOf } from "../model/object.ts";
import type { Node, Taint } from "../model/shapes.ts";
import { keyFaults, valueFaults } from "./names.ts";

const effects = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

function taintCauses(taint: Partial<Taint>, field: string): Cause[] {
  if (!taint.key) return [required(`${field}.key`)];
  return [
    ...keyFaults(taint.key).map((fault) => wrong(`${field}.key`, taint.key, fault)),
    ...valueFaults(taint.value ?? "").map((fault) => wrong(`${field}.value`, taint.value, fault)),
    ...(taint.effect ? [] : [required(`${field}.effect`)]),
    ...(taint.effect && !effects.includes(taint.effect) ? [unsupported(`${field}.effect`, taint.effect, effects)] : []),
  ];
}

const duplicates = (taints: readonly Partial<Taint>[]): Cause[] =>
  taints.flatMap((taint, index) =>
    taints.slice(0, index).some(({ key, effect }) => key === taint.key && effect === taint.effect)
      ? [
          {
            reason: "FieldValueDuplicate",
            message: `Duplicate value: ${JSON.stringify(taint)}: taints must be unique by key and effect pair`,
            field: `metadata.taints[${index}]`,
          },
        ]
      : [],
  );

/** Lists the errors of a Node (k8s pkg/apis/core/validation ValidateNode). */
export function nodeCauses(object: KubeObject): Cause[] {
  const taints = listOf<Partial<Taint>>(at(object, "spec", "taints"));
  return [...taints.flatMap((taint, index) => taintCauses(taint, `metadata.taints[${index}]`)), ...duplicates(taints)];
}

/** Lists the errors of an update of a Node: fields that may not change (ValidateNodeUpdate). */
export function nodeUpdateCauses(before: KubeObject, after: KubeObject): Cause[] {
  const [old, fresh] = [(before as Node).spec ?? {}, (after as Node).spec ?? {}];
  const isKept = (one: unknown, other: unknown): boolean => !one || isDeepStrictEqual(one, other);
  const changed = (field: string, what: string): Cause =>
    forbiddenField(`spec.${field}`, `node updates may not change ${what} except from "" to valid`);
  return [
    ...(isKept(old.podCIDRs, fresh.podCIDRs) ? [] : [changed("podCIDRs", "podCIDR")]),
    ...(isKept(old.providerID, fresh.providerID) ? [] : [changed("providerID", "providerID")]),
  ];
}
