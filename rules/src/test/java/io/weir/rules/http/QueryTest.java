package io.weir.rules.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.rules.match.MalformedRequestException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The parameters of a query. */
class QueryTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "''                  | {}",
        "&&                  | {}",
        "a=1                 | {a=1}",
        "a                   | {a=}",
        "a=                  | {a=}",
        "a=b=c&d=%3D         | {a=b=c, d==}",
        "b=2&a=1&            | {b=2, a=1}",
        "%61+b=%2B+%C3%BC    | {a b=+ ü}",
      })
  void allParameters(String query, String parameters) {
    assertThat(Query.parameters(query, 2)).hasToString(parameters);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "a=1&a=1   | 'a' is sent twice",
        "a=1&%61   | 'a' is sent twice",
        "a&b&c     | more than 2",
        "=1        | has no name",
        "a=%       | broken escape",
        "a=%4      | broken escape",
        "a=%gg     | broken escape",
        "a=%C3     | not UTF-8",
        "a=ü       | must be written as bytes",
        "a=b c     | must be written as bytes",
      })
  void rejectsInvalidQueries(String query, String message) {
    assertThatThrownBy(() -> Query.parameters(query, 2))
        .isInstanceOf(MalformedRequestException.class)
        .hasMessageContaining(message);
  }

  @ParameterizedTest
  @CsvSource({"a=ü&k=1", "k=ü", "a=b c&k=1", "k=1\u007f"})
  void refusesParameterOfAQueryThatServersReadDifferently(String query) {
    assertThatThrownBy(() -> Query.parameter(query, "k"))
        .isInstanceOf(MalformedRequestException.class)
        .hasMessageContaining("must be written as bytes");
  }
}
