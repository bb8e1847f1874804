/** Facts about itself that the agent sends with each heartbeat. */
export interface AgentFacts {
  readonly agentVersion: string;
  readonly platformName: string;
  readonly platformVersion: string;
  readonly computerName: string;
  readonly ipAddress: string;
}

/** One step of a document as the agent runs it. */
export interface Step {
  readonly name: string;
  readonly action: string;
  readonly script: readonly string[];
  /** Seconds, 5 to 172,800. */
  readonly timeoutSeconds: number;
  /** The step runs on this platform only. */
  readonly platform: string | null;
}

/** A command as one agent receives it. */
export interface Job {
  readonly commandId: string;
  readonly documentName: string;
  readonly steps: readonly Step[];
  readonly parameters: Readonly<Record<string, readonly string[]>>;
}

/** Status of a step or a whole command at its end, in the agent's words. */
export type StepStatus = "Success" | "Failed" | "TimedOut" | "Cancelled";

/** Outcome of a step on the machine. Times are ms since the epoch. */
export interface StepResult {
  readonly name: string;
  readonly action: string;
  readonly status: StepStatus;
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly startedAt: number;
  readonly endedAt: number;
}

/** The Systems Manager service as an agent sees it. */
export interface SsmBackend {
  /** Registers, then sends a heartbeat. @throws AwsError when the instance's role lacks the permission. */
  ping(instanceId: string, facts: AgentFacts): void;
  /** Reports that the agent is connected and takes messages. */
  ready(instanceId: string): void;
  /** Reports the end of a command on this machine. */
  report(instanceId: string, commandId: string, status: StepStatus, steps: readonly StepResult[]): void;
}
