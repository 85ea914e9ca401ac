package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.redis.Failure.Kind;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What becomes of whoever waits for a connection that cannot even be begun. */
class DialerTest {
  private static Stream<Throwable> thrown() {
    return Stream.of(
        new IllegalStateException("no"),
        new NoClassDefFoundError("io/netty/Gone"),
        new ExceptionInInitializerError(),
        new StackOverflowError(),
        new OutOfMemoryError("unable to create native thread"));
  }

  @ParameterizedTest
  @MethodSource("thrown")
  void whoWaitsIsToldWhateverIsThrown(Throwable thrown) {
    CompletableFuture<Wire> dialed = new CompletableFuture<>();
    Dialer.orFail(dialed, "redis.example:6379", () -> DialerTest.<Error>sneak(thrown));
    assertThat(dialed)
        .failsWithin(0, TimeUnit.SECONDS)
        .withThrowableThat()
        .havingCause()
        .isInstanceOfSatisfying(
            LinkException.class,
            told -> {
              assertThat(told.failure().kind()).isEqualTo(Kind.DISCONNECTED);
              assertThat(told.failure().message())
                  .isEqualTo(
                      "cannot connect to redis.example:6379: "
                          + (thrown instanceof Error ? thrown.toString() : thrown.getMessage()));
            });
  }

  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  private static <T extends Throwable> void sneak(Throwable thrown) throws T {
    throw (T) thrown;
  }
}
