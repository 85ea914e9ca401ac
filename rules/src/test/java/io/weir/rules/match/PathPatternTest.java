package io.weir.rules.match;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PathPatternTest {
  @ParameterizedTest
  @CsvSource({
    "/, /, true",
    "/, /a, false",
    "/a, /a, true",
    "/a/, /a, true",
    "/a, /, false",
    "/a, /A, false",
    "/a, /ab, false",
    "/ab, /a, false",
    "/a, /a/b, false",
    "/a/b, /a/b, true",
    "/a/b, /a, false",
    "/a/b, /a/bc, false",
    "/a/b, /ab, false",
    "/*, /a, true",
    "/*, /, false",
    "/*, /a/b, false",
    "/a/*, /a/b, true",
    "/a/*, /a, false",
    "/a/*, /a/b/c, false",
    "/a/*, /b/b, false",
    "/a/*/c, /a/b/c, true",
    "/a/*/c, /a/c, false",
    "/a/*/c, /a/b/d, false",
    "/*/*, /a/b, true",
    "/*/*, /a, false",
    "/a/**, /a, true",
    "/a/**, /a/b, true",
    "/a/**, /a/b/c/d, true",
    "/a/**, /ab, false",
    "/a/**, /, false",
    "/a/*/**, /a, false",
    "/a/*/**, /a/b, true",
    "/a/*/**, /a/b/c, true",
    "/**, /, true",
    "/**, /a/b, true",
    "/**, *, false",
    "/a/**/, /a/b, true",
    "/users/{id}, /users/42, true",
    "/users/{id}, /users, false",
    "/users/{id}, /users/42/x, false",
    "/users/{id}/orders, /users/42/orders, true",
    "/users/{id}/orders, /users/42/order, false",
    "/{a}/{b}, /x/y, true",
    "/a b/ü, /a b/ü, true",
  })
  void matches(String pattern, String path, boolean expected) {
    assertThat(PathPattern.parse(pattern).matches(path)).isEqualTo(expected);
  }

  @Test
  void case33_pathsOfOneShapeShareATemplate() {
    PathPattern users = PathPattern.parse("/users/{id}");
    assertThat(users.matches("/users/1")).isTrue();
    assertThat(users.matches("/users/2")).isTrue();
  }

  @Test
  void segmentsHaveNames() {
    PathPattern pattern = PathPattern.parse("/shops/{shop}/*/{item-id}/**");

    assertThat(pattern.names()).containsExactly("shop", "item-id");
    assertThat(pattern.segment("shop", "/shops/7/x/shoe/a/b")).isEqualTo("7");
    assertThat(pattern.segment("item-id", "/shops/7/x/shoe")).isEqualTo("shoe");
    assertThat(pattern.segment("item-id", "/shops/7/x/shoe/a/b")).isEqualTo("shoe");
    assertThat(pattern.segment("other", "/shops/7/x/shoe")).isNull();
    assertThat(pattern.segment("", "/shops/7/x/shoe")).isNull();
    assertThat(PathPattern.parse("/a/*").names()).isEmpty();
  }

  @Test
  void aTrailingSlashMakesNoDifference() {
    assertThat(PathPattern.parse("/a/")).isEqualTo(PathPattern.parse("/a")).hasToString("/a");
    assertThat(PathPattern.parse("/")).hasToString("/");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "a/b         | a path must start with '/', but 'a/b' does not",
        "\"\"        | a path must start with '/', but '' does not",
        "*           | a path must start with '/', but '*' does not",
        "/a/**/b     | '**' must be the last segment, as in /a/**",
        "/**/**      | '**' must be the last segment, as in /a/**",
        "/api*       | '*' stands for a whole segment, not a part of 'api*'; did you mean /api/* (one segment) or /api/** (any depth)?",
        "/v1/api**   | '*' stands for a whole segment, not a part of 'api**'; did you mean /v1/api/* (one segment) or /v1/api/** (any depth)?",
        "/***        | '*' stands for a whole segment, not a part of '***'; did you mean /* (one segment) or /** (any depth)?",
        "/a/*.json   | '*' stands for a whole segment, not a part of '*.json'; write /a/* for one segment",
        "/*a/b       | '*' stands for a whole segment, not a part of '*a'; write /* for one segment",
        "/api*/b     | '*' stands for a whole segment, not a part of 'api*'; write /* for one segment",
        "/a/{id      | '{id': braces go around a whole segment, as in /users/{id}",
        "/a/id}      | 'id}': braces go around a whole segment, as in /users/{id}",
        "/a/{i{d}}   | '{i{d}}': braces go around a whole segment, as in /users/{id}",
        "/a/x{id}    | 'x{id}': braces go around a whole segment, as in /users/{id}",
        "/a/{id}.x   | '{id}.x': braces go around a whole segment, as in /users/{id}",
        "/a/{a}{b}   | '{a}{b}': braces go around a whole segment, as in /users/{id}",
        "/a/}{       | '}{': braces go around a whole segment, as in /users/{id}",
        "/a/{a/b}    | '{a': braces go around a whole segment, as in /users/{id}",
        "/a/{}       | '{}' has no name; write {id}, or * for a segment without a name",
        "/a/{path}   | '{path}' would hide the path of the request; choose another name",
        "/{ip}/b     | '{ip}' would hide the ip of the request; choose another name",
        "/{method}   | '{method}' would hide the method of the request; choose another name",
        "/{host}     | '{host}' would hide the host of the request; choose another name",
        "/{a}/{a}    | the name '{a}' occurs twice",
        "/{1a}       | '1a' is not a valid name: letters, digits, '_' and '-', no digit or '-' first",
        "/{-a}       | '-a' is not a valid name: letters, digits, '_' and '-', no digit or '-' first",
        "/{a.b}      | 'a.b' is not a valid name: letters, digits, '_' and '-', no digit or '-' first",
        "/{a b}      | 'a b' is not a valid name: letters, digits, '_' and '-', no digit or '-' first",
        "/{ü}        | 'ü' is not a valid name: letters, digits, '_' and '-', no digit or '-' first",
        "/a?x=1      | a path has no '?': the query is no part of it",
        "/a#x        | a path has no '#': the fragment is no part of it",
        "/a;x        | a path has no ';': parameters of segments are no part of it",
        "/a\\b       | a path has no backslash: requests with one are refused",
        "/a%20b      | a path is matched when decoded: write the character instead of its % escape",
        "/a//b       | '/a//b' has an empty segment: '//'",
        "//a         | '//a' has an empty segment: '//'",
        "//          | '//' has an empty segment: '//'",
        "/a//        | '/a//' has an empty segment: '//'",
        "/a/./b      | '/a/./b' has a segment '.': paths are matched when resolved",
        "/a/..       | '/a/..' has a segment '..': paths are matched when resolved",
      })
  void reportsError(String pattern, String message) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> PathPattern.parse(pattern))
        .withMessage(message);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/a\0", "/a\nb", "/\u007f"})
  void controlCharactersAreRefusedAndNotEchoed(String pattern) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> PathPattern.parse(pattern))
        .withMessage("a path has no control characters");
  }
}
