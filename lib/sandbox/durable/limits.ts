const KIB = 1024;
const MIB = 1024 * KIB;

/** AWS documentation, "Lambda quotas" and API Invoke: 6 MB synchronous, 1 MB asynchronous. */
export const SYNC_PAYLOAD_BYTES = 6 * MIB;
export const ASYNC_PAYLOAD_BYTES = MIB;

/** Seen in the service's own refusals ("… output payload size must be less than or equal to 262144 bytes."). */
export const OPERATION_PAYLOAD_BYTES = 256 * KIB;
export const CHAINED_INPUT_BYTES = MIB;

/** Validators of @aws/durable-execution-sdk-js-testing 1.1.4 (MAX_ERROR_PAYLOAD_SIZE_BYTES). */
export const ERROR_BYTES = 32 * KIB;

/** Model of client-lambda 3.1162: Result and Error of a callback are at most 1 MB. */
export const CALLBACK_PAYLOAD_BYTES = MIB;

/** AWS documentation, "Lambda quotas", section Durable functions; neither can be raised. */
export const OPERATIONS_PER_EXECUTION = 3_000;
export const BYTES_PER_EXECUTION = 100 * MIB;

/** API OperationUpdate: WaitSeconds and NextAttemptDelaySeconds are 1 to 31,622,400 (366 days). */
export const LONGEST_SECONDS = 31_622_400;

/** API ListDurableExecutionsByFunction, GetDurableExecutionHistory, GetDurableExecutionState: MaxItems. */
export const PAGE_ITEMS = 100;
export const PAGE_ITEMS_MAXIMUM = 1_000;

/** Operations handed over in the invocation event itself; the handler pages for the rest (assumed). */
export const EVENT_OPERATIONS = 1_000;

/** DurableConfig.RetentionPeriodInDays when none is given (CloudFormation, AWS::Lambda::Function). */
export const RETENTION_DAYS = 14;

/** "Lambda quotas": one invocation ends after 900 seconds at the latest. */
export const INVOCATION_SECONDS = 900;

/** "How Lambda handles errors and retries with asynchronous invocation": after one minute, then after two. */
export const ASYNC_RETRY_SECONDS: readonly number[] = [60, 120];

/** Same page: a throttled event is tried again after one second, doubling up to five minutes, for six hours. */
export const THROTTLE_FIRST_SECONDS = 1;
export const THROTTLE_LAST_SECONDS = 300;
export const EVENT_AGE_SECONDS = 6 * 3_600;

/** Bytes of a text in UTF-8. */
export const bytesOf = (text: string | undefined): number => (text === undefined ? 0 : Buffer.byteLength(text, "utf8"));
