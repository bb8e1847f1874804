import type { KubeObject } from "../model/object.ts";
import type { ResourceType } from "../model/resources.ts";

/** Judges the change from one state of an object to another, or its deletion. Throws to refuse. */
export type Admission = (before: KubeObject | undefined, after: KubeObject | undefined) => void;

/** The object, or the part of it, that a change is for. */
export interface Target {
  readonly type: ResourceType;
  readonly namespace: string | undefined;
  readonly name: string;
  /** "" for the object itself, "status", "approval". */
  readonly subresource?: string;
}
