import type { AwsService } from "../core/aws-service.ts";
import type { Simulation } from "../core/simulation.ts";
import { json } from "../core/wire.ts";
import { jsonRefusal, targetAction } from "./json-protocol.ts";

/** A password of a registry, by what a header shows of it. */
interface RegistryPassword {
  readonly region: string;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

/** The part of ECR that gives passwords, and what its registries know of them. */
export interface Ecr {
  readonly service: AwsService;
  /** Judges the header Authorization of a request to a registry of a region. */
  judge(header: string, region: string): "valid" | "expired" | "unknown";
}

const PREFIX = "AmazonEC2ContainerRegistry_V20150921";
const CONTENT_TYPE = "application/x-amz-json-1.1";

/** Hours for which a password is valid (ECR API Reference, GetAuthorizationToken). */
const HOURS = 12;
/** Characters of a password (assumed; real ones have some two thousand). */
const LENGTH = 1_800;

/** Region in the scope of a signature. */
const regionOf = (authorization = ""): string => /\/([a-z0-9-]+)\/ecr\/aws4_request/.exec(authorization)?.[1] ?? "";

/** Builds the part of ECR that gives passwords. A password opens every registry of its region that lets the caller in. */
export function ecr(simulation: Simulation, { accountId }: { readonly accountId: string }): Ecr {
  const passwords = simulation.store.collection<RegistryPassword>("ecr-passwords");

  const give = (region: string): object => {
    const authorizationToken = Buffer.from(`AWS:${simulation.random.hex(LENGTH)}`).toString("base64");
    const until = simulation.clock.now() + HOURS * 3_600_000;
    passwords.set(authorizationToken, { region, until });
    const proxyEndpoint = `https://${accountId}.dkr.ecr.${region}.amazonaws.com`;
    return { authorizationData: [{ authorizationToken, expiresAt: until / 1_000, proxyEndpoint }] };
  };

  return {
    service: {
      name: "ecr",
      action: (request) => targetAction(request, PREFIX, (action) => action === "GetAuthorizationToken"),
      answer: async (_, { headers }, caller) => {
        caller.require("ecr:GetAuthorizationToken", ["*"]);
        return json(give(regionOf(headers.authorization)), 200, CONTENT_TYPE);
      },
      refuse: (error) => jsonRefusal(error, CONTENT_TYPE),
    },
    judge: (header, region) => {
      const found = passwords.get(header.replace(/^Basic /, ""));
      if (found?.region !== region) return "unknown";
      return found.until > simulation.clock.now() ? "valid" : "expired";
    },
  };
}
