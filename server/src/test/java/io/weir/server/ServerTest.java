package io.weir.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a server wants before it starts. */
class ServerTest {
  private static final Settings OPEN =
      Settings.DEMO.onFreePorts().toBuilder().adminBind("0.0.0.0").build();

  /** Whoever starts it: the command, or a program. */
  @Test
  void theAdminPortNeedsATokenOffLoopback() {
    assertThatThrownBy(() -> Server.start(OPEN).close())
        .isInstanceOf(CouldNotStartException.class)
        .hasMessageContaining("0.0.0.0 without a token");
  }

  @Test
  void withATokenItMayBeAnywhere() {
    Settings.Secret token = new Settings.Secret("secret");
    try (Server server = Server.start(OPEN.toBuilder().adminToken(token).build())) {
      assertThat(server.adminPort()).isPositive();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1", "localhost"})
  void loopbackNeedsNone(String address) {
    try (Server server = Server.start(OPEN.toBuilder().adminBind(address).build())) {
      assertThat(server.adminPort()).isPositive();
    }
  }
}
