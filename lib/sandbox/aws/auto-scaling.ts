import { AwsError, type AwsService, type Caller } from "../core/aws-service.ts";
import type { Collection, Store } from "../core/store.ts";
import { textOf, type WireRequest, type WireResponse } from "../core/wire.ts";
import { element, textElement, XML_DECLARATION } from "./xml.ts";

/** Lifecycle of an instance of a group (Auto Scaling user guide, "Amazon EC2 Auto Scaling instance lifecycle"). */
type Lifecycle = "InService" | "Standby" | "Terminating";

/** One Auto Scaling group. */
export interface ScalingGroup {
  readonly name: string;
  /** "EC2", or "EC2,ELB". */
  readonly checks: string;
  readonly suspended: readonly string[];
  /** Lifecycle by instance id. */
  readonly members: Readonly<Record<string, Lifecycle>>;
}

/** The part of EC2 Auto Scaling that says how a group sees its instances, and by which its owner pauses it. */
export interface AutoScaling {
  readonly service: AwsService;
  readonly groups: Collection<ScalingGroup>;
}

/** Processes that can be suspended; without names all of them are (API Reference, SuspendProcesses). */
const PROCESSES = [
  "Launch",
  "Terminate",
  "AddToLoadBalancer",
  "AlarmNotification",
  "AZRebalance",
  "HealthCheck",
  "InstanceRefresh",
  "ReplaceUnhealthy",
  "ScheduledActions",
];

const xml = (body: string, status = 200): WireResponse => ({
  status,
  headers: { "content-type": "text/xml" },
  body: `${XML_DECLARATION}${body}`,
});

const answered = (action: string, result: string): WireResponse =>
  xml(element(`${action}Response`, element(`${action}Result`, result)));

const listOf = (form: URLSearchParams, name: string): string[] =>
  [...form].flatMap(([key, value]) => (key.startsWith(`${name}.member.`) ? [value] : []));

const members = (texts: readonly string[]): string => texts.map((text) => element("member", text)).join("");

const instanceOf = (group: ScalingGroup, [id, lifecycle]: readonly [string, Lifecycle]): string =>
  textElement("InstanceId", id) +
  textElement("AutoScalingGroupName", group.name) +
  textElement("LifecycleState", lifecycle) +
  textElement("HealthStatus", "HEALTHY");

const groupOf = (group: ScalingGroup): string =>
  textElement("AutoScalingGroupName", group.name) +
  textElement("HealthCheckType", group.checks) +
  element("SuspendedProcesses", members(group.suspended.map((name) => textElement("ProcessName", name))));

/** Requests of a group's owner. */
const changes: Readonly<Record<string, (group: ScalingGroup, form: URLSearchParams) => ScalingGroup>> = {
  SuspendProcesses: (group, form) => {
    const named = listOf(form, "ScalingProcesses");
    const suspended = [...new Set([...group.suspended, ...(named.length > 0 ? named : PROCESSES)])];
    return { ...group, suspended };
  },
  ResumeProcesses: (group, form) => {
    const named = listOf(form, "ScalingProcesses");
    return { ...group, suspended: named.length > 0 ? group.suspended.filter((name) => !named.includes(name)) : [] };
  },
  EnterStandby: (group, form) => withLifecycle(group, listOf(form, "InstanceIds"), "Standby"),
  ExitStandby: (group, form) => withLifecycle(group, listOf(form, "InstanceIds"), "InService"),
};

const withLifecycle = (group: ScalingGroup, ids: readonly string[], lifecycle: Lifecycle): ScalingGroup => ({
  ...group,
  members: { ...group.members, ...Object.fromEntries(ids.map((id) => [id, lifecycle])) },
});

/**
 * Builds the service: two reads, and the requests by which an owner pauses the health checks of a group or of one instance
 * (API Reference of EC2 Auto Scaling, query protocol of 2011-01-01).
 */
export function autoScaling({ store }: { readonly store: Store }): AutoScaling {
  const groups: Collection<ScalingGroup> = store.collection("scaling-groups");

  const read = (action: string, form: URLSearchParams, caller: Caller): WireResponse | undefined => {
    if (!action.startsWith("DescribeAutoScaling")) return undefined;
    caller.require(`autoscaling:${action}`, ["*"]);
    if (action === "DescribeAutoScalingInstances") {
      const ids = listOf(form, "InstanceIds");
      const found = groups
        .values()
        .flatMap((group) => Object.entries(group.members).map((member) => ({ group, member })))
        .filter(({ member: [id] }) => ids.length === 0 || ids.includes(id));
      const shown = found.map(({ group, member }) => instanceOf(group, member));
      return answered(action, element("AutoScalingInstances", members(shown)));
    }
    const names = listOf(form, "AutoScalingGroupNames");
    const found = groups.values().filter(({ name }) => names.length === 0 || names.includes(name));
    return answered(action, element("AutoScalingGroups", members(found.map(groupOf))));
  };

  const change = (action: string, form: URLSearchParams, caller: Caller): WireResponse => {
    const changed = changes[action];
    if (!changed) throw new AwsError("InvalidAction", `Could not find operation ${action}`, 400);
    const name = form.get("AutoScalingGroupName") ?? "";
    caller.require(`autoscaling:${action}`, [
      `arn:aws:autoscaling:*:*:autoScalingGroup:*:autoScalingGroupName/${name}`,
    ]);
    const group = groups.get(name);
    if (!group) throw new AwsError("ValidationError", `AutoScalingGroup name not found - no such group: ${name}`, 400);
    groups.set(name, changed(group, form));
    return answered(action, "");
  };

  const formOf = (request: WireRequest): URLSearchParams => new URLSearchParams(textOf(request));
  return {
    groups,
    service: {
      name: "autoscaling",
      action: (request) => formOf(request).get("Action") ?? "unknown",
      answer: async (action, request, caller) =>
        read(action, formOf(request), caller) ?? change(action, formOf(request), caller),
      refuse: ({ code, message, status }) =>
        xml(
          element("ErrorResponse", element("Error", textElement("Code", code) + textElement("Message", message))),
          status,
        ),
    },
  };
}
