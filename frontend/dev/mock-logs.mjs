/** Made-up log lines: of a run that restarted, failed a task and goes on; an older run; and none. */

const SECOND = 1000;
const STACK = `java.util.concurrent.ExecutionException: org.apache.kafka.common.errors.RecordTooLargeException: The request included a message larger than the max message size the server will accept.
	at org.apache.kafka.clients.producer.internals.FutureRecordMetadata.valueOrError(FutureRecordMetadata.java:97)
	at org.apache.kafka.clients.producer.internals.FutureRecordMetadata.get(FutureRecordMetadata.java:65)
	at org.apache.spark.sql.kafka010.KafkaRowWriter.checkForErrors(KafkaWriteTask.scala:105)
	at org.apache.spark.sql.kafka010.KafkaStreamDataWriter.commit(KafkaStreamingWrite.scala:126)
	at org.apache.spark.scheduler.Task.run(Task.scala:147)`;
const SPARK = "org.apache.spark.executor.Executor";
const SAID = [
  ["info", "jobs.engine.observed_state", "state: starting"],
  ["info", "jobs.engine.query_starter", "412 records are waiting"],
  ["info", "jobs.engine.run_supervisor", "1 query is started in real-time mode (epoch 4, attempt 1)"],
  ["info", "jobs.engine.observed_state", "state: replaying"],
  ["info", "jobs.engine.observed_state", "state: running"],
  [
    "warning",
    "org.apache.spark.sql.kafka010.KafkaMicroBatchReader",
    `Partition ticks-1 offset was changed from 480012 to 480001, some data may have been missed. ${"Some data may have been lost because they are not available in Kafka any more; either the data was aged out by Kafka or the topic may have been deleted before all the data in the topic was processed. ".repeat(3)}`,
  ],
  ["error", SPARK, "Exception in task 0.0 in stage 214.0 (TID 1288)", STACK],
  [
    "warning",
    "jobs.engine.observed_state",
    "state: waiting (BROKER_UNREACHABLE). Kafka is unreachable. The job resumes automatically. KafkaException: Connection to node -1 (broker.example.com/10.0.0.7:9093) could not be established.",
  ],
  ["info", "jobs.engine.observed_state", "state: running"],
  ["warning", "weir.log", "128 lines were left out: a run shows 300 at once, and then 5 a second."],
];

function line(number, at, [level, logger, message, detail = ""]) {
  return {
    id: `7f3a9c-${number}`,
    at: new Date(at).toISOString().replace("Z", "000Z"),
    level,
    origin: logger.startsWith("org.") ? "spark" : "engine",
    logger,
    message,
    detail,
    epoch: 4,
    engine: "shared-1",
  };
}

const PRESENT = Date.now() - 60 * SECOND;
const LINES = Array.from({ length: 260 }, (_, at) =>
  line(at + 1, PRESENT - (260 - at) * 47 * SECOND, SAID[at % SAID.length]),
).reverse();
const RANK = ["info", "warning", "error"];

/** A page of `GET …/logs`. */
export function logs(job, query) {
  const limits = { max_lines: 2000, kept_days: 14 };
  if (job === "idle")
    return { run: null, runs: [], lines: [], cursor: null, empty: "never_started", ...limits };
  const runs = [3, 2].map((generation) => ({
    id: `${job}.${generation}`,
    generation,
    created_at: new Date(PRESENT - (4 - generation) * 5 * 3_600 * SECOND).toISOString(),
  }));
  const run = query.get("run") ?? runs[0].id;
  const part = (query.get("q") ?? "").toLowerCase();
  const least = RANK.indexOf(query.get("level") ?? "info");
  const found = (run === runs[0].id ? LINES : []).filter(
    ({ level, message, detail, logger }) =>
      RANK.indexOf(level) >= least && `${message}\n${detail}\n${logger}`.toLowerCase().includes(part),
  );
  const from = Number(query.get("cursor") ?? 0);
  const limit = Number(query.get("limit") ?? 200);
  const lines = found.slice(from, from + limit);
  const cursor = from + limit < found.length ? String(from + limit) : null;
  const empty = lines.length ? null : run === runs[0].id ? "no_match" : "older_engine";
  return { run, runs, lines, cursor, empty, ...limits };
}

/** Frames of the channel logs/<job>. */
export function followLogs(job, say) {
  say({ op: "subscribed", channel: `logs/${job}`, generation: 3 });
  let number = 1000;
  return setInterval(() => {
    number += 1;
    say({
      op: "log",
      run: `${job}.3`,
      dropped: 0,
      lines: [line(number, Date.now(), SAID[number % SAID.length])],
    });
  }, 3_000);
}
