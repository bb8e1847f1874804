import { reported } from "./refusals.ts";

/** The parts of an SDK client that are needed to observe its calls. */
interface Watchable {
  readonly config: { readonly serviceId: string };
  readonly middlewareStack: {
    add(middleware: never, options: { step: "initialize"; name: string }): void;
  };
}

/**
 * Makes an SDK client log a refused call once its own attempts are used up, and add the service's name to each error,
 * because errors of two services may look alike.
 * @param name the service's name in Casement's log: "ec2"
 */
export function watched<Client extends Watchable>(name: string, client: Client): Client {
  const service = client.config.serviceId;
  const watch =
    (next: (asked: unknown) => Promise<unknown>, { commandName = "unknown" }: { readonly commandName?: string }) =>
    async (asked: unknown) => {
      try {
        return await reported(name, commandName.replace(/Command$/, ""), next(asked));
      } catch (error) {
        throw error instanceof Error ? Object.assign(error, { service }) : error;
      }
    };
  client.middlewareStack.add(watch as never, { step: "initialize", name: "watchCalls" });
  return client;
}
