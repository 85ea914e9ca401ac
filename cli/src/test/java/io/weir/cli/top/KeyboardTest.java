package io.weir.cli.top;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a terminal sends, as keys. */
class KeyboardTest {
  @ParameterizedTest
  @CsvSource({
    "s,           SORT",
    "q,           QUIT",
    "xg>!,        RESET GRANT TAB ENTER",
    "^[A,         UP",
    "^OB,         DOWN",
    "^[C^[D,      RIGHT LEFT",
    "^[1;5Cs,     RIGHT SORT",
    "^[3~s,       SORT",
    "^[200~s,     SORT",
    "^,           BACK",
    "^q,          BACK QUIT",
    "^^[A,        BACK UP",
    "^^,          BACK BACK",
    "^[,          ''",
    "wyz,         ''"
  })
  void reportsKeys(String sent, String reported) throws Exception {
    List<KeyPress> keys = new ArrayList<>();
    byte[] bytes =
        sent.replace('^', '\u001b').replace('>', '\t').replace('!', '\r').getBytes(US_ASCII);
    new Keyboard(new ByteArrayInputStream(bytes), keys::add).read();
    assertThat(String.join(" ", keys.stream().map(KeyPress::name).toList())).isEqualTo(reported);
  }
}
