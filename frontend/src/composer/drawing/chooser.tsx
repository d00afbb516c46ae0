import { Modal } from "@mantine/core";
import { useState } from "react";
import { ChoiceList, type Choice } from "./choice-list";

interface ChooserProps<T extends Choice> {
  title: string;
  choices: readonly T[];
  empty: string;
  onChoose: (choice: T) => void;
  onClose: () => void;
}

/** A list over the drawing from which one is taken. */
export function Chooser<T extends Choice>({ title, choices, empty, onChoose, onClose }: ChooserProps<T>) {
  const [search, setSearch] = useState("");
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const found = choices.filter(({ label, does, group }) =>
    words.every((word) => `${label} ${does} ${group}`.toLowerCase().includes(word)),
  );
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      yOffset="12vh"
      centered={false}
      size="md"
      returnFocus={false}
    >
      <ChoiceList
        label={title}
        choices={found}
        search={search}
        onSearch={setSearch}
        empty={choices.length ? "No matches" : empty}
        autoFocus
        onChoose={(choice) => {
          onClose();
          onChoose(choice);
        }}
      />
    </Modal>
  );
}
