import type { Broker, Engine } from "../../api/types";
import { bytes, count, counted } from "../../ui/format/numbers";
import { BrokerBadge } from "../../ui/broker-badge";
import { Empty, RawText } from "../../ui/placeholders";
import { Ago } from "../../ui/time";
import { EngineBadge } from "../../ui/engine-badge";
import classes from "./overview.module.css";

export function Infrastructure({ engines, broker }: { engines: readonly Engine[]; broker: Broker }) {
  return (
    <ul className={classes["list"]}>
      <li className={classes["machine"]}>
        <strong>Kafka</strong>
        <BrokerBadge reachable={broker.reachable} />
        <span className="soft">
          checked <Ago at={broker.checked_at} />
        </span>
        {broker.error && <RawText text={broker.error} label="Error details" />}
      </li>
      {engines.map((engine) => (
        <li key={engine.id} className={classes["machine"]}>
          <strong>{engine.standby ? "standby" : engine.kind} engine</strong>
          <EngineBadge engine={engine} />
          <span className="soft">
            {count(engine.runs.length)} {engine.runs.length === 1 ? "run" : "runs"} ·{" "}
            {`${count(engine.slots_used)} of ${counted(engine.slots, "slot")} · ${bytes(engine.memory_bytes)}`}{" "}
            · seen <Ago at={engine.last_seen_at} />
          </span>
        </li>
      ))}
      {engines.length === 0 && (
        <li>
          <Empty title="No engines running">Weir starts one with the first job, in a few seconds.</Empty>
        </li>
      )}
    </ul>
  );
}
