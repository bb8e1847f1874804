import { reported } from "./refusals.ts";

/** The part of an SDK client by which its calls are watched. */
interface Watchable {
  readonly config: { readonly serviceId: string };
  readonly middlewareStack: {
    add(middleware: never, options: { step: "initialize"; name: string }): void;
  };
}

/**
 * Makes an SDK client log the refusals of its calls, after its own attempts, and write its service on each error: the
 * errors of two services may look alike.
 * @param name the service as Casement's log names it: "ec2"
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
