import { Combobox, TextInput, useCombobox, type TextInputProps } from "@mantine/core";
import { useLayoutEffect, useRef, useState } from "react";
import type { SchemaField } from "../../api/types";
import { completed, suggestions, wordAt, type Callable, type Suggestion } from "../completion";
import classes from "../composer.module.css";

interface ExpressionInputProps extends Omit<TextInputProps, "value" | "onChange"> {
  value: string;
  onChange: (value: string) => void;
  schema: readonly SchemaField[];
  callables: readonly Callable[];
}

/** A text input that completes fields and functions: arrows choose, Enter applies, Escape closes. */
export function ExpressionInput({
  value,
  onChange,
  schema,
  callables,
  className,
  ...rest
}: ExpressionInputProps) {
  const box = useCombobox({
    onDropdownClose: () => {
      box.resetSelectedOption();
    },
  });
  const input = useRef<HTMLInputElement>(null);
  const cursorWanted = useRef<number | null>(null);
  const [offered, setOffered] = useState<Suggestion[]>([]);

  useLayoutEffect(() => {
    if (cursorWanted.current === null) return;
    input.current?.setSelectionRange(cursorWanted.current, cursorWanted.current);
    cursorWanted.current = null;
  }, [value]);

  const typed = (text: string, cursor: number) => {
    onChange(text);
    const found = suggestions(wordAt(text, cursor), schema, callables);
    setOffered(found);
    if (found.length) box.openDropdown();
    else box.closeDropdown();
  };
  const choose = (index: number) => {
    const chosen = offered[index];
    if (!chosen) return;
    const next = completed(value, input.current?.selectionStart ?? value.length, chosen);
    cursorWanted.current = next.cursor;
    onChange(next.text);
    box.closeDropdown();
  };
  return (
    <Combobox
      store={box}
      onOptionSubmit={(index) => {
        choose(Number(index));
      }}
      withinPortal
      position="bottom-start"
      width="target"
    >
      <Combobox.Target>
        <TextInput
          {...rest}
          ref={input}
          className={`${classes["mono"] ?? ""} ${className ?? ""}`}
          value={value}
          autoComplete="off"
          spellCheck={false}
          onChange={(e) => {
            typed(e.currentTarget.value, e.currentTarget.selectionStart ?? e.currentTarget.value.length);
          }}
          onBlur={() => {
            box.closeDropdown();
          }}
        />
      </Combobox.Target>
      <Combobox.Dropdown hidden={!offered.length}>
        <Combobox.Options>
          {offered.map(({ text, detail, doc }, index) => (
            <Combobox.Option key={text} value={String(index)}>
              <span className={classes["offer"]}>
                <b>{text}</b> <span className="soft">{detail}</span>
              </span>
              {doc && <span className={classes["offerDoc"]}>{doc}</span>}
            </Combobox.Option>
          ))}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}
