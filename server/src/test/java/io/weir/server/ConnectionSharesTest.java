package io.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How many may be connected to each port. */
class ConnectionSharesTest {
  @ParameterizedTest
  @CsvSource({
    "10000, 9223372036854775807, 10000, 10000, 10000",
    "10000,             1048576, 10000, 10000, 10000",
    "10000,               20000,  6666,  3333,   833",
    "10000,                1024,   341,   170,    42",
    "  100,                1024,   100,   100,    42",
    "    5,                1024,     5,     5,     5",
    "10000,                   2,     1,     1,     1",
  })
  void areWhatFits(int maxConnections, long files, int gateway, int service, int admin) {
    assertThat(ConnectionShares.of(maxConnections, files))
        .isEqualTo(new ConnectionShares(gateway, service, admin));
  }

  /** As many as clients are connections to servers; an eighth is for everything else. */
  @ParameterizedTest
  @CsvSource({"64", "1024", "4096", "20000"})
  void leaveSomeFiles(long files) {
    ConnectionShares connectionShares = ConnectionShares.of(Integer.MAX_VALUE, files);
    int together =
        2 * connectionShares.gateway() + connectionShares.service() + connectionShares.admin();
    assertThat(files - together).isGreaterThanOrEqualTo(files / 8);
  }
}
