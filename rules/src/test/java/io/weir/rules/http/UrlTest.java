package io.weir.rules.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Addresses as people write them. */
class UrlTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      textBlock =
          """
          /a?b=c#d                       | -                 | /a?b=c
          /                              | -                 | /
          //a/../b;c                     | -                 | //a/../b;c
          https://shop.example           | shop.example      | /
          HTTP://shop.example:8080?x     | shop.example:8080 | /?x
          http://u:p@shop.example/a/#x   | shop.example      | /a/
          http://[::1]:80/a              | [::1]:80          | /a
          """)
  void hostAndTarget(String text, String host, String target) {
    assertThat(Url.parse(text)).isEqualTo(new Url(host, target));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          shop.example/a  | 'shop.example/a' is no URL; write https://host/path, or only /path
          ftp://a/b       | 'ftp://a/b' is no http or https URL; write https://host/path, or only /path
          http:///a       | 'http:///a' is no URL: the host is missing
          /a b            | a URL has no blanks; write %20
          ``              | '' is no URL; write https://host/path, or only /path
          """)
  void rejectsInvalidUrls(String text, String message) {
    assertThatIllegalArgumentException().isThrownBy(() -> Url.parse(text)).withMessage(message);
  }
}
