import {
  DescribeInstanceAttribute$,
  type DescribeInstanceAttributeRequest,
  GetConsoleOutput$,
  type GetConsoleOutputRequest,
  type GetConsoleOutputResult,
  type InstanceAttribute,
  ModifyInstanceAttribute$,
  type ModifyInstanceAttributeRequest,
  ModifyInstanceMetadataOptions$,
  type ModifyInstanceMetadataOptionsRequest,
  type ModifyInstanceMetadataOptionsResult,
} from "@aws-sdk/client-ec2";
import { AwsError } from "../../core/aws-service.ts";
import { type Ec2Action, ec2Action } from "./action.ts";
import { instanceById, permitInstances } from "./find.ts";
import { metadataFrom } from "./metadata.ts";
import type { Ec2Records, InstanceRecord } from "./records.ts";
import { describedMetadata } from "./view.ts";

/** Attribute name, as in the API → its value in the response. */
const attributes: Readonly<Record<string, (instance: InstanceRecord) => InstanceAttribute>> = {
  disableApiTermination: (instance) => ({ DisableApiTermination: { Value: instance.protected } }),
  userData: (instance) => ({ UserData: instance.userData === null ? {} : { Value: instance.userData } }),
  instanceType: (instance) => ({ InstanceType: { Value: instance.instanceType } }),
  instanceInitiatedShutdownBehavior: (instance) => ({
    InstanceInitiatedShutdownBehavior: { Value: instance.shutdownBehavior },
  }),
};

function describeAttribute(records: Ec2Records, input: DescribeInstanceAttributeRequest): InstanceAttribute {
  const instance = instanceById(records, input.InstanceId);
  const describe = attributes[input.Attribute ?? ""];
  if (!describe)
    throw new AwsError(
      "InvalidParameterValue",
      `Value (${input.Attribute}) for parameter attribute is invalid. Unknown attribute.`,
    );
  return { InstanceId: instance.instanceId, ...describe(instance) };
}

function modifyAttribute(records: Ec2Records, input: ModifyInstanceAttributeRequest): object {
  const instance = instanceById(records, input.InstanceId);
  const wanted = input.DisableApiTermination?.Value;
  if (wanted === undefined)
    throw new AwsError(
      "UnsupportedOperation",
      "The sandbox simulates only DisableApiTermination of ModifyInstanceAttribute.",
    );
  if (["shutting-down", "terminated"].includes(instance.state))
    throw new AwsError(
      "IncorrectInstanceState",
      `The instance '${instance.instanceId}' is not in a state that allows it.`,
    );
  instance.protected = wanted;
  records.instances.set(instance.instanceId, instance);
  return {};
}

function modifyMetadata(
  records: Ec2Records,
  input: ModifyInstanceMetadataOptionsRequest,
): ModifyInstanceMetadataOptionsResult {
  const instance = instanceById(records, input.InstanceId);
  if (!["pending", "running", "stopped"].includes(instance.state))
    throw new AwsError(
      "IncorrectInstanceState",
      `The instance '${instance.instanceId}' is not in a state that allows it.`,
    );
  instance.metadata = metadataFrom(input, instance.metadata);
  records.instances.set(instance.instanceId, instance);
  return { InstanceId: instance.instanceId, InstanceMetadataOptions: describedMetadata(instance.metadata) };
}

/** EC2 posts the console's text some minutes after the start (User Guide, "Instance console output"); four are assumed. */
const CONSOLE_AFTER = 4 * 60_000;

function consoleOf(records: Ec2Records, input: GetConsoleOutputRequest): GetConsoleOutputResult {
  const instance = instanceById(records, input.InstanceId);
  const now = records.simulation.clock.now();
  const posted = instance.runningSince !== null && now - instance.runningSince >= CONSOLE_AFTER;
  const text = `${instance.platform === "windows" ? `Windows ${instance.build}` : "Linux"} on ${instance.instanceType}\r\n`;
  return {
    InstanceId: instance.instanceId,
    Timestamp: new Date(now),
    ...(posted ? { Output: Buffer.from(text).toString("base64") } : {}),
  };
}

/** Attributes, metadata options and the console of one instance. */
export function attributeActions(records: Ec2Records): Ec2Action[] {
  const action = <
    Input extends { InstanceId: string | undefined; DryRun?: boolean | undefined },
    Output extends object,
  >(
    schema: unknown,
    name: string,
    perform: (input: Input) => Output,
  ): Ec2Action =>
    ec2Action<Input, Output>(schema, {
      permit: (input, caller) => permitInstances(records, caller, `ec2:${name}`, [input.InstanceId ?? ""]),
      perform,
    });
  return [
    action<DescribeInstanceAttributeRequest, InstanceAttribute>(
      DescribeInstanceAttribute$,
      "DescribeInstanceAttribute",
      (input) => describeAttribute(records, input),
    ),
    action<ModifyInstanceAttributeRequest, object>(ModifyInstanceAttribute$, "ModifyInstanceAttribute", (input) =>
      modifyAttribute(records, input),
    ),
    action<ModifyInstanceMetadataOptionsRequest, ModifyInstanceMetadataOptionsResult>(
      ModifyInstanceMetadataOptions$,
      "ModifyInstanceMetadataOptions",
      (input) => modifyMetadata(records, input),
    ),
    action<GetConsoleOutputRequest, GetConsoleOutputResult>(GetConsoleOutput$, "GetConsoleOutput", (input) =>
      consoleOf(records, input),
    ),
  ];
}
