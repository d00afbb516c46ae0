"""Patterns that are known to take a searcher that goes back exponential or polynomial time, each with the text that makes it do so."""

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
    Attack("^([a-zA-Z0-9])(([\\-.]|[_]+)?([a-zA-Z0-9]+))+(@){1}[a-z0-9]+[.]{1}(([a-z]{2,3})|([a-z]{2,3}[.]{1}[a-z]{2,3}))$", "a"),
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
    # every place is a beginning
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
    Attack("[ab]*a[ab]{12}c", "ab"),
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
    ("[a-z]+", "ab "), ("a", "a"), ("\\s+", "a "), ("[^,]*,", "a,"), ("<[^>]*>", "<a>"), ("a+b", "a"), ("(\\d+)-(\\d+)", "1-2 "),
    ("\\w+@\\w+\\.com", "a@b.com "), (".*x", "ax"), ("\\ba", "a "), ("a{1,20}b", "a"), ("a*", "ab"), ("(?:ab)*", "ab"), ("$", "a"),
))  # fmt: skip
"""Patterns whose every match may be looked for."""

IN_VAIN = (
    ".*b|a", "[a-z]+@|[a-z]", "a[^z]*z|b", "(?:a[^z]*z)?b", "(?:a+b)*", "(?:ab)+c", "(a|b)*c", "x(?:.*y)?", "(?:a+b)+", "a|(?:aa)*b",
)  # fmt: skip
"""Patterns that would read ahead in vain for each match: a search for the first one only is allowed."""
