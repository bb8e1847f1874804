import { openStore, type Snapshot } from "../../lib/sandbox/core/store.ts";
import { demoConfiguration } from "../../lib/sandbox/demo-configuration.ts";
import { newest, settled } from "./evidence.ts";
import { type Journey, type JourneyOptions, startJourney } from "./journey.ts";
import type { Write } from "./ledger-writes.ts";
import { images } from "./restarting.ts";

/** A cluster whose pool web has four nodes. */
interface Four {
  readonly snapshot: Snapshot;
  readonly ledger: readonly Write[];
  readonly now: number;
  readonly names: readonly string[];
}

let made: Promise<Four> | undefined;

const pools = (maxUnavailable: number): object => {
  const { pools } = demoConfiguration({ apiServer: "https://kubernetes.sandbox.invalid", authority: "" });
  return { ...pools, web: { ...pools.web, maxUnavailable } };
};

/** Four machines join once for all journeys of a worker. */
async function make(): Promise<Four> {
  const store = openStore(":memory:");
  const here = await startJourney({ overrides: { probeImages: Object.values(images) } }, store);
  await here.type("operator", "/win add web 4");
  await settled(here);
  const names = (await newest(here)).nodes.map(({ nodeName }) => nodeName ?? "").sort();
  const four = { snapshot: store.snapshot(), ledger: [...here.ledgerWrites], now: Date.now(), names };
  await here.close();
  return four;
}

/** A journey on the pool of four, and the names of its nodes in order. */
export interface OnFour {
  readonly here: Journey;
  readonly names: readonly string[];
}

/**
 * Starts a journey in which a reboot needs no approval.
 * @param slots nodes of the pool that may be away at once
 */
export async function poolOfFour(
  slots: number,
  configuration: object = {},
  options: JourneyOptions = {},
): Promise<OnFour> {
  made ??= make();
  const { snapshot, ledger, now, names } = await made;
  const changed = { approvals: { reboot: { needs: 0 } }, pools: pools(slots), ...configuration };
  const onwards = { ...options, ledger, now, seed: 2, configuration: changed };
  return { here: await startJourney(onwards, openStore(":memory:", snapshot)), names };
}
