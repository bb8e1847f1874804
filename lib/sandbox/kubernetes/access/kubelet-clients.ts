import type { Simulation } from "../../core/simulation.ts";
import {
  type Authority,
  type AuthorityFacts,
  type Credentials,
  clientCredentials,
  selfSigned,
  signedBy,
} from "./authority.ts";

/** A signer of the API server's client certificate for kubelets. Times are ms since the epoch. */
interface Signer extends Credentials {
  readonly from: number;
  readonly to: number;
  /** PEM of the client certificate that this signer issued. */
  readonly client: string;
  readonly shownFrom: number;
}

/**
 * The API server as a client of kubelets: on OKD its certificate has a separate signer, which is replaced within a
 * year.
 */
export interface KubeletClients {
  /** PEM of every authority that may sign a client of kubelets, as ControllerConfig publishes it. */
  bundle(): string;
  /** PEM of the certificate that the API server presents to kubelets now. */
  certificate(): string;
  /** Expiry of the newest signer, in ms since the epoch. */
  until(): number;
  /** Is a new signer due? */
  isDue(): boolean;
  /**
   * Makes a new signer beside those that are still valid; the API server presents its certificate some minutes later.
   */
  rotate(): Promise<void>;
}

const DAY = 24 * 3_600_000;
/** cluster-kube-apiserver-operator, certrotationcontroller: "kube-apiserver-to-kubelet-signer" lives a year and is replaced after 292 days. */
const LIFE = 365 * DAY;
const REFRESH = 292 * DAY;

/** Age of the cluster at its first start (chosen for the simulator). */
const AGE = 200 * DAY;

/**
 * Milliseconds for which the certificate of the old signer stays in use beside the published new one (assumed: an
 * operator's sync and the roll-out of the API servers take about this long; library-go may wait for days).
 */
const OVERLAP = 10 * 60_000;

const CLIENT_SECONDS = 30 * 24 * 3_600;

async function newSigner(simulation: Simulation, from: number, shownFrom: number): Promise<Signer> {
  // library-go puts the second of its creation into each signer's name.
  const subject = `CN=openshift-kube-apiserver-operator_kube-apiserver-to-kubelet-signer@${Math.floor(from / 1000)}`;
  const root: AuthorityFacts = { subject, from, to: from + LIFE };
  const signer = await selfSigned(simulation, root);
  const client = await clientCredentials(
    { sign: (facts) => signedBy(simulation, signer, { ...facts, seconds: CLIENT_SECONDS }) },
    "system:kube-apiserver",
    ["kube-master"],
  );
  return { ...signer, from, to: root.to, client: client.certificate, shownFrom };
}

/**
 * Builds the API server's side of its calls to kubelets from the store.
 * @param authority signs the other clients of kubelets; the bundle holds it, as the real one holds those signers
 */
export async function kubeletClients(simulation: Simulation, authority: Authority): Promise<KubeletClients> {
  const { clock, store } = simulation;
  const kept = store.collection<readonly Signer[]>("kubernetes-kubelet-clients");
  const all = (): readonly Signer[] => kept.get("signers") ?? [];
  if (all().length === 0) kept.set("signers", [await newSigner(simulation, clock.now() - AGE, 0)]);

  const valid = (): Signer[] => all().filter(({ to }) => clock.now() < to);
  const newest = (): Signer | undefined => all().at(-1);
  return {
    bundle: () =>
      [authority.pem, ...valid().map(({ certificate }) => certificate)].map((pem) => `${pem.trim()}\n`).join(""),
    certificate: () => all().findLast(({ shownFrom }) => shownFrom <= clock.now())?.client ?? "",
    until: () => newest()?.to ?? 0,
    isDue: () => clock.now() >= (newest()?.from ?? 0) + REFRESH,
    rotate: async () => {
      const now = clock.now();
      const signer = await newSigner(simulation, now, now + OVERLAP);
      kept.set("signers", [...valid(), signer]);
    },
  };
}
