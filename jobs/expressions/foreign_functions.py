"""Names that people bring from Spark and other engines and that are not in the table, with what to write here."""

from typing import Final

_CASTS: Final = {
    "int": "int", "integer": "int", "bigint": "long", "long": "long", "smallint": "int", "tinyint": "int", "double": "double",
    "float": "double", "real": "double", "decimal": "decimal(p,s)", "numeric": "decimal(p,s)", "string": "string", "varchar": "string",
    "text": "string", "to_char": "string", "to_varchar": "string", "boolean": "boolean", "binary": "bytes", "bytes": "bytes",
    "date": "date", "timestamp": "timestamp", "datetime": "timestamp",
}  # fmt: skip
_MEASURES: Final = (
    "any", "all",
    "count", "count_if", "sum", "min", "max", "avg", "mean", "first", "last", "any_value", "every", "some", "bool_and", "bool_or", "stddev",
    "variance", "median", "percentile", "approx_percentile", "approx_count_distinct", "collect_list", "collect_set", "array_agg",
    "string_agg", "listagg", "corr", "mode", "max_by", "min_by",
)  # fmt: skip

INSTEAD: Final[dict[str, str]] = {
    **{name: f"Write cast(x as {kind}), or try_cast to leave failures uncounted." for name, kind in _CASTS.items()},
    **{name: "It is a measure over rows: use an aggregate step." for name in _MEASURES},
    **dict.fromkeys(("explode", "explode_outer", "posexplode", "inline", "unnest", "flatten_outer"), "Use an explode step."),
    **dict.fromkeys(
        ("lag", "lead", "row_number", "rank", "dense_rank", "ntile"), "Use a rolling, change or top_rows step; there are no windows here."
    ),
    **dict.fromkeys(
        ("window", "tumble", "hop", "session_window"), "Use the window of an aggregate step, or time_bucket(time, duration('5m'))."
    ),
    "from_unixtime": "Write timestamp_seconds(x), and format_timestamp for a text.",
    "to_unix_timestamp": "Write unix_seconds(to_timestamp(text, pattern)).",
    "to_epoch": "Write unix_seconds, unix_millis or unix_micros.",
    "epoch_ms": "Write timestamp_millis(x), or unix_millis(time).",
    "trunc": "Write date_trunc('month', day) for dates, truncate(x, digits) for decimals.",
    "date_sub_months": "Write add_months(day, -n).",
    "make_interval": "Write duration('1h30m'); months and years have no fixed length: use add_months.",
    "convert_timezone": "Write from_utc_timestamp(time, zone) or to_utc_timestamp(time, zone).",
    "at_timezone": "Write from_utc_timestamp(time, zone).",
    "strftime": "Write format_timestamp(time, pattern).",
    "strptime": "Write to_timestamp(text, pattern).",
    "parse_datetime": "Write to_timestamp(text, pattern).",
    "try_to_timestamp": "Write to_timestamp(text, pattern), which is null for other texts.",
    "try_to_number": "Write to_number(text, form), which is null for other texts.",
    "try_to_date": "Write to_date(text, pattern), which is null for other texts.",
    "iff": "Write if(condition, then, otherwise).",
    "iif": "Write if(condition, then, otherwise).",
    "zeroifnull": "Write coalesce(x, 0).",
    "nullifzero": "Write nullif(x, 0).",
    "equal_null": "Write a <=> b.",
    "sort_array": "Write array_sort(list) or array_sort(list, false); nulls come last.",
    "list_contains": "Write array_contains(list, value).",
    "array_sum_by": "Write reduce(list, 0, (sum, x) -> sum + x.member).",
    "map_zip_with": "Write transform_values(a, (k, v) -> …), or map_concat(a, b).",
    "object_keys": "Write json_object_keys(text), or map_keys(map).",
    "json_extract": "Write get_json_object(text, path).",
    "json_value": "Write get_json_object(text, path).",
    "json_query": "Write get_json_object(text, path).",
    "json_tuple": "Write from_json(text, type), then its members.",
    "parse_json": "Write from_json(text, type).",
    "schema_of_json": "The type must be known when the job is checked: write from_json(text, type).",
    "sha256": "Write sha2(x, 256).",
    "sha512": "Write sha2(x, 512).",
    "murmur_hash": "Write hash(x).",
    "to_hex": "Write hex(x).",
    "from_hex": "Write unhex(text).",
    "to_base64": "Write base64(x).",
    "from_base64": "Write unbase64(text).",
    "to_binary": "Write unhex(text), unbase64(text) or encode(text, 'utf-8').",
    "regexp": "Write text rlike pattern.",
    "regexp_matches": "Write regexp_like(text, pattern) or regexp_extract_all(text, pattern, group).",
    "string_split": "Write split(text, separator).",
    "strlen": "Write length(text).",
    "btrim": "Write trim(text) or trim(text, characters).",
    "to_upper": "Write upper(text).",
    "to_lower": "Write lower(text).",
    "elt": "Write array(a, b, …)[place].",
    "haversine": "Write geo_distance(latitude, longitude, latitude, longitude): metres.",
    "st_distance": "Write geo_distance(latitude, longitude, latitude, longitude): metres.",
    "st_dwithin": "Write geo_within(latitude, longitude, latitude, longitude, metres).",
    **dict.fromkeys(
        ("reflect", "java_method", "assert_true", "raise_error", "input_file_block_start", "sleep", "xpath", "ai_query"),
        "It is not a function of its arguments alone, or runs code; there is none instead.",
    ),
}
"""Name, in small letters, to its hint."""
