/** Trouble of a machine that a scheduled observation finds, such as a service that does not stay up, or a drive that is almost full. */
export type MachineTrouble =
  /** `times`: exits within the last hour. */
  | { readonly kind: "service-exits"; readonly service: string; readonly times: number }
  | { readonly kind: "service-stopped" | "service-absent"; readonly service: string }
  /** `times`: repairs of the route guard within a day. */
  | { readonly kind: "routes-lost"; readonly times: number }
  /** The Host Networking Service is younger than the service proxy, which works with what it lost. */
  | { readonly kind: "hns-restarted" }
  | { readonly kind: "disk-low" };

/** A trouble in a machine's record. */
export type SeenTrouble = MachineTrouble & {
  /** Time of the observation that first found it; ISO 8601. */
  readonly since: string;
  /** Names that observation: what it found on several machines is one message. */
  readonly mark: string;
  /** It was posted in the channel. */
  readonly isPosted?: true;
  /** Timestamp of that message; missing in records of the last release. */
  readonly ts?: string;
  /** Names the observation that no longer found it; what was posted is posted as ended. */
  readonly endedBy?: string;
};

/** Names a trouble: machines whose troubles have the same name have the same trouble. */
export const troubleName = (trouble: MachineTrouble): string =>
  "service" in trouble ? `${trouble.kind} ${trouble.service}` : trouble.kind;

/** Less free space than this stops images from being pulled: a Windows base image alone has 5 GB. */
export const LOW_DISK_BYTES = 10 * 1024 ** 3;

/** Troubles of a machine in one observation. */
interface TroubleSighting {
  /** Undefined if the machine did not answer the questions about them. */
  readonly found: readonly MachineTrouble[] | undefined;
  readonly mark: string;
  /** ISO 8601. */
  readonly now: string;
}

/** The service of a trouble; null for one that is not a service's. */
const serviceIn = (trouble: MachineTrouble): string | null => ("service" in trouble ? trouble.service : null);

/**
 * Compares the troubles of a machine with those of its last observation: one that goes on keeps its beginning, and one that has
 * ended stays until its end is posted, if its beginning was. Another trouble of the same service takes its place.
 */
export function observedTroubles(
  had: readonly SeenTrouble[] = [],
  { found, mark, now }: TroubleSighting,
): readonly SeenTrouble[] {
  if (found === undefined) return had;
  const known = new Map(had.map((one) => [troubleName(one), one]));
  const names = new Set(found.map(troubleName));
  const going = found.map((one): SeenTrouble => {
    const { endedBy: _over, ...before } = known.get(troubleName(one)) ?? { ...one, since: now, mark };
    return before as SeenTrouble;
  });
  const ill = new Set(found.map(serviceIn).filter((service) => service !== null));
  const ended = had
    .filter((one) => one.isPosted && !names.has(troubleName(one)) && !ill.has(serviceIn(one) ?? ""))
    .map((one): SeenTrouble => ({ endedBy: mark, ...one }));
  return [...going, ...ended];
}

/** Notes that a trouble, or its end, was posted. @param name as `troubleName` has it */
export const postedTroubles = (had: readonly SeenTrouble[], name: string, ts: string): readonly SeenTrouble[] =>
  had.flatMap((one): readonly SeenTrouble[] => {
    if (troubleName(one) !== name) return [one];
    return one.endedBy === undefined ? [{ ...one, isPosted: true, ts }] : [];
  });

/**
 * Finds the posted trouble that explains why pods on a machine have no network; undefined where there is none.
 * @param services names of those that pods' network needs
 */
export const postedNetworkTrouble = (
  troubles: readonly SeenTrouble[] = [],
  services: readonly string[],
): SeenTrouble | undefined =>
  troubles.find(
    (one) =>
      one.isPosted &&
      one.endedBy === undefined &&
      (one.kind === "hns-restarted" || services.includes(serviceIn(one) ?? "")),
  );
