package io.weir.rules.file;

import static io.weir.rules.file.InvalidFiles.wrong;
import static io.weir.rules.file.InvalidFiles.wrongMatch;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What is said about each mistake in a match or an attribute, and where. */
class MatchErrorsTest {
  @TempDir Path directory;

  @ParameterizedTest
  @MethodSource({"matches", "attributes"})
  void reportsErrorAndPosition(String text, List<String> expected) {
    InvalidFiles.assertProblems(directory, text, expected);
  }

  static Stream<Arguments> matches() {
    return Stream.of(
        wrongMatch("", "4:11: a match must be a map of attributes to values, but is nothing"),
        wrongMatch("[a]", "4:12: a match must be a map of attributes to values, but is a list"),
        wrongMatch(
            "{tier: }",
            "4:18: a value is missing for 'tier'; write ~ for absent, \"*\" for present"),
        wrongMatch(
            "{tier: ''}",
            "4:19: a value is missing for 'tier'; write ~ for absent, \"*\" for present"),
        wrongMatch("{tier: []}", "4:19: an empty list matches nothing; write at least one value"),
        wrongMatch(
            "{tier: {a: b}}",
            "4:19: the value of 'tier' must be a text or a list of them, but is a map"),
        wrongMatch(
            "{tier: [[a]]}",
            "4:20: the value of 'tier' must be a text or a list of them, but is a list"),
        wrongMatch(
            "{tier: a*b}",
            "4:19: bad tier: 'a*b' has a '*' that is not at its end, where it means any rest"),
        wrongMatch(
            "{path: login}", "4:19: bad path: a path must start with '/', but 'login' does not"),
        wrongMatch(
            "{ip: 10.0.0.1/8}", "4:17: bad ip: 10.0.0.1/8 has host bits; did you mean 10.0.0.0/8?"),
        wrongMatch(
            "{path: [/a/**/b, /ok]}", "4:20: bad path: '**' must be the last segment, as in /a/**"),
        wrongMatch("{method: HEAD}", "4:21: HEAD counts as GET; write GET"),
        wrongMatch(
            "{user: *}",
            "4:19: '*' repeats a value by its name; to mean the text, quote it: \"*\""));
  }

  private static Arguments wrongAttribute(String line, String... expected) {
    return wrong("rules: []\nattributes:\n  " + line + "\n", expected);
  }

  static Stream<Arguments> attributes() {
    return Stream.of(
        wrong(
            "rules: []\nattributes: []\n",
            "2:13: 'attributes' must be a map of names to sources, but is a list"),
        wrongAttribute("a: X-A", "3:6: an attribute must be a map of fields, but is 'X-A'"),
        wrongAttribute(
            "a: {}",
            "3:6: an attribute has exactly one of header, cookie, query, lookup, first_of"),
        wrongAttribute(
            "a: {header: A, cookie: B}",
            "3:6: an attribute has exactly one of header, cookie, query, lookup, first_of; this one has header and cookie"),
        wrongAttribute(
            "a: {heder: A}",
            "3:6: an attribute has exactly one of header, cookie, query, lookup, first_of",
            "3:7: unknown field 'heder' of an attribute; did you mean 'header'?"),
        wrongAttribute(
            "a: {header: 'X Y'}",
            "3:15: 'X Y' cannot be the name of a header; a name has letters, digits and !#$%&'*+-.^_`|~"),
        wrongAttribute(
            "a: {cookie: 'x=y'}",
            "3:15: 'x=y' cannot be the name of a cookie; a name has letters, digits and !#$%&'*+-.^_`|~"),
        wrongAttribute("a: {query: ''}", "3:14: '' cannot be the name of a query parameter"),
        wrongAttribute("a: {header: [x]}", "3:15: 'header' must be a single value, but is a list"),
        wrongAttribute(
            "ip: {header: X}",
            "3:3: 'ip' is given with every request and cannot be redefined; choose another name"),
        wrongAttribute(
            "method: {header: X}",
            "3:3: 'method' is given with every request and cannot be redefined; choose another name"),
        wrongAttribute(
            "path: {header: X}",
            "3:3: 'path' is given with every request and cannot be redefined; choose another name"),
        wrongAttribute(
            "path: {case: lower}",
            "3:16: 'case' of the path must be 'ignore', but is 'lower'; leave it out if case matters"),
        wrongAttribute(
            "path: {case: ignore, header: X}",
            "3:24: unknown field 'header' of the attribute 'path'"),
        wrongAttribute(
            "host: {header: X}",
            "3:3: 'host' is given with every request and cannot be redefined; choose another name"),
        wrongAttribute("a: {header: X, default: y}", "3:18: 'default' is for 'lookup' only"),
        wrongAttribute(
            "a: {lookup: b}", "3:6: a lookup has exactly one of 'in', a CSV file, and 'map'"),
        wrongAttribute(
            "a: {lookup: b, in: c.csv, map: {}}",
            "3:6: a lookup has exactly one of 'in', a CSV file, and 'map'; this one has both"),
        wrongAttribute(
            "a: {lookup: b, in: c.csv}",
            "3:22: lookup file 'c.csv' is missing; it was looked for at c.csv"),
        wrongAttribute(
            "a: {lookup: b, in: .}", "3:22: lookup file '.' is not a file; it was looked for at ."),
        wrongAttribute(
            "a: {lookup: b, in: \"a\\0b\"}", "3:22: control character in 'a\\u0000b'; remove it"),
        wrongAttribute(
            "a: {lookup: [b], map: {}}", "3:15: 'lookup' must name an attribute, but is a list"),
        wrongAttribute(
            "a: {lookup: b, map: [c]}", "3:23: 'map' must be a map of texts, but is a list"),
        wrongAttribute(
            "a: {lookup: b, map: {x: }}", "3:26: the value for 'x' must be a text, but is nothing"),
        wrongAttribute(
            "a: {lookup: b, map: {x: y}, default: ''}",
            "3:40: an empty default is no value; leave it out"),
        wrongAttribute(
            "a: {first_of: b}", "3:17: 'first_of' must be a list of attributes, but is 'b'"),
        wrongAttribute(
            "a: {first_of: []}",
            "3:17: 'first_of' must be an attribute or a list of them, but is an empty list"),
        wrongAttribute(
            "a: {first_of: [a, b]}",
            "3:3: attributes are derived from each other in a circle: a → a"),
        wrongAttribute(
            "a: {first_of: [c, b]}\n  b: {lookup: a, map: {}}",
            "3:3: attributes are derived from each other in a circle: a → b → a",
            "4:3: attributes are derived from each other in a circle: b → a → b"));
  }
}
