/** The parts of a pod that show why its images are not pulled. */
export interface PullingPod {
  readonly spec?: { readonly nodeName?: string | undefined } | undefined;
  readonly status?:
    | {
        readonly containerStatuses?: readonly ContainerState[] | undefined;
        readonly initContainerStatuses?: readonly ContainerState[] | undefined;
      }
    | undefined;
}

interface ContainerState {
  readonly state?: { readonly waiting?: { readonly message?: string | undefined } | undefined } | undefined;
}

/** Words of a 407, of CONNECT (Go, net/http, dialConn) and of a plain request (containerd, "unexpected status"). */
const denial = /\bProxy Authentication Required\b/i;

/**
 * Finds the nodes whose pulls a proxy refuses because of the user or the password.
 * @param pods with the kubelet's error; one before 1.32 shows it only until it waits for the next pull
 * @returns names
 */
export function nodesDeniedByProxy(pods: readonly PullingPod[]): ReadonlySet<string> {
  const isDenied = ({ status }: PullingPod): boolean =>
    [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])].some(({ state }) =>
      denial.test(state?.waiting?.message ?? ""),
    );
  return new Set(pods.filter(isDenied).flatMap(({ spec }) => spec?.nodeName ?? []));
}
