import type { FailureCode } from "../../records/failures.ts";

/**
 * Meaning of a refused launch: another subnet or instance type may have room; the same request may succeed later; it
 * succeeds only after a change of the account; the request itself is wrong, by the configuration or by a bug.
 */
type LaunchGroup = "next place" | "later" | "never" | "ours";

/** Group of an error code, and the failure that the launch ends with. */
interface LaunchCode {
  readonly group: LaunchGroup;
  readonly code: FailureCode;
}

/** Error codes by group and failure. */
const table: readonly (readonly [LaunchGroup, FailureCode, readonly string[]])[] = [
  [
    "next place",
    "no-capacity",
    [
      ...["InsufficientInstanceCapacity", "InsufficientHostCapacity", "InsufficientCapacity"],
      ...["InsufficientReservedInstanceCapacity", "InsufficientReservedInstancesCapacity"],
      ...["InsufficientVolumeCapacity", "InsufficientAddressCapacity", "InsufficientCapacityOnHost"],
      ...["ReservationCapacityExceeded", "UnfulfillableCapacity", "CapacityReservationFleetLimitExceeded"],
      ...[
        "Unsupported",
        "UnsupportedHostConfiguration",
        "UnsupportedInstanceTypeOnHost",
        "UnsupportedInstanceAttribute",
      ],
      ...["InvalidAvailabilityZone", "ZonalShiftActive", "MaxSpotInstanceCountExceeded", "SpotMaxPriceTooLow"],
    ],
  ],
  ["next place", "subnet-full", ["InsufficientFreeAddressesInSubnet"]],
  ["next place", "vcpu-quota", ["VcpuLimitExceeded", "InstanceLimitExceeded", "MaxInstanceCountExceeded"]],
  [
    "later",
    "launch-later",
    [
      ...["RequestLimitExceeded", "Throttling", "ThrottlingException", "EC2ThrottledException", "SlowDown"],
      ...["RequestResourceCountExceeded", "ResourceCountExceeded", "ConcurrentTagAccess", "ConcurrentCreateVolume"],
      ...["InternalError", "InternalFailure", "Unavailable", "ServiceUnavailable", "Server.InternalError"],
      ...["RequestExpired", "PendingVerification", "MaxFleetCountExceeded", "FleetNotInModifiableState"],
      ...["IncorrectState", "InvalidState", "PendingSnapshotLimitExceeded", "ConcurrentSnapshotLimitExceeded"],
    ],
  ],
  [
    "never",
    "volume-quota",
    [
      "VolumeLimitExceeded",
      "MaxIOPSLimitExceeded",
      "VolumeIOPSLimit",
      "MaxThroughputLimitExceeded",
      "VolumeTypeNotAvailableInZone",
    ],
  ],
  [
    "never",
    "account-refused",
    [
      ...[
        "Blocked",
        "OptInRequired",
        "PendingAccountVerification",
        "UnsupportedOperationException",
        "NotSupportedInRegion",
      ],
      ...["InvalidClientTokenId", "MissingAuthenticationToken", "IncompleteSignature", "SignatureDoesNotMatch"],
      ...[
        "NetworkInterfaceLimitExceeded",
        "SecurityGroupsPerInstanceLimitExceeded",
        "SecurityGroupsPerInterfaceLimitExceeded",
      ],
      ...["AttachmentLimitExceeded", "InterfaceInUse", "TagPolicyViolation", "MarketplaceSubscriptionRequired"],
      ...["ActiveVpcPeeringConnectionPerVpcLimitExceeded", "PrivateIpAddressLimitExceeded", "AddressLimitExceeded"],
      ...["HostLimitExceeded", "DedicatedHostLimitExceeded", "ResourceLimitExceeded", "SnapshotLimitExceeded"],
      ...["SpotFleetRequestConfigurationInvalid", "FleetLimitExceeded", "DisallowedForDedicatedTenancyNetwork"],
    ],
  ],
  [
    "never",
    "aws-denied",
    [
      "AuthFailure",
      "UnauthorizedOperation",
      "AccessDenied",
      "AccessDeniedException",
      "OperationNotPermitted",
      "Client.UnauthorizedOperation",
    ],
  ],
  [
    "never",
    "volume-key-unusable",
    ["InvalidKMSKey.NotFound", "KMSKeyNotAccessible", "InvalidKmsKeyId", "KMSKeyNotAccessibleFault"],
  ],
  [
    "ours",
    "launch-refused",
    [
      ...["InvalidAMIID.NotFound", "InvalidAMIID.Malformed", "InvalidAMIID.Unavailable", "InvalidSubnetID.NotFound"],
      ...[
        "InvalidSubnetID.Malformed",
        "InvalidSubnet",
        "InvalidSubnet.Range",
        "InvalidGroup.NotFound",
        "InvalidVpcID.NotFound",
      ],
      ...["InvalidGroupId.Malformed", "InvalidSecurityGroupID.NotFound", "InvalidSecurityGroupId.Malformed"],
      ...[
        "InvalidKeyPair.NotFound",
        "InvalidBlockDeviceMapping",
        "InvalidSnapshot.NotFound",
        "InvalidSnapshotID.Malformed",
      ],
      ...["InvalidIamInstanceProfileArn.Malformed", "InvalidIamInstanceProfile", "InvalidUserData.Malformed"],
      ...["InvalidParameter", "InvalidParameterValue", "InvalidParameterCombination", "InvalidParameterDependency"],
      ...[
        "InvalidParameterSpace",
        "InvalidInput",
        "InvalidRequest",
        "InvalidAction",
        "InvalidQueryParameter",
        "InvalidCharacter",
      ],
      ...[
        "MissingParameter",
        "MissingAction",
        "MissingInput",
        "MalformedQueryString",
        "UnknownParameter",
        "ValidationError",
      ],
      ...["UnsupportedOperation", "UnsupportedTenancy", "UnsupportedProtocol", "UnsupportedHibernationConfiguration"],
      ...[
        "EncryptedVolumesNotSupported",
        "VolumeTypeNotSupported",
        "InvalidVolume.ZoneMismatch",
        "RequiredRegionMismatch",
      ],
      ...["VPCIdNotSpecified", "VPCResourceNotSpecified", "DefaultVpcDoesNotExist", "DefaultSubnetDoesNotExist"],
      ...[
        "InvalidTagKey.Malformed",
        "TagLimitExceeded",
        "InvalidInterface.IpAddressLimitExceeded",
        "InvalidIPAddress.InUse",
      ],
      ...[
        "InvalidNetworkInterfaceID.NotFound",
        "InvalidPlacementGroup.Unknown",
        "InvalidHostID.NotFound",
        "InvalidTenancy",
      ],
      ...[
        "InvalidLaunchTemplateId.NotFound",
        "InvalidLaunchTemplateId.Malformed",
        "InvalidLaunchTemplateName.NotFoundException",
      ],
      ...[
        "InvalidLaunchTemplateId.VersionNotFound",
        "InvalidFleetConfiguration",
        "InvalidFleetConfig",
        "InvalidInstanceCreditSpecification",
      ],
      ...["InstanceCreditSpecification.NotSupported", "InvalidInstanceType", "InvalidCapacityReservationId.NotFound"],
      ...[
        "InvalidElasticGpuID.NotFound",
        "IdempotentParameterMismatch",
        "IdempotentInstanceTerminated",
        "InvalidVolumeSize",
      ],
      ...[
        "InvalidMetadataOptions",
        "InvalidPaginationToken",
        "UnsupportedOperation.PublicIpAddress",
        "DryRunOperation",
      ],
    ],
  ],
];

/**
 * Meaning of each error code of a launch (EC2's API Reference, "Error codes", with the codes of RunInstances and
 * CreateFleet; which codes have room elsewhere: Karpenter, pkg/errors).
 */
export const launchCodes: Readonly<Record<string, LaunchCode | undefined>> = Object.fromEntries(
  table.flatMap(([group, code, names]) => names.map((name) => [name, { group, code }])),
);
