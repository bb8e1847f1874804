/** A request for approval of parts of a content. */
export interface InputQuestion {
  readonly operation: string;
  /** Keys of the parts. */
  readonly keys: readonly string[];
  /** Milliseconds since the epoch. */
  readonly askedAt: number;
}

/** Parts of a content that need an approval, and what people answered. */
export interface InputAnswers {
  /** Keys of the parts that have no approval. */
  readonly asked: readonly string[];
  /** Keys of the parts that people have approved. */
  readonly accepted: readonly string[];
  /** Keys of the parts that people have denied. */
  readonly denied: readonly string[];
  /** The last request about the parts that people must decide about now; null if there is none. */
  readonly question: InputQuestion | null;
}

/** Hours until people who gave no answer are asked again. */
const AGAIN_HOURS = 24;

const isSame = (one: readonly string[], other: readonly string[]): boolean =>
  JSON.stringify(one.toSorted()) === JSON.stringify(other.toSorted());

const undecided = ({ asked, denied }: Pick<InputAnswers, "asked" | "denied">): readonly string[] =>
  asked.filter((key) => !denied.includes(key));

/**
 * Takes the parts of a content into the answers. A decision is forgotten once the content no longer has its part, and a
 * request once people must decide about other parts.
 * @param approvable keys of all parts of the content that need an approval
 */
export function withAsked<Answers extends InputAnswers>(
  answers: Answers,
  { asked, approvable }: { readonly asked: readonly string[]; readonly approvable: readonly string[] },
): Answers {
  const isThere = (key: string): boolean => approvable.includes(key);
  const denied = answers.denied.filter(isThere);
  const { question } = answers;
  const stands = question !== null && isSame(question.keys, undecided({ asked, denied }));
  return {
    ...answers,
    asked,
    accepted: answers.accepted.filter(isThere),
    denied,
    question: stands ? question : null,
  };
}

/** Tells whether the answers are those to the parts of a content, so that nothing is to be recorded. */
export const hasAsked = <Answers extends InputAnswers>(
  answers: Answers,
  parts: Parameters<typeof withAsked>[1],
): boolean => JSON.stringify(withAsked(answers, parts)) === JSON.stringify(answers);

/**
 * Finds the parts about which people must be asked now: about the same ones only once while the request is open, and
 * once a day if nobody answers.
 * @param isOpen the last request waits for votes
 * @param now milliseconds since the epoch
 * @returns empty if nobody is to be asked
 */
export function keysToAsk(answers: InputAnswers, isOpen: boolean, now: number): readonly string[] {
  const { question } = answers;
  const isAsked = question !== null && (isOpen || now - question.askedAt < AGAIN_HOURS * 3_600_000);
  return isAsked ? [] : undecided(answers);
}
