import {
  type InstanceStateChange,
  RebootInstances$,
  type RebootInstancesRequest,
  StartInstances$,
  type StartInstancesRequest,
  type StartInstancesResult,
  StopInstances$,
  type StopInstancesRequest,
  type StopInstancesResult,
  TerminateInstances$,
  type TerminateInstancesRequest,
  type TerminateInstancesResult,
} from "@aws-sdk/client-ec2";
import { AwsError } from "../../core/aws-service.ts";
import { type Ec2Action, ec2Action } from "./action.ts";
import { instancesById, permitInstances } from "./find.ts";
import type { Lifecycle, Transition } from "./lifecycle.ts";
import type { Ec2Records, InstanceRecord, InstanceState } from "./records.ts";
import { describedState } from "./view.ts";

type Request = { readonly InstanceIds?: string[] | undefined; readonly DryRun?: boolean | undefined };

const wrongState = (instance: InstanceRecord, verb: string): AwsError =>
  new AwsError(
    "IncorrectInstanceState",
    `The instance '${instance.instanceId}' is not in a state from which it can be ${verb}.`,
  );

const protectedError = (instance: InstanceRecord): AwsError =>
  new AwsError(
    "OperationNotPermitted",
    `The instance '${instance.instanceId}' may not be terminated. Modify its 'disableApiTermination' instance attribute and try again.`,
  );

/** "User initiated (2026-11-21 08:00:00 GMT)" */
const byUser = (now: number): string =>
  `User initiated (${new Date(now).toISOString().slice(0, 19).replace("T", " ")} GMT)`;

const change = (instance: InstanceRecord, before: InstanceState): InstanceStateChange => ({
  InstanceId: instance.instanceId,
  PreviousState: describedState(before),
  CurrentState: describedState(instance.state),
});

/** Starts the transition of those instances that are in one of the states; lists the change of every instance. */
function changeStates(
  records: Ec2Records,
  lifecycle: Lifecycle,
  instances: readonly InstanceRecord[],
  transition: Transition,
  from: readonly InstanceState[],
): InstanceStateChange[] {
  return instances.map((instance) => {
    const before = instance.state;
    if (from.includes(before)) {
      instance.transitionReason = transition === "start" ? "" : byUser(records.simulation.clock.now());
      if (transition === "start") instance.launchedAt = records.simulation.clock.now();
      lifecycle.send(instance, transition);
    }
    return change(instance, before);
  });
}

/**
 * Terminates instances. A protected one keeps all of its zone from termination; those of other zones are terminated
 * although the call fails.
 */
function terminate(records: Ec2Records, lifecycle: Lifecycle, input: Request): TerminateInstancesResult {
  const instances = instancesById(records, input.InstanceIds ?? []);
  const guarded = instances.filter((instance) => instance.protected && instance.state !== "terminated");
  const free = instances.filter((instance) => guarded.every((other) => other.zone !== instance.zone));
  const changes = changeStates(records, lifecycle, free, "terminate", ["pending", "running", "stopping", "stopped"]);
  const [first] = guarded;
  if (first) throw protectedError(first);
  return { TerminatingInstances: changes };
}

function stop(records: Ec2Records, lifecycle: Lifecycle, input: StopInstancesRequest): StopInstancesResult {
  const instances = instancesById(records, input.InstanceIds ?? []);
  const wrong = instances.find(({ state }) => ["pending", "shutting-down", "terminated"].includes(state));
  if (wrong) throw wrongState(wrong, "stopped");
  return { StoppingInstances: changeStates(records, lifecycle, instances, "stop", ["running"]) };
}

function start(records: Ec2Records, lifecycle: Lifecycle, input: StartInstancesRequest): StartInstancesResult {
  const instances = instancesById(records, input.InstanceIds ?? []);
  const wrong = instances.find(({ state }) => ["stopping", "shutting-down", "terminated"].includes(state));
  if (wrong) throw wrongState(wrong, "started");
  return { StartingInstances: changeStates(records, lifecycle, instances, "start", ["stopped"]) };
}

/** Reboots instances: changes no state, and ignores terminated ones (API Reference, RebootInstances). */
function reboot(records: Ec2Records, input: RebootInstancesRequest): object {
  const instances = instancesById(records, input.InstanceIds ?? []).filter(({ state }) => state !== "terminated");
  const wrong = instances.find(({ state }) => state !== "running");
  if (wrong) throw wrongState(wrong, "rebooted");
  for (const { instanceId } of instances) records.simulation.bus.announce({ kind: "instance-reboot", instanceId });
  return {};
}

/** TerminateInstances, StopInstances, StartInstances, RebootInstances. */
export function changeActions(records: Ec2Records, lifecycle: Lifecycle): Ec2Action[] {
  const action = <Input extends Request, Output extends object>(
    schema: unknown,
    name: string,
    perform: (input: Input) => Output,
  ): Ec2Action =>
    ec2Action<Input, Output>(schema, {
      permit: (input, caller) => permitInstances(records, caller, `ec2:${name}`, input.InstanceIds ?? []),
      perform,
    });
  return [
    action<TerminateInstancesRequest, TerminateInstancesResult>(TerminateInstances$, "TerminateInstances", (input) =>
      terminate(records, lifecycle, input),
    ),
    action<StopInstancesRequest, StopInstancesResult>(StopInstances$, "StopInstances", (input) =>
      stop(records, lifecycle, input),
    ),
    action<StartInstancesRequest, StartInstancesResult>(StartInstances$, "StartInstances", (input) =>
      start(records, lifecycle, input),
    ),
    action<RebootInstancesRequest, object>(RebootInstances$, "RebootInstances", (input) => reboot(records, input)),
  ];
}
