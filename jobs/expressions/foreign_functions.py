"""Names that people bring from Spark and other engines and that are not in the table,
with what to write here.
"""

from typing import Final

_CASTS: Final = {
    "int": "int", "integer": "int", "bigint": "long", "long": "long", "smallint": "int", "tinyint": "int",
    "double": "double", "float": "double", "real": "double", "decimal": "decimal(p,s)",
    "numeric": "decimal(p,s)", "string": "string", "varchar": "string", "text": "string",
    "to_char": "string", "to_varchar": "string", "boolean": "boolean", "binary": "bytes", "bytes": "bytes",
    "date": "date", "timestamp": "timestamp", "datetime": "timestamp",
}  # fmt: skip
_MEASURES: Final = (
    "any", "all",
    "count", "count_if", "sum", "min", "max", "avg", "mean", "first", "last", "any_value", "every", "some",
    "bool_and", "bool_or", "stddev", "variance", "median", "percentile", "approx_percentile",
    "approx_count_distinct", "collect_list", "collect_set", "array_agg", "string_agg", "listagg", "corr",
    "mode", "max_by", "min_by",
)  # fmt: skip

REPLACEMENTS: Final[dict[str, str]] = {
    **{
        name: f"Use cast(x as {kind}), or try_cast to leave failures uncounted."
        for name, kind in _CASTS.items()
    },
    **{name: "This is a measure over rows. Use it in an aggregate step." for name in _MEASURES},
    **dict.fromkeys(
        ("explode", "explode_outer", "posexplode", "inline", "unnest", "flatten_outer"),
        "Use an explode step.",
    ),
    **dict.fromkeys(
        ("lag", "lead", "row_number", "rank", "dense_rank", "ntile"),
        "Use a rolling, change or top_rows step; window functions aren't supported.",
    ),
    **dict.fromkeys(
        ("window", "tumble", "hop", "session_window"),
        "Use the window of an aggregate step, or time_bucket(time, duration('5m')).",
    ),
    "from_unixtime": "Use timestamp_seconds(x), and format_timestamp for a string.",
    "to_unix_timestamp": "Use unix_seconds(to_timestamp(text, pattern)).",
    "to_epoch": "Use unix_seconds, unix_millis or unix_micros.",
    "epoch_ms": "Use timestamp_millis(x), or unix_millis(time).",
    "trunc": "Use date_trunc('month', day) for dates, truncate(x, digits) for decimals.",
    "date_sub_months": "Use add_months(day, -n).",
    "make_interval": "Use duration('1h30m'). For months and years, use add_months.",
    "convert_timezone": "Use from_utc_timestamp(time, zone) or to_utc_timestamp(time, zone).",
    "at_timezone": "Use from_utc_timestamp(time, zone).",
    "strftime": "Use format_timestamp(time, pattern).",
    "strptime": "Use to_timestamp(text, pattern).",
    "parse_datetime": "Use to_timestamp(text, pattern).",
    "try_to_timestamp": "Use to_timestamp(text, pattern), which returns null for other texts.",
    "try_to_number": "Use to_number(text, format), which returns null for other texts.",
    "try_to_date": "Use to_date(text, pattern), which returns null for other texts.",
    "iff": "Use if(condition, then, otherwise).",
    "iif": "Use if(condition, then, otherwise).",
    "zeroifnull": "Use coalesce(x, 0).",
    "nullifzero": "Use nullif(x, 0).",
    "equal_null": "Use a <=> b.",
    "sort_array": "Use array_sort(list) or array_sort(list, false); nulls come last.",
    "list_contains": "Use array_contains(list, value).",
    "array_sum_by": "Use reduce(list, 0, (sum, x) -> sum + x.member).",
    "map_zip_with": "Use transform_values(a, (k, v) -> …), or map_concat(a, b).",
    "object_keys": "Use json_object_keys(text), or map_keys(map).",
    "json_extract": "Use get_json_object(text, path).",
    "json_value": "Use get_json_object(text, path).",
    "json_query": "Use get_json_object(text, path).",
    "json_tuple": "Use from_json(text, type), then its members.",
    "parse_json": "Use from_json(text, type).",
    "schema_of_json": "The type must be fixed: use from_json(text, type).",
    "sha256": "Use sha2(x, 256).",
    "sha512": "Use sha2(x, 512).",
    "murmur_hash": "Use hash(x).",
    "to_hex": "Use hex(x).",
    "from_hex": "Use unhex(text).",
    "to_base64": "Use base64(x).",
    "from_base64": "Use unbase64(text).",
    "to_binary": "Use unhex(text), unbase64(text) or encode(text, 'utf-8').",
    "regexp": "Use text rlike pattern.",
    "regexp_matches": "Use regexp_like(text, pattern) or regexp_extract_all(text, pattern, group).",
    "string_split": "Use split(text, separator).",
    "strlen": "Use length(text).",
    "btrim": "Use trim(text) or trim(text, characters).",
    "to_upper": "Use upper(text).",
    "to_lower": "Use lower(text).",
    "elt": "Use array(a, b, …)[index].",
    "haversine": "Use geo_distance(latitude, longitude, latitude, longitude), in meters.",
    "st_distance": "Use geo_distance(latitude, longitude, latitude, longitude), in meters.",
    "st_dwithin": "Use geo_within(latitude, longitude, latitude, longitude, meters).",
    **dict.fromkeys(
        (
            "reflect",
            "java_method",
            "assert_true",
            "raise_error",
            "input_file_block_start",
            "sleep",
            "xpath",
            "ai_query",
        ),
        "Not supported: its result doesn't depend on its arguments alone, or it runs code.",
    ),
}
"""Name, in small letters, to its hint."""
