/** A network of the Host Networking Service. */
export interface HnsNetwork {
  readonly name: string;
  readonly subnet: string;
  readonly managementIp: string;
  readonly routerMac: string;
  readonly persistent: boolean;
  /** Milliseconds since the epoch; absent in states of earlier releases. */
  readonly madeAt?: number;
}

/**
 * An endpoint of the Host Networking Service: an address on one of its networks. The host has it while the endpoint is
 * attached.
 */
export interface HnsEndpoint {
  readonly name: string;
  readonly network: string;
  readonly ip: string;
  attached: boolean;
}

/** The process of the Host Networking Service. */
export interface HnsProcess {
  readonly processId: number;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** The same by the machine's clock, as Windows keeps it. */
  readonly shownStart: number;
  /** It was restarted under its networks, by the fault "hns-restarts". */
  readonly isRestarted: boolean;
}
