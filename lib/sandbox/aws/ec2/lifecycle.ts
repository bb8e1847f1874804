import type { FigureName, Figures, Span } from "../../core/figures.ts";
import { type Ec2Records, type InstanceRecord, type InstanceState, type Reason, volumesOf } from "./records.ts";

/** Moves instances through their states on the simulator's clock. */
export interface Lifecycle {
  /** Starts a transition: the instance enters its first state at once and its last state later. */
  send(instance: InstanceRecord, transition: Transition): void;
  /** The first half of `send`: stores the transition in the record; announces nothing yet. */
  plan(instance: InstanceRecord, transition: Transition): void;
  /**
   * The second half of `send`: announces the state. Separate, because listeners must not be called inside a transaction
   * of the store.
   */
  depart(instance: InstanceRecord): void;
  /** Resumes everything that was under way, after a restart of the process. */
  resume(): void;
}

interface Path {
  readonly through: InstanceState;
  readonly to: InstanceState;
  /** Seconds, shortest and longest (assumed: usual durations of such instances); or the figure that says it. */
  readonly takes: readonly [number, number] | FigureName;
  /** Reason shown from the first state on. */
  readonly because?: Reason;
  /** Reason shown in the last state. */
  readonly outcome?: Reason;
}

const by = (code: string, message: string): Reason => ({ code, message: `${code}: ${message}` });

/** User Guide, "Amazon EC2 instance state changes"; the durations are assumed. */
const transitions = {
  start: { through: "pending", to: "running", takes: "launch" },
  fail: {
    through: "pending",
    to: "terminated",
    takes: "launch",
    outcome: by("Server.InternalError", "Internal error on launch"),
  },
  // API Reference, StateReason: EC2 may find that there is no capacity after it has given the instance an id.
  "fail-by-capacity": {
    through: "pending",
    to: "terminated",
    takes: "launch",
    outcome: by(
      "Server.InsufficientInstanceCapacity",
      "There was insufficient capacity available to satisfy the launch request",
    ),
  },
  // EC2 user guide, "Instance terminates immediately": EC2 could not use the key of an encrypted volume.
  "fail-by-key": {
    through: "pending",
    to: "terminated",
    takes: "launch",
    outcome: by("Client.InternalError", "Client error on launch"),
  },
  stop: {
    through: "stopping",
    to: "stopped",
    takes: [20, 60],
    because: by("Client.UserInitiatedShutdown", "User initiated shutdown"),
  },
  "stop-from-inside": {
    through: "stopping",
    to: "stopped",
    takes: [5, 20],
    because: by("Client.InstanceInitiatedShutdown", "Instance initiated shutdown"),
  },
  "terminate-from-inside": {
    through: "shutting-down",
    to: "terminated",
    takes: "terminate",
    because: by("Client.InstanceInitiatedShutdown", "Instance initiated shutdown"),
  },
  terminate: {
    through: "shutting-down",
    to: "terminated",
    takes: "terminate",
    because: by("Client.UserInitiatedShutdown", "User initiated shutdown"),
  },
} as const satisfies Record<string, Path>;

/** A transition between EC2's states. */
export type Transition = keyof typeof transitions;

/** Terminated instances stay visible for about an hour (User Guide, "Terminate your instance"). */
const REMEMBERED = 60 * 60_000;

const spanOf = (figures: Figures, takes: Path["takes"]): Span =>
  typeof takes === "string" ? figures[takes] : [takes[0] * 1_000, takes[1] * 1_000];

/** Builds the lifecycle of instances; call `resume` once all listeners are on the bus. */
export function lifecycle(records: Ec2Records): Lifecycle {
  const { clock, random, bus, figures } = records.simulation;

  const forget = (instanceId: string): void => {
    const instance = records.instances.get(instanceId);
    if (instance?.forgetAt && instance.forgetAt <= clock.now()) records.instances.delete(instanceId);
  };

  const release = (instance: InstanceRecord): void => {
    instance.forgetAt = clock.now() + REMEMBERED;
    clock.after(REMEMBERED, () => forget(instance.instanceId));
    for (const volume of volumesOf(records, instance.instanceId)) {
      volume.attached = false;
      if (volume.deleteOnTermination) records.volumes.delete(volume.volumeId);
      else records.volumes.set(volume.volumeId, volume);
    }
  };

  const put = (instance: InstanceRecord, state: InstanceState): void => {
    instance.state = state;
    instance.runningSince = state === "running" ? clock.now() : null;
    records.instances.set(instance.instanceId, instance);
  };

  const announce = ({ instanceId, state }: InstanceRecord): void =>
    bus.announce({ kind: "instance-state", instanceId, state });

  const arrive = (instanceId: string, due: number): void => {
    const instance = records.instances.get(instanceId);
    // A later transition replaced this one and has its own timer.
    if (!instance?.next || instance.next.at !== due) return;
    const { state, reason } = instance.next;
    instance.next = null;
    instance.stateReason = reason ?? instance.stateReason;
    if (state === "terminated") release(instance);
    put(instance, state);
    announce(instance);
  };

  const arm = (instance: InstanceRecord): void => {
    const due = instance.next?.at;
    if (due !== undefined) clock.after(Math.max(0, due - clock.now()), () => arrive(instance.instanceId, due));
  };

  const plan = (instance: InstanceRecord, transition: Transition): void => {
    const { through, to, takes, because, outcome }: Path = transitions[transition];
    const at = clock.now() + random.between(...spanOf(figures, takes));
    instance.next = { state: to, at, reason: outcome ?? null };
    instance.stateReason = because ?? null;
    put(instance, through);
  };

  const depart = (instance: InstanceRecord): void => {
    arm(instance);
    announce(instance);
  };

  return {
    plan,
    depart,
    send: (instance, transition) => {
      plan(instance, transition);
      depart(instance);
    },
    resume: () => {
      for (const instance of records.instances.values()) {
        arm(instance);
        if (instance.forgetAt === null) continue;
        clock.after(Math.max(0, instance.forgetAt - clock.now()), () => forget(instance.instanceId));
      }
    },
  };
}
