import type { Instance } from "@aws-sdk/client-ec2";
import { AwsError, type AwsService } from "../../core/aws-service.ts";
import { type FaultKind, type FaultValues, withValues } from "../../core/faults.ts";
import type { Cloud, Firewall, Screens } from "../../core/ports.ts";
import type { Simulation } from "../../core/simulation.ts";
import { queryOf, textOf, type WireRequest } from "../../core/wire.ts";
import type { Account } from "./account.ts";
import { attributeActions } from "./attributes.ts";
import { noCapacity } from "./capacity.ts";
import { changeActions } from "./change.ts";
import { consoleActions } from "./console.ts";
import { describeInstanceActions, eventScheduled, statusImpaired, volumeImpaired } from "./describe-instances.ts";
import { describePartActions } from "./describe-parts.ts";
import { instanceTypes } from "./instance-types.ts";
import { launchActions, launchFails, noHostnames } from "./launch.ts";
import { lifecycle } from "./lifecycle.ts";
import { ec2Limits } from "./limits.ts";
import { networkActions } from "./network-actions.ts";
import { writeError } from "./query-protocol.ts";
import { type Ec2Records, ec2Records } from "./records.ts";
import { addRules, groupsOf, inboundOf, removeRules, storeGroup } from "./security-groups.ts";
import { type InstanceSeed, seedInstance } from "./seed.ts";
import { tagActions } from "./tags.ts";
import { describedInstance, instanceFacts, nameLate, profileLost } from "./view.ts";

/** The simulated EC2. */
export interface Ec2 {
  /** The service, which speaks EC2's query protocol. */
  readonly service: AwsService;
  /** The part of EC2 that machines and the cluster's cloud controller see. */
  readonly cloud: Cloud;
  /** Lists every instance as DescribeInstances shapes it, without its delays. */
  describe(): Instance[];
  seed(instance: InstanceSeed): void;
  /** Connects the machines' consoles; without them no screenshot can be taken. */
  attach(screens: Screens): void;
  /** Resumes the transitions that were under way when the process ended; call it once all listeners are on the bus. */
  resume(): void;
}

/** The query API takes its parameters in the body of a POST, or in the query of a GET (Developer Guide, "Query requests"). */
const parametersOf = (request: WireRequest): URLSearchParams =>
  new URLSearchParams(request.method === "GET" ? queryOf(request) : textOf(request));

/** The version of the API that @aws-sdk/client-ec2 speaks. */
const API_VERSION = "2016-11-15";

function requireVersion(version: string | null): void {
  if (version === API_VERSION) return;
  if (version === null) throw new AwsError("MissingParameter", "The request must contain the parameter Version");
  throw new AwsError("NoSuchVersion", `The requested version (${version}) of service EC2 does not exist`);
}

/** Reads a form without the fields that name the action. */
function formOf(request: WireRequest): URLSearchParams {
  const form = parametersOf(request);
  for (const name of ["Action", "Version"]) form.delete(name);
  return form;
}

const xml = (body: string, status = 200): { status: number; headers: Record<string, string>; body: string } => ({
  status,
  headers: { "content-type": "text/xml;charset=UTF-8" },
  body,
});

const firewallOf = (records: Ec2Records): Firewall => ({
  group: (name, description, tags) =>
    groupsOf(records).find((group) => group.name === name)?.groupId ?? storeGroup(records, { name, description, tags }),
  tagsOf: (groupId) => groupsOf(records).find((group) => group.groupId === groupId)?.tags ?? {},
  inbound: (groupId) => inboundOf(records, groupId),
  admit: (groupId, rules) => addRules(records, groupId, rules),
  withdraw: (groupId, rules) => removeRules(records, groupId, rules),
});

function cloudOf(records: Ec2Records, send: ReturnType<typeof lifecycle>["send"]): Cloud {
  return {
    firewall: firewallOf(records),
    instance: (id) => {
      const instance = records.instances.get(id);
      return instance && instanceFacts(records, instance);
    },
    instances: () => records.instances.values().map((instance) => instanceFacts(records, instance)),
    shutDownByGuest: (id) => {
      const instance = records.instances.get(id);
      if (instance?.state !== "running") return;
      send(instance, instance.shutdownBehavior === "stop" ? "stop-from-inside" : "terminate-from-inside");
    },
  };
}

/** Faults of EC2, with what the account has. */
function faultsIn({ vpc, subnets }: Account): FaultKind[] {
  const present: FaultValues = {
    vpc: [vpc.id],
    subnet: subnets.map(({ id }) => id),
    zone: subnets.map(({ zone }) => zone),
    type: [...instanceTypes.keys()],
  };
  const ofLaunches: FaultKind[] = [noCapacity, launchFails, noHostnames, nameLate];
  const kinds: FaultKind[] = [...ofLaunches, statusImpaired, volumeImpaired, profileLost, eventScheduled];
  return kinds.map((kind) => withValues(kind, present));
}

/**
 * Builds EC2.
 * @param account the VPC, subnets, groups and profile it shows
 */
export function ec2(simulation: Simulation, account: Account): Ec2 {
  const records = ec2Records(simulation, account);
  const mover = lifecycle(records);
  let consoles: Screens | undefined;
  simulation.faults.declare(...faultsIn(account));
  const actions = new Map(
    [
      ...launchActions(records, mover),
      ...describeInstanceActions(records),
      ...describePartActions(records),
      ...changeActions(records, mover),
      ...tagActions(records),
      ...attributeActions(records),
      ...consoleActions(records, (instanceId) => consoles?.of(instanceId)),
      ...networkActions(records),
    ].map((action) => [action.name, action]),
  );
  const service: AwsService = {
    name: "ec2",
    action: (request) => {
      const parameters = parametersOf(request);
      const name = parameters.get("Action");
      if (name === null) throw new AwsError("MissingAction", "The request must contain the parameter Action");
      requireVersion(parameters.get("Version"));
      if (actions.has(name)) return name;
      throw new AwsError("InvalidAction", `The action ${name} is not valid for this web service.`);
    },
    limits: (action, request) => ec2Limits(action, formOf(request)),
    answer: async (name, request, caller) => {
      const action = actions.get(name);
      if (!action) throw new AwsError("InvalidAction", `The action ${name} is not valid for this web service.`);
      return xml(action.answer(formOf(request), caller, simulation.random.uuid()));
    },
    refuse: (error) => xml(writeError(error, simulation.random.uuid()), error.status),
  };
  return {
    service,
    cloud: cloudOf(records, mover.send),
    describe: () => records.instances.values().map((instance) => describedInstance(records, instance)),
    seed: (instance) => seedInstance(records, instance),
    attach: (screens) => {
      consoles = screens;
    },
    resume: mover.resume,
  };
}
