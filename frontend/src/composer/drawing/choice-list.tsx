import { TextInput } from "@mantine/core";
import { useEffect, useId, useRef, useState, type DragEvent, type Ref } from "react";
import { Icon } from "../../ui/icons";
import classes from "./drawing.module.css";

export interface Choice {
  key: string;
  group: string;
  label: string;
  /** a few words about it */
  does: string;
}

interface ChoiceListProps<T extends Choice> {
  label: string;
  choices: readonly T[];
  search: string;
  onSearch: (search: string) => void;
  onChoose: (choice: T) => void;
  /** makes the choices draggable */
  onDrag?: (choice: T, event: DragEvent) => void;
  /** shown when there is no choice */
  empty: string;
  autoFocus?: boolean;
  ref?: Ref<HTMLInputElement>;
}

/** A searchable list: arrows choose, Enter takes; a click takes too. */
export function ChoiceList<T extends Choice>({
  label,
  choices,
  search,
  onSearch,
  onChoose,
  onDrag,
  empty,
  autoFocus = false,
  ref,
}: ChoiceListProps<T>) {
  const [at, setAt] = useState(0);
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const chosen = Math.min(at, choices.length - 1);
  useEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [chosen]);
  return (
    <div className={classes["choices"]}>
      <TextInput
        ref={ref}
        {...(autoFocus && { "data-autofocus": true })}
        aria-label={label}
        placeholder={label}
        role="combobox"
        aria-expanded
        aria-controls={`${id}-list`}
        aria-activedescendant={choices[chosen] ? `${id}-${String(chosen)}` : undefined}
        leftSection={<Icon name="search" size={14} />}
        value={search}
        onChange={(event) => {
          onSearch(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={(event) => {
          const choice = choices[chosen];
          if (event.key === "ArrowDown") setAt(Math.min(chosen + 1, choices.length - 1));
          else if (event.key === "ArrowUp") setAt(Math.max(chosen - 1, 0));
          else if (event.key === "Enter" && choice) onChoose(choice);
          else return;
          event.preventDefault();
        }}
      />
      <div ref={list} id={`${id}-list`} role="listbox" aria-label={label} className={classes["choiceList"]}>
        {choices.map((choice, index) => (
          <div key={choice.key} role="presentation">
            {choices[index - 1]?.group !== choice.group && (
              <div className={classes["choiceGroup"]} role="presentation">
                {choice.group}
              </div>
            )}
            <div
              id={`${id}-${String(index)}`}
              role="option"
              aria-selected={index === chosen}
              className={classes["choice"]}
              draggable={onDrag !== undefined}
              title={choice.does}
              onDragStart={(event) => {
                onDrag?.(choice, event);
              }}
              onClick={() => {
                onChoose(choice);
              }}
            >
              <span>{choice.label}</span> <span>{choice.does}</span>
            </div>
          </div>
        ))}
        {!choices.length && <p className="soft">{empty}</p>}
      </div>
    </div>
  );
}
