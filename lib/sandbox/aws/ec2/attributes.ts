import {
  DescribeInstanceAttribute$,
  type DescribeInstanceAttributeRequest,
  type InstanceAttribute,
  ModifyInstanceAttribute$,
  type ModifyInstanceAttributeRequest,
  ModifyInstanceMetadataOptions$,
  type ModifyInstanceMetadataOptionsRequest,
  type ModifyInstanceMetadataOptionsResult,
} from "@aws-sdk/client-ec2";
import { AwsError } from "../../core/aws-service.ts";
import type { Ec2Action } from "./action.ts";
import { instanceById } from "./find.ts";
import { instanceAction } from "./instance-action.ts";
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

/** Attributes and metadata options of one instance. */
export const attributeActions = (records: Ec2Records): Ec2Action[] => [
  instanceAction<DescribeInstanceAttributeRequest, InstanceAttribute>(
    records,
    DescribeInstanceAttribute$,
    "DescribeInstanceAttribute",
    (input) => describeAttribute(records, input),
  ),
  instanceAction<ModifyInstanceAttributeRequest, object>(
    records,
    ModifyInstanceAttribute$,
    "ModifyInstanceAttribute",
    (input) => modifyAttribute(records, input),
  ),
  instanceAction<ModifyInstanceMetadataOptionsRequest, ModifyInstanceMetadataOptionsResult>(
    records,
    ModifyInstanceMetadataOptions$,
    "ModifyInstanceMetadataOptions",
    (input) => modifyMetadata(records, input),
  ),
];
