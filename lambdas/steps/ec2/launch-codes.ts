import type { FailureCode } from "../../records/failures.ts";

/**
 * Meaning of a refused launch: another subnet or instance type may have room; the same request may succeed later; it
 * succeeds only after a change of the account; the request itself is wrong, by the configuration or by a bug.
 */
type LaunchGroup = "next place" | "later" | "never" | "ours";

/** Group of an error code, and the failure with which the launch ends. */
interface LaunchCode {
  readonly group: LaunchGroup;
  readonly code: FailureCode;
}

/** Error codes, separated by spaces, by group and failure. */
const table: readonly (readonly [LaunchGroup, FailureCode, string])[] = [
  [
    "next place",
    "no-capacity",
    `InsufficientInstanceCapacity InsufficientHostCapacity InsufficientCapacity InsufficientCapacityOnHost
    InsufficientReservedInstanceCapacity InsufficientReservedInstancesCapacity InsufficientVolumeCapacity
    InsufficientAddressCapacity ReservationCapacityExceeded UnfulfillableCapacity UnavailableHostRequirements
    IncompatibleHostRequirements Unsupported UnsupportedHostConfiguration UnsupportedInstanceTypeOnHost
    VolumeTypeNotAvailableInZone InvalidAvailabilityZone InvalidZone.NotFound ZonesMismatched InvalidLaunchTargets
    MaxSpotInstanceCountExceeded MaxSpotFleetRequestCountExceeded SpotMaxPriceTooLow`,
  ],
  ["next place", "subnet-full", "InsufficientFreeAddressesInSubnet"],
  ["next place", "vcpu-quota", "VcpuLimitExceeded InstanceLimitExceeded"],
  [
    "later",
    "launch-later",
    `RequestLimitExceeded RequestResourceCountExceeded ResourceCountExceeded ResourceLimitExceeded ConcurrentTagAccess
    ConcurrentSnapshotLimitExceeded PendingSnapshotLimitExceeded BandwidthLimitExceeded InternalError InternalFailure
    ServerInternal ServiceUnavailable Unavailable RetryableError RequestExpired InvalidSecurity.RequestHasExpired
    PendingVerification IncorrectState InvalidState FleetNotInModifiableState MaxFleetCountExceeded
    CreditSpecificationUpdateInProgress InvalidCapacityReservationState.PendingActivation ScheduledInstanceSlotNotOpen`,
  ],
  ["never", "volume-quota", "VolumeLimitExceeded MaxIOPSLimitExceeded VolumeIOPSLimit SnapshotLimitExceeded"],
  [
    "never",
    "account-refused",
    `AccountDisabled Blocked OptInRequired TagPolicyViolation UnsupportedException HostLimitExceeded
    NetworkInterfaceLimitExceeded SecurityGroupLimitExceeded SecurityGroupsPerInstanceLimitExceeded
    SecurityGroupsPerInterfaceLimitExceeded AttachmentLimitExceeded AddressLimitExceeded PrivateIpAddressLimitExceeded
    PlacementGroupLimitExceeded MaxScheduledInstanceCapacityExceeded MaxTemplateLimitExceeded
    MaxTemplateVersionLimitExceeded`,
  ],
  [
    "never",
    "aws-denied",
    `AuthFailure UnauthorizedOperation OperationNotPermitted IncompleteSignature SignatureDoesNotMatch
    InvalidClientTokenId MissingAuthenticationToken`,
  ],
  ["never", "volume-key-unusable", "CustomerKeyHasBeenRevoked"],
  [
    "ours",
    "launch-refused",
    `BootForVolumeTypeUnsupported ClientInvalidParameterValue DefaultVpcDoesNotExist DryRunOperation
    EncryptedVolumesNotSupported IdempotentInstanceTerminated IdempotentParameterMismatch
    InstanceCreditSpecification.NotSupported InvalidAMIID.Malformed InvalidAMIID.NotFound InvalidAMIID.Unavailable
    InvalidAction InvalidAffinity InvalidAutoPlacement InvalidBlockDeviceMapping InvalidCapacityReservationId.Malformed
    InvalidCapacityReservationId.NotFound InvalidCharacter InvalidClientToken InvalidCpuCredits
    InvalidCpuCredits.Malformed InvalidElasticGpuID.Malformed InvalidElasticGpuID.NotFound InvalidGroup.NotFound
    InvalidGroupId.Malformed InvalidHostConfiguration InvalidHostID.Malformed InvalidHostID.NotFound InvalidHostId
    InvalidHostId.Malformed InvalidHostId.NotFound InvalidHostState InvalidIPAddress.InUse
    InvalidIamInstanceProfileArn.Malformed InvalidID InvalidInput InvalidInstanceAttributeValue
    InvalidInstanceCreditSpecification InvalidInstanceFamily InvalidInstanceType
    InvalidInterface.IpAddressLimitExceeded InvalidKernelId.Malformed InvalidKey.Format InvalidKeyPair.Format
    InvalidKeyPair.NotFound InvalidLaunchTemplateId.Malformed InvalidLaunchTemplateId.NotFound
    InvalidLaunchTemplateId.VersionNotFound InvalidLaunchTemplateName.MalformedException
    InvalidLaunchTemplateName.NotFoundException InvalidManifest InvalidNetworkInterface.InUse
    InvalidNetworkInterface.NotFound InvalidNetworkInterfaceID.NotFound InvalidNetworkInterfaceId.Malformed
    InvalidPaginationToken InvalidParameter InvalidParameterCombination InvalidParameterDependency
    InvalidParameterValue InvalidPlacementGroup.Unknown InvalidPlacementGroupId.Malformed InvalidProductInfo
    InvalidQueryParameter InvalidRamDiskId.Malformed InvalidRequest InvalidScheduledInstance
    InvalidSecurityGroupID.NotFound InvalidSecurityGroupId.Malformed InvalidSnapshot.NotFound
    InvalidSnapshotID.Malformed InvalidSpotFleetRequestConfig InvalidSubnet InvalidSubnetID.Malformed
    InvalidSubnetID.NotFound InvalidSubnetId.NotFound InvalidTagKey.Malformed InvalidTenancy InvalidTime
    InvalidUserID.Malformed InvalidVpcID.Malformed InvalidVpcID.NotFound MalformedQueryString MissingAction
    MissingInput MissingParameter NoSuchVersion NonEBSInstance Resource.AlreadyAssigned
    ScheduledInstanceParameterMismatch ScheduledInstanceSlotUnavailable TagLimitExceeded UnknownParameter
    UnknownVolumeType UnsupportedHibernationConfiguration UnsupportedInstanceAttribute UnsupportedOperation
    UnsupportedProtocol UnsupportedTenancy VPCIdNotSpecified VPCResourceNotSpecified ValidationError`,
  ],
];

/**
 * Meaning of each error code that RunInstances and CreateFleet may answer (EC2's API Reference, "Error codes for the
 * Amazon EC2 API": the common codes, and those of launches). Which of them have room elsewhere: Karpenter, pkg/errors.
 */
export const launchCodes: Readonly<Record<string, LaunchCode | undefined>> = Object.fromEntries(
  table.flatMap(([group, code, names]) => names.split(/\s+/).map((name) => [name, { group, code }])),
);
