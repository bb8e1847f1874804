/** Facts that services of the simulator tell each other; EventBridge turns some of them into events for the rules. */
export type Fact =
  | { readonly kind: "instance-state"; readonly instanceId: string; readonly state: string }
  | { readonly kind: "instance-reboot"; readonly instanceId: string }
  | {
      readonly kind: "command-invocation";
      readonly commandId: string;
      readonly documentName: string;
      readonly instanceId: string;
      readonly status: string;
      readonly requestedAt: string;
    }
  | {
      /** A command over all its machines. */
      readonly kind: "command";
      readonly commandId: string;
      readonly documentName: string;
      readonly status: string;
      readonly requestedAt: string;
    }
  | { readonly kind: "execution"; readonly arn: string; readonly functionName: string; readonly status: string };

/** A synchronous announcer: listeners must not throw and must not block. */
export interface Bus {
  announce(fact: Fact): void;
  listen(listener: (fact: Fact) => void): void;
}

/** Builds an empty bus. */
export function bus(): Bus {
  const listeners: ((fact: Fact) => void)[] = [];
  return {
    announce: (fact) => {
      for (const listener of listeners) listener(fact);
    },
    listen: (listener) => {
      listeners.push(listener);
    },
  };
}
