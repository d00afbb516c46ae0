"""Patterns that take a backtracking engine exponential or polynomial time, each with a text that shows it."""

import random
from dataclasses import dataclass

MEGABYTE = 1_000_000


@dataclass(frozen=True)
class Attack:
    """A pattern, and a text out of three parts, the middle one as often as there is room."""

    pattern: str
    pump: str
    end: str = "!"
    begin: str = ""

    def text(self, size: int = MEGABYTE) -> str:
        """A text of that many bytes of ASCII, or a few less."""
        room = size - len(self.begin) - len(self.end)
        return self.begin + self.pump * (room // len(self.pump.encode())) + self.end

    def mixed(self, size: int = MEGABYTE) -> str:
        """A text of so many bytes, random characters of the pattern and the pump.

        It reaches the most states.
        """
        alphabet = sorted({*self.begin, *self.pump, *self.end, *filter(str.isalnum, self.pattern)})
        drawn = random.Random(self.pattern).randbytes(
            size // max(len(character.encode()) for character in alphabet)
        )
        if "".join(alphabet).isascii():
            return drawn.translate(bytes(ord(alphabet[at % len(alphabet)]) for at in range(256))).decode()
        return "".join([alphabet[at % len(alphabet)] for at in drawn])


REGEXES = (
    # alternatives and repetitions inside a repetition
    Attack("(a+)+$", "a"),
    Attack("^(a+)+$", "a"),
    Attack("^(a|aa)+$", "a"),
    Attack("^(a|a)+$", "a"),
    Attack("^(?:a|ab|b)+$", "ab"),
    Attack("^(a|b|ab)+c", "ab"),
    Attack("(x+x+)+y", "x"),
    Attack("^(([a-z])+.)+[A-Z]([a-z])+$", "a"),
    Attack(
        "^([a-zA-Z0-9])(([\\-.]|[_]+)?([a-zA-Z0-9]+))+(@){1}[a-z0-9]+[.]{1}"
        "(([a-z]{2,3})|([a-z]{2,3}[.]{1}[a-z]{2,3}))$",
        "a",
    ),
    Attack("^([a-zA-Z0-9])+@", "a"),
    Attack("(?:[a-z]+)+@", "a"),
    Attack("(?:(?:a+)+)+b", "a"),
    Attack("(?:.|\\n)+x", "a"),
    Attack("(?:\\w+\\s?)+$", "a "),
    Attack("^(?:\\w+\\s?)+$", "word "),
    Attack("^(\\d+,?)+$", "1,"),
    Attack("^(?:[^,]+,?)+;", "a,"),
    Attack("(?:\\s|\\t)+z", "\t"),
    Attack("(\\w|_)+@", "_"),
    Attack("(?:ab?|b?a)+c", "ab"),
    Attack("^(?:(?:\\d+)\\.?)+$", "1."),
    Attack("(?:<[^>]*>)+x", "<a>"),
    Attack("^(?:[a-z]|[a-m])+1", "a"),
    Attack("(?:(?:a|b)+|c)+d", "abc"),
    # optional parts in a row
    Attack("a?" * 25 + "a" * 25, "b" * 9 + "a" * 24),
    Attack("^" + "a?" * 30 + "a{30}$", "a"),
    Attack("a{0,5}" * 5 + "b", "a"),
    Attack("^(?:a?b?c?)d" + "a?b?c?" * 10 + "$", "abc"),
    # open repetitions that share characters
    Attack("a*a*b", "a"),
    Attack("a*a*a*b", "a"),
    Attack("a*a*a*a*a*a*b", "a"),
    Attack(".*.*=.*", "x"),
    Attack("(?:.*)(?:.*)=(?:.*)", "x"),
    Attack("x.*x.*x.*x.*y", "x"),
    Attack(".*a.*a.*a.*a.*a.*b", "a"),
    Attack("^.*a.*a.*a.*a.*a.*b$", "a"),
    Attack("\\s*,\\s*\\s*x", " "),
    Attack("\\s+$", " "),
    Attack("^\\s+|\\s+$", " ", end="x", begin="x"),
    Attack("[ \\t]+[ \\t]*\\n", "\t"),
    Attack("\\d+\\d+\\d+x", "1"),
    Attack("\\w+\\d+\\w+@", "1"),
    Attack("\\w*\\w*\\w*\\W\\w*#", "w"),
    Attack("[a-z]+[a-y]+[a-x]+0", "a"),
    Attack("[a-z]*z[a-z]*z[a-z]*z[a-z]*0", "z"),
    Attack("(a+)(a+)(a+)(a+)b", "a"),
    Attack("(.*)(.*)(.*)x$", "y"),
    Attack(".+?.+?.+?z", "y"),
    Attack("a+?a+?a+?b", "a"),
    # every position starts a match attempt
    Attack("a+b", "a"),
    Attack("[a-z]+@", "a"),
    Attack("\\w+@\\w+\\.com", "a"),
    Attack("<.*>x", "<"),
    Attack("\".*\":", '"'),
    Attack("\\(.*\\)\\{", "("),
    Attack("/\\*.*\\*/", "/*", end="!"),
    Attack(".*error", "e"),
    Attack("(?:http|https)://.*\\.com/x", "http://", end=""),
    Attack("\\b\\w+\\b\\s*=\\s*\\w+;", "a"),
    Attack("\\bx*\\b.*y", "x "),
    # addresses and versions as people write them
    Attack("^[\\w.+-]+@[\\w-]+(?:\\.[\\w-]+)+$", "a.", begin="a@"),
    Attack("(?:[0-9]{1,3}\\.){3}[0-9]{1,3}", "1.1.1"),
    Attack("^(?:[a-z0-9-]+\\.)+[a-z]{2,}$", "a."),
    Attack("^v?\\d+(?:\\.\\d+)*(?:-[\\w.]+)*$", "1.", begin="v1"),
    Attack("^[-+]?[0-9]*\\.?[0-9]+(?:[eE][-+]?[0-9]+)?$", "1"),
    Attack("^(?:é|ée|e)+$", "éee"),
    # many states at once
    Attack("(?:.*a){8}b", "a"),
    Attack("[ab]*a[ab]{7}c", "ab"),
    Attack("(?:a|b)*a[ab]{5}", "b"),
    Attack("a{1,40}b", "a"),
    Attack("(?:a|b|c|d|e){1,12}z", "abcde"),
)  # fmt: skip

LIKES = (
    Attack("%a%a%a%a%a%b", "a"),
    Attack("%a%a%a%a%a%a%a%a%a%a%a%a%b%", "a"),
    Attack("%_a_%_a_%_a_%b", "a"),
    Attack("a%" + "a%" * 100 + "b", "a"),
    Attack("%" + "a" * 200 + "b%", "a"),
    Attack("%" + "a_" * 100 + "b%", "a"),
    Attack("%ab%ab%ab%ba%bb", "ab"),
    Attack("%é_é%é_é%x", "é"),
    Attack("_%_%_%_%_%_%_%b", "a"),
    Attack("%%%%%%%%%%b", "a"),
)

EVERY_MATCH = tuple(Attack(*each) for each in (
    ("[a-z]+", "ab "), ("a", "a"), ("\\s+", "a "), ("[^,]*,", "a,"), ("<[^>]*>", "<a>"), ("a+b", "a"),
    ("(\\d+)-(\\d+)", "1-2 "),
    ("\\w+@\\w+\\.com", "a@b.com "), (".*x", "ax"), ("\\ba", "a "), ("a{1,20}b", "a"), ("a*", "ab"),
    ("(?:ab)*", "ab"), ("$", "a"),
))  # fmt: skip
"""Patterns for searches of all matches."""

ENDS = tuple(Attack(*each) for each in (
    ("(a)(b$)?", "abc"), ("(a)(b\\b)?", "abc "), ("(a)(\\Bb)?(b\\b)?", "abab"), ("(^a)?(b)?", "ab"),
    ("(\\bb)?(é)?a", "éba"),
))  # fmt: skip
"""Patterns whose groups depend on where the text ends, and not only the match."""

IN_VAIN = (
    ".*b|a", "[a-z]+@|[a-z]", "a[^z]*z|b", "(?:a[^z]*z)?b", "(?:a+b)*", "(?:ab)+c", "(a|b)*c", "x(?:.*y)?",
    "(?:a+b)+", "a|(?:aa)*b",
)  # fmt: skip
"""Patterns that would read ahead in vain for each match: a search for the first one only is allowed."""

MANY_STATES = tuple(Attack(*each) for each in (
    ("[ab]*a[ab]{12}c", "ab"), ("(a|b)*a(a|b){20}c", "ab"), ("[ab]*a[ab]{40}c", "ab"),
    ("(x|y)*x(x|y){45}z", "xy"),
    ("a.{0,60}b.{0,60}c", "abx"),
    ("(?:a.{0,20}){6}z", "abc"), ("\\w{1,30}\\d\\w{1,30}@", "a1b"), ("[ab]{5}a[ab]{30}a[ab]{30}c", "ab"),
    (".{0,50}error.{0,50}z", "ero"),
    ("[a-z]{1,50}[a-c]{1,50}[b-d]{1,50}9", "abcd"), ("error.{0,40}timeout", "ero"),
    ("a?.{1,20}a.{15}b", "ab"),
))  # fmt: skip
"""Patterns with many states: a megabyte of random letters took RE2 up to 1 s and its Java port up to 15 s."""

WRITTEN = (
    r"^\d{4}-\d{2}-\d{2}$",
    r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:?\d{2})?",
    r"\b\d{1,2}/\d{1,2}/\d{2,4}\b",
    r"^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$",
    r"(?:[0-9]{1,3}\.){3}[0-9]{1,3}",
    r"\b(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)\b",
    r"^(?:[0-9a-fA-F]{1,4}:){7}[0-9a-fA-F]{1,4}$",
    r"(?:[0-9a-fA-F]{1,4}:){2,7}[0-9a-fA-F]{1,4}",
    r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
    r"^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[1-5][0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}$",
    r"[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,}",
    r"^[a-zA-Z0-9._%+-]+@[a-zA-Z0-9.-]+\.[a-zA-Z]{2,6}$",
    r"^[\w.+-]+@[\w-]+(?:\.[\w-]+)+$",
    r"https?://[^\s/$.?#].[^\s]*",
    r"^(https?)://([^/:]+)(?::(\d+))?(/[^?#]*)?(?:\?([^#]*))?(?:#(.*))?$",
    r'^(\S+) (\S+) (\S+) \[([^\]]+)\] "([A-Z]+) ([^ "]+) HTTP/[0-9.]+" ([0-9]{3}) ([0-9]+|-)',
    r'"(GET|POST|PUT|DELETE|HEAD|PATCH) ([^ ]+) HTTP/\d\.\d" (\d{3}) (\d+)',
    r"^\[(\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2},\d{3})\] (TRACE|DEBUG|INFO|WARN|ERROR) (\S+) - (.*)$",
    r"\b(?:ERROR|FATAL|CRITICAL)\b",
    r"(?:error|exception|failed|timeout)",
    r".*error.*",
    r"level=(\w+)",
    r"user_id=(\d+)",
    r"duration_ms=(\d+(?:\.\d+)?)",
    r'([A-Za-z_][A-Za-z0-9_]*)=("[^"]*"|[^\s"]+)',
    r"(Chrome|Firefox|Safari|Edge)/(\d+)(?:\.\d+)*",
    r"Mozilla/5\.0 \(([^)]+)\) AppleWebKit/([0-9.]+)",
    r"(?:iPhone|iPad|iPod|Android|Windows Phone)",
    r"[Bb]ot|[Cc]rawler|[Ss]pider",
    r"^(?:SELECT|INSERT|UPDATE|DELETE|MERGE)\b",
    r"\b(?:SELECT|FROM|WHERE|GROUP BY|ORDER BY|HAVING|JOIN|LIMIT)\b",
    r"^\+?[0-9]{1,3}[- ]?\(?[0-9]{3}\)?[- ]?[0-9]{3}[- ]?[0-9]{4}$",
    r"\+?\d{1,3}[-. ]?\(?\d{3}\)?[-. ]?\d{3}[-. ]?\d{4}",
    r"^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$",
    r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}\b",
    r"\b(?:\d[ -]?){13,16}\b",
    r"\b\d{4}[ -]?\d{4}[ -]?\d{4}[ -]?\d{4}\b",
    r"^[A-Z]{3}$",
    r"^\s*$",
    r"^\s+|\s+$",
    r"\s+",
    r"[^a-zA-Z0-9]+",
    r"^v?(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z.-]+))?(?:\+([0-9A-Za-z.-]+))?$",
    r"^#?([a-fA-F0-9]{6}|[a-fA-F0-9]{3})$",
    r"^[a-z0-9]+(?:-[a-z0-9]+)*$",
    r"^[a-z0-9_-]{3,16}$",
    r"<[^>]+>",
    r"<([a-z]+)[^>]*>.*?</[a-z]+>",
    r"\$\{([^}]+)\}",
    r"^(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d)?$",
    r"^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$",
    r"([0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}",
    r"^/api/v(\d+)/([a-z]+)/([0-9a-f-]{36})(?:/|$)",
    r"/(?:static|assets)/.*\.(?:js|css|png|jpg|svg|woff2?)(?:\?.*)?$",
    r"at ([\w.$]+)\(([\w]+\.java):(\d+)\)",
    r"^\s*at .*",
    r"Caused by: ([\w.]+): (.*)",
    r"arn:aws:[a-z0-9-]+:[a-z0-9-]*:\d{12}:.+",
    r"[A-Z]{2,5}-\d{1,6}",
    r"\b[0-9a-f]{7,40}\b",
    r"\b[A-Fa-f0-9]{64}\b",
    r"eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+",
    r"\p{Lu}\p{Ll}+ \p{Lu}\p{Ll}+",
    r"^[\p{L} '-]{1,100}$",
    r"^.{1,140}$",
    r"^.{8,64}$",
    r"-?\d{1,3}\.\d{3,8},\s*-?\d{1,3}\.\d{3,8}",
    r"^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|3[47][0-9]{13})$",
    r'(?:^|,)("(?:[^"]|"")*"|[^,]*)',
    r"sensor-[0-9]{1,4}",
    r"^(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?\.)+[a-zA-Z]{2,}$",
    r"(\d+) ?(ms|s|min|h)",
    r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4}",
    r"password.{0,20}=",
    r"https?://(?:www\.)?[-a-zA-Z0-9@:%._+~#=]+\.[a-zA-Z0-9()]{1,6}\b[-a-zA-Z0-9()@:%_+.~#?&/=]*",
    "error.*timeout",
)
"""Patterns as people write them, of logs, addresses, identities, dates, programs and markup."""
