/** An event that EC2 has scheduled for a machine. */
export interface MachineEvent {
  readonly instanceId: string;
  /** Name of its Node; null without one. */
  readonly node: string | null;
  readonly pool: string | null;
  /** "instance-retirement", "system-reboot" */
  readonly code: string;
  /** ISO 8601: its earliest time; null if EC2 does not say. */
  readonly notBefore: string | null;
}

/** Identifies an event among those that were posted. An event that EC2 moved is another one: its date is the news. */
export const machineEventName = ({ instanceId, code, notBefore }: MachineEvent): string =>
  `${instanceId} ${code} ${notBefore}`;
