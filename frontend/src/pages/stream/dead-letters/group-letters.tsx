import { Fragment, useState } from "react";
import { useLetters } from "../../../api/guards";
import type { Letter, Stream } from "../../../api/types";
import { bytes, count } from "../../../ui/format/numbers";
import { Icon } from "../../../ui/icons";
import { Loaded } from "../../../ui/loaded";
import { Older } from "../../../ui/older";
import { Mark } from "../../../ui/status";
import { Time } from "../../../ui/time";
import { LetterDetail } from "./letter-detail";
import table from "../../../ui/table.module.css";
import classes from "../stream.module.css";

/** Letters of one reason, newest first; a row opens to the whole letter. */
export function GroupLetters({ stream, reason }: { stream: Stream; reason: string }) {
  const letters = useLetters(stream.name, reason);
  const [open, setOpen] = useState<number | null>(null);
  return (
    <Loaded query={letters} what="the letters">
      {({ pages }) => (
        <>
          <table className={table["table"]} aria-label={`Letters of ${reason}`}>
            <thead>
              <tr><th scope="col">Place</th><th scope="col">Arrived</th><th scope="col">Value</th><th scope="col" className="num">Size</th><th scope="col">What became of it</th></tr>
            </thead>
            <tbody>
              {pages.flatMap(({ results }) => results).map((letter) => (
                <Fragment key={letter.id}>
                  <tr>
                    <td className="nowrap">
                      <button type="button" className={classes["opener"]} aria-expanded={open === letter.id} onClick={() => { setOpen(open === letter.id ? null : letter.id); }}>
                        <Icon name={open === letter.id ? "down" : "right"} size={12} /> {letter.partition} : {count(letter.offset)}
                      </button>
                    </td>
                    <td><Time at={letter.at} /></td>
                    <td className={classes["value"]}>{letter.preview_is_text ? letter.preview || <span className="soft">empty</span> : <span className="soft">bytes</span>}</td>
                    <td className="num">{bytes(letter.size)}</td>
                    <td><Fate letter={letter} /></td>
                  </tr>
                  {open === letter.id && <tr><td colSpan={5}><LetterDetail stream={stream} id={letter.id} /></td></tr>}
                </Fragment>
              ))}
            </tbody>
          </table>
          <Older query={letters} what="letters" />
        </>
      )}
    </Loaded>
  );
}

const FATES = {
  waiting: { tone: "idle", word: "Waiting" },
  queued: { tone: "warn", word: "On its way" },
  sending: { tone: "warn", word: "On its way" },
  redriven: { tone: "good", word: "Sent again" },
  dropped: { tone: "idle", word: "Dropped" },
} as const;

function Fate({ letter }: { letter: Letter }) {
  const { tone, word } = FATES[letter.state];
  return (
    <>
      <Mark tone={tone} plain>{word}</Mark>
      {letter.note && <span className="soft"> {letter.note}</span>}
      {letter.times > 0 && <div><Mark tone="warn" plain>{letter.times === 1 ? "Had been sent again once" : `Had been sent again ${count(letter.times)} times`}</Mark></div>}
    </>
  );
}
