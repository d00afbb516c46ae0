import { Autocomplete, type AutocompleteProps } from "@mantine/core";

const ZONES = Intl.supportedValuesOf("timeZone");

/** The name of an IANA time zone. */
export function TimeZoneInput(props: Omit<AutocompleteProps, "data">) {
  return <Autocomplete size="xs" limit={12} data={ZONES} {...props} />;
}
